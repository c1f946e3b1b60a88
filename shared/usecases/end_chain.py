"""End the chain of a job that is no longer active, where no successor can be filed from it any more."""

from dataclasses import dataclass, replace

from shared.domain.bucket import GUARD_MS
from shared.domain.execution import NOT_STARTED, EndReason, Execution, State, Transition
from shared.domain.job import Job, JobState
from shared.domain.retention import Retention
from shared.domain.schedule import first_after, instants_before
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.find_head import FindHead
from shared.usecases.read_executions import read_readable

_REASONS = {
    JobState.PAUSING: EndReason.JOB_PAUSED,
    JobState.UPDATING: EndReason.JOB_UPDATED,
    JobState.DELETING: EndReason.JOB_DELETED,
}
_PAGES = (2, 100)
"""Sizes of the reads that look for earlier tombstones; nearly always there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainEnd:
    """Where a chain ended: nothing from `first_at` on has started or will, and tombstones reach to `last_at`."""

    first_at: int
    last_at: int


@dataclass(frozen=True, slots=True)
class EndChain:
    """Repeating it is always safe, and so is doing it twice at once."""

    store: ExecutionStore
    clock: Clock
    retention: Retention

    def __call__(self, job: Job) -> ChainEnd:
        """Tombstone forward from the head until one sticks, and at least through the first after now + G.

        The job must not be ACTIVE any more: then nothing but immediate successors can still be filed. A tombstone
        that sticks stands on an instant whose predecessor has started: the head's predecessor did, or the head
        itself when it would not take the tombstone. Nothing is ever filed behind a tombstone.
        """
        now_ms = self.clock.now_ms()
        far_enough_at = first_after(job.schedule, now_ms + GUARD_MS)
        head = FindHead(self.store)(job, now_ms)
        nominal_at: int | None = head.nominal_at if head else job.chain_from
        first_at: int | None = None
        last_at = nominal_at or now_ms
        while nominal_at is not None:
            last_at = nominal_at
            if self._tombstone(job, nominal_at) and first_at is None:
                first_at = nominal_at
            if first_at is not None and (far_enough_at is None or nominal_at >= far_enough_at):
                break
            nominal_at = first_after(job.schedule, nominal_at)
        if first_at is None:
            return ChainEnd(first_at=last_at + 1, last_at=last_at)
        return ChainEnd(first_at=self._first_tombstone(job, first_at), last_at=last_at)

    def _tombstone(self, job: Job, nominal_at: int) -> bool:
        """Whether a tombstone stands at that instant now; False where an execution there has started."""
        reason = _REASONS[job.state]
        now_ms = self.clock.now_ms()
        expires_at_s = self.retention.expires_at_s(now_ms)
        tombstone = replace(
            job.occurrence(nominal_at, created_at=now_ms),
            state=State.CANCELLED,
            end_reason=reason,
            ends_chain=True,
        )
        standing = self.store.put_if_absent(tombstone, expires_at_s=expires_at_s)
        if standing is not None and standing.state in NOT_STARTED:
            standing = self.store.cancel(
                standing.id, Transition.END_CHAIN, reason=reason, expires_at_s=expires_at_s
            )
        return standing is None or standing.ends_chain

    def _first_tombstone(self, job: Job, known_at: int) -> int:
        """A run that crashed may have left tombstones before the one at which this run began."""
        page = 0
        while True:
            size = _PAGES[min(page, len(_PAGES) - 1)]
            instants = instants_before(job.schedule, known_at, job.chain_from, size)
            found = (
                read_readable(self.store, [job.id_at(instant) for instant in instants]) if instants else {}
            )
            for instant in instants:
                if not _is_tombstone(found.get(job.id_at(instant))):
                    return known_at
                known_at = instant
            if len(instants) < size:
                return known_at
            page += 1


def _is_tombstone(execution: Execution | None) -> bool:
    return execution is not None and execution.ends_chain
