"""The head of a recurring job's chain: the latest filed execution."""

from collections.abc import Collection

from shared.dataclass import dataclass
from shared.domain.bucket import GUARD_MS
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Cron, first_after, instants_before, latest_at_or_before
from shared.ports.executions import ExecutionReader

PROBE_PAGES = (2, 10, 50)
"""Instants of the first reads, newest first: most chains that are behind are so by a few instants."""
PAGE = 100
WAYS, WAYS_OF_CRON = 32, 8
"""Each read of the bisection leaves this part of the instants. An instant of a cron line takes milliseconds."""
NEVER_EXPIRED_MS = IDEMPOTENCY_DAYS * DAY_SECONDS * 1000
"""Records are kept for longer, so that a chain has no gap within this time, except for the instants of a jump."""


@dataclass(frozen=True, slots=True)
class _Filed:
    """An instant with an execution; None if the item cannot be read."""

    nominal_at: int
    execution: Execution | None


@dataclass(frozen=True, slots=True)
class FindHead:
    """Reads the possible keys strongly. Counting from a stored cursor could miss the head.

    A chain in time costs one read. A chain that is behind costs a few, whatever the rate of its schedule.
    """

    store: ExecutionReader

    def first_probe(self, job: Job, now_ms: int) -> list[ExecutionId]:
        """The keys that the search reads first."""
        before_at = _upper_at(job, now_ms) + 1
        instants = instants_before(job.schedule, before_at, job.chain_from, PROBE_PAGES[0])
        return [job.id_at(instant) for instant in instants]

    def execute(self, job: Job, now_ms: int) -> Execution | None:
        """The execution with the latest nominal instant; None if even the first of the chain is missing."""
        before_at, head = _upper_at(job, now_ms) + 1, None
        for limit in PROBE_PAGES:
            instants = instants_before(job.schedule, before_at, job.chain_from, limit)
            head = self._newest(job, instants)
            if head is not None or len(instants) < limit:
                break
            before_at = instants[-1]
        else:
            head = self._search(job, before_at, now_ms - NEVER_EXPIRED_MS)
        if head is None or head.execution is not None:
            return head.execution if head is not None else None
        # Raises the error of the item.
        return self.store.get(job.id_at(head.nominal_at))

    def _search(self, job: Job, before_at: int, recent_from: int) -> _Filed | None:
        """The newest execution before an instant, from which on there is none.

        Among recent instants, executions have no gap but a jump: the search gallops down to one of them, and
        bisects up from there. The record of a jump tells where the chain continued.
        """
        low = self._gallop(job, before_at, max(job.chain_from, recent_from))
        if low is None:
            return self._walk(job, min(before_at, recent_from))
        while True:
            low = self._bisect(job, low, before_at)
            missed = low.execution.progress.missed if low.execution is not None else None
            target = self._newest(job, [missed.resumed_at]) if missed is not None else None
            if target is None or not low.nominal_at < target.nominal_at < before_at:
                return low
            low = target

    def _gallop(self, job: Job, before_at: int, recent_from: int) -> _Filed | None:
        """One of the recent executions, by probes whose distance grows by four; None if there is none."""
        first_at = first_after(job.schedule, recent_from - 1)
        if first_at is None or first_at >= before_at:
            return None
        probes, distance_ms = {first_at}, 60_000
        while before_at - distance_ms > first_at:
            probes.add(latest_at_or_before(job.schedule, before_at - distance_ms, first_at) or first_at)
            distance_ms *= 4
        return self._newest(job, probes)

    def _bisect(self, job: Job, low: _Filed, high_at: int) -> _Filed:
        """The execution, from `low` on, whose successor was missing when it was read later."""
        while True:
            probes = _between(job, low.nominal_at, high_at)
            newest = self._newest(job, probes)
            if newest is None:
                return low
            low, high_at = newest, min(at for at in (*probes, high_at) if at > newest.nominal_at)

    def _walk(self, job: Job, before_at: int) -> _Filed | None:
        """Read every instant, newest first."""
        while instants := instants_before(job.schedule, before_at, job.chain_from, PAGE):
            newest = self._newest(job, instants)
            if newest is not None:
                return newest
            before_at = instants[-1]
        return None

    def _newest(self, job: Job, instants: Collection[int]) -> _Filed | None:
        """The newest execution at these instants."""
        ids = {job.id_at(instant): instant for instant in sorted(instants, reverse=True)}
        if not ids:
            return None
        try:
            found = self.store.get_many(list(ids))
        except UnreadableItemError:
            filed = (self._filed(key, instant) for key, instant in ids.items())
            return next((each for each in filed if each is not None), None)
        return next((_Filed(ids[key], found[key]) for key in ids if key in found), None)

    def _filed(self, key: ExecutionId, nominal_at: int) -> _Filed | None:
        try:
            execution = self.store.get(key)
        except UnreadableItemError:
            return _Filed(nominal_at, None)
        return _Filed(nominal_at, execution) if execution is not None else None


def _upper_at(job: Job, now_ms: int) -> int:
    """The latest instant at which the head can be: no process files further ahead."""
    soon_at = first_after(job.schedule, now_ms + GUARD_MS) or now_ms + GUARD_MS
    return max(soon_at, job.chain_from)


def _between(job: Job, low_at: int, high_at: int) -> set[int]:
    """Instants strictly between two others: the one after the first, and some at even distances."""
    following = first_after(job.schedule, low_at)
    if following is None or following >= high_at:
        return set()
    ways = WAYS_OF_CRON if isinstance(job.schedule, Cron) else WAYS
    steps = (low_at + (high_at - low_at) * step // ways for step in range(1, ways))
    probes = {latest_at_or_before(job.schedule, at, following) or following for at in steps}
    return {following, *(at for at in probes if at < high_at)}
