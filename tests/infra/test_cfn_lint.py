"""cfn-lint: the templates are what CloudFormation's schemas and rules of the region allow."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.infra.conftest import Synthesised

ACCEPTED = {
    "W3005": "CDK lists a function's role as a dependency beside the reference to it, and neither does harm.",
}
"""Rules that are not followed, each with the reason."""


@pytest.mark.parametrize("stage", ["cloud", "large"])
def test_templates_have_no_findings_but_the_accepted(stage: str, request: pytest.FixtureRequest) -> None:
    stacks: Synthesised = request.getfixturevalue(stage)
    found = {
        (each["Rule"]["Id"], each["Message"])
        for part in ("data", "service")
        for each in _findings(stacks, part)
    }
    assert {finding for finding in found if finding[0] not in ACCEPTED} == set()
    assert {rule for rule, _ in found} == ACCEPTED.keys(), "an accepted rule has no finding: remove it"


def _findings(stacks: Synthesised, part: str) -> list[dict[str, dict[str, str]]]:
    template = stacks.outdir / f"{stacks.stage.prefix}-{part}.template.json"
    region = stacks.stage.region
    done = subprocess.run(
        [
            Path(sys.executable).with_name("cfn-lint"),
            "--format",
            "json",
            "--regions",
            region,
            "--template",
            template,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert not done.stderr, done.stderr
    findings: list[dict[str, dict[str, str]]] = json.loads(done.stdout)
    return findings
