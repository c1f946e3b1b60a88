"""Records of runs that a change of the clocks drops: their local times do not exist, and nothing makes up for them."""

from dataclasses import replace

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.schedules.dst import DstChange, changes_that_skip
from shared.domain.schedules.schedule import Cron, Series
from shared.domain.schedules.skipped_range import SkippedRange

RECORDED_AT_MOST = 20
"""Between two runs. A line that never fires but in gaps is refused, so that this is never reached in a year."""


def dst_skip_records(
    owner: Execution | Job, after_ms: int, until_ms: int, created_at: int
) -> list[Execution]:
    """One record for each change in (after, until], of the same job and chain as `owner`.

    Something may be due at the change itself, and then belongs behind it. So the record stands on the last millisecond
    before, on which nothing is ever due. It has no part in the chain: nothing is filed behind it, and whoever files
    it again files the same.
    """
    if owner.recurrence is None:
        return []
    changes = dst_skips_between(owner.recurrence.schedule, after_ms, until_ms)
    return [_record(owner, change, created_at) for change in changes]


def dst_skips_between(schedule: Series, after_ms: int, until_ms: int) -> tuple[DstChange, ...]:
    """The changes in (after, until] at which runs of the schedule are dropped."""
    if not isinstance(schedule, Cron) or until_ms <= after_ms:
        return ()
    return changes_that_skip(schedule, after_ms, until_ms)[:RECORDED_AT_MOST]


def skip_position(change: DstChange) -> int:
    """The instant on which the record of a change stands."""
    return change.at - 1


def _record(owner: Execution | Job, change: DstChange, created_at: int) -> Execution:
    at = skip_position(change)
    missed = SkippedRange(count=change.count, first_at=change.at, last_at=change.at, resumed_at=change.at)
    record = replace(owner.occurrence(at, created_at=created_at), start_deadline_at=None)
    return record.progressed(state=State.SKIPPED, end_reason=EndReason.DST_GAP, missed=missed)
