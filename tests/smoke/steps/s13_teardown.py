"""S13: the stage is torn down, and nothing with its tag is left."""

import time
from typing import Any

from tests.smoke.findings import Findings
from tests.smoke.judge.leftovers import leftovers, tagged
from tests.smoke.probe import stack
from tests.smoke.world import DeploymentTarget

TAGS_LAG_SECONDS = 300.0
POLL_SECONDS = 20.0


def run(target: DeploymentTarget, findings: Findings) -> None:
    stack.delete(target.client, f"{target.stage.prefix}-smoke-probe")
    target.teardown()
    present = _stacks(target)
    findings.check("no stack of the stage is left", not present, present)
    if findings.can_show("tagging", "nothing with the tag of the stage is left"):
        left = _left(target)
        findings.check("nothing with the tag of the stage is left", not left, "\n".join(left))


def _stacks(target: DeploymentTarget) -> list[str]:
    pages = target.client("cloudformation").get_paginator("list_stacks").paginate()
    return [
        each["StackName"]
        for page in pages
        for each in page["StackSummaries"]
        if each["StackName"].startswith(f"{target.stage.prefix}-")
        and each["StackStatus"] != "DELETE_COMPLETE"
    ]


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
