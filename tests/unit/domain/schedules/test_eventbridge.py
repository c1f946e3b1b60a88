"""EventBridge's expressions: what they mean, and what is refused with the name of the field."""

from datetime import UTC, datetime

import pytest

from shared.domain.errors import ScheduleError, ScheduleNeverFiresError
from shared.domain.schedules.cron import cron_count, cron_next, parse_cron, parse_line
from shared.domain.schedules.cron_line import is_expression
from shared.domain.schedules.eventbridge import parse_at, parse_rate, read_expression
from shared.domain.schedules.schedule import Cron, Gap, Once, Overlap, first_after
from shared.domain.schedules.timing import Every

ALL_YEARS = tuple(range(1970, 2200))


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


@pytest.mark.parametrize(
    ("fields", "steps", "years"),
    [
        ("0 10 * * ? *", "0 10 * * *", ALL_YEARS),
        ("15 12 ? * * *", "15 12 * * *", ALL_YEARS),
        ("0 18 ? * MON-FRI *", "0 18 * * 1,2,3,4,5", ALL_YEARS),
        ("0 8 1 * ? *", "0 8 1 * *", ALL_YEARS),
        ("0/15 * * * ? *", "0,15,30,45 * * * *", ALL_YEARS),
        ("0/10 * ? * MON-FRI *", "0,10,20,30,40,50 * * * 1,2,3,4,5", ALL_YEARS),
        ("0 20/2 * * ? *", "0 20,22 * * *", ALL_YEARS),
        ("0 22-2/2 * * ? *", "0 0,2,22 * * *", ALL_YEARS),
        ("0 0 1 1-12/3 ? *", "0 0 1 1,4,7,10 *", ALL_YEARS),
        ("0 0 1 jan,Jul ? *", "0 0 1 1,7 *", ALL_YEARS),
        ("0 0 ? * 1 *", "0 0 * * 0", ALL_YEARS),
        ("0 0 ? * 7 *", "0 0 * * 6", ALL_YEARS),
        ("0 0 ? * 1-7 *", "0 0 * * 0,1,2,3,4,5,6", ALL_YEARS),
        ("0 0 ? * fri-mon *", "0 0 * * 0,1,5,6", ALL_YEARS),
        ("0 0 ? * L *", "0 0 * * 6", ALL_YEARS),
        ("0 0 ? * 6L *", "0 0 * * l5", ALL_YEARS),
        ("0 0 ? * SUNL *", "0 0 * * l0", ALL_YEARS),
        ("0 0 ? * 3#2 *", "0 0 * * 2#2", ALL_YEARS),
        ("0 0 ? * tue#2 *", "0 0 * * 2#2", ALL_YEARS),
        ("0 0 L * ? *", "0 0 l * *", ALL_YEARS),
        ("0 0 LW * ? *", "0 0 31w * *", ALL_YEARS),
        ("0 0 3W * ? *", "0 0 3w * *", ALL_YEARS),
        ("0 0 1 1 ? 2025", "0 0 1 1 *", (2025,)),
        ("0 0 1 1 ? 2025-2027,2030", "0 0 1 1 *", (2025, 2026, 2027, 2030)),
        ("0 0 1 1 ? 2190/4", "0 0 1 1 *", (2190, 2194, 2198)),
        ("0 0 1 1 ? */100", "0 0 1 1 *", (1970, 2070, 2170)),
        ("  0\t0   1 1 ? 2025 ", "0 0 1 1 *", (2025,)),
    ],
)
def test_fields_are_read_to_the_same_sets(fields: str, steps: str, years: tuple[int, ...]) -> None:
    line = parse_line(f"cron({fields})")
    assert (line.steps, line.years) == (steps, years)


@pytest.mark.parametrize(
    ("text", "interval"),
    [("cron(0/15 * * * ? *)", True), ("cron(*/15 9 * * ? *)", True), ("cron(0/15 9 * * ? *)", False)],
)
def test_interval_lines_are_those_with_a_star(text: str, interval: bool) -> None:
    assert parse_line(text).is_interval is interval


LONG_LIST = ",".join(["1"] * 61)


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("cron(0 10 * * *)", "cron", "5 fields"),
        ("cron(0 0 10 * * ? *)", "cron", "7 fields"),
        ("cron()", "cron", "0 fields"),
        ("cron(0 10 * * ? *", "cron", "between cron("),
        ("cron(0 10 * * ? *))", "year", "cannot read"),
        ("cron(0 10 * * ? *)x", "cron", "between cron("),
        ("cron(0 10 * * ? *\n)", "cron", "white space"),
        ("cron(0 10 * * ? \u0661)", "cron", "ASCII"),
        ("cron(" + " " * 260 + ")", "cron", "characters"),
        ("cron(0 10 * * * *)", "day_of_week", "neither"),
        ("cron(0 10 1 * 2 *)", "day_of_week", "neither"),
        ("cron(0 10 ? * ? *)", "day_of_week", "both day fields"),
        ("cron(? 10 * * ? *)", "minute", "? may stand"),
        ("cron(0 ? * * ? *)", "hour", "? may stand"),
        ("cron(0 10 * ? 2 *)", "month", "? may stand"),
        ("cron(0 10 * * ? ?)", "year", "? may stand"),
        ("cron(0 10 1,? * ? *)", "day_of_month", "? may stand"),
        ("cron(60 10 * * ? *)", "minute", "60 is not"),
        ("cron(0/60 10 * * ? *)", "minute", "a step of 60"),
        ("cron(0/0 10 * * ? *)", "minute", "a step of 0"),
        ("cron(0 24 * * ? *)", "hour", "24 is not"),
        ("cron(0 0 0 * ? *)", "day_of_month", "0 is not"),
        ("cron(0 0 32 * ? *)", "day_of_month", "32 is not"),
        ("cron(0 0 32W * ? *)", "day_of_month", "32 is not"),
        ("cron(0 0 L-3 * ? *)", "day_of_month", "not supported"),
        ("cron(0 0 1,L * ? *)", "day_of_month", "alone"),
        ("cron(0 0 1,15W * ? *)", "day_of_month", "alone"),
        ("cron(0 0 WL * ? *)", "day_of_month", "alone"),
        ("cron(0 0 1 13 ? *)", "month", "13 is not"),
        ("cron(0 0 ? * 0 *)", "day_of_week", "0 is not from 1 to 7"),
        ("cron(0 0 ? * 8 *)", "day_of_week", "8 is not"),
        ("cron(0 0 ? * 8L *)", "day_of_week", "8 is not"),
        ("cron(0 0 ? * 0#1 *)", "day_of_week", "0 is not"),
        ("cron(0 0 ? * 3#1,6#3 *)", "day_of_week", "alone"),
        ("cron(0 0 ? * 3#6 *)", "day_of_week", "1 to 5"),
        ("cron(0 0 ? * 2,6L *)", "day_of_week", "cannot read"),
        ("cron(0 0 ? * L,2 *)", "day_of_week", "cannot read"),
        ("cron(0 0 ? * 2-2 *)", "day_of_week", "itself"),
        ("cron(5-1 0 * * ? *)", "minute", "ends before"),
        ("cron(0 0 25-5 * ? *)", "day_of_month", "ends before"),
        ("cron(0 0 1 1 ? 1969)", "year", "1969 is not from 1970 to 2199"),
        ("cron(0 0 1 1 ? 2200)", "year", "2200 is not"),
        ("cron(0 0 1 1 ? 2030-2025)", "year", "ends before"),
        ("cron(0 0 1 1 ? 2025/231)", "year", "a step of 231"),
        ("cron(0 0 1 1 ? L)", "year", "cannot read"),
        (f"cron({LONG_LIST} 0 1 1 ? *)", "minute", "61 items"),
    ],
)
def test_refused_lines_name_the_field(text: str, field: str, says: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_line(text)
    assert caught.value.field == field
    message = str(caught.value)
    assert says in message and message.startswith(f"{field}: ") and message.isascii() and len(message) < 300


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ("0 0 30 2 ? *", "day_of_month"),
        ("0 0 31 4,6,9,11 ? *", "day_of_month"),
        ("0 0 29 2 ? 2025", "year"),
        ("0 0 29 2 ? 2025-2027,2100", "year"),
        ("0 0 29W 2 ? 2025-2027,2100", "year"),
        ("0 0 30W 2 ? *", "day_of_month"),
        ("0 0 31W 2,4,6,9,11 ? *", "day_of_month"),
        ("0 0 29 2 ? 1971-2199/2", "year"),
        ("0 0 ? 2 2#5 2025", "year"),
    ],
)
def test_cron_expression_that_never_fires_is_found(fields: str, field: str, questions: list[int]) -> None:
    with pytest.raises(ScheduleNeverFiresError) as caught:
        parse_line(f"cron({fields})")
    assert caught.value.field == field
    assert len(questions) <= 120


def test_five_fields_are_still_five_fields() -> None:
    with pytest.raises(ScheduleError):
        parse_cron("cron(0 10 * * ? *)")
    assert parse_line("0 10 * * *") == parse_cron("0 10 * * *")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("0 9 ? * 2#1 *", ["2025-02-03", "2025-03-03", "2025-04-07"]),
        ("0 9 ? * 6L *", ["2025-02-28", "2025-03-28", "2025-04-25"]),
        ("0 9 LW * ? *", ["2025-02-28", "2025-03-31", "2025-04-30"]),
        ("0 9 LW 5,8 ? *", ["2025-05-30", "2025-08-29", "2026-05-29"]),
        ("0 9 15W * ? *", ["2025-02-14", "2025-03-14", "2025-04-15"]),
        ("0 9 29W * ? *", ["2025-03-28", "2025-04-29", "2025-05-29"]),
        ("0 9 29W 2 ? *", ["2028-02-29", "2032-02-27", "2036-02-29"]),
        ("0 9 30W * ? *", ["2025-03-31", "2025-04-30", "2025-05-30"]),
        ("0 9 31W * ? *", ["2025-03-31", "2025-05-30", "2025-07-31"]),
        ("0 9 31W 1,2,4 ? *", ["2026-01-30", "2027-01-29", "2028-01-31"]),
        ("0 9 ? * L *", ["2025-02-01", "2025-02-08", "2025-02-15"]),
        ("0 9 29 2 ? *", ["2028-02-29", "2032-02-29", "2036-02-29"]),
        ("0 9 1 6 ? 2030,2027,2199", ["2027-06-01", "2030-06-01", "2199-06-01"]),
        ("0 9 29 2 ? 2100-2199", ["2104-02-29", "2108-02-29", "2112-02-29"]),
    ],
)
def test_days_and_years(fields: str, expected: list[str]) -> None:
    line, moment, found = parse_line(f"cron({fields})"), ms("2025-02-01T00:00Z"), []
    for _ in expected:
        moment = cron_next(line, "UTC", moment) or 0
        found.append(datetime.fromtimestamp(moment / 1000, UTC).date().isoformat())
    assert found == expected


def test_after_its_last_year_a_line_is_over() -> None:
    line, last = parse_line("cron(0 9 1 6 ? 2027,2030)"), ms("2030-06-01T09:00Z")
    assert cron_next(line, "UTC", last) is None
    assert cron_next(line, "UTC", last - 1) == last
    assert cron_count(line, "UTC", 0, 10**14, 100) == 2
    assert cron_count(line, "UTC", 0, last - 1, 100) == 1
    assert cron_next(parse_line("cron(0 9 1 1 ? *)"), "UTC", ms("2199-01-01T09:00Z")) is None


def test_a_year_is_that_of_the_local_date() -> None:
    new_year = parse_line("cron(0 0 1 1 ? 2030)")
    assert cron_next(new_year, "Pacific/Kiritimati", 0) == ms("2030-01-01T00:00+14:00")
    assert cron_next(new_year, "Pacific/Pago_Pago", 0) == ms("2030-01-01T00:00-11:00")
    lost = Cron(line="cron(0 12 30 12 ? 2011)", timezone="Pacific/Apia")
    assert first_after(lost, 0) is None


def test_the_policies_are_those_of_eventbridge_unless_they_are_given() -> None:
    plain = read_expression("cron(30 2 * * ? *)", "America/New_York")
    assert plain == Cron(
        line="cron(30 2 * * ? *)", timezone="America/New_York", gap=Gap.SKIP, overlap=Overlap.FIRST
    )
    spring = ms("2025-03-09T00:00-05:00")
    assert isinstance(plain, Cron) and first_after(plain, spring) == ms("2025-03-10T02:30-04:00")
    chosen = read_expression(
        " cron(30 2 * * ? *) ",
        "America/New_York",
        gap=Gap.SHIFT,
        overlap=Overlap.BOTH,
        start_at=5,
        end_at=10**13,
    )
    assert isinstance(chosen, Cron)
    assert (chosen.gap, chosen.overlap, chosen.start_at, chosen.end_at) == ("shift", "both", 5, 10**13)
    assert chosen.line == "cron(30 2 * * ? *)"
    assert first_after(chosen, spring) == ms("2025-03-09T03:00-04:00")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("rate(1 minute)", 60),
        ("rate(2 minutes)", 120),
        ("rate(1 hour)", 3_600),
        ("rate(36 hours)", 129_600),
        ("rate(1 day)", 86_400),
        ("rate(366 days)", 366 * 86_400),
        ("rate(05  minutes)", 300),
    ],
)
def test_rates(text: str, seconds: int) -> None:
    assert parse_rate(text) == seconds
    assert read_expression(text, "UTC") == Every(seconds)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rate(1 minutes)", "after 1 the unit is minute"),
        ("rate(5 minute)", "any other number minutes"),
        ("rate(5 hour)", "hours"),
        ("rate(1 days)", "day"),
        ("rate(0 minutes)", "at least 1"),
        ("rate(-5 minutes)", "not of the form"),
        ("rate(1.5 hours)", "not of the form"),
        ("rate(30 seconds)", "minute(s), hour(s) or day(s)"),
        ("rate(2 weeks)", "minute(s)"),
        ("rate(5 Minutes)", "not of the form"),
        ("rate(5minutes)", "not of the form"),
        ("rate(5 minutess)", "minute(s)"),
        ("rate()", "not of the form"),
        ("rate(5 minutes", "not of the form"),
        ("rate(5 minutes) ", "not of the form"),
        ("rate(367 days)", "366 days"),
        ("rate(" + "9" * 300 + " days)", "not of the form"),
        ("rate(" + "9" * 200 + " days)", "366 days"),
        ("rate(\u0665 minutes)", "not of the form"),
    ],
)
def test_malformed_rate_expression_is_refused_with_its_reason(text: str, says: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_rate(text)
    assert caught.value.field == "rate" and says in str(caught.value) and len(str(caught.value)) < 300


def test_a_single_instant_is_local_time_in_the_zone() -> None:
    assert parse_at("at(2030-01-31T09:30:00)", "Europe/Berlin") == ms("2030-01-31T09:30+01:00")
    assert read_expression("at(2030-01-31T09:30:00)", "UTC") == Once(at=ms("2030-01-31T09:30Z"))
    assert parse_at("at(2025-11-02T01:30:00)", "America/New_York") == ms("2025-11-02T01:30-04:00")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("at(2030-01-31T09:30:00Z)", "at"),
        ("at(2030-01-31T09:30:00+01:00)", "at"),
        ("at(2030-01-31T09:30)", "at"),
        ("at(2030-01-31 09:30:00)", "at"),
        ("at(2030-01-31T09:30:00.5)", "at"),
        ("at(2030-02-30T09:30:00)", "at"),
        ("at(2030-01-31T24:30:00)", "at"),
        ("at(2025-03-30T02:30:00)", "at"),
        ("at(1969-01-31T09:30:00)", "at"),
        ("at()", "at"),
        ("at(\u0662030-01-31T09:30:00)", "at"),
        ("every 5 minutes", "expression"),
        ("0 9 * * *", "expression"),
        ("", "expression"),
        ("CRON(0 10 * * ? *)", "expression"),
        ("Rate(5 minutes)", "expression"),
    ],
)
def test_malformed_expression_is_refused_with_its_field(text: str, field: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        read_expression(text, "Europe/Berlin")
    assert caught.value.field == field


def test_an_unknown_zone_is_named() -> None:
    for text in ("cron(0 10 * * ? *)", "at(2030-01-31T09:30:00)"):
        with pytest.raises(ScheduleError) as caught:
            read_expression(text, "Mars/Olympus")
        assert caught.value.field == "timezone"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("cron(x)", True), (" rate(", True), ("at()", True), ("0 9 * * *", False), ("@daily", False)],
)
def test_eventbridge_expression_is_recognised(text: str, expected: bool) -> None:
    assert is_expression(text) is expected
