"""Build the single record of the instants behind the tombstone of a chain, which no run has."""

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, end_reason_of
from shared.domain.jobs.misfire import COUNT_LIMIT
from shared.domain.schedules.schedule import count_between, first_after, latest_at_or_before
from shared.domain.schedules.skipped_range import SkippedRange
from shared.ports.executions import ExecutionStore


@dataclass(frozen=True, slots=True)
class RecordSkippedInstants:
    """Finds the key of the record. The caller writes it in the transaction that ends the pause, or completes
    the change."""

    store: ExecutionStore

    def execute(self, ended: Job, until: int, now_ms: int) -> list[Execution]:
        """One record, in the old chain, of all instants up to `until` without a tombstone; empty if there are
        none. The chain of the job has ended.

        The record occupies the first of these instants and ends the chain like a tombstone: no writer files
        behind it.
        """
        first_at = self._first_free(ended, until)
        if first_at is None:
            return []
        missed = SkippedRange(
            count=count_between(ended.schedule, first_at - 1, until, COUNT_LIMIT),
            first_at=first_at,
            last_at=latest_at_or_before(ended.schedule, until, first_at) or first_at,
            resumed_at=until,
        )
        record = ended.occurrence(first_at, created_at=now_ms).progressed(
            state=State.SKIPPED,
            end_reason=end_reason_of(ended),
            missed=missed,
            ends_chain=True,
        )
        return [record]

    def _first_free(self, ended: Job, until: int) -> int | None:
        """The first instant without a tombstone.

        The read is needed because an older release wrote more tombstones than one.
        """
        nominal_at = ended.ended_through
        while nominal_at is not None:
            nominal_at = first_after(ended.schedule, nominal_at)
            if nominal_at is None or nominal_at > until:
                return None
            if self.store.get(ended.id_at(nominal_at)) is None:
                return nominal_at
        return None


def history_end(ended: Job, records: list[Execution], until: int) -> int | None:
    """The last instant of the history: that of the record or, without a record, the last tombstone up to `until`.

    Another process that ended the chain may have written that tombstone. None if the end of the chain is
    unknown.
    """
    if records or ended.ended_through is None:
        return skipped_from(records)
    return latest_at_or_before(ended.schedule, until, ended.ended_through) or ended.ended_through


def skipped_from(records: list[Execution]) -> int | None:
    """Nominal instant of the record, if there is one."""
    return records[0].nominal_at if records else None
