"""The positions of a job's executions: the instants of its chains, and the runs outside its schedule."""

import heapq
from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.bucket import GUARD_MS
from shared.domain.executions.execution import Execution
from shared.domain.jobs.dst_skips import dst_skips_between, skip_position
from shared.domain.jobs.job import Chain, Job
from shared.domain.listings.position import IndexPosition, PositionRange, history_position
from shared.domain.schedules.schedule import first_after, instants_before
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.reading.read_page import CHUNK, Candidate

CHAINS_READ = 25
CHAINS_AT_MOST = 100
"""Chains that one page walks through. A job that was changed often has many chains without an instant."""


@dataclass(frozen=True, slots=True)
class WalkHistory:
    """Walks a history without an index: the key of an occurrence is a function of its instant, so reads are
    strong."""

    jobs: JobStore
    clock: Clock

    def execute(
        self, job: Execution | Job, span: PositionRange, chain: int | None = None
    ) -> Iterator[Candidate]:
        """Candidates within a span, newest first, beginning with the chain of the given revision."""
        if isinstance(job, Execution):
            position = history_position(job)
            planned = iter([Candidate(position)] if position in span else [])
        else:
            planned = self._occurrences(job, span, chain)
        return heapq.merge(planned, self._extras(job, span), reverse=True)

    def _extras(self, job: Execution | Job, span: PositionRange) -> Iterator[Candidate]:
        job_id, before = job.job_id if isinstance(job, Execution) else job.id, span.before
        while True:
            places = self.jobs.extras(job.tenant_id, job_id, before=before, limit=CHUNK)
            for position in places:
                if position not in span:
                    return
                yield Candidate(position)
            if len(places) < CHUNK:
                return
            before = places[-1]

    def _occurrences(self, job: Job, span: PositionRange, first: int | None) -> Iterator[Candidate]:
        for walked, chain in enumerate(self._chains(job, first), start=1):
            if chain.history_until < span.after.at:
                return
            yield from _positions(chain, span)
            if walked == CHAINS_AT_MOST:
                yield Candidate(IndexPosition(at=chain.history_from), chain.revision - 1, is_end=True)
                return

    def _chains(self, job: Job, first: int | None) -> Iterator[Chain]:
        """Chains without gaps, newest first, from the given revision on or from the current chain."""
        before = job.chain_revision
        if first is None or first >= job.chain_revision:
            yield job.chain(self._latest_at(job))
        else:
            before = first + 1
        while True:
            past = self.jobs.past_chains(job.tenant_id, job.id, limit=CHAINS_READ, before=before)
            yield from past
            if len(past) < CHAINS_READ:
                return
            before = past[-1].revision

    def _latest_at(self, job: Job) -> int:
        """An upper bound of the instants in the current chain."""
        if job.ended_through is not None:
            return job.ended_through
        soon_ms = self.clock.now_ms() + GUARD_MS
        # The first occurrence is already filed, even if it lies far ahead.
        return max(first_after(job.schedule, soon_ms) or soon_ms, job.chain_from)


def _dst_skip_positions(chain: Chain, from_at: int, before_at: int) -> list[int]:
    """Positions of the records of DST skips, newest first."""
    return [
        skip_position(change) for change in reversed(dst_skips_between(chain.schedule, from_at, before_at))
    ]


def _positions(chain: Chain, span: PositionRange) -> Iterator[Candidate]:
    # The record on the first skipped instant covers all instants that the pause skipped.
    until = chain.history_until if chain.skipped_from is None else chain.skipped_from
    before_at = min(until, span.before.at) + 1
    from_at = max(chain.history_from, span.after.at)
    while True:
        instants = instants_before(chain.schedule, before_at, from_at, CHUNK)
        reaches_to = instants[-1] if len(instants) == CHUNK else from_at
        for instant in heapq.merge(instants, _dst_skip_positions(chain, reaches_to, before_at), reverse=True):
            position = IndexPosition(at=instant, id=chain.id_at(instant))
            if position in span:
                yield Candidate(position, chain.revision)
        if len(instants) < CHUNK:
            return
        before_at = instants[-1]
