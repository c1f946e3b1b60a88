"""The ranges of time for which statistics are shown, and their steps."""

from collections.abc import Iterator
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.archive.unit import DAY_MS, HOUR_MS
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import InvalidValueError


class Step(StrEnum):
    """The values are those of the API."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"

    @property
    def ms(self) -> int:
        return _LENGTHS[self][0]

    @property
    def longest_ms(self) -> int:
        """The longest range. It bounds the items that a request reads."""
        return _LENGTHS[self][1]

    @property
    def usual_ms(self) -> int:
        """The range of a request that names none."""
        return _LENGTHS[self][2]


_LENGTHS = {
    Step.MINUTE: (MINUTE_MS, 6 * HOUR_MS, HOUR_MS),
    Step.HOUR: (HOUR_MS, 7 * DAY_MS, DAY_MS),
    Step.DAY: (DAY_MS, 31 * DAY_MS, 7 * DAY_MS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatWindow:
    """A range of whole steps in UTC. `until_at` is exclusive."""

    from_at: int
    until_at: int
    step: Step

    def starts(self) -> Iterator[int]:
        """The first instant of each step."""
        yield from range(self.from_at, self.until_at, self.step.ms)

    def start_of(self, instant: int) -> int:
        """The first instant of the step that contains an instant."""
        return instant - instant % self.step.ms


def stat_window(step: Step, from_at: int | None, until_at: int | None, now_ms: int) -> StatWindow:
    """The range of a request, extended to whole steps, and not beyond the present step.

    InvalidValueError for an empty range, and for one that is too long.
    """
    end = _up(now_ms + 1, step.ms)
    until = end if until_at is None else min(_up(until_at, step.ms), end)
    start = until - step.usual_ms if from_at is None else from_at - from_at % step.ms
    if start < 0 or start >= until:
        raise InvalidValueError("from must be before to, and not in the future")
    if until - start > step.longest_ms:
        hours = step.longest_ms // HOUR_MS
        raise InvalidValueError(f"by {step.value}, a range has at most {hours} hours: choose a shorter one")
    return StatWindow(from_at=start, until_at=until, step=step)


def _up(instant: int, step_ms: int) -> int:
    return -(-instant // step_ms) * step_ms
