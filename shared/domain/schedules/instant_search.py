"""Looking backward in a sequence of instants that can only be asked for the next one.

A sequence is a function from an instant to the first one strictly after it, or None at its end. Nothing is listed
that is not asked for: windows double until they hold something and shrink where they hold too much.
"""

from collections.abc import Callable, Iterator
from itertools import islice

Successor = Callable[[int], int | None]

_FIRST_WINDOW_MS = 3_600_000


def latest_instant(successor: Successor, at_ms: int, not_before_ms: int) -> int | None:
    """The latest instant in [not_before, at]; None where there is none. Some fifty questions at most."""
    window = _FIRST_WINDOW_MS
    while True:
        start = max(at_ms - window, not_before_ms)
        found = successor(start - 1)
        if found is not None and found <= at_ms:
            return _bisect(successor, found, at_ms)
        if start <= not_before_ms:
            return None
        window *= 2


def _bisect(successor: Successor, found: int, at_ms: int) -> int:
    """The last instant up to `at_ms`, given an earlier one: whether any follows is true up to it, then false."""
    end = at_ms
    while found < end:
        middle = (found + end) // 2
        later = successor(middle)
        if later is not None and later <= at_ms:
            found = later
        else:
            end = middle
    return found


def nth_latest(count_after: Callable[[int], int], at_ms: int, not_before_ms: int, nth: int) -> int:
    """The nth latest instant up to `at`, by counting; there must be as many in [not_before, at].

    `count_after` tells how many instants lie after a given one and up to `at`; it need not count beyond `nth`.
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
    """The latest `limit` instants in [not_before, before), newest first."""
    newest: list[int] = []
    end, window = before_ms, _FIRST_WINDOW_MS
    while len(newest) < limit and end > not_before_ms:
        start = max(end - window, not_before_ms)
        wanted = limit - len(newest)
        found = list(islice(_between(successor, start, end), wanted + 1))
        if len(found) > wanted and end - start > 1:
            window = (end - start) // 2
            continue
        newest.extend(reversed(found))
        end, window = start, window * 2
    return newest


def _between(successor: Successor, start_ms: int, end_ms: int) -> Iterator[int]:
    found = successor(start_ms - 1)
    while found is not None and found < end_ms:
        yield found
        found = successor(found)
