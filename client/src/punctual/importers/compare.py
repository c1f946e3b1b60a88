"""Compares the instants of the source with those of Punctual, over 400 days and all clock changes in them.

A job with at most `BUDGET` instants in 400 days is compared as a whole. A job with more is compared by samples: the
first instants of every day, and all instants around every clock change.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from punctual.importers.models.clock import DAY
from punctual.importers.ports import Instants, SourceInstants

DAYS: Final = 400
BUDGET: Final = 1_000
_OF_A_DAY: Final = 10
_AROUND_CHANGE: Final = 3 * 3_600
_LEAD: Final = 3 * DAY
"""A source that looks for its next run across a clock change may find another one than after the change."""
_ALL: Final = 10_000
SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """An instant at which source and Punctual run a different number of times; `shown` is its local time."""

    instant: int
    shown: str
    in_source: int
    in_punctual: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result: up to SHOWN differences, how many instants were compared, and whether these are all of them."""

    differences: tuple[Difference, ...]
    compared: int
    is_complete: bool


def compare(
    source: SourceInstants, schedule: Mapping[str, Any], punctual: Instants, now: int, budget: int = BUDGET
) -> Comparison:
    """Compare from `now` (seconds) on. Raises ScheduleRefusedError."""
    until = now + DAYS * DAY
    is_complete = len(list(islice(source.after(now, until), budget + 1))) <= budget
    windows = [(now, until, _ALL)] if is_complete else _samples(source, now, until)
    differences: list[Difference] = []
    compared = 0
    for after, end, limit in windows:
        theirs = _theirs(source, after, end, limit)
        ours = punctual.between(schedule, after, end, limit)
        compared += len(theirs)
        differences.extend(_differences(source, theirs, ours, limit))
    found = sorted({each.instant: each for each in differences}.values(), key=lambda each: each.instant)
    return Comparison(tuple(found[:SHOWN]), compared, is_complete)


def _theirs(source: SourceInstants, after: int, end: int, limit: int) -> list[int]:
    """The instants of the source. Near a clock change, the source begins its search before the change."""
    is_near = any(clock.changes(after - DAY, end) for clock in source.clocks)
    first = after - _LEAD if is_near else after
    return list(islice((each for each in source.after(first, end) if each > after), limit))


def _samples(source: SourceInstants, now: int, until: int) -> Iterator[tuple[int, int, int]]:
    for start in range(now, until, DAY):
        yield start, min(start + DAY, until), _OF_A_DAY
    for clock in source.clocks:
        for change in clock.changes(now, until):
            yield max(now, change - _AROUND_CHANGE), min(change + _AROUND_CHANGE, until), _ALL


def _differences(
    source: SourceInstants, theirs: list[int], ours: list[int], limit: int
) -> Iterator[Difference]:
    """Yield the differences, only as far as both lists are known: each may have been cut at the limit."""
    known = min((each[-1] for each in (theirs, ours) if len(each) >= limit), default=None)
    in_source, in_punctual = Counter(theirs), Counter(ours)
    for instant in sorted(in_source.keys() | in_punctual.keys()):
        if known is not None and instant >= known:
            return
        if in_source[instant] != in_punctual[instant]:
            shown = source.clocks[0].show(instant)
            yield Difference(instant, shown, in_source[instant], in_punctual[instant])
