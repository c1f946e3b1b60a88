"""Blackout windows of a calendar: half-open intervals of instants, [from, until), in which no run begins.

Frozen windows are a short text beside the frozen days, see `business_days`, which gives the same windows in every
process: `1pLKk.A.4s.3c` holds, in minutes and with 62 digits, the start of the first window since 1970, its length,
the distance from there to the next window, its length, and so on.
"""

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, ScheduleError

MINUTE_MS: Final = 60_000
MAX_BLACKOUTS: Final = 100
"""Of one calendar. Those that have not ended are frozen into each execution of its jobs."""
MAX_BLACKOUT_DAYS: Final = 92
MAX_REASON: Final = 200
"""Bytes of UTF-8. All windows of all calendars must fit into one answer of the API."""
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MAX_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Blackout:
    """The instants in [from, until), UTC in milliseconds.

    Raises InvalidValueError, with the member as its path: both are whole minutes, and until is after from by at most
    MAX_BLACKOUT_DAYS.
    """

    from_at: int
    until_at: int
    reason: str = ""

    def __post_init__(self) -> None:
        for name, instant in (("from", self.from_at), ("until", self.until_at)):
            if instant % MINUTE_MS:
                raise InvalidValueError(
                    f"{name}: must be a whole minute, such as 2030-12-24T22:00:00+01:00", path=(name,)
                )
        if self.until_at <= self.from_at:
            raise InvalidValueError(
                "until: must be after from; the window ends before this instant", path=("until",)
            )
        if self.until_at - self.from_at > MAX_BLACKOUT_DAYS * 86_400_000:
            raise InvalidValueError(
                f"until: at most {MAX_BLACKOUT_DAYS} days after from; divide a longer window", path=("until",)
            )
        if len(self.reason.encode(errors="surrogatepass")) > MAX_REASON:
            raise InvalidValueError(f"reason: at most {MAX_REASON} bytes of UTF-8", path=("reason",))


@dataclass(frozen=True, slots=True)
class Blackouts:
    """Windows, ascending, that neither overlap nor meet."""

    windows: tuple[tuple[int, int], ...]

    def at(self, instant_ms: int) -> tuple[int, int] | None:
        """Return the window that contains the instant, or None."""
        index = bisect_right(self.windows, instant_ms, key=itemgetter(0)) - 1
        return self.windows[index] if index >= 0 and instant_ms < self.windows[index][1] else None

    def starts_after(self, instant_ms: int) -> int | None:
        """Return the start of the first window after the instant, or None."""
        index = bisect_right(self.windows, instant_ms, key=itemgetter(0))
        return self.windows[index][0] if index < len(self.windows) else None

    def between(self, after_ms: int, until_ms: int) -> tuple[tuple[int, int], ...]:
        """Return the windows that contain an instant in (after, until]."""
        return tuple(each for each in self.windows if each[1] - 1 > after_ms and each[0] <= until_ms)

    def first_difference(self, other: "Blackouts", from_ms: int) -> int | None:
        """Return the first instant from `from_ms` on that one of the two alone contains, or None."""
        if self == other:
            return None
        edges = {edge for each in (*self.windows, *other.windows) for edge in each if edge > from_ms}
        return next((at for at in sorted({from_ms, *edges}) if bool(self.at(at)) != bool(other.at(at))), None)

    def frozen(self, from_ms: int) -> str:
        """Return the text of the windows that end after an instant; empty without any."""
        kept = [each for each in self.windows if each[1] > from_ms]
        edges = [edge // MINUTE_MS for each in kept for edge in each]
        return ".".join(_spelled(later - earlier) for earlier, later in pairwise([0, *edges]))


NO_BLACKOUTS: Final = Blackouts(())


def merged(windows: Iterable[Blackout]) -> Blackouts:
    """Return the union of windows, which may overlap."""
    found: list[tuple[int, int]] = []
    for each in sorted(windows):
        if found and each.from_at <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], each.until_at)
        else:
            found.append((each.from_at, each.until_at))
    return Blackouts(tuple(found))


@lru_cache(maxsize=1024)
def thawed(text: str) -> Blackouts:
    """Read frozen windows. Raises ScheduleError (field `calendar`) for a malformed text."""
    minutes, edges = 0, list[int]()
    for number, word in enumerate(text.split(".")):
        distance = _read(word)
        if distance is None or (distance == 0 and number > 0):
            raise ScheduleError(f"{text[:64]!a} are no windows of a calendar", field="calendar")
        minutes += distance
        edges.append(minutes * MINUTE_MS)
    if len(edges) % 2:
        raise ScheduleError(f"{text[:64]!a} are no windows of a calendar", field="calendar")
    return Blackouts(tuple(zip(edges[::2], edges[1::2], strict=True)))


def _spelled(number: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return digits


def _read(word: str) -> int | None:
    if not 1 <= len(word) <= _MAX_DIGITS or not word.isascii() or not word.isalnum():
        return None
    number = 0
    for digit in word:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return number
