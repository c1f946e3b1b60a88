"""How many runs are upcoming, step by step: the same runs that the list shows, without their details.

An index has every stored execution, but not its state: an execution that was cancelled stays in it. So executions are
read before they are counted. Where they are too many, an evenly spread sample of them is read.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import attrgetter

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

READS_AT_MOST = 200
"""Executions that one request reads, besides the retries."""
RUNS_AT_MOST = 10_000
"""Runs that one request counts."""
STEPS_AT_MOST = 1_000
MAX_STEP_SECONDS = 86_400
LONGEST_DAYS = 31
_DAY_MS = 86_400_000
_ORDER = attrgetter("position.at", "position.id")
_CHANCE = attrgetter("position.id.entropy")
_INDEX_PAGE = 2_000
"""Entries of an index that are read at once, of all shards together: a count needs most of them."""


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
    is_estimated: bool
    """Whether only a sample of the stored executions was read. The counts are exact otherwise."""


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
    """Reads stored executions strongly, as the list does. Runs that are not filed yet cost no read.

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
        counted = list(islice(places, RUNS_AT_MOST))
        reached = next(places, None)
        stored = [place for place in counted if place.is_read]
        # Each place that is read stands for as many places beside it.
        share = max(1, -(-len(stored) // READS_AT_MOST))
        standing = [place for place in counted if not place.is_read] + self._standing(stored, share)
        counts = Counter(place.position.at // step_ms * step_ms for place in standing)
        end_at = until if reached is None else reached.position.at + 1
        starts = range(now_ms - now_ms % step_ms, end_at, step_ms)
        return Density(
            steps=tuple(DensityStep(at=at, count=counts[at]) for at in starts),
            until=until if reached is None else reached.position.at,
            is_complete=is_whole and reached is None,
            is_estimated=share > 1,
        )

    def _places(self, tenant: Tenant, span: PositionRange, now_ms: int) -> tuple[Iterator[_Place], bool]:
        """In order of time, and whether all jobs and retries are among them."""
        jobs, has_all_jobs = self.sources.active_jobs(tenant.id)
        retries, has_all_retries = self.sources.retries(tenant.id, span)
        streams: list[Iterator[_Place]] = [
            _stored(self.sources.filed(tenant, span, at_once=_INDEX_PAGE)),
            _stored(retries),
            *(
                (
                    _Place(position=due_position(run.id), is_read=number == 0, is_expected=True)
                    for number, run in enumerate(self.sources.expected(job, span, now_ms))
                )
                for job in jobs
            ),
        ]
        merged = heapq.merge(*streams, key=_ORDER)
        together = groupby(merged, key=_ORDER)
        places = (_joined(list(same)) for _, same in together)
        return places, has_all_jobs and has_all_retries

    def _standing(self, stored: Sequence[_Place], share: int) -> list[_Place]:
        """The places at which a run will be. Of `share` places in a row, one is read, and decides for all."""
        groups = [stored[start : start + share] for start in range(0, len(stored), share)]
        # Chance chooses it: else a pattern of a schedule could make every choice the same.
        chosen = [min(group, key=_CHANCE) for group in groups]
        parts = [chosen[start : start + CHUNK] for start in range(0, len(chosen), CHUNK)]
        will_run = chain.from_iterable(self.spread(self._will_run, parts))
        return [place for group, runs in zip(groups, will_run, strict=True) if runs for place in group]

    def _will_run(self, places: Sequence[_Place]) -> list[bool]:
        found = read_readable(self.store, [place.position.id for place in places])
        return [_will_run(place, found.get(place.position.id)) for place in places]


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
