"""Skip records of runs whose local times do not exist because of a daylight saving change."""

from dataclasses import replace

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.schedules.dst import DstChange, changes_that_skip
from shared.domain.schedules.schedule import Cron, Series
from shared.domain.schedules.skipped_range import SkippedRange

MAX_RECORDED = 20
"""The maximum between two runs. A schedule with more such changes in a year never fires, and is refused."""


def dst_skip_records(
    owner: Execution | Job, after_ms: int, until_ms: int, created_at: int
) -> list[Execution]:
    """One record for each change in (after, until], of the same job and chain as `owner`.

    A run may be due at the instant of the change itself. The record therefore takes the key of the
    millisecond before, at which no run is ever due. The record has no successor, and every process that files
    it files the same record.
    """
    if owner.recurrence is None:
        return []
    changes = dst_skips_between(owner.recurrence.schedule, after_ms, until_ms)
    return [_record(owner, change, created_at) for change in changes]


def dst_skips_between(schedule: Series, after_ms: int, until_ms: int) -> tuple[DstChange, ...]:
    """The daylight saving changes in (after, until] that remove runs of the schedule."""
    if not isinstance(schedule, Cron) or until_ms <= after_ms:
        return ()
    return changes_that_skip(schedule, after_ms, until_ms)[:MAX_RECORDED]


def skip_position(change: DstChange) -> int:
    """The nominal instant of the record of a change."""
    return change.at - 1


def _record(owner: Execution | Job, change: DstChange, created_at: int) -> Execution:
    at = skip_position(change)
    missed = SkippedRange(count=change.count, first_at=change.at, last_at=change.at, resumed_at=change.at)
    record = replace(owner.occurrence(at, created_at=created_at), start_deadline_at=None)
    return record.progressed(state=State.SKIPPED, end_reason=EndReason.DST_GAP, missed=missed)
