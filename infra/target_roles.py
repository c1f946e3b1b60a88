"""The roles that the executors of a stage may assume, to send to targets of its tenants in AWS."""

import re

from shared.names import ROLE_PATTERN

ASSUME = ("sts:AssumeRole",)
TARGET_ROLES = "target-roles"
"""The name of the roles in the table of grants."""


def check_target_roles(pattern: str | None) -> None:
    """Raise ValueError for a pattern that would admit every role of an account."""
    if pattern is not None and not re.fullmatch(ROLE_PATTERN, pattern):
        raise ValueError(
            "target_roles is a pattern of roles with a path, or with the beginning of a name, such as "
            f"'arn:aws:iam::*:role/punctual/*', not {pattern!r}"
        )
