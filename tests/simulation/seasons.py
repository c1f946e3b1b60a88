"""When a run takes place: on a day in winter, or across a change of the clocks in Berlin."""

from dataclasses import dataclass
from random import Random

from tests.simulation.rhythms import CRONS, MINUTE_MS, Rhythm, cron

CHANGE_SHARE = 0.15
BEFORE_CHANGE_MS = 2 * MINUTE_MS - 7_000
"""So long before the change does the load begin, which lasts four minutes."""
TO_SUMMER_MS = 1_806_195_600_000
"""2027-03-28T01:00Z: the clocks go from 02:00 to 03:00."""
TO_WINTER_MS = 1_824_944_400_000
"""2027-10-31T01:00Z: the clocks go from 03:00 back to 02:00."""


@dataclass(frozen=True, slots=True)
class Season:
    """When the load begins, in UTC ms, and the cron lines of its jobs."""

    start_ms: int
    crons: tuple[Rhythm, ...]


HOUR_MS = 3_600_000
_FIXED = (1, 3, 58, 59)


def _in_spring(hour: int, minute: int) -> bool:
    """The hour from 02:00 to 03:00 is left out, and made up for once, at its end. Then both are an hour earlier."""
    since = hour - TO_SUMMER_MS // HOUR_MS
    if since == 0:
        return minute in (0, *_FIXED)
    return since > 0 and since % 24 in (23, 0) and minute in _FIXED


def _half_past_two(hour: int, minute: int) -> bool:
    """In spring."""
    since = hour - TO_SUMMER_MS // HOUR_MS
    return minute == 0 if since == 0 else since > 0 and since % 24 == 23 and minute == 30


def _in_autumn(hour: int, minute: int) -> bool:
    """The hour from 02:00 to 03:00 comes twice, and the second one fires nothing. Then both are an hour later."""
    since = hour - TO_WINTER_MS // HOUR_MS
    return minute in _FIXED and (since in (-1, 1) or (since > 1 and since % 24 in (0, 1)))


_EACH_CHANGE = (
    cron("* * * * *", "Europe/Berlin", lambda _hour, _minute: True),
    cron("1-59/3 * * * *", "Europe/Berlin", lambda _hour, minute: minute % 3 == 1),
)
_IN_SPRING = (
    cron("1,3,58,59 2-3 * * *", "Europe/Berlin", _in_spring),
    cron("30 2 * * *", "Europe/Berlin", _half_past_two),
)
_IN_AUTUMN = (
    cron("1,3,58,59 2-3 * * *", "Europe/Berlin", _in_autumn),
    cron("2 * * * *", "Europe/Berlin", lambda _hour, minute: minute == 2),
)
"""Their meaning by the hours of UTC, from two minutes before the change on."""
WINTER = Season(30_000_000 * MINUTE_MS + 7_000, CRONS)
SPRING = Season(TO_SUMMER_MS - BEFORE_CHANGE_MS, (*_EACH_CHANGE, *_IN_SPRING))
AUTUMN = Season(TO_WINTER_MS - BEFORE_CHANGE_MS, (*_EACH_CHANGE, *_IN_AUTUMN))


def season_of(seed: int) -> Season:
    """Drawn from a source of its own."""
    rng = Random(f"season of {seed}")
    return rng.choice((SPRING, AUTUMN)) if rng.random() < CHANGE_SHARE else WINTER
