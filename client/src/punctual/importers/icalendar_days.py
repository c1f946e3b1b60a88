"""Reads the days of an iCalendar file (RFC 5545), for a calendar of the tenant.

An event gives the dates that it touches, in its own time zone: all days from its start to its end. Rules that repeat
an event, and their exceptions, are those of the libraries `icalendar` and `recurring-ical-events`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from punctual.importers.job import UnreadableSourceError

if TYPE_CHECKING:
    from icalendar import Calendar

MAX_BYTES: Final = 1024 * 1024
MAX_EVENTS: Final = 1_000
MAX_DAYS: Final = 366
"""Of a calendar of the tenant."""
_DAY: Final = timedelta(days=1)
_RULES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")


@dataclass(frozen=True, slots=True)
class IcalendarReader:
    """Reads the days in [first, until)."""

    first: date
    until: date

    def read(self, name: str, data: bytes) -> list[date]:
        """The days of the events, ascending, each once. A cancelled event gives none.

        UnreadableSourceError for a file that is no iCalendar, and for more events or days than a calendar takes.
        """
        if len(data) > MAX_BYTES:
            raise UnreadableSourceError(f"{name}: more than {MAX_BYTES // 1024 // 1024} MiB")
        calendar = _calendar(name, data)
        try:
            return self._days(name, calendar)
        except UnreadableSourceError:
            raise
        except Exception as error:  # noqa: BLE001 - the libraries document no errors for broken events
            raise UnreadableSourceError(
                f"{name}: an event cannot be read: {error or type(error).__name__}"
            ) from None

    def _days(self, name: str, calendar: "Calendar") -> list[date]:
        # Imported late: it takes a tenth of a second.
        from recurring_ical_events import of

        _check_events(name, calendar.walk("VEVENT"))
        source, days = of(calendar), set[date]()
        start = self.first
        while start < self.until:
            # A year at a time, so that an event on every day ends the search early.
            end = min(self.until, start + 365 * _DAY)
            for event in source.between(start, end):
                if str(event.get("STATUS", "")).upper() != "CANCELLED":
                    days.update(_touched(event, start, end))
                if len(days) > MAX_DAYS:
                    raise UnreadableSourceError(
                        f"{name}: more than {MAX_DAYS} days from {self.first} on, which is the most of one calendar; "
                        "choose an earlier --until"
                    )
            start = end
        return sorted(days)


def _calendar(name: str, data: bytes) -> "Calendar":
    from icalendar import Calendar

    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"BEGIN:VCALENDAR"):
        raise UnreadableSourceError(f"{name}: no iCalendar; a file of one begins with BEGIN:VCALENDAR")
    try:
        found = Calendar.from_ical(data)
    except (ValueError, IndexError, KeyError) as error:
        raise UnreadableSourceError(f"{name}: {error}") from None
    if not isinstance(found, Calendar):
        raise UnreadableSourceError(f"{name}: several calendars; give a file with one")
    return found


def _check_events(name: str, events: Iterable[Any]) -> None:
    """Refuse what takes long to unfold: many events, and rules that repeat within a day."""
    for number, event in enumerate(events, start=1):
        if number > MAX_EVENTS:
            raise UnreadableSourceError(f"{name}: more than {MAX_EVENTS} events")
        rules = event.get("RRULE", [])
        for rule in rules if isinstance(rules, list) else [rules]:
            frequency = str(next(iter(rule.get("FREQ", [])), "")).upper()
            if frequency not in _RULES:
                raise UnreadableSourceError(
                    f"{name}: event {number} repeats {frequency or 'without a frequency'}; "
                    f"the days of a calendar repeat {', '.join(_RULES[:-1])} or {_RULES[-1]}"
                )


def _touched(event: Any, start: date, until: date) -> Iterator[date]:
    """The dates of an occurrence in [start, until). An end at midnight, and that of a whole day, touch no further
    date."""
    first, end = _date_of(event.start), event.end
    last = _date_of(end)
    is_outside = not isinstance(end, datetime) or (end.hour, end.minute, end.second) == (0, 0, 0)
    if is_outside and last > first:
        last -= _DAY
    day = max(first, start)
    while day <= last and day < until:
        yield day
        day += _DAY


def _date_of(instant: date) -> date:
    return instant.date() if isinstance(instant, datetime) else instant
