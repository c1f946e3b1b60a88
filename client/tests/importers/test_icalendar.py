"""Days of iCalendar files, and files that are none."""

from datetime import date

import pytest

from punctual.importers import IcalendarReader, UnreadableSourceError

READER = IcalendarReader(date(2026, 1, 1), date(2031, 1, 1))


def _file(*events: tuple[str, ...]) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//EN"]
    for number, event in enumerate(events):
        head = ["BEGIN:VEVENT", f"UID:{number}", "DTSTAMP:20260101T000000Z"]
        lines += [*head, *event, "END:VEVENT"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


@pytest.mark.parametrize(
    ("event", "days"),
    [
        (("DTSTART;VALUE=DATE:20261224",), ["2026-12-24"]),
        (
            ("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227"),
            ["2026-12-24", "2026-12-25", "2026-12-26"],
        ),
        (
            ("DTSTART;VALUE=DATE:20200501", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20270501"),
            ["2026-05-01", "2028-05-01", "2029-05-01", "2030-05-01"],
        ),
        (("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=2"), ["2026-01-01", "2026-01-02"]),
        # A timed event touches the dates of its own zone; an end at midnight touches none.
        (("DTSTART;TZID=Asia/Tokyo:20261224T010000", "DURATION:PT1H"), ["2026-12-24"]),
        (
            ("DTSTART;TZID=Europe/Berlin:20261224T230000", "DTEND;TZID=Europe/Berlin:20261225T000000"),
            ["2026-12-24"],
        ),
        (("DTSTART:20261224T230000Z", "DURATION:PT2H"), ["2026-12-24", "2026-12-25"]),
        (("DTSTART;VALUE=DATE:20251230", "DTEND;VALUE=DATE:20260103"), ["2026-01-01", "2026-01-02"]),
        (("DTSTART;VALUE=DATE:20301231", "DTEND;VALUE=DATE:20310103"), ["2030-12-31"]),
        (("DTSTART;VALUE=DATE:20261224", "STATUS:CANCELLED"), []),
        (("DTSTART;VALUE=DATE:20251224",), []),
    ],
)
def test_event_of_an_icalendar_file_gives_the_dates_that_it_touches(
    event: tuple[str, ...], days: list[str]
) -> None:
    assert [day.isoformat() for day in READER.read("team.ics", _file(event))] == days


def test_days_of_icalendar_events_are_in_order_and_each_once() -> None:
    file = _file(
        ("DTSTART;VALUE=DATE:20280101",), ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY;COUNT=3")
    )
    assert READER.read("team.ics", file) == [date(2026, 1, 1), date(2027, 1, 1), date(2028, 1, 1)]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "team.ics: no iCalendar; a file of one begins with BEGIN:VCALENDAR"),
        (b"\0" * 100, "no iCalendar"),
        (b"BEGIN:VCALENDAR", "team.ics: "),
        (b"BEGIN:VCALENDAR\r\n" + b"BEGIN:VEVENT\r\n" * 5_000, "team.ics: "),
        (b"BEGIN:VCALENDAR" + b" " * 1_048_576, "more than 1 MiB"),
        (_file() + _file(), "team.ics: "),
        (_file(("SUMMARY:a meeting without a start",)), "team.ics: an event cannot be read"),
        (_file(("DTSTART;VALUE=DATE:2026122",)), "team.ics: an event cannot be read"),
        (_file(("DTSTART;VALUE=DATE:20261224", "RRULE:FREQ=SOMETIMES")), "team.ics: an event cannot be read"),
        (_file(("DTSTART:20260101T000000Z", "RRULE:FREQ=SECONDLY")), "event 1 repeats SECONDLY"),
        (_file(("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY")), "more than 366 days from 2026-01-01 on"),
        (_file(("DTSTART;VALUE=DATE:20200101", "DTEND;VALUE=DATE:20290101")), "more than 366 days"),
        (_file(*[("DTSTART;VALUE=DATE:20260101",)] * 1_001), "more than 1000 events"),
    ],
)
def test_file_that_gives_no_calendar_is_refused_with_its_name(data: bytes, error: str) -> None:
    with pytest.raises(UnreadableSourceError, match=r"team\.ics") as refused:
        READER.read("team.ics", data)
    assert error in str(refused.value)
