"""Previews: the next instants in local time, clock changes that touch runs, plain words, cautions."""

from datetime import datetime
from typing import Any

import pytest

from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.schedules.describe import describe
from shared.domain.schedules.dst import MAX_LISTED_TIMES, DstChange, DstEffect, dst_changes
from shared.domain.schedules.preview import MAX_UPCOMING, Upcoming, upcoming
from shared.domain.schedules.schedule import Cron, Gap, Once, Overlap, Rate, Schedule
from shared.domain.schedules.schedule_warnings import WarningCode, warnings

NEW_YORK, BERLIN = "America/New_York", "Europe/Berlin"


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


NOW = ms("2025-01-01T00:00Z")


def cron(line: str, zone: str = NEW_YORK, **policy: Any) -> Cron:
    return Cron(line=line, timezone=zone, **policy)


def test_the_next_instants_are_shown_in_the_zone_of_the_line() -> None:
    assert upcoming(cron("30 2 * * *"), ms("2025-03-08T00:00-05:00"), 3) == (
        Upcoming(nominal_at=ms("2025-03-08T02:30-05:00"), local="2025-03-08T02:30:00", offset="-05:00"),
        Upcoming(nominal_at=ms("2025-03-09T03:00-04:00"), local="2025-03-09T03:00:00", offset="-04:00"),
        Upcoming(nominal_at=ms("2025-03-10T02:30-04:00"), local="2025-03-10T02:30:00", offset="-04:00"),
    )


def test_repeated_hour_is_shown_with_two_offsets() -> None:
    shown = upcoming(cron("30 1 * * *", overlap=Overlap.BOTH), ms("2025-11-02T00:00-04:00"), 2)
    assert [(one.local, one.offset) for one in shown] == [
        ("2025-11-02T01:30:00", "-04:00"),
        ("2025-11-02T01:30:00", "-05:00"),
    ]


def test_rate_and_one_off_schedules_are_shown_in_the_requested_zone() -> None:
    rate = Rate(interval_ms=60_000, anchor=NOW, end_at=NOW + 60_000)
    assert [one.local for one in upcoming(rate, NOW - 1, 5, "Asia/Kathmandu")] == [
        "2025-01-01T05:45:00",
        "2025-01-01T05:46:00",
    ]
    assert [one.offset for one in upcoming(Once(at=NOW), NOW - 1, 5)] == ["+00:00"]
    assert upcoming(Once(at=NOW), NOW, 5) == ()


@pytest.mark.parametrize("count", [0, -1, MAX_UPCOMING + 1, 10**9])
def test_preview_count_outside_its_range_is_refused(count: int) -> None:
    with pytest.raises(InvalidValueError):
        upcoming(cron("@daily"), NOW, count)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ScheduleError):
        upcoming(Once(at=NOW), 0, 1, "Mars/Olympus")


SPRING: dict[str, Any] = {
    "at": ms("2025-03-09T07:00Z"),
    "local_before": "2025-03-09T02:00:00",
    "local_after": "2025-03-09T03:00:00",
}
AUTUMN = {
    "at": ms("2025-11-02T06:00Z"),
    "local_before": "2025-11-02T02:00:00",
    "local_after": "2025-11-02T01:00:00",
}


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (cron("30 2 * * *"), [(SPRING, DstEffect.SHIFTED, 1, ("2025-03-09T02:30:00",))]),
        (cron("30 2 * * *", gap=Gap.SKIP), [(SPRING, DstEffect.SKIPPED, 1, ("2025-03-09T02:30:00",))]),
        (
            cron("15,30 2 * * *"),
            [(SPRING, DstEffect.COLLAPSED, 2, ("2025-03-09T02:15:00", "2025-03-09T02:30:00"))],
        ),
        # 03:00 fires by itself right after the gap, so that 02:00 falls together with it.
        (cron("0 2,3 * * *"), [(SPRING, DstEffect.COLLAPSED, 1, ("2025-03-09T02:00:00",))]),
        (cron("30 1 * * *"), [(AUTUMN, DstEffect.FIRST_TIME_ONLY, 1, ("2025-11-02T01:30:00",))]),
        (
            cron("30 1 * * *", overlap=Overlap.SECOND),
            [(AUTUMN, DstEffect.SECOND_TIME_ONLY, 1, ("2025-11-02T01:30:00",))],
        ),
        (
            cron("30 1 * * *", overlap=Overlap.BOTH),
            [(AUTUMN, DstEffect.DOUBLED, 1, ("2025-11-02T01:30:00",))],
        ),
        (
            cron("*/30 1-2 * * *"),
            [
                (SPRING, DstEffect.SKIPPED, 2, ("2025-03-09T02:00:00", "2025-03-09T02:30:00")),
                (AUTUMN, DstEffect.DOUBLED, 2, ("2025-11-02T01:00:00", "2025-11-02T01:30:00")),
            ],
        ),
        (cron("30 3 * * *"), []),
        (cron("0 1 * * 1"), []),
        (cron("30 2 * * *", zone="UTC"), []),
    ],
)
def test_changes_of_the_clocks_that_touch_runs(
    schedule: Cron, expected: list[tuple[dict[str, object], DstEffect, int, tuple[str, ...]]]
) -> None:
    found = dst_changes(schedule, NOW, ahead_ms=365 * 86_400_000)
    assert [(one.effect, one.count, one.local_times) for one in found] == [one[1:] for one in expected]
    for change, (where, effect, *_) in zip(found, expected, strict=True):
        assert {name: getattr(change, name) for name in where} == where
        runs_after = effect in (DstEffect.SHIFTED, DstEffect.COLLAPSED)
        assert change.runs_at == (change.at if runs_after else None)


def test_dst_changes_of_two_years_are_found_only_between_the_bounds() -> None:
    assert len(dst_changes(cron("30 2 * * *"), NOW)) == 2
    assert len(dst_changes(cron("* * * * *"), NOW)) == 4
    late = cron("30 2 * * *", start_at=ms("2025-06-01T00:00Z"))
    early = cron("30 2 * * *", end_at=ms("2025-06-01T00:00Z"))
    assert [one.local_before[:4] for one in dst_changes(late, NOW)] == ["2026"]
    assert [one.local_before[:4] for one in dst_changes(early, NOW)] == ["2025"]
    at_once = cron("30 2 * * *", start_at=SPRING["at"], end_at=SPRING["at"])
    assert [one.at for one in dst_changes(at_once, NOW)] == [SPRING["at"]]
    missed_by_1: list[dict[str, Any]] = [{"start_at": SPRING["at"] + 1}, {"end_at": SPRING["at"] - 1}]
    for bounds in missed_by_1:
        assert SPRING["at"] not in [one.at for one in dst_changes(cron("30 2 * * *", **bounds), NOW)]


def test_a_day_that_a_zone_leaves_out_lists_its_first_times() -> None:
    (lost,) = dst_changes(
        cron("* 0-23 30 12 *", zone="Pacific/Apia"), ms("2011-12-01T00:00Z"), 60 * 86_400_000
    )
    assert lost == DstChange(
        at=ms("2011-12-30T10:00Z"),
        local_before="2011-12-30T00:00:00",
        local_after="2011-12-31T00:00:00",
        effect=DstEffect.SKIPPED,
        count=1_440,
        local_times=tuple(f"2011-12-30T00:{minute:02}:00" for minute in range(MAX_LISTED_TIMES)),
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("30 2 * * *", "At 02:30 on every day"),
        ("@hourly", "Every hour, on the hour, on every day"),
        ("@weekly", "At 00:00 on Sunday"),
        ("@yearly", "At 00:00 on day 1 of the month in January"),
        ("* * * * *", "Every minute on every day"),
        ("*/15 * * * *", "Every 15 minutes on every day"),
        ("5 * * * *", "At minute 5 of every hour on every day"),
        ("5,35 * * * *", "At minutes 5 and 35 of every hour on every day"),
        ("0 9,17 * * 1-5", "At 09:00 and 17:00 on Monday to Friday"),
        ("*/15 9-17 * * 6,0", "Every 15 minutes of the hours 09 to 17 on Saturday and Sunday"),
        ("* 9 * * *", "Every minute of the hour 09 on every day"),
        ("0 */2 * * *", "At minute 0 of every 2nd hour on every day"),
        ("*/20 */7 * * *", "Every 20 minutes of the hours 00, 07, 14 and 21 on every day"),
        ("1/9 9 * * *", "At minutes 1, 10, 19, 28, 37, 46 and 55 of the hour 09 on every day"),
        ("0 9 13 * 5", "At 09:00 on day 13 of the month or on Friday"),
        ("0 9 15,L * *", "At 09:00 on day 15 of the month and on the last day of the month"),
        ("0 9 15W * *", "At 09:00 on the Monday to Friday nearest to day 15 of the month"),
        ("0 9 * * 5L,1#1", "At 09:00 on the last Friday and the first Monday of the month"),
        ("0 0 1,15 2,6-9 *", "At 00:00 on days 1 and 15 of the month in February and June to September"),
        ("cron(0 10 ? * MON-FRI *)", "At 10:00 on Monday to Friday"),
        ("cron(0 10 ? * 3#2 2025-2027,2030)", "At 10:00 on the second Tuesday of the month in 2025 to 2027 and 2030"),
        ("cron(0 10 LW * ? *)", "At 10:00 on the last Monday to Friday of the month"),
        ("cron(0 10 31W * ? *)", "At 10:00 on the Monday to Friday nearest to day 31 of each month that has that day"),
    ],
)  # fmt: skip
def test_lines_in_plain_words(line: str, expected: str) -> None:
    assert describe(cron(line, zone=BERLIN)) == f"{expected}, in Europe/Berlin"


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (
            cron("30 2 * * *", zone=BERLIN, start_at=NOW, end_at=NOW + 86_400_000),
            "At 02:30 on every day, in Europe/Berlin, "
            "from 2025-01-01T01:00:00+01:00 until 2025-01-02T01:00:00+01:00",
        ),
        (Rate(interval_ms=300_000, anchor=NOW), "Every 5 minutes from 2025-01-01T01:00:00+01:00"),
        (Rate(interval_ms=3_600_000, anchor=NOW), "Every hour from 2025-01-01T01:00:00+01:00"),
        (Rate(interval_ms=90_000, anchor=NOW), "Every 90 seconds from 2025-01-01T01:00:00+01:00"),
        (
            Rate(interval_ms=172_800_000, anchor=NOW, end_at=NOW),
            "Every 2 days from 2025-01-01T01:00:00+01:00 until 2025-01-01T01:00:00+01:00",
        ),
        (Once(at=NOW), "Once, at 2025-01-01T01:00:00+01:00"),
    ],
)
def test_schedules_in_plain_words(schedule: Schedule, expected: str) -> None:
    assert describe(schedule, BERLIN) == expected


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (cron("30 3 * * *"), []),
        (cron("30 1 * * *"), []),
        (cron("*/15 * * * *"), []),
        (cron("0 9 * * 1-5"), []),
        (cron("0 0 1-31 * *"), []),
        (cron("0 0 */2 * *"), []),
        (cron("30 2 * * *"), [WarningCode.DST_GAP]),
        (cron("30 2 * * *", gap=Gap.SKIP), [WarningCode.DST_GAP]),
        (cron("15,30 2 * * *"), [WarningCode.DST_GAP]),
        (cron("30 1 * * *", overlap=Overlap.SECOND), [WarningCode.DST_SECOND_TIME]),
        (cron("30 1 * * *", overlap=Overlap.BOTH), [WarningCode.DST_DOUBLED]),
        (cron("30 1,2 * * *", overlap=Overlap.BOTH), [WarningCode.DST_GAP, WarningCode.DST_DOUBLED]),
        (cron("0 9 13 * 5"), [WarningCode.EITHER_DAY_FIELD]),
        (cron("0 9 31 * *"), [WarningCode.MISSING_DAYS]),
        (cron("0 9 31 1,3,5 *"), []),
        (cron("0 9 29 1,2 *"), [WarningCode.MISSING_DAYS]),
        (cron("0 9 30 4 *"), []),
        (cron("cron(0 9 31W * ? *)"), [WarningCode.MISSING_DAYS]),
        (cron("cron(0 9 31W 1,3 ? *)"), []),
        (cron("cron(0 9 LW * ? *)"), []),
        (cron("0 9 29 2 *"), [WarningCode.FAR_FIRST_RUN, WarningCode.MISSING_DAYS]),
        (cron("*/7 9 * * *"), [WarningCode.UNEVEN_STEPS]),
        (cron("0 */5 * * *"), [WarningCode.UNEVEN_STEPS]),
        (cron("cron(0/45 9 * * ? *)"), [WarningCode.UNEVEN_STEPS]),
        (cron("* * * * *"), [WarningCode.DENSE]),
        (cron("cron(0 9 1 1 ? 2020)"), [WarningCode.NEVER_RUNS]),
        (cron("0 9 * * *", start_at=NOW + 400 * 86_400_000), [WarningCode.FAR_FIRST_RUN]),
        (Rate(interval_ms=86_400_000, anchor=NOW), [WarningCode.RATE_IS_ELAPSED_TIME]),
        (Rate(interval_ms=3_600_000, anchor=NOW), []),
        (Rate(interval_ms=60_000, anchor=NOW), [WarningCode.DENSE]),
        (Rate(interval_ms=60_000, anchor=NOW, end_at=NOW + 3_600_000), []),
        (Once(at=NOW + 1), []),
        (Once(at=NOW), [WarningCode.NEVER_RUNS]),
    ],
)
def test_cautions(schedule: Schedule, expected: list[WarningCode]) -> None:
    found = warnings(schedule, NOW)
    assert [one.code for one in found] == expected
    assert all(one.text.isascii() and len(one.text) < 250 for one in found)


def test_a_caution_tells_the_first_local_times_and_how_many_more() -> None:
    (found,) = warnings(cron("0-9 2 * * *"), NOW)
    assert found.text == (
        "the clocks skip 2025-03-09T02:00:00, 2025-03-09T02:01:00, 2025-03-09T02:02:00 and 7 more: "
        "a single run right after the change"
    )
