"""S13: the stage is torn down, and nothing with its tag is left. A stage that existed before the run is kept."""

import time
from typing import Any

from tests.smoke.findings import Findings
from tests.smoke.judge.leftovers import leftovers, tagged
from tests.smoke.probe import stack
from tests.smoke.stacks import probe_stack
from tests.smoke.throwaways import delete_throwaways
from tests.smoke.world import DeploymentTarget

TAGS_LAG_SECONDS = 300.0
POLL_SECONDS = 20.0


def run(target: DeploymentTarget, findings: Findings) -> None:
    probe = probe_stack(target.stage)
    try:
        stack.delete(target.client, probe)
    finally:
        if not target.reuses:
            target.teardown()
    present = target.stacks()
    if target.reuses:
        findings.check("the stage is kept without its probe", bool(present) and probe not in present, present)
    else:
        findings.check("no stack of the stage is left", not present, present)
    if findings.can_show("tagging", "nothing with the tag of the stage is left"):
        found = tagged(target.client("resourcegroupstaggingapi"), target.stage.name)
        delete_throwaways(target.client, found)
        if not target.reuses:
            left = _left(target)
            findings.check("nothing with the tag of the stage is left", not left, "\n".join(left))


def _left(target: DeploymentTarget) -> list[str]:
    """AWS lists a deleted resource by its tags for some minutes more."""
    tags, kms = target.client("resourcegroupstaggingapi"), target.client("kms")
    deadline = time.monotonic() + TAGS_LAG_SECONDS
    while True:
        found = tagged(tags, target.stage.name)
        states = {arn: _state(kms, arn) for arn in found if ":kms:" in arn}
        left = leftovers(found, states)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(POLL_SECONDS)


def _state(kms: Any, arn: str) -> str:
    return str(kms.describe_key(KeyId=arn)["KeyMetadata"]["KeyState"])
