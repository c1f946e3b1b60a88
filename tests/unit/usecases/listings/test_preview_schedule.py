"""What a schedule would do, seen from now."""

from shared.domain.schedules.schedule import Cron, Once, Rate
from shared.domain.schedules.schedule_warnings import WarningCode
from tests.support.builders import DUE_AT
from tests.support.usecases.world import World

MINUTE = 60_000


def test_ten_runs_with_local_times_and_offsets() -> None:
    world = World(DUE_AT)
    preview = world.preview_schedule.execute(Cron(line="30 2 * * *", timezone="Europe/Berlin"))
    assert (len(preview.runs), preview.timezone) == (10, "Europe/Berlin")
    first = preview.runs[0]
    assert (first.instant.local, first.instant.offset) == ("2025-02-20T02:30:00", "+01:00")
    assert first.begins_before is None
    assert [change.local_before[:10] for change in preview.clock_changes][:1] == ["2025-03-30"]
    assert WarningCode.DST_GAP in {caution.code for caution in preview.warnings}
    assert "02:30" in preview.description


def test_jitter_opens_a_window_that_never_reaches_the_next_run() -> None:
    world = World(DUE_AT)
    rate = Rate(interval_ms=MINUTE, anchor=DUE_AT)
    for jitter_ms, width in ((0, None), (20_000, 20_000), (3_600_000, MINUTE)):
        runs = world.preview_schedule.execute(rate, jitter_ms=jitter_ms).runs
        assert [run.begins_before and run.begins_before - run.instant.nominal_at for run in runs] == [
            width
        ] * 10


def test_the_last_run_of_a_schedule_may_be_late_by_the_whole_jitter() -> None:
    world = World(DUE_AT)
    runs = world.preview_schedule.execute(
        Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + MINUTE), jitter_ms=3_600_000
    ).runs
    assert [(run.begins_before or 0) - run.instant.nominal_at for run in runs] == [3_600_000]


def test_a_limit_of_runs_and_a_single_instant_are_shown_as_they_are() -> None:
    world = World(DUE_AT - 1)
    assert len(world.preview_schedule.execute(Rate(interval_ms=MINUTE, anchor=DUE_AT), max_runs=3).runs) == 3
    once = world.preview_schedule.execute(Once(at=DUE_AT), timezone="Asia/Tokyo")
    assert [(run.instant.nominal_at, run.instant.offset) for run in once.runs] == [(DUE_AT, "+09:00")]
    assert once.clock_changes == ()


def test_clock_changes_after_the_last_run_are_none_of_its_business() -> None:
    """From 20 February on, the 38th run is that of 29 March; the 39th is the one that the change of 30 March shifts."""
    world = World(DUE_AT)
    nightly = Cron(line="30 2 * * *", timezone="Europe/Berlin")
    before, touched = (world.preview_schedule.execute(nightly, max_runs=runs) for runs in (38, 39))
    assert before.clock_changes == ()
    assert WarningCode.DST_GAP not in {caution.code for caution in before.warnings}
    assert [change.local_before[:10] for change in touched.clock_changes] == ["2025-03-30"]
    assert WarningCode.DST_GAP in {caution.code for caution in touched.warnings}


def test_a_dense_line_with_few_runs_is_not_called_dense() -> None:
    world = World(DUE_AT)
    every_minute = Cron(line="* * * * *", timezone="UTC")
    for runs, is_dense in ((900, False), (1_200, True), (None, True)):
        warnings = world.preview_schedule.execute(every_minute, max_runs=runs).warnings
        assert (WarningCode.DENSE in {caution.code for caution in warnings}) is is_dense


def test_a_schedule_that_never_fires_has_no_runs_and_says_so() -> None:
    world = World(DUE_AT + MINUTE)
    preview = world.preview_schedule.execute(Once(at=DUE_AT))
    assert preview.runs == ()
    assert [caution.code for caution in preview.warnings] == [WarningCode.NEVER_RUNS]


def test_preview_makes_no_call_to_a_port() -> None:
    world = World(DUE_AT)
    world.steps.taken.clear()
    world.preview_schedule.execute(Cron(line="*/5 * * * *", timezone="UTC"))
    assert world.steps.taken == []
