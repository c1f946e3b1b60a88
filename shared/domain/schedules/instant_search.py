"""Searches backward in a sequence of instants that only offers its next instant.

A sequence is a function from an instant to the first instant strictly after it, or None at its end. The
search window doubles until it holds an instant and shrinks when it holds too many, so few instants are ever
listed.
"""

from collections.abc import Callable, Iterator
from itertools import islice

Successor = Callable[[int], int | None]

_FIRST_WINDOW_MS = 3_600_000


def latest_instant(successor: Successor, at_ms: int, not_before_ms: int) -> int | None:
    """Return the latest instant in [not_before, at], or None. Calls `successor` about fifty times at most."""
    window = _FIRST_WINDOW_MS
    while True:
        start = max(at_ms - window, not_before_ms)
        instant = successor(start - 1)
        if instant is not None and instant <= at_ms:
            return _bisect(successor, instant, at_ms)
        if start <= not_before_ms:
            return None
        window *= 2


def _bisect(successor: Successor, instant: int, at_ms: int) -> int:
    """Return the last instant up to `at_ms`, given an earlier instant, by bisection."""
    end = at_ms
    while instant < end:
        middle = (instant + end) // 2
        later = successor(middle)
        if later is not None and later <= at_ms:
            instant = later
        else:
            end = middle
    return instant


def nth_latest(count_after: Callable[[int], int], at_ms: int, not_before_ms: int, nth: int) -> int:
    """Return the nth latest instant up to `at`. [not_before, at] must hold at least `nth` instants.

    `count_after` counts the instants after its argument and up to `at`; it may stop counting at `nth`.
    """
    enough, too_few = not_before_ms - 1, at_ms
    while too_few - enough > 1:
        middle = (enough + too_few) // 2
        if count_after(middle) >= nth:
            enough = middle
        else:
            too_few = middle
    return too_few


def instants_back(successor: Successor, before_ms: int, not_before_ms: int, limit: int) -> list[int]:
    """Return the latest `limit` instants in [not_before, before), newest first."""
    newest: list[int] = []
    end, window = before_ms, _FIRST_WINDOW_MS
    while len(newest) < limit and end > not_before_ms:
        start = max(end - window, not_before_ms)
        missing = limit - len(newest)
        instants = list(islice(_between(successor, start, end), missing + 1))
        if len(instants) > missing and end - start > 1:
            window = (end - start) // 2
            continue
        newest.extend(reversed(instants))
        end, window = start, window * 2
    return newest


def _between(successor: Successor, start_ms: int, end_ms: int) -> Iterator[int]:
    instant = successor(start_ms - 1)
    while instant is not None and instant < end_ms:
        yield instant
        instant = successor(instant)
