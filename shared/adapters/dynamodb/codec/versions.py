"""Versions of stored items, and the values that came with each version.

A writer stamps an item with the highest version among the values that it stores. After a rollback, the older
release claims and changes all items but those with a value that it does not know; these wait for the release
that knows the value. A claim counts its attempt before the item is decoded, so the claim's condition, not the
decoder, must refuse such an item.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

from shared.domain.delivery.call_kind import CallKind
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.errors import UnknownVersionError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Definition
from shared.domain.schedules.recurrence import Recurrence

T = TypeVar("T")

KEYED = 3
"""The first version that keeps the key and the set of a job. An older release would write the job without them."""
WORKFLOWS = 4
"""The first version with workflows: their definitions, their runs, the executions of their tasks, and the jobs that
start them. An older release would end a task and tell no run."""
BULK_SETS = 5
"""The first version with bulk operations on the jobs of a set. An older release would change the jobs of all sets."""
TARGETS = 6
"""The first version with targets in AWS, and with requests that have a token. An older release would read no target,
and fail the attempts, and would call without the token."""
TRIGGER_LIMITS = 7
"""The first version with triggers that debounce or throttle. An older release would start a run for each event."""
MAPS = 8
"""The first version with maps: workflows that have one, and the executions of its items. An older release would call a
task once, without an element."""
RUN_INPUTS = 9
"""The first version with inputs of runs. An older release would begin the run of an event without the event, and call a
task without it. So after a rollback every run that an event starts waits, also where no task takes the event: the
event is received without a read of the workflow."""
SIGNED_CALLS = 10
"""The first version with requests that a role signs for AWS. An older release would call without the signature."""
BLACKOUTS = 11
"""The first version with blackout windows of calendars. An older release would run through them."""
VERSION = 11
"""The highest version of an item that this release reads and changes."""
SINCE: Mapping[str, Mapping[str, int]] = {
    "EndReason": {"SUSPENDED": 2, "RESULT_INVALID": WORKFLOWS},
    "AlertEvent": {"LIMIT_REACHED": 2},
    "Reason": {
        **dict.fromkeys(("RESULT_INVALID", "WORKFLOW_GONE", "RUN_FAILED", "RUN_TIMED_OUT"), WORKFLOWS),
        "ROLE_REFUSED": TARGETS,
        "TARGET_NOT_FOUND": TARGETS,
        "TARGET_ACCESS_DENIED": TARGETS,
        "TARGET_THROTTLED": TARGETS,
        "TARGET_REFUSED": TARGETS,
        "TARGET_FAILED": TARGETS,
        "FUNCTION_FAILED": TARGETS,
    },
    "AuthKind": {"OIDC": TARGETS, "SIGV4": SIGNED_CALLS},
    "Series": {"Blackouts": BLACKOUTS},
    "WhenExcluded": {"SKIP": 4, "NEXT": 4, "PREVIOUS": 4, "MODIFIED_FOLLOWING": 4},
}
"""By type and name, the version of each stored value that version 1 lacks.

A release that adds a member to a stored enumeration, or a kind of schedule, adds it here and raises VERSION.
"""


def version_of(*values: object) -> int:
    """The lowest version that knows all of these members of enumerations, and parts of schedules; None is known."""
    return max((SINCE.get(kind, {}).get(name, 1) for kind, name in map(_named, values)), default=1)


def execution_version(execution: Execution) -> int:
    if execution.task is not None and execution.task.takes_input:
        return max(RUN_INPUTS, call_version(execution.call))
    if execution.task is not None and execution.task.item is not None:
        return max(MAPS, call_version(execution.call))
    if execution.call.target is not None:
        return max(TARGETS, version_of(*(rules(execution.recurrence) if execution.recurrence else ())))
    if execution.task is not None or execution.ended_run is not None:
        return max(WORKFLOWS, call_version(execution.call))
    progress = execution.progress
    values = version_of(
        progress.state,
        execution.lane,
        execution.call.lane,
        progress.end_reason,
        *(outcome.reason for outcome in progress.outcomes),
        *(execution.alert.events if execution.alert is not None else ()),
        *(rules(execution.recurrence) if execution.recurrence else ()),
    )
    return max(values, call_version(execution.call))


def call_version(call: CallSpec) -> int:
    """The first version that knows what the call is: an older release would call nothing, and record a success."""
    if call.has_input:
        return RUN_INPUTS
    if call.target is not None:
        return TARGETS
    if call.auth is not None:
        return version_of(call.auth)
    return 1 if call.kind is CallKind.REQUEST else WORKFLOWS


def rules(of: Definition | Recurrence) -> Iterator[object]:
    """The values of a chain's rules that may be newer than version 1."""
    # Imported late: a process that writes no chain loads no cron lines.
    from shared.domain.schedules.schedule_kinds import Backfill, Cron

    yield from (of.schedule, of.catch_up.mode, of.overlap_policy)
    inner = of.schedule.of if isinstance(of.schedule, Backfill) else of.schedule
    yield from (inner, inner.gap, inner.overlap) if isinstance(inner, Cron) else (inner,)
    if isinstance(inner, Cron) and inner.calendar is not None:
        # An older release would compute the instants of the line alone.
        yield inner.calendar.when_excluded
        yield inner.calendar.blackouts if inner.has_blackouts else None


def is_known(version: object) -> bool:
    return type(version) is int and 1 <= version <= VERSION


def known(find: Callable[[Any], T], stored: object) -> T:
    """`find(stored)`; UnknownVersionError for a value that this release does not have.

    Such a value is not damage: a newer release may have written it without a newer version.
    """
    try:
        return find(stored)
    except (KeyError, ValueError) as error:
        raise UnknownVersionError(f"the value {stored!r} is of a newer version") from error


def _named(value: object) -> tuple[str, str]:
    if isinstance(value, Enum):
        return type(value).__name__, value.name
    return "Series", type(value).__name__
