"""Instants as text, and how far from now one may be."""

from datetime import UTC, datetime

import pytest

from shared.domain.errors import ScheduleError, ScheduleInPastError, ScheduleTooFarError
from shared.domain.schedules.schedule import check_once, format_instant, parse_instant

DAY_MS = 86_400_000
NOW = 1_735_689_600_000


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-03-09T02:30:00Z", "2025-03-09T02:30:00+00:00"),
        ("2025-03-09t02:30:00z", "2025-03-09T02:30:00+00:00"),
        ("2025-03-09T02:30:00+05:45", "2025-03-08T20:45:00+00:00"),
        ("2025-03-09T02:30:00-09:30", "2025-03-09T12:00:00+00:00"),
        ("2025-03-09T02:30:00-00:00", "2025-03-09T02:30:00+00:00"),
        ("2025-03-09T02:30:00+23:59", "2025-03-08T02:31:00+00:00"),
        ("2024-02-29T23:59:59.9Z", "2024-02-29T23:59:59.900+00:00"),
        ("2024-02-29T23:59:59.9999Z", "2024-02-29T23:59:59.999+00:00"),
        ("2024-02-29T23:59:59.001999999Z", "2024-02-29T23:59:59.001+00:00"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00+00:00"),
        ("9998-12-31T23:59:59-23:59", "9999-01-01T23:58:59+00:00"),
    ],
)
def test_an_offset_decides(text: str, expected: str) -> None:
    assert parse_instant(text, None) == ms(expected)
    assert parse_instant(text, "Asia/Tokyo") == ms(expected)


@pytest.mark.parametrize(
    ("text", "timezone", "expected"),
    [
        ("2025-06-01T09:00:00", "America/New_York", "2025-06-01T09:00:00-04:00"),
        ("2025-06-01T09:00:00.123456789", "UTC", "2025-06-01T09:00:00.123+00:00"),
        ("2025-03-09T01:59:59.999", "America/New_York", "2025-03-09T01:59:59.999-05:00"),
        ("2025-03-09T03:00:00", "America/New_York", "2025-03-09T03:00:00-04:00"),
        ("2025-11-02T01:00:00", "America/New_York", "2025-11-02T01:00:00-04:00"),
        ("2025-11-02T01:59:59.999", "America/New_York", "2025-11-02T01:59:59.999-04:00"),
        ("2025-11-02T02:00:00", "America/New_York", "2025-11-02T02:00:00-05:00"),
        ("2025-04-06T01:45:00", "Australia/Lord_Howe", "2025-04-06T01:45:00+11:00"),
        ("2025-02-23T02:30:00", "Africa/Casablanca", "2025-02-23T02:30:00+01:00"),
        ("2025-06-01T09:00:00", "Asia/Kathmandu", "2025-06-01T09:00:00+05:45"),
    ],
)
def test_a_local_time_needs_a_zone(text: str, timezone: str, expected: str) -> None:
    assert parse_instant(text, timezone) == ms(expected)
    with pytest.raises(ScheduleError, match="neither an offset nor a time zone"):
        parse_instant(text, None)


@pytest.mark.parametrize(
    ("text", "timezone"),
    [
        ("2025-03-09T02:00:00", "America/New_York"),
        ("2025-03-09T02:59:59.999", "America/New_York"),
        ("2025-10-05T02:15:00", "Australia/Lord_Howe"),
        ("2011-12-30T12:00:00", "Pacific/Apia"),
        ("2025-03-09T00:30:00", "America/Havana"),
    ],
)
def test_a_local_time_in_a_gap_is_refused(text: str, timezone: str) -> None:
    with pytest.raises(ScheduleError, match=f"no such local time in {timezone}") as caught:
        parse_instant(text, timezone)
    assert caught.value.field == "at"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "1735689600",
        "2025-06-01",
        "2025-06-01 09:00:00Z",
        "2025-06-01T09:00Z",
        "2025-06-01T09Z",
        "20250601T090000Z",
        "2025-W23-1T09:00:00Z",
        "2025-6-1T09:00:00Z",
        "2025-06-01T09:00:00.Z",
        "2025-06-01T09:00:00,5Z",
        "2025-06-01T09:00:00.1234567890Z",
        "2025-06-01T09:00:00 Z",
        "2025-06-01T09:00:00ZZ",
        "2025-06-01T09:00:00Z\n",
        " 2025-06-01T09:00:00Z",
        "2025-06-01T09:00:00+0100",
        "2025-06-01T09:00:00+01",
        "2025-06-01T09:00:00+01:00:00",
        "2025-06-01T09:00:00+24:00",
        "2025-06-01T09:00:00+01:60",
        "2025-06-01T09:00:00-99:99",
        "2025-06-01T09:00:00\u221201:00",
        "2025-06-01T09:00:0\u0661Z",
        "2025-02-29T09:00:00Z",
        "2025-00-01T09:00:00Z",
        "2025-13-01T09:00:00Z",
        "2025-04-31T09:00:00Z",
        "2025-06-01T24:00:00Z",
        "2025-06-01T09:60:00Z",
        "2025-06-01T09:00:61Z",
        "2016-12-31T23:59:60Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-23:59",
        "12025-06-01T09:00:00Z",
        "-2025-06-01T09:00:00Z",
        "9" * 100_000,
    ],
)
def test_malformed_instant_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_instant(text, "UTC")
    assert caught.value.field == "at"
    assert str(caught.value).isascii() and len(str(caught.value)) < 300


def test_refusals_say_what_is_wrong() -> None:
    with pytest.raises(ScheduleError, match="leap second"):
        parse_instant("2016-12-31T23:59:60Z", None)
    with pytest.raises(ScheduleError, match="offset must be"):
        parse_instant("2025-06-01T09:00:00+24:00", None)
    with pytest.raises(ScheduleError, match="year must be"):
        parse_instant("0001-01-01T00:00:00Z", None)
    with pytest.raises(ScheduleError, match="unknown time zone") as caught:
        parse_instant("2025-06-01T09:00:00Z", "Mars/Olympus")
    assert caught.value.field == "timezone"


@pytest.mark.parametrize(
    ("instant_ms", "expected"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (1_735_689_600_999, "2025-01-01T00:00:00.999Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_instants_are_written_with_milliseconds(instant_ms: int, expected: str) -> None:
    assert format_instant(instant_ms) == expected
    if instant_ms < ms("9999-01-01T00:00:00+00:00"):
        assert parse_instant(expected, None) == instant_ms


def test_a_minute_in_the_past_is_still_accepted() -> None:
    check_once(NOW - 60_000, NOW)
    with pytest.raises(ScheduleInPastError) as caught:
        check_once(NOW - 60_001, NOW)
    assert caught.value.field == "at"


def test_ten_years_ahead_are_accepted() -> None:
    ten_years = int(datetime(2035, 1, 1, tzinfo=UTC).timestamp()) * 1000
    check_once(ten_years, NOW)
    check_once(NOW + 3_653 * DAY_MS, NOW)
    with pytest.raises(ScheduleTooFarError) as caught:
        check_once(NOW + 3_653 * DAY_MS + 1, NOW)
    assert caught.value.field == "at"
