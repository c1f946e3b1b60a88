"""What becomes of instants that were missed: they coalesce into one run, and the others leave one record."""

from typing import Any

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.executions.states import EndReason
from shared.domain.jobs.misfire import COUNT_LIMIT, Succession, succession
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.schedule import Cron, Rate, first_after
from shared.domain.schedules.skipped_range import SkippedRange
from tests.support.builders import DUE_AT

MINUTE = 60_000
EVERY_MINUTE = Rate(interval_ms=MINUTE, anchor=DUE_AT)
EVERY_SECOND = Rate(interval_ms=1_000, anchor=DUE_AT)
NIGHTLY = Cron(line="30 2 * * *", timezone="Europe/Berlin")


def test_a_chain_in_time_goes_on_at_its_next_instant() -> None:
    assert succession(EVERY_MINUTE, DUE_AT, DUE_AT) == Succession(
        nominal_at=DUE_AT + MINUTE, immediate_at=DUE_AT + MINUTE
    )


def test_a_minute_of_lateness_is_tolerated_even_where_several_instants_were_missed() -> None:
    late = succession(EVERY_SECOND, DUE_AT, DUE_AT + 1_000 + 60_000)
    assert late == Succession(nominal_at=DUE_AT + 1_000, immediate_at=DUE_AT + 1_000)


def test_missed_instants_beyond_the_tolerance_coalesce_into_the_latest() -> None:
    late = succession(EVERY_SECOND, DUE_AT, DUE_AT + 1_000 + 60_001)
    assert late == Succession(
        nominal_at=DUE_AT + 61_000,
        immediate_at=DUE_AT + 1_000,
        missed=SkippedRange(
            count=60, first_at=DUE_AT + 1_000, last_at=DUE_AT + 60_000, resumed_at=DUE_AT + 61_000
        ),
        reason=EndReason.COALESCED,
    )


def test_a_single_missed_instant_is_run_late_and_not_passed_over() -> None:
    late = succession(EVERY_MINUTE, DUE_AT, DUE_AT + 2 * MINUTE - 1)
    assert late == Succession(nominal_at=DUE_AT + MINUTE, immediate_at=DUE_AT + MINUTE)


def test_two_missed_instants_make_one_run_and_one_record_of_one() -> None:
    late = succession(EVERY_MINUTE, DUE_AT, DUE_AT + 2 * MINUTE + 1)
    assert late is not None
    assert late.nominal_at == DUE_AT + 2 * MINUTE
    assert late.missed == SkippedRange(
        count=1, first_at=DUE_AT + MINUTE, last_at=DUE_AT + MINUTE, resumed_at=DUE_AT + 2 * MINUTE
    )


def test_a_cron_line_coalesces_over_local_days() -> None:
    first = first_after(NIGHTLY, DUE_AT)
    assert first is not None
    late = succession(NIGHTLY, first, first + 5 * 86_400_000)
    assert late is not None
    assert late.nominal_at == first + 5 * 86_400_000
    assert late.missed is not None
    assert (late.missed.count, late.missed.first_at) == (4, first + 86_400_000)


def test_the_count_of_a_very_long_outage_is_cut_off_and_the_run_is_still_the_latest() -> None:
    late = succession(EVERY_SECOND, DUE_AT, DUE_AT + 10 * 86_400_000)
    assert late is not None
    assert late.missed is not None
    assert (late.missed.count, late.nominal_at) == (COUNT_LIMIT, DUE_AT + 10 * 86_400_000)


def test_the_next_instant_comes_from_the_last_nominal_one_and_never_from_now() -> None:
    off_beat = succession(EVERY_MINUTE, DUE_AT, DUE_AT + 90_123)
    assert off_beat is not None
    assert off_beat.nominal_at == DUE_AT + MINUTE


def test_a_schedule_without_another_instant_has_no_successor() -> None:
    last = Cron(line="0 0 1 1 *", timezone="UTC")
    beyond = 250_246_627_200_000
    assert succession(last, beyond, beyond) is None


DAY = 86_400_000
HOURLY = Rate(interval_ms=3_600_000, anchor=DUE_AT)


def test_instant_before_the_catch_up_window_is_skipped_and_the_chain_continues_in_the_future() -> None:
    now = DUE_AT + 10 * DAY + 1
    weekly = Rate(interval_ms=7 * DAY, anchor=DUE_AT)
    late = succession(weekly, DUE_AT, now)
    assert late == Succession(
        nominal_at=DUE_AT + 14 * DAY,
        immediate_at=DUE_AT + 7 * DAY,
        missed=SkippedRange(
            count=1, first_at=DUE_AT + 7 * DAY, last_at=DUE_AT + 7 * DAY, resumed_at=DUE_AT + 14 * DAY
        ),
        reason=EndReason.CATCH_UP_WINDOW,
    )


@pytest.mark.parametrize(("past_ms", "runs"), [(DAY, True), (DAY + 1, False)])
def test_the_window_includes_its_end(past_ms: int, runs: bool) -> None:
    late = succession(Rate(interval_ms=30 * DAY, anchor=DUE_AT), DUE_AT, DUE_AT + 30 * DAY + past_ms)
    assert late is not None
    assert (late.nominal_at == DUE_AT + 30 * DAY) is runs


def test_catch_up_skip_skips_every_late_instant() -> None:
    policy = CatchUpPolicy(mode=CatchUp.SKIP)
    late = succession(EVERY_MINUTE, DUE_AT, DUE_AT + 10 * MINUTE + 30_000, policy)
    assert late == Succession(
        nominal_at=DUE_AT + 10 * MINUTE,
        immediate_at=DUE_AT + MINUTE,
        missed=SkippedRange(
            count=9, first_at=DUE_AT + MINUTE, last_at=DUE_AT + 9 * MINUTE, resumed_at=DUE_AT + 10 * MINUTE
        ),
        reason=EndReason.CATCH_UP_SKIP,
    )
    nightly = succession(HOURLY, DUE_AT, DUE_AT + 5_400_000, policy)
    assert nightly is not None
    assert (nightly.nominal_at, nightly.missed and nightly.missed.count) == (DUE_AT + 7_200_000, 1)


def test_catch_up_all_runs_the_newest_instants_up_to_the_limit_oldest_first() -> None:
    policy = CatchUpPolicy(mode=CatchUp.ALL, limit=100)
    now = DUE_AT + 600 * MINUTE
    late = succession(EVERY_MINUTE, DUE_AT, now, policy)
    assert late == Succession(
        nominal_at=DUE_AT + 501 * MINUTE,
        immediate_at=DUE_AT + MINUTE,
        missed=SkippedRange(
            count=500,
            first_at=DUE_AT + MINUTE,
            last_at=DUE_AT + 500 * MINUTE,
            resumed_at=DUE_AT + 501 * MINUTE,
        ),
        reason=EndReason.CATCH_UP_LIMIT,
        catches_up=True,
    )


def test_a_catch_up_under_way_is_not_cut_by_instants_that_it_kept() -> None:
    policy = CatchUpPolicy(mode=CatchUp.ALL, limit=100)
    filed_at = DUE_AT + 600 * MINUTE
    later = succession(EVERY_MINUTE, DUE_AT + 501 * MINUTE, filed_at + 30 * MINUTE, policy, filed_at=filed_at)
    assert later is not None
    assert (later.nominal_at, later.missed, later.catches_up) == (DUE_AT + 502 * MINUTE, None, True)


def test_a_second_outage_during_a_catch_up_is_cut_again() -> None:
    policy = CatchUpPolicy(mode=CatchUp.ALL, limit=100)
    filed_at = DUE_AT + 600 * MINUTE
    now = filed_at + 101 * MINUTE
    later = succession(EVERY_MINUTE, DUE_AT + 501 * MINUTE, now, policy, filed_at=filed_at)
    assert later is not None
    assert (later.nominal_at, later.reason) == (now - 99 * MINUTE, EndReason.CATCH_UP_LIMIT)


def test_catch_up_all_skips_instants_older_than_the_window() -> None:
    policy = CatchUpPolicy(mode=CatchUp.ALL, window_ms=3 * 3_600_000)
    late = succession(HOURLY, DUE_AT, DUE_AT + 10 * 3_600_000, policy)
    assert late is not None and late.missed is not None
    assert (late.nominal_at, late.missed.count) == (DUE_AT + 7 * 3_600_000, 6)
    assert late.reason is EndReason.CATCH_UP_WINDOW


def test_skip_reason_is_the_limit_where_the_window_applies_too() -> None:
    policy = CatchUpPolicy(mode=CatchUp.ALL, window_ms=3 * 3_600_000, limit=2)
    late = succession(HOURLY, DUE_AT, DUE_AT + 10 * 3_600_000, policy)
    assert late is not None and late.missed is not None
    assert (late.nominal_at, late.missed.count) == (DUE_AT + 9 * 3_600_000, 8)
    assert late.reason is EndReason.CATCH_UP_LIMIT


def test_a_single_late_run_is_no_catch_up() -> None:
    policy = CatchUpPolicy(mode=CatchUp.ALL)
    late = succession(HOURLY, DUE_AT, DUE_AT + 5_400_000, policy)
    assert late == Succession(nominal_at=DUE_AT + 3_600_000, immediate_at=DUE_AT + 3_600_000)
    last_of_many = succession(HOURLY, DUE_AT, DUE_AT + 5_400_000, policy, filed_at=DUE_AT + 5_300_000)
    assert last_of_many is not None and last_of_many.catches_up


@pytest.mark.parametrize("mode", CatchUp)
def test_schedule_missed_to_its_end_leaves_only_the_record_of_skipped_instants(mode: CatchUp) -> None:
    ended = Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + 10 * MINUTE)
    late = succession(ended, DUE_AT, DUE_AT + 2 * DAY, CatchUpPolicy(mode=mode))
    assert late is not None and late.ends and not late.catches_up
    assert late.missed == SkippedRange(
        count=10,
        first_at=DUE_AT + MINUTE,
        last_at=DUE_AT + 10 * MINUTE,
        resumed_at=DUE_AT + 10 * MINUTE,
    )
    assert late.reason == ("catch_up_skip" if mode is CatchUp.SKIP else "catch_up_window")
    assert succession(ended, DUE_AT + 10 * MINUTE, DUE_AT + 2 * DAY, CatchUpPolicy(mode=mode)) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", 0),
        ("limit", 1_001),
        ("window_ms", -1),
        ("window_ms", 366 * DAY + 1),
        ("late_tolerance_ms", -1),
        ("late_tolerance_ms", DAY + 1),
    ],
)
def test_policies_beyond_their_bounds_are_refused(field: str, value: int) -> None:
    with pytest.raises(InvalidValueError):
        changed: dict[str, Any] = {field: value}
        CatchUpPolicy(**changed)


def test_a_long_outage_of_a_dense_line_costs_few_questions(questions: list[int]) -> None:
    every_minute = Cron(line="* * * * *", timezone="America/New_York")
    for mode in CatchUp:
        policy = CatchUpPolicy(mode=mode, limit=1_000, window_ms=366 * DAY)
        questions.clear()
        late = succession(every_minute, DUE_AT, DUE_AT + 300 * DAY, policy)
        assert late is not None and late.missed is not None and late.missed.count == COUNT_LIMIT
        assert len(questions) < 700


@pytest.mark.parametrize(("past_ms", "kept"), [(60_000, 10), (60_001, 11)])
def test_instant_within_the_late_tolerance_is_not_skipped(past_ms: int, kept: int) -> None:
    now = DUE_AT + 10 * MINUTE + past_ms
    late = succession(EVERY_MINUTE, DUE_AT, now, CatchUpPolicy(mode=CatchUp.SKIP))
    assert late is not None and late.nominal_at == DUE_AT + kept * MINUTE
