"""What becomes of instants that were missed: they coalesce into one run, and the others leave one record."""

from shared.domain.execution import Missed
from shared.domain.misfire import COUNT_LIMIT, Succession, succession
from shared.domain.schedule import Cron, Rate, first_after
from tests.builders import DUE_AT

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


def test_beyond_it_the_missed_instants_coalesce_into_the_latest() -> None:
    late = succession(EVERY_SECOND, DUE_AT, DUE_AT + 1_000 + 60_001)
    assert late == Succession(
        nominal_at=DUE_AT + 61_000,
        immediate_at=DUE_AT + 1_000,
        missed=Missed(count=60, first_at=DUE_AT + 1_000, last_at=DUE_AT + 60_000, resumed_at=DUE_AT + 61_000),
    )


def test_a_single_missed_instant_is_run_late_and_not_passed_over() -> None:
    late = succession(EVERY_MINUTE, DUE_AT, DUE_AT + 2 * MINUTE - 1)
    assert late == Succession(nominal_at=DUE_AT + MINUTE, immediate_at=DUE_AT + MINUTE)


def test_two_missed_instants_make_one_run_and_one_record_of_one() -> None:
    late = succession(EVERY_MINUTE, DUE_AT, DUE_AT + 2 * MINUTE + 1)
    assert late is not None
    assert late.nominal_at == DUE_AT + 2 * MINUTE
    assert late.missed == Missed(
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
