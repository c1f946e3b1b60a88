"""The roles that executors may assume for targets of tenants: by a pattern of the stage, and by no other function."""

from dataclasses import replace

import pytest

from infra.stage_files.read import parse_stage
from infra.stages import cloud_stage
from shared.names import Env
from tests.infra.conftest import Synthesised
from tests.support.template import environment

PATTERN = "arn:aws:iam::*:role/punctual/*"
FILE = f'region = "eu-west-1"\nprotected = false\ntarget_roles = "{PATTERN}"\n'


def roles(stacks: Synthesised) -> dict[str, object]:
    """What each function may assume."""
    found: dict[str, object] = {}
    for service, function in stacks.service.functions().items():
        (policy,) = stacks.service.referred(function["Role"])["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Action"] == "sts:AssumeRole":
                found[service] = statement["Resource"]
    return found


def test_executors_alone_may_assume_the_roles_of_the_pattern(local: Synthesised) -> None:
    executors = {name for name in local.service.functions() if name.startswith("executor-")}
    assert local.stage.target_roles == PATTERN
    assert roles(local) == dict.fromkeys(executors, PATTERN)


def test_stage_without_the_key_may_assume_none(cloud: Synthesised) -> None:
    assert cloud.stage.target_roles is None
    assert roles(cloud) == {}


def test_api_and_executors_alone_know_the_pattern(local: Synthesised, cloud: Synthesised) -> None:
    for stacks in (local, cloud):
        for service, function in stacks.service.functions().items():
            knows = service == "api" or service.startswith("executor-")
            expected = stacks.stage.target_roles if knows else None
            assert environment(function).get(Env.TARGET_ROLES) == expected


def test_stage_file_has_the_pattern() -> None:
    assert parse_stage("prod", FILE.encode(), "stages/prod.toml").target_roles == PATTERN


@pytest.mark.parametrize(
    "pattern",
    ["*", "arn:aws:iam::*:role/*", "arn:aws:iam::*:user/punctual/*", "arn:aws:sqs:eu-west-1:*:orders", ""],
)
def test_pattern_that_admits_every_role_fails_at_synth(pattern: str) -> None:
    with pytest.raises(ValueError, match="target_roles is a pattern of roles"):
        replace(cloud_stage("prod", "eu-west-1"), target_roles=pattern)
