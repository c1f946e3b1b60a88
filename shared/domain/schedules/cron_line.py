"""A whole cron line: split into its five fields, each read by its own grammar, then checked against one another."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from shared.domain.errors import ScheduleError, ScheduleNeverFiresError
from shared.domain.schedules.cron_fields import Field, read_field
from shared.domain.schedules.cron_rules import DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MINUTE, MONTH

MAX_LINE_LENGTH: Final = 256

ALIASES: Final = MappingProxyType(
    {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
    }
)

_FIELD_COUNT = 5
_RULES = (MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK)
_LONGEST_MONTH_DAY = MappingProxyType({2: 29, 4: 30, 6: 30, 9: 30, 11: 30})
_ANY = Field(every=True, values=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class CronLine:
    """A line that was accepted: it fires again and again, however far one looks, or until its years are over.

    `text` is what the user wrote and `steps` its five Unix fields with every value spelled out. An interval line,
    one whose minute or hour field starts with `*`, fires by elapsed time, whatever the DST policy.
    """

    text: str
    steps: str
    is_interval: bool
    years: tuple[int, ...] | None = None
    """The years in which it fires, ascending; None for all of them."""

    def minutes_of_day(self) -> tuple[int, ...]:
        """The minutes since midnight at which the line matches on a day that matches, ascending."""
        minutes, hours = (
            range(rule.size) if spelled == "*" else [int(value) for value in spelled.split(",")]
            for rule, spelled in zip((MINUTE, HOUR), self.steps.split(" "), strict=False)
        )
        return tuple(hour * 60 + minute for hour in hours for minute in minutes)


def read_line(text: str) -> CronLine:
    """Read a five-field Unix line or one of ALIASES.

    The month is 1-12 or jan-dec, the weekday 0-7 or sun-sat, with 0 and 7 for Sunday. Where both day fields are
    restricted, that is neither holds a `*`, a day needs to match only one of them; `*/2` restricts, `*/1` does not.
    `L` is the last day of the month, `15W` the weekday nearest to the 15th in the same month (a day that the month
    lacks counts as its last), `1#3` the third Monday, `5L` (also `L5`) the last Friday.

    Raises ScheduleError whose `field` is minute, hour, day_of_month, month, day_of_week or cron, and
    ScheduleNeverFiresError for a day that no month in the line has.
    """
    words = _unix_words(text)
    minute, hour, day, month, weekday = (
        read_field(rule, word) for rule, word in zip(_RULES, words, strict=True)
    )
    _check_marks(day, weekday)
    if not day_exists(day, month):
        if weekday.every:
            raise ScheduleNeverFiresError(
                "day_of_month: no such day in any of these months, so the line never fires",
                field=DAY_OF_MONTH.name,
            )
        # Only the weekday can ever match; croniter would search fifty years for the other at each step.
        day = _ANY
    steps = " ".join(part.spelled() for part in (minute, hour, day, month, weekday))
    return CronLine(text=text, steps=steps, is_interval=words[0][0] == "*" or words[1][0] == "*")


def _unix_words(text: str) -> list[str]:
    bare = check_text(text)
    if bare.startswith("@"):
        if bare not in ALIASES:
            raise refusal(f"unknown alias {bare[:40]!a}; the known ones are {', '.join(ALIASES)}")
        bare = ALIASES[bare]
    words = split_fields(bare)
    if len(words) in (6, 7):
        raise refusal(
            f"{len(words)} fields: six or seven bare fields mean different things in different dialects "
            "(seconds first, seconds last, a year), so five are needed"
        )
    if len(words) != _FIELD_COUNT:
        raise refusal(f"{len(words)} fields; five are needed: minute hour day_of_month month day_of_week")
    return words


def check_text(text: str) -> str:
    """The text without blanks at its ends. Raises ScheduleError (field `cron`) for what no line may hold."""
    if len(text) > MAX_LINE_LENGTH:
        raise refusal(f"a line of {len(text)} characters; {MAX_LINE_LENGTH} is the most")
    if not text.isascii():
        raise refusal("only ASCII characters may stand in a line")
    if re.search(r"[^\x20-\x7e\t]", text):
        raise refusal("fields are parted by spaces or tabs; no other control character or white space")
    return text.strip(" \t")


def split_fields(bare: str) -> list[str]:
    """The fields of a line that was checked."""
    return re.split(r"[ \t]+", bare) if bare else []


def refusal(why: str) -> ScheduleError:
    """The error for a line as a whole."""
    return ScheduleError(f"cron: {why}", field="cron")


def _check_marks(day: Field, weekday: Field) -> None:
    if day.special and not weekday.every:
        DAY_OF_MONTH.refuse("L and W need * as the day of week")
    if weekday.special and not day.every:
        DAY_OF_WEEK.refuse("# and L need * as the day of month")


def day_exists(day: Field, month: Field) -> bool:
    """Whether any of the months has any of the days, in some year."""
    if day.every or day.special:
        return True
    months = range(1, 13) if month.every else month.values
    return min(day.values) <= max(_LONGEST_MONTH_DAY.get(number, 31) for number in months)
