"""Roles of targets: which may be registered, and which target each is for."""

import re

import pytest

from shared.domain.delivery.aws_target import AwsTarget, TargetKind
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError
from shared.domain.tenancy.target_roles import MAX_ROLES, check_role, check_roles, external_id, role_for
from shared.names import ROLE_PATTERN

PATTERN = "arn:aws:iam::*:role/punctual/*"
ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
OTHER = "arn:aws:iam::444455556666:role/punctual/acme"
QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"


def test_role_is_for_the_targets_of_its_account_and_partition() -> None:
    assert role_for((OTHER, ROLE), QUEUE) == ROLE
    assert role_for((OTHER,), QUEUE) is None
    assert role_for((), QUEUE) is None
    assert role_for((ROLE,), "arn:aws-cn:sqs:cn-north-1:111122223333:orders") is None


def test_target_without_a_role_is_refused_with_its_account() -> None:
    request = Request(target=AwsTarget(kind=TargetKind.SQS, arn=QUEUE))
    check_role((ROLE,), request)
    with pytest.raises(InvalidValueError, match="account 111122223333") as refused:
        check_role((OTHER,), request)
    assert refused.value.path == ("target", "sqs", "arn")


def test_roles_of_the_pattern_may_be_registered() -> None:
    check_roles((ROLE, OTHER), PATTERN)
    check_roles((ROLE,), "arn:aws:iam::111122223333:role/punctual/acme")
    check_roles((), None)


@pytest.mark.parametrize(
    ("roles", "allowed", "path"),
    [
        ((ROLE,), None, ("target_roles",)),
        ((ROLE, "arn:aws:iam::111122223333:role/other"), PATTERN, ("target_roles", "1")),
        ((ROLE, "arn:aws:iam::111122223333:role/punctual/b"), PATTERN, ("target_roles", "1")),
        (("arn:aws:iam::111122223333:user/punctual/acme",), PATTERN, ("target_roles", "0")),
        (("arn:aws:iam::*:role/punctual/acme",), PATTERN, ("target_roles", "0")),
        ((f"{ROLE}\n",), PATTERN, ("target_roles", "0")),
        ((OTHER,), "arn:aws:iam::111122223333:role/punctual/*", ("target_roles", "0")),
        ((ROLE.replace("/punctual", "/xpunctual"),), PATTERN, ("target_roles", "0")),
        (
            tuple(ROLE.replace("1111", f"{number:04}") for number in range(MAX_ROLES + 1)),
            PATTERN,
            ("target_roles",),
        ),
    ],
)
def test_role_that_may_not_be_registered_is_refused_at_its_place(
    roles: tuple[str, ...], allowed: str | None, path: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidValueError) as refused:
        check_roles(roles, allowed)
    assert refused.value.path == path


@pytest.mark.parametrize(
    "pattern",
    [
        "*",
        "arn:aws:iam::*:role/*",
        "arn:aws:iam::*:*",
        "arn:aws:iam::111122223333:user/punctual/*",
        "role/punctual/*",
    ],
)
def test_pattern_that_admits_every_role_is_none(pattern: str) -> None:
    assert re.fullmatch(ROLE_PATTERN, pattern) is None
    assert re.fullmatch(ROLE_PATTERN, PATTERN)


def test_external_id_is_the_same_for_a_tenant_and_fits_into_a_trust_policy() -> None:
    assert external_id(bytes(32)) == external_id(bytes(32)) != external_id(b"\x01" * 32)
    assert re.fullmatch(r"[\w+=,.@:/-]{2,1224}", external_id(b"\xff" * 32))
