"""The worker of all bulk tasks: its pace, its leases, and its share of the time for each tenant."""

from collections.abc import Callable

import pytest

from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import JobTaskCounts, JobTaskState
from shared.domain.jobs.job import JobState
from shared.usecases.bulk import process_job_tasks
from shared.usecases.bulk.lease_page import LEASE_MS
from tests.support.builders import TENANT
from tests.support.usecases.bulk import NOW, delete, jobs, new_task, standing, start, states, stored, work
from tests.support.usecases.redrives import dead, redrives_of
from tests.support.usecases.redrives import start as start_redrive
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_job_tasks, "PAGE", 4)


def turns(count: int) -> Callable[[], bool]:
    left = iter([True] * count + [False])
    return lambda: next(left)


def test_no_second_has_more_jobs_than_the_rate() -> None:
    world = World(NOW)
    tagged = jobs(world, 11)
    start(world, rate=2)
    work(world)
    changed = sorted((stored(world, job).changed_at or 0) - NOW for job in tagged)
    assert changed == [0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000, 4_000, 4_000, 5_000]


def test_deletion_after_the_grace_and_undo_keep_the_rate() -> None:
    world = World(NOW)
    jobs(world, 6)
    task = delete(world, grace_hours=1, rate=2)
    work(world)
    world.clock.time_ms = begun_at = standing(world, task).deletes_at or 0
    work(world)
    assert world.clock.time_ms - begun_at == 2 * 1_000
    assert standing(world, task).counts.deleted == 6


def test_run_without_time_leaves_the_rest_to_the_next() -> None:
    world = World(NOW)
    tagged = jobs(world, 12)
    task = start(world)
    world.process_bulk_tasks.execute(turns(3))
    assert (states(world, tagged).count(JobState.PAUSED), standing(world, task).left) == (8, 4)
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 12


def test_operations_of_tenants_and_redrives_take_turns_page_by_page() -> None:
    world = World(NOW)
    jobs(world, 12)
    own = start(world)
    world.create_tenant.execute("other")
    theirs = jobs(world, 12, first=50, tenant_id="other")
    other = world.start_job_task.execute(world.tenants.tenants["other"], new_task()).task
    letter = dead(world, due_at=NOW - 5_000)
    start_redrive(world)
    world.process_bulk_tasks.execute(turns(6))
    assert standing(world, own).counts.done in (4, 8)
    assert world.job_tasks.tasks["other", other.id].counts.done in (4, 8)
    assert len(redrives_of(world, letter)) == 1
    work(world)
    assert states(world, theirs) == [JobState.PAUSED] * 12


def test_operations_of_a_tenant_run_one_after_another() -> None:
    world = World(NOW)
    tagged = jobs(world, 8)
    first = start(world)
    world.clock.time_ms += 1
    second = start(world, BulkAction.RESUME)
    world.process_bulk_tasks.execute(turns(2))
    assert standing(world, second).counts == JobTaskCounts()
    work(world)
    assert standing(world, first).counts.done == standing(world, second).counts.done == 8
    assert states(world, tagged) == [JobState.ACTIVE] * 8


def test_deletion_in_its_grace_holds_no_other_operation_up() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = delete(world)
    work(world)
    world.clock.time_ms += 1
    start(world, BulkAction.RESUME)
    work(world)
    assert states(world, tagged) == [JobState.ACTIVE] * 3
    assert standing(world, task).state is JobTaskState.WAITING


def test_first_page_is_left_to_the_worker_while_an_older_operation_has_work() -> None:
    world = World(NOW)
    jobs(world, 8)
    first = start(world)
    world.clock.time_ms += 1
    second = start(world, BulkAction.RESUME)
    assert world.process_job_tasks.first_page(second) is None
    assert world.process_job_tasks.first_page(first) == standing(world, first)


def test_leased_operation_is_left_alone_until_the_lease_expires() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = start(world)
    world.steps.crash_after("bulk_pages.begin")
    with pytest.raises(Crash):
        work(world)
    world.clock.time_ms += LEASE_MS - 1
    work(world)
    assert states(world, tagged) == [JobState.ACTIVE] * 3
    world.clock.time_ms += 1
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 3
    assert standing(world, task).counts == JobTaskCounts(done=3)


@pytest.mark.parametrize("action", [BulkAction.PAUSE, BulkAction.TRIGGER])
@pytest.mark.parametrize("moment", range(0, 60, 2))
def test_worker_that_outlived_its_lease_neither_moves_the_cursor_nor_doubles_a_change(
    action: BulkAction, moment: int
) -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = start(world, action)
    world.steps.taken.clear()

    def overtake(at: int, _: str) -> None:
        if at == moment:
            world.clock.time_ms += LEASE_MS
            work(world)

    world.steps.at_each = overtake
    work(world)
    world.steps.calm()
    work(world)
    ended = standing(world, task)
    assert (ended.state, ended.counts) == (JobTaskState.FINISHED, JobTaskCounts(done=3))
    rows = [row.execution for row in world.table.executions.values()]
    runs = [one.job_id for one in rows if one.recurrence is None]
    assert sorted(runs) == ([job.id for job in tagged] if action is BulkAction.TRIGGER else [])


def test_throttled_page_ends_its_lease_and_the_next_run_repeats_it() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = start(world)
    world.steps.fail("jobs.replace")
    report = world.process_bulk_tasks.execute()
    assert (report.unavailable, standing(world, task).lease_until) == (1, 0)
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 3
    assert standing(world, task).counts == JobTaskCounts(done=3)


def test_operation_that_cannot_be_read_is_reported_and_delays_no_other() -> None:
    world = World(NOW)
    tagged = jobs(world, 2)
    first = start(world)
    world.clock.time_ms += 1
    start(world)
    world.steps.reject("job_tasks.get")
    assert world.process_bulk_tasks.execute().unreadable == [first.id]
    assert states(world, tagged) == [JobState.PAUSED] * 2
    assert standing(world, first).counts == JobTaskCounts()
    assert world.job_tasks.open_of(TENANT) == [first.id]


def test_report_counts_changed_jobs_and_ended_tasks() -> None:
    world = World(NOW)
    jobs(world, 6)
    start(world)
    report = world.process_bulk_tasks.execute()
    assert (report.changed, report.ended) == (6, 1)
