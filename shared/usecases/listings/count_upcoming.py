"""How many runs are upcoming, step by step: the same runs that the list shows, without their details."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.domain.tenancy.tenant import Tenant
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock, Spread
from shared.usecases.listings.upcoming_sources import UpcomingSources, basis_of
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import CHUNK, Candidate

READS_AT_MOST = 1_000
"""Executions that one request reads, besides the retries."""
RUNS_AT_MOST = 10_000
"""Runs that one request counts."""
STEPS_AT_MOST = 1_000
MAX_STEP_SECONDS = 86_400
LONGEST_DAYS = 31
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DensityStep:
    """The runs from `at` on, until the next step."""

    at: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """Every step up to `until`, in order of time."""

    steps: tuple[DensityStep, ...]
    until: int
    """Runs before this instant are counted: the end of the range, or where the request has reached a bound."""
    is_complete: bool
    """Whether the range was counted to its end, with all recurring jobs and all waiting retries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A position at which a run may be."""

    position: IndexPosition
    is_read: bool
    """Whether the execution is read: it may be stored. Of a job, only the first expected run can be."""
    is_expected: bool
    """Whether a run will be there although no execution is stored."""


@dataclass(frozen=True, slots=True)
class CountUpcoming:
    """Reads each stored execution strongly, as the list does. Runs that are not filed yet cost no read.

    The executions of a request are read side by side, `CHUNK` in each read.
    """

    sources: UpcomingSources
    store: ExecutionStore
    clock: Clock
    spread: Spread

    def execute(self, tenant: Tenant, until_ms: int, step_ms: int) -> Density:
        """The counts from now on. The range is extended to a whole step.

        InvalidValueError for a range that has ended, or that is too long for its steps.
        """
        now_ms = self.clock.now_ms()
        until = check_range(now_ms, until_ms, step_ms)
        span = PositionRange(after=IndexPosition(at=now_ms), before=IndexPosition(at=until))
        places, is_whole = self._places(tenant, span, now_ms)
        counts, reached_at = self._count(places, step_ms)
        end_at = until if reached_at is None else reached_at + 1
        starts = range(now_ms - now_ms % step_ms, end_at, step_ms)
        return Density(
            steps=tuple(DensityStep(at=at, count=counts[at]) for at in starts),
            until=until if reached_at is None else reached_at,
            is_complete=is_whole and reached_at is None,
        )

    def _places(self, tenant: Tenant, span: PositionRange, now_ms: int) -> tuple[Iterator[_Place], bool]:
        """In order of time, and whether all jobs and retries are among them."""
        jobs, has_all_jobs = self.sources.active_jobs(tenant.id)
        retries, has_all_retries = self.sources.retries(tenant.id, span)
        streams: list[Iterator[_Place]] = [
            _stored(self.sources.filed(tenant, span)),
            _stored(retries),
            *(
                (
                    _Place(position=due_position(run.id), is_read=number == 0, is_expected=True)
                    for number, run in enumerate(self.sources.expected(job, span, now_ms))
                )
                for job in jobs
            ),
        ]
        merged = heapq.merge(*streams, key=lambda place: place.position)
        together = groupby(merged, key=lambda place: place.position)
        places = (_joined(list(same)) for _, same in together)
        return places, has_all_jobs and has_all_retries

    def _count(self, places: Iterator[_Place], step_ms: int) -> tuple[Counter[int], int | None]:
        """The counts by the start of their step, and the instant of the first run that is not counted."""
        counts: Counter[int] = Counter()
        unread: list[_Place] = []
        reached_at: int | None = None
        for runs, place in enumerate(places):
            if runs == RUNS_AT_MOST or len(unread) == READS_AT_MOST:
                reached_at = place.position.at
                break
            if place.is_read:
                unread.append(place)
            else:
                counts[place.position.at // step_ms * step_ms] += 1
        parts = [unread[start : start + CHUNK] for start in range(0, len(unread), CHUNK)]
        for found in self.spread(self._standing, parts):
            counts.update(at // step_ms * step_ms for at in found)
        return counts, reached_at

    def _standing(self, places: Sequence[_Place]) -> list[int]:
        """The instants at which a run will be, of places that are read."""
        found = read_readable(self.store, [place.position.id for place in places])
        return [place.position.at for place in places if _will_run(place, found.get(place.position.id))]


def check_range(now_ms: int, until_ms: int, step_ms: int) -> int:
    """The end of a range that begins now, extended to a whole step; InvalidValueError."""
    if until_ms <= now_ms:
        raise InvalidValueError("to must be in the future")
    if until_ms > now_ms + LONGEST_DAYS * _DAY_MS:
        raise InvalidValueError(f"a range has at most {LONGEST_DAYS} days: choose an earlier end")
    first, until = now_ms // step_ms, -(-until_ms // step_ms)
    if until - first > STEPS_AT_MOST:
        raise InvalidValueError(f"a range has at most {STEPS_AT_MOST} steps: choose longer steps")
    return until * step_ms


def _will_run(place: _Place, execution: Execution | None) -> bool:
    if execution is None:
        return place.is_expected
    return basis_of(place.position.at, execution) is not None


def _stored(candidates: Iterable[Candidate]) -> Iterator[_Place]:
    for candidate in candidates:
        yield _Place(position=candidate.position, is_read=True, is_expected=False)


def _joined(same: list[_Place]) -> _Place:
    """What several streams say of one position."""
    return _Place(
        position=same[0].position,
        is_read=any(place.is_read for place in same),
        is_expected=any(place.is_expected for place in same),
    )
