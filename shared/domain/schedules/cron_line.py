"""Parses a whole cron line: the five fields, then the constraints between fields."""

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from shared.dataclass import dataclass
from shared.domain.errors import ScheduleError, ScheduleNeverFiresError
from shared.domain.schedules.cron_fields import Field, read_field
from shared.domain.schedules.cron_rules import DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MINUTE, MONTH

if TYPE_CHECKING:
    from shared.domain.schedules.calendar_rule import CalendarRule

MAX_LINE_LENGTH: Final = 256

ALIASES: Final = MappingProxyType(
    {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
    }
)

_FIELD_COUNT = 5
_EXPRESSION = re.compile(r"[ \t]*(cron|rate|at)\(")
_RULES = (MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK)
_LONGEST_MONTH_DAY = MappingProxyType({2: 29, 4: 30, 6: 30, 9: 30, 11: 30})
_ANY = Field(every=True, values=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class CronLine:
    """A valid line. It fires for ever, or until the last of its years ends.

    `text` is the user's spelling; `steps` holds the five Unix fields with all values listed. An interval
    line, whose minute or hour field starts with `*`, fires by elapsed time, whatever the DST policy.
    """

    text: str
    steps: str
    is_interval: bool
    years: tuple[int, ...] | None = None
    """The years in which the line fires, ascending; None for all years."""
    required_day: int | None = None
    """A month without this day has no run; None for a line that fires in months of any length."""
    calendar: "CalendarRule | None" = None
    """Moves the days that the fields match."""

    def minutes_of_day(self) -> tuple[int, ...]:
        """Return the minutes since midnight at which the line fires on a matching day, ascending."""
        minutes, hours = (
            range(rule.size) if spelled == "*" else [int(value) for value in spelled.split(",")]
            for rule, spelled in zip((MINUTE, HOUR), self.steps.split(" "), strict=False)
        )
        return tuple(hour * 60 + minute for hour in hours for minute in minutes)


def read_line(text: str) -> CronLine:
    """Parse a five-field Unix line or one of ALIASES; upper and lower case are the same.

    The month is 1-12 or jan-dec; the weekday is 0-7 or sun-sat, and both 0 and 7 mean Sunday. If both day
    fields are restricted (neither holds a `*`), a day needs to match only one of them; `*/2` restricts, `*/1`
    does not. `L` is the last day of the month. `15W` is the weekday nearest to the 15th in the same month; if
    the month lacks the day, its last day counts. `1#3` is the third Monday; `5L` (also `L5`) is the last
    Friday.

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
        # Only the weekday can match; croniter would search fifty years for the day of month at each step.
        day = _ANY
    steps = " ".join(part.croniter_text() for part in (minute, hour, day, month, weekday))
    return CronLine(text=text, steps=steps, is_interval=words[0][0] == "*" or words[1][0] == "*")


def _unix_words(text: str) -> list[str]:
    if is_expression(text):
        raise refusal("cron(...), rate(...) and at(...) are EventBridge's: put the text into `expression`")
    bare = check_text(text)
    if bare.startswith("@"):
        alias = bare.lower()
        if alias not in ALIASES:
            raise refusal(f"unknown alias {bare[:40]!a}; the known ones are {', '.join(ALIASES)}")
        bare = ALIASES[alias]
    words = split_fields(bare)
    if len(words) in (6, 7):
        raise refusal(
            f"{len(words)} fields: six or seven bare fields mean different things in different dialects "
            "(seconds first, seconds last, a year), so five are needed; "
            "EventBridge's six go into `expression`, as cron(...)"
        )
    if len(words) != _FIELD_COUNT:
        raise refusal(f"{len(words)} fields; five are needed: minute hour day_of_month month day_of_week")
    return words


def is_expression(text: str) -> bool:
    """Return whether the text begins like an EventBridge expression; it may still be invalid."""
    return _EXPRESSION.match(text) is not None


def check_text(text: str) -> str:
    """Strip blanks from both ends.

    Raises ScheduleError (field `cron`) for a long line or a forbidden character.
    """
    if len(text) > MAX_LINE_LENGTH:
        raise refusal(f"a line of {len(text)} characters; {MAX_LINE_LENGTH} is the most")
    if not text.isascii():
        raise refusal("only ASCII characters may stand in a line")
    if re.search(r"[^\x20-\x7e\t]", text):
        raise refusal("fields are parted by spaces or tabs; no other control character or white space")
    return text.strip(" \t")


def split_fields(bare: str) -> list[str]:
    return re.split(r"[ \t]+", bare) if bare else []


def refusal(why: str) -> ScheduleError:
    """Return the error for a line that is wrong as a whole."""
    return ScheduleError(f"cron: {why}", field="cron")


def _check_marks(day: Field, weekday: Field) -> None:
    if day.special and not weekday.every:
        DAY_OF_MONTH.refuse("L and W need * as the day of week")
    if weekday.special and not day.every:
        DAY_OF_WEEK.refuse("# and L need * as the day of month")


def day_exists(day: Field, month: Field) -> bool:
    """Return whether at least one of the months has at least one of the days, in some year."""
    return day.every or bool(day.special) or month_has(min(day.values), month)


def month_has(day: int, month: Field) -> bool:
    """Return whether at least one of the months has the day, in some year."""
    months = range(1, 13) if month.every else month.values
    return day <= max(_LONGEST_MONTH_DAY.get(number, 31) for number in months)
