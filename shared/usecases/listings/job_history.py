"""Where a job's executions may stand: on the instants of its chains, and beside the schedule."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

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
"""So many chains does one page walk through: a job that was changed very often has many without an instant."""


@dataclass(frozen=True, slots=True)
class WalkHistory:
    """An occurrence's key is a function of its nominal instant, so no index is needed: all of this is read strongly."""

    jobs: JobStore
    clock: Clock

    def execute(
        self, job: Execution | Job, span: PositionRange, chain: int | None = None
    ) -> Iterator[Candidate]:
        """The candidates within a span, the newest first, beginning with the chain of the given revision."""
        if isinstance(job, Execution):
            place = history_position(job)
            planned = iter([Candidate(place)] if place in span else [])
        else:
            planned = self._occurrences(job, span, chain)
        return heapq.merge(planned, self._extras(job, span), reverse=True)

    def _extras(self, job: Execution | Job, span: PositionRange) -> Iterator[Candidate]:
        job_id, before = job.job_id if isinstance(job, Execution) else job.id, span.before
        while True:
            places = self.jobs.extras(job.tenant_id, job_id, before=before, limit=CHUNK)
            for place in places:
                if place not in span:
                    return
                yield Candidate(place)
            if len(places) < CHUNK:
                return
            before = places[-1]

    def _occurrences(self, job: Job, span: PositionRange, first: int | None) -> Iterator[Candidate]:
        for walked, chain in enumerate(self._chains(job, first), start=1):
            if chain.history_until < span.after.at:
                return
            yield from _places(chain, span)
            if walked == CHAINS_AT_MOST:
                yield Candidate(IndexPosition(at=chain.history_from), chain.revision - 1, is_end=True)
                return

    def _chains(self, job: Job, first: int | None) -> Iterator[Chain]:
        """From the given revision on, or from the present chain; the newest first. Together they have no gap."""
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
        """No occurrence of the present chain stands on a later instant."""
        if job.ended_through is not None:
            return job.ended_through
        soon_ms = self.clock.now_ms() + GUARD_MS
        # A first occurrence that lies far ahead is filed already.
        return max(first_after(job.schedule, soon_ms) or soon_ms, job.chain_from)


def _dropped(chain: Chain, from_at: int, before_at: int) -> list[int]:
    """Where the runs are told of that changes of the clocks have dropped, the newest first."""
    return [
        skip_position(change) for change in reversed(dst_skips_between(chain.schedule, from_at, before_at))
    ]


def _places(chain: Chain, span: PositionRange) -> Iterator[Candidate]:
    # What a pause passed over is told by the one record on its first instant; there is nothing behind it.
    until = chain.history_until if chain.skipped_from is None else chain.skipped_from
    before_at = min(until, span.before.at) + 1
    from_at = max(chain.history_from, span.after.at)
    while True:
        instants = instants_before(chain.schedule, before_at, from_at, CHUNK)
        reaches_to = instants[-1] if len(instants) == CHUNK else from_at
        for instant in heapq.merge(instants, _dropped(chain, reaches_to, before_at), reverse=True):
            place = IndexPosition(at=instant, id=chain.id_at(instant))
            if place in span:
                yield Candidate(place, chain.revision)
        if len(instants) < CHUNK:
            return
        before_at = instants[-1]
