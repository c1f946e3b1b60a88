"""What a job calls, sends to or starts. A new kind is a member here, of `CallSpec` and of `Request`."""

from collections.abc import Collection
from enum import StrEnum

from shared.domain.errors import InvalidValueError


class CallKind(StrEnum):
    """The values are the members of a job in the API, of which a job has exactly one."""

    REQUEST = "request"
    WORKFLOW = "workflow"
    TARGET = "target"


class AuthKind(StrEnum):
    """How an HTTP request authenticates itself, beside its signature. The values are stored, and members of `auth`."""

    OIDC = "oidc"
    SIGV4 = "sigv4"


def check_one_kind(sent: Collection[str]) -> None:
    """InvalidValueError unless exactly one of these members of a job names what it calls, sends to or starts."""
    named = [kind for kind in CallKind if kind in sent]
    if len(named) != 1:
        *others, last = CallKind
        members = f"{', '.join(others)} and {last}"
        found = f"this job has {' and '.join(named)}" if named else "this job has none of them"
        raise InvalidValueError(
            f"a job has exactly one of {members}, and {found}",
            path=(named[-1] if named else CallKind.REQUEST,),
        )
