"""The models of the sources at clock changes, by examples that are worked out by hand from the sources' documents."""

from itertools import islice

import pytest

from client.tests.importers.engine import SPAN, at
from punctual.importers.models.clock import UnknownZoneError, zone_clock
from punctual.importers.models.crontab import CrontabInstants, read_crontab_line
from punctual.importers.models.eventbridge import (
    CronExpression,
    EventBridgeInstants,
    RateInstants,
    read_expression,
)
from punctual.importers.models.fields import LineError
from punctual.importers.models.kubernetes import KubernetesInstants, read_kubernetes_line
from punctual.importers.models.qstash import read_qstash_cron

SPRING, AUTUMN = "2026-03-29", "2026-10-25"
"""The clock changes of Berlin: from 02:00 to 03:00, and from 03:00 back to 02:00."""


def shown(instants: object, day: str, zone: str) -> list[str]:
    """The runs of a day, as local time and offset, such as `02:30 +01`."""
    clock = zone_clock(zone, *SPAN)
    noon = at(f"{day} 12:00", zone)
    found = islice(instants.after(noon - 14 * 3_600, noon + 14 * 3_600), 200)  # type: ignore[attr-defined]
    texts = [clock.show(instant) for instant in found]
    return [f"{text[11:16]} {text[20:23]}" for text in texts if text.startswith(day)]


def crontab(line: str, day: str, zone: str = "Europe/Berlin", machine: str | None = None) -> list[str]:
    read = read_crontab_line(line)
    job = None if machine is None else zone_clock(zone, *SPAN)
    return shown(CrontabInstants(read, zone_clock(machine or zone, *SPAN), job), day, zone)


def kubernetes(line: str, day: str, zone: str = "Europe/Berlin") -> list[str]:
    return shown(KubernetesInstants(read_kubernetes_line(line), zone_clock(zone, *SPAN)), day, zone)


def eventbridge(line: str, day: str, zone: str = "Europe/Berlin") -> list[str]:
    expression = read_expression(line)
    assert isinstance(expression, CronExpression)
    return shown(EventBridgeInstants(expression.pattern, zone_clock(zone, *SPAN)), day, zone)


@pytest.mark.parametrize(
    ("line", "spring", "autumn"),
    [
        ("30 2 * * *", ["03:00 +02"], ["02:30 +02"]),
        ("0,30 2 * * *", ["03:00 +02"] * 2, ["02:00 +02", "02:30 +02"]),
        ("0 2,3 * * *", ["03:00 +02"] * 2, ["02:00 +02", "03:00 +01"]),
        ("0 3 * * *", ["03:00 +02"], ["03:00 +01"]),
        ("*/30 2 * * *", [], ["02:00 +02", "02:30 +02", "02:00 +01", "02:30 +01"]),
        ("30 */2 * * *", ["00:30 +01", "04:30 +02"], ["00:30 +02", "02:30 +02", "02:30 +01", "04:30 +01"]),
        ("30 1-3 * * *", ["01:30 +01", "03:00 +02", "03:30 +02"], ["01:30 +02", "02:30 +02", "03:30 +01"]),
    ],
)
def test_cron_makes_up_for_a_gap_at_once_and_runs_once_in_an_overlap(
    line: str, spring: list[str], autumn: list[str]
) -> None:
    def night(runs: list[str]) -> list[str]:
        return [run for run in runs if run < "05"]

    assert night(crontab(line, SPRING)) == spring
    assert night(crontab(line, AUTUMN)) == autumn


def test_cron_follows_the_machine_and_not_the_zone_of_a_job_at_clock_changes() -> None:
    assert crontab("30 2 * * *", SPRING, machine="UTC") == []
    assert crontab("30 2 * * *", AUTUMN, machine="UTC") == ["02:30 +02", "02:30 +01"]
    # Under CRON_TZ, a gap is not made up for, even that of the machine's own zone.
    assert crontab("30 2 * * *", SPRING, machine="Europe/Berlin") == []
    assert crontab("30 2 * * *", AUTUMN, machine="Europe/Berlin") == ["02:30 +02"]
    # While New York repeats an hour, no line with a fixed time runs, even one of another zone.
    assert crontab("30 6 * * *", "2026-11-01", zone="UTC", machine="America/New_York") == []
    assert crontab("*/30 6 * * *", "2026-11-01", zone="UTC", machine="America/New_York") == [
        "06:00 +00",
        "06:30 +00",
    ]


def test_cron_makes_up_for_half_an_hour_and_for_midnight() -> None:
    assert crontab("15 2 * * *", "2026-10-04", "Australia/Lord_Howe") == ["02:30 +11"]
    assert crontab("0 0 * * *", "2026-03-08", "America/Havana") == ["01:00 -04"]


@pytest.mark.parametrize(
    ("line", "spring", "autumn"),
    [
        ("30 2 * * *", [], ["02:30 +02", "02:30 +01"]),
        ("0 3 * * *", ["03:00 +02"], ["03:00 +01"]),
        ("30 1-3 * * *", ["01:30 +01", "03:30 +02"], ["01:30 +02", "02:30 +02", "02:30 +01", "03:30 +01"]),
    ],
)
def test_kubernetes_skips_a_gap_and_runs_twice_in_an_overlap(
    line: str, spring: list[str], autumn: list[str]
) -> None:
    assert kubernetes(line, SPRING) == spring
    assert kubernetes(line, AUTUMN) == autumn


def test_kubernetes_finds_days_whose_midnight_does_not_exist() -> None:
    assert kubernetes("30 1 8 3 *", "2026-03-08", "America/Havana") == ["01:30 -04"]
    assert kubernetes("0 0 8 3 *", "2026-03-08", "America/Havana") == []


def test_kubernetes_misses_minutes_on_the_day_of_a_change_by_half_an_hour() -> None:
    """The search goes on in whole hours after the change, so it meets 12:30 first, and 12:15 is behind it."""
    assert kubernetes("15 12 * * *", "2026-10-03", "Australia/Lord_Howe") == ["12:15 +10"]
    assert kubernetes("15 12 * * *", "2026-10-04", "Australia/Lord_Howe") == []
    assert kubernetes("45 12 * * *", "2026-10-04", "Australia/Lord_Howe") == ["12:45 +11"]


@pytest.mark.parametrize(
    ("line", "spring", "autumn"),
    [
        ("cron(30 2 * * ? *)", [], ["02:30 +02"]),
        ("cron(0 1-3 * * ? *)", ["01:00 +01", "03:00 +02"], ["01:00 +02", "02:00 +02", "03:00 +01"]),
        ("cron(*/30 2 * * ? *)", [], ["02:00 +02", "02:30 +02"]),
    ],
)
def test_eventbridge_skips_a_gap_and_does_not_repeat_an_overlap(
    line: str, spring: list[str], autumn: list[str]
) -> None:
    assert eventbridge(line, SPRING) == spring
    assert eventbridge(line, AUTUMN) == autumn


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("cron(0 12 L * ? *)", ["2026-02-28", "2026-04-30"]),
        ("cron(0 12 15W * ? *)", ["2026-02-16", "2026-08-14"]),
        ("cron(0 12 1W * ? *)", ["2026-02-02", "2026-08-03"]),
        ("cron(0 12 ? * 3#2 *)", ["2026-02-10"]),
        ("cron(0 12 ? * TUE#2 *)", ["2026-02-10"]),
        ("cron(0 12 ? * 6L *)", ["2026-02-27"]),
        ("cron(0 12 ? * L *)", ["2026-02-07"]),
        ("cron(0 12 ? * 1 *)", ["2026-02-08"]),
        ("cron(0 12 1/7 * ? 2026/5)", ["2026-02-08"]),
    ],
)
def test_eventbridge_picks_the_days_of_its_marks(line: str, days: list[str]) -> None:
    for day in days:
        assert eventbridge(line, day, "UTC") == ["12:00 +00"]


def test_rate_counts_from_its_anchor_and_not_from_midnight() -> None:
    clock = zone_clock("UTC", *SPAN)
    rate = RateInstants(100, 3_600, clock, end=100 + 3 * 3_600)
    assert list(rate.after(100, 10**6)) == [3_700, 7_300, 10_900]
    assert list(rate.after(99, 3_700)) == [100, 3_700]


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("0 9 1,15 * 5", ["2026-02-01", "2026-02-06", "2026-02-13", "2026-02-15"]),
        ("0 9 */14 * 0", ["2026-02-01", "2026-02-15"]),
        ("0 9 * * 7", ["2026-02-01", "2026-02-08", "2026-02-15"]),
        ("0 9 1-15/14 2 *", ["2026-02-01", "2026-02-15"]),
    ],
)
def test_cron_takes_either_day_field_unless_one_begins_with_an_asterisk(line: str, runs: list[str]) -> None:
    days = [f"2026-02-{day:02}" for day in range(1, 16)]
    assert [day for day in days if crontab(line, day)] == runs


def test_kubernetes_takes_either_day_field_where_an_asterisk_has_a_step() -> None:
    days = [f"2026-02-{day:02}" for day in range(1, 9)]
    assert [day for day in days if kubernetes("0 9 */7 * 2", day)] == [
        "2026-02-01",
        "2026-02-03",
        "2026-02-08",
    ]
    assert [day for day in days if kubernetes("0 9 ? * 2", day)] == ["2026-02-03"]
    assert kubernetes("5/25 9 * * *", "2026-02-01", "UTC") == ["09:05 +00", "09:30 +00", "09:55 +00"]


@pytest.mark.parametrize(
    "line",
    [
        "5/10 * * * *", "22-6 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "H 1 * * *", "* * * *",
        "0~9 1 * * *", "* * * * * *", "@reboot", "@Daily", "*/0 * * * *", "1,,2 * * * *", "", "* * L * *",
    ],
)  # fmt: skip
def test_cron_lines_that_crons_refuse_or_read_differently_are_refused(line: str) -> None:
    with pytest.raises(LineError):
        read_crontab_line(line)


@pytest.mark.parametrize(
    "line", ["CRON_TZ=UTC 0 0 * * *", "@every 5m", "0 0 * * 7", "0 0 5-1 * *", "0 0 0 * * *", ""]
)
def test_kubernetes_lines_outside_of_its_syntax_are_refused(line: str) -> None:
    with pytest.raises(LineError):
        read_kubernetes_line(line)


@pytest.mark.parametrize(
    "text",
    [
        "cron(0 0 * * * *)", "cron(0 0 ? * ? *)", "cron(0 0 31W * ? *)", "cron(0 0 LW * ? *)", "cron(0 0 L-3 * ? *)",
        "cron(0 0 * * ?)", "cron(0 0 ? * 0 *)", "cron(0 0 ? * FRI-MON *)", "cron(0 0 * * ? 1969)", "rate(0 minutes)",
        "rate(5 weeks)", "at(2026-02-30T00:00:00)", "at(2026-02-03T24:00:00)", "0 0 * * *", "",
    ],
)  # fmt: skip
def test_expressions_outside_of_the_guide_are_refused(text: str) -> None:
    with pytest.raises(LineError):
        read_expression(text)


@pytest.mark.parametrize("text", ["@daily", "0 0 */2 * 1", "0 0 * * 7", "0 0 * * * *"])
def test_qstash_lines_that_crons_read_differently_are_refused(text: str) -> None:
    with pytest.raises(LineError):
        read_qstash_cron(f"CRON_TZ=Europe/Berlin {text}")


@pytest.mark.parametrize(
    "name", ["", "Berlin", "../../etc/passwd", "/etc/localtime", "UTC\0", "a" * 10_000, "Europe/"]
)
def test_unknown_zones_are_refused_and_reach_no_file(name: str) -> None:
    with pytest.raises(UnknownZoneError):
        zone_clock(name, *SPAN)
