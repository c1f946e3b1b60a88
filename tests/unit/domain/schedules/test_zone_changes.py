"""What newer tables of time zones do to a schedule that was computed with older ones."""

from dataclasses import replace

import pytest

from shared.domain.errors import ScheduleError, UnreadableItemError
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules import zone_changes
from shared.domain.schedules.backfill import scheduled_at
from shared.domain.schedules.schedule import (
    Cron,
    Gap,
    Rate,
    count_between,
    decode_series,
    encode_series,
    first_after,
    instants_before,
    latest_at_or_before,
    without_rules,
)
from shared.domain.schedules.zone_changes import (
    COMPARED_AHEAD_MS,
    Move,
    first_move,
    outdated_from,
    with_frozen_rules,
)
from shared.domain.schedules.zones import TZDATA_VERSION
from tests.support.moments import ms

DAY = 86_400_000
NOW = ms("2026-01-10T00:00Z")
NINE = Cron(line="0 9 * * *", timezone="America/New_York")
OLD = replace(NINE, rules="2020a 5,,M4.1.0,M10.5.0")
"""As if clocks still went forward in April."""
PARTED = ms("2026-03-08T07:00Z")


def departing(from_ms: int, until_ms: int) -> Cron:
    """As if Tokyo's clocks were put forward for some days."""
    rules = f"2020a 32400/{from_ms // 1000}:36000/{until_ms // 1000}:32400;-9"
    return Cron(line="0 9 * * *", timezone="Asia/Tokyo", rules=rules)


def test_frozen_rules_decide_and_not_the_tables() -> None:
    march = ms("2026-03-10T00:00Z")
    assert first_after(NINE, march) == ms("2026-03-10T13:00Z")
    assert first_after(OLD, march) == ms("2026-03-10T14:00Z")
    assert latest_at_or_before(OLD, march, 0) == ms("2026-03-09T14:00Z")
    assert instants_before(OLD, march, 0, 2) == [ms("2026-03-09T14:00Z"), ms("2026-03-08T14:00Z")]
    assert count_between(OLD, ms("2026-03-08T13:30Z"), march, 99) == 2


def test_a_schedule_is_frozen_by_the_tables_at_hand() -> None:
    schedule = with_frozen_rules(NINE, NOW, NOW)
    assert schedule == replace(NINE, rules=f"{TZDATA_VERSION} 5,,M3.2.0,M11.1.0")
    assert with_frozen_rules(OLD, NOW, NOW) == schedule
    assert outdated_from(schedule, NOW) is None


@pytest.mark.parametrize(
    "series",
    [Rate(interval_ms=60_000, anchor=0), Cron(line="0 9 * * *", timezone="UTC")],
    ids=["rate", "utc"],
)
def test_rate_and_utc_schedules_are_independent_of_zone_tables(series: Rate | Cron) -> None:
    assert with_frozen_rules(series, NOW, NOW) == series
    assert outdated_from(series, NOW) is None


def test_a_schedule_without_rules_has_parted_in_any_case() -> None:
    assert outdated_from(NINE, NOW) == NOW


def test_zone_rules_part_where_the_offsets_first_differ() -> None:
    assert outdated_from(OLD, NOW) == PARTED
    assert outdated_from(OLD, PARTED - 1) == PARTED
    assert outdated_from(OLD, PARTED + 5) == PARTED + 5
    assert outdated_from(OLD, ms("2026-04-05T07:00Z")) == ms("2026-10-25T06:00Z")


def test_past_difference_of_zone_rules_does_not_outdate_a_schedule() -> None:
    days = (NOW, NOW + 10 * DAY)
    assert outdated_from(departing(*days), NOW + 10 * DAY - 1) == NOW + 10 * DAY - 1
    assert outdated_from(departing(*days), NOW + 10 * DAY) is None


def test_zone_change_after_the_end_does_not_outdate_a_schedule() -> None:
    assert outdated_from(replace(OLD, end_at=PARTED - 2 * DAY), NOW) is None
    assert outdated_from(replace(OLD, end_at=PARTED), NOW) == PARTED


def test_zone_rules_are_compared_a_year_ahead() -> None:
    start = NOW + COMPARED_AHEAD_MS
    assert outdated_from(departing(start, start + 10 * DAY), NOW) is None
    assert outdated_from(departing(start, start + 10 * DAY), NOW + 1) == start


def test_a_zone_that_keeps_departing_from_its_rule_is_frozen_for_longer_than_it_is_compared() -> None:
    nine = Cron(line="0 9 * * *", timezone="Africa/Casablanca")
    start = ms("2015-01-01T00:00Z")
    schedule = with_frozen_rules(nine, start, start)
    assert outdated_from(schedule, start + 365 * DAY) is None
    parted_at = next(day for day in range(3_000) if outdated_from(schedule, start + day * DAY) is not None)
    assert (
        outdated_from(with_frozen_rules(schedule, start, start + parted_at * DAY), start + parted_at * DAY)
        is None
    )


def test_a_chain_that_is_years_behind_is_frozen_from_where_it_is() -> None:
    nine = Cron(line="0 9 * * *", timezone="Europe/Istanbul")
    start = ms("2015-07-01T00:00Z")
    schedule = with_frozen_rules(nine, start, ms("2017-07-01T00:00Z"))
    moment = start
    while moment < ms("2019-01-01T00:00Z"):
        assert first_after(schedule, moment) == first_after(nine, moment)
        moment += DAY


def test_a_zone_that_is_in_the_tables_no_more_keeps_its_rules() -> None:
    lost = Cron(line="0 9 * * *", timezone="US/Pacific-New", rules="2020a 8,,M3.2.0,M11.1.0")
    assert first_after(lost, NOW) == ms("2026-01-10T17:00Z")
    assert with_frozen_rules(lost, NOW, NOW) == lost
    assert outdated_from(lost, NOW) is None
    assert decode_series(encode_series(lost)) == lost
    with pytest.raises(ScheduleError):
        replace(lost, rules=None)


def test_the_move_is_the_first_instant_that_differs() -> None:
    new = with_frozen_rules(NINE, NOW, NOW)
    assert first_move(OLD, new, PARTED, NOW) == Move(
        from_at=ms("2026-03-08T14:00Z"), to_at=ms("2026-03-08T13:00Z")
    )
    late = ms("2026-03-20T13:30Z")
    assert first_move(OLD, new, late, late) == Move(
        from_at=ms("2026-03-20T14:00Z"), to_at=ms("2026-03-21T13:00Z")
    )


def test_a_line_that_fires_by_elapsed_time_does_not_move() -> None:
    every = replace(OLD, line="*/5 * * * *")
    assert first_move(every, with_frozen_rules(every, NOW, NOW), PARTED, NOW) is None


def test_a_run_that_is_lost_or_gained_at_the_end_is_told_of() -> None:
    old = replace(OLD, end_at=ms("2026-03-08T13:30Z"))
    new = with_frozen_rules(old, NOW, NOW)
    assert first_move(old, new, PARTED, NOW) == Move(from_at=None, to_at=ms("2026-03-08T13:00Z"))
    assert first_move(new, old, PARTED, NOW) == Move(from_at=ms("2026-03-08T13:00Z"), to_at=None)
    assert first_move(new, new, PARTED, NOW) is None


def test_schedule_without_rules_is_the_requested_schedule() -> None:
    assert without_rules(OLD) == NINE
    assert without_rules(Rate(interval_ms=60_000, anchor=0)) == Rate(interval_ms=60_000, anchor=0)


def test_rules_survive_storage_and_take_no_room_where_there_are_none() -> None:
    skipping = replace(OLD, gap=Gap.SKIP, start_at=NOW)
    assert decode_series(encode_series(skipping)) == skipping
    assert encode_series(OLD) == {"k": "c", "l": "0 9 * * *", "z": "America/New_York", "r": OLD.rules}
    assert "r" not in encode_series(NINE)


@pytest.mark.parametrize("rules", [7, "", "2026f", "EST5EDT"])
def test_stored_rules_that_are_none_cannot_be_read(rules: str | int) -> None:
    with pytest.raises(UnreadableItemError):
        decode_series({**encode_series(NINE), "r": rules})


def test_a_backfill_goes_by_the_rules_of_its_range_whatever_becomes_of_the_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In 2016 Istanbul had winter time still."""
    nine = Cron(line="0 9 * * *", timezone="Europe/Istanbul", rules="2026f -3")
    new = NewBackfill(from_at=ms("2016-02-01T00:00Z"), to_at=ms("2016-02-03T00:00Z"))
    made = new.schedule_of(nine, NOW, ms("2019-01-01T00:00Z"))
    monkeypatch.setattr(zone_changes, "load_zone", None)
    assert scheduled_at(made, NOW) == ms("2016-02-01T07:00Z")
    assert decode_series(encode_series(made)) == made
