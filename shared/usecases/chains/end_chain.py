"""End the chain of a job that is no longer active, so that no successor can be filed any more."""

from shared.dataclass import dataclass
from shared.domain.bucket import GUARD_MS
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, State, Transition
from shared.domain.jobs.job import Job, end_reason_of
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import first_after, instants_before, latest_at_or_before
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import RunLockStore
from shared.ports.runtime import Clock
from shared.usecases.reading.find_head import FindHead
from shared.usecases.reading.read_executions import read_known

_PAGES = (2, 100)
"""Sizes of the reads that look for earlier tombstones, which are rare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainEnd:
    """Where a chain ended: nothing after `after_at` has started or will start; `last_at` has a tombstone."""

    after_at: int
    """The last nominal instant that started or that the chain had skipped."""
    last_at: int
    runs: int
    """Runs of the job that had begun by then."""


@dataclass(frozen=True, slots=True)
class EndChain:
    """Safe to repeat and to run twice concurrently."""

    store: ExecutionStore
    run_locks: RunLockStore
    clock: Clock
    retention: Retention

    def execute(self, job: Job) -> ChainEnd:
        """Write tombstones from the head on until one is accepted at a free key.

        The job must not be ACTIVE, so that only immediate successors can still be filed. A head that has
        started rejects its tombstone. A head that accepts one may be a run that waits for another run and has
        filed its successor, so the next key is taken as well. No key of an instant that no worker can have
        claimed needs it. Nothing is ever filed behind a key that was free, so the cost does not depend on how
        far the chain is behind. The transaction that completes the change records the instants behind it.
        """
        now_ms = self.clock.now_ms()
        unclaimed_from = first_after(job.schedule, now_ms + GUARD_MS)
        head = FindHead(self.store).execute(job, now_ms)
        nominal_at: int | None = head.nominal_at if head else job.chain_from
        run = head.run if head else job.runs_before + 1
        first: Execution | None = None
        last_at = nominal_at or now_ms
        while nominal_at is not None:
            last_at = nominal_at
            tombstone, was_free = self._tombstone(job, nominal_at, run, head)
            first = first or tombstone
            is_unclaimed = unclaimed_from is not None and nominal_at >= unclaimed_from
            is_over = tombstone is not None and tombstone.progress.missed is not None
            if is_over or (first is not None and (was_free or is_unclaimed)):
                break
            nominal_at, run, head = first_after(job.schedule, nominal_at), run + 1, None
        waiting = self.end_waiting(job)
        if first is None:
            return ChainEnd(after_at=last_at, last_at=last_at, runs=run - 1)
        first = self._first_tombstone(job, first)
        started_at = latest_at_or_before(job.schedule, first.nominal_at - 1, job.began_at)
        after_at = job.began_at - 1 if started_at is None else started_at
        never_began = sum(run_at < first.nominal_at for run_at in waiting)
        return ChainEnd(after_at=after_at, last_at=last_at, runs=first.run - 1 - never_began)

    def _tombstone(
        self, job: Job, nominal_at: int, run: int, known: Execution | None = None
    ) -> tuple[Execution | None, bool]:
        """The tombstone at that instant, or None if an execution there has started; and whether the key was
        free.

        If the item there is `known`, no put is made, because a rejected put costs as much as an accepted one.
        """
        reason = end_reason_of(job)
        now_ms = self.clock.now_ms()
        fresh = job.occurrence(nominal_at, created_at=now_ms, run=run)
        # The tombstone must outlive every earlier execution that could still file a successor at its key, and
        # its own due time, however far ahead: the archive reads it after that hour.
        expires_at_s = self.retention.outlives_records_s(max(fresh.id.dispatch_at, now_ms))
        tombstone = fresh.progressed(state=State.CANCELLED, end_reason=reason, ends_chain=True)
        existing = known or self.store.put_if_absent(tombstone, expires_at_s=expires_at_s)
        if existing is None:
            return tombstone, True
        if existing.state in NOT_STARTED:
            rival = self.store.cancel(
                existing.id, Transition.END_CHAIN, reason=reason, expires_at_s=expires_at_s
            )
            existing = rival or existing.progressed(ends_chain=True)
        return existing if existing.progress.ends_chain else None, False

    def end_waiting(self, job: Job) -> list[int]:
        """Instants of runs that waited for an overlapping run and never began; each now has a tombstone.

        A waiting run has filed its successor, so its key precedes the head, and it may wait even after the
        chain has ended by itself. No further run can start to wait: each run without a successor has a
        tombstone.
        """
        if job.definition.overlap_policy is not OverlapPolicy.QUEUE_ONE:
            return []
        lock = self.run_locks.read(job.tenant_id, job.id)
        ended = []
        for key in (lock.holder, lock.waiting):
            waiting = self.store.get(key) if key is not None else None
            if waiting is None or waiting.id != job.id_at(waiting.nominal_at):
                continue
            if waiting.progress.ends_chain or (
                waiting.state in NOT_STARTED
                and self._tombstone(job, waiting.nominal_at, waiting.run, waiting)[0]
            ):
                ended.append(waiting.nominal_at)
        return ended

    def _first_tombstone(self, job: Job, known: Execution) -> Execution:
        """The earliest tombstone: an attempt to end the chain that crashed may have left earlier ones.

        UnknownVersionError for a tombstone of a newer release: the instants before `known` would be lost.
        """
        page = 0
        while True:
            size = _PAGES[min(page, len(_PAGES) - 1)]
            instants = instants_before(job.schedule, known.nominal_at, job.chain_from, size)
            ids = [job.id_at(instant) for instant in instants]
            found = read_known(self.store, ids) if ids else {}
            for key in ids:
                earlier = found.get(key)
                if earlier is None or not earlier.progress.ends_chain:
                    return known
                known = earlier
            if len(ids) < size:
                return known
            page += 1
