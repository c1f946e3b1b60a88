"""Statistics of one job: counted from its executions, exact or refused."""

from collections import Counter

import pytest

from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.usecases.archive import read_job_statistics
from shared.usecases.archive.read_statistics import StatReport
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, execution_id, in_state, with_changes
from tests.support.usecases.world import World

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
HOUR_START = DUE_AT - DUE_AT % HOUR_MS
NOW = HOUR_START + HOUR_MS


def read(world: World, job_id: str, from_at: int = HOUR_START, step: Step = Step.HOUR) -> StatReport:
    window = StatWindow(from_at=from_at, until_at=NOW, step=step)
    return world.cases.archive.read_job_statistics.execute(TENANT, job_id, window)


def with_runs(count: int, last: State = State.SUCCEEDED) -> tuple[World, Job]:
    """A job with runs in the hour, each of which has ended but the last one."""
    world = World(DUE_AT)
    job = world.recurring(first_state=State.SUCCEEDED)
    for number in range(1, count):
        state = State.SUCCEEDED if number < count - 1 else last
        reason = {"end_reason": EndReason.TOO_OLD} if state is State.FAILED else {}
        run = job.occurrence(DUE_AT + number * MINUTE_MS, created_at=DUE_AT)
        world.put(in_state(run, state, **reason))
    world.clock.time_ms = NOW
    return world, job


def test_runs_of_the_job_are_counted_and_those_of_others_are_not() -> None:
    world, job = with_runs(5, State.FAILED)
    world.put(in_state(world.one_off(77), State.SUCCEEDED))
    report = read(world, job.id)
    assert report.buckets[0].sums.states == Counter(succeeded=4, failed=1)
    assert report.buckets[0].uncounted.due == 0
    assert report.complete_until == NOW


def test_step_with_an_open_run_is_not_complete() -> None:
    world, job = with_runs(3, State.WAITING)
    report = read(world, job.id, step=Step.MINUTE)
    first = (DUE_AT - HOUR_START) // MINUTE_MS
    assert [bucket.sums.unended for bucket in report.buckets][first : first + 4] == [0, 0, 1, 0]
    assert report.complete_until == HOUR_START + (first + 2) * MINUTE_MS


def test_trigger_counts_where_it_was_due() -> None:
    world, job = with_runs(2)
    world.clock.time_ms = DUE_AT + 10 * MINUTE_MS
    triggered = world.cases.jobs.trigger_job.execute(world.tenant, job.id, None)
    assert triggered is not None
    world.clock.time_ms = NOW
    (bucket,) = read(world, job.id).buckets
    assert (bucket.sums.ended, bucket.sums.unended) == (2, 1)


def test_redrives_of_runs_before_the_range_count_where_they_were_due_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_job_statistics, "AT_ONCE", 2)
    world, job = with_runs(1)
    for number in range(5):
        original = job.occurrence(DUE_AT - (3 + number) * DAY_MS, created_at=DUE_AT - 9 * DAY_MS)
        redrive = with_changes(
            in_state(original, State.SUCCEEDED), id=execution_id(700 + number, dispatch_at=DUE_AT + 5)
        )
        world.put(redrive)
        world.jobs.note_beside(redrive, EXPIRES_AT_S)
    assert read(world, job.id).buckets[0].sums.ended == 1 + 5


def test_one_off_job_is_one_execution() -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(world.one_off(), State.SUCCEEDED))
    world.clock.time_ms = NOW
    assert read(world, execution.job_id).buckets[0].sums.states == Counter(succeeded=1)


def test_unknown_job_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        read(World(NOW), "job_r" + "0" * 27)


def test_range_before_the_oldest_records_is_refused() -> None:
    world, job = with_runs(1)
    read(world, job.id, NOW - 14 * DAY_MS, Step.HOUR)
    with pytest.raises(
        InvalidValueError, match=r"reach back 14 days: .*/v1/stats/jobs.*/v1/executions/search"
    ):
        read(world, job.id, NOW - 14 * DAY_MS - HOUR_MS)


def test_too_many_runs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    world, job = with_runs(2)
    candidates = (NOW - DUE_AT) // MINUTE_MS + 1
    monkeypatch.setattr(read_job_statistics, "MOST_RUNS", candidates)
    read(world, job.id)
    monkeypatch.setattr(read_job_statistics, "MOST_RUNS", candidates - 1)
    with pytest.raises(InvalidValueError, match="executions in this range"):
        read(world, job.id)
    monkeypatch.undo()
    monkeypatch.setattr(read_job_statistics, "MOST_EXAMINED", 3)
    with pytest.raises(InvalidValueError, match="executions in this range"):
        read(world, job.id)
