"""Members of a job that go together, or exclude one another."""

from collections.abc import Collection, Container, Iterator
from typing import Any

from shared.domain.delivery.call_kind import CallKind, check_one_kind
from shared.domain.errors import InvalidValueError
from shared.domain.jobs.new_job import CALL_ONLY, call_only_errors

RECURRING_ONLY = (
    "catch_up",
    "catch_up_limit",
    "catch_up_window_seconds",
    "late_tolerance_seconds",
    "overlap_policy",
)
ONE_KIND: dict[str, Any] = {
    "dependentSchemas": {
        # The schedule is required. Swagger UI would show a choice at the top of the schema as its type.
        "schedule": {"oneOf": [{"required": [kind.value]} for kind in CallKind]},
        CallKind.WORKFLOW.value: {"not": {"anyOf": [{"required": [name]} for name in CALL_ONLY]}},
    },
}
"""The rules of the schema for the members that say what a job calls, sends to or starts."""


def kind_errors(members: Collection[str]) -> Iterator[InvalidValueError]:
    """The errors of what a job calls, sends to or starts, by the members that it has."""
    try:
        check_one_kind(members)
    except InvalidValueError as error:
        yield error
        return
    if CallKind.TARGET in members and "signing_secret" in members:
        yield InvalidValueError("calls of a target have no signature: leave it out", path=("signing_secret",))
    if CallKind.WORKFLOW in members:
        yield from call_only_errors(sorted(members))


def recurring_only_errors(members: Container[str]) -> Iterator[InvalidValueError]:
    """An error for each member of a one-off job that only recurring jobs have."""
    for name in RECURRING_ONLY:
        if name in members:
            yield InvalidValueError(f"{name} has no meaning for a job that runs once", path=(name,))
