"""The five fields of a cron line: their names, ranges and words."""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final, NoReturn

from shared.dataclass import dataclass
from shared.domain.errors import ScheduleError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """The range of one field.

    `top` is the largest number a user may write; it exceeds `high` for Sunday as 7.
    """

    name: str
    low: int
    high: int
    top: int
    words: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    wraps: bool = True
    """Whether a range may continue from the highest value to the lowest.

    Hours, months and weekdays wrap (`22-6`, `nov-feb`, `fri-mon`). A range such as `5-1` of minutes or days of
    the month is more often a slip for `1-5`, and fires far more often, so it is refused.
    """

    @property
    def size(self) -> int:
        """The number of values of the field; a range that wraps counts modulo this."""
        return self.high - self.low + 1

    def refuse(self, why: str) -> NoReturn:
        raise ScheduleError(f"{self.name}: {why}", field=self.name)


MINUTE: Final = FieldRule(name="minute", low=0, high=59, top=59, wraps=False)
HOUR: Final = FieldRule(name="hour", low=0, high=23, top=23)
DAY_OF_MONTH: Final = FieldRule(name="day_of_month", low=1, high=31, top=31, wraps=False)
MONTH: Final = FieldRule(
    name="month",
    low=1,
    high=12,
    top=12,
    words=MappingProxyType({word: number for number, word in enumerate(_MONTHS, start=1)}),
)
DAY_OF_WEEK: Final = FieldRule(
    name="day_of_week",
    low=0,
    high=6,
    top=7,
    words=MappingProxyType({word: number for number, word in enumerate(_WEEKDAYS)}),
)
