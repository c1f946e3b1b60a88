"""A deployment prints no warning about the CDK's interface."""

import os
import subprocess
import sys

from infra.local.state_dir import PROJECT_ROOT

SYNTH = """
from aws_cdk import App
from infra.app import build
from infra.stages import cloud_stage
build(App(), cloud_stage("prod", "eu-west-1", preset="large"))
"""


def test_no_stack_uses_a_deprecated_part_of_the_cdk() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SYNTH],
        cwd=PROJECT_ROOT,
        env={**os.environ, "JSII_DEPRECATED": "fail"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
