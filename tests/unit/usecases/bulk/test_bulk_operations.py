"""Bulk operations on jobs: each matching job once, by the rules of single requests, whoever crashes on the way."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bulk.actions import BulkAction, Refusal, refusal_of
from shared.domain.bulk.job_task import HOUR_MS, JobTaskCounts, JobTaskState
from shared.domain.bulk.members import Member
from shared.domain.bulk.patch import JobPatch
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.states import State
from shared.domain.jobs.job import JobState
from shared.domain.listings.filters import JobFilter, Kind
from shared.domain.schedules.schedule import Backfill
from shared.names import Lane
from shared.usecases.bulk import process_job_tasks
from tests.support.builders import TENANT, in_state
from tests.support.usecases.bulk import (
    ALL,
    NOW,
    TAGGED,
    change,
    delete,
    jobs,
    standing,
    start,
    states,
    stored,
    work,
)
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 4, so that few jobs make several pages."""
    monkeypatch.setattr(process_job_tasks, "PAGE", 4)


def test_jobs_that_match_are_paused_and_others_are_not() -> None:
    world = World(NOW)
    tagged, others = jobs(world, 10), jobs(world, 3, first=50, tags=("other",))
    task = start(world, reason="moving")
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 10
    assert states(world, others) == [JobState.ACTIVE] * 3
    assert stored(world, tagged[0]).pause_reason == f"moving ({task.id})"
    ended = standing(world, task)
    assert (ended.state, ended.counts, ended.left) == (JobTaskState.FINISHED, JobTaskCounts(done=10), 0)
    assert world.job_tasks.slots == {}
    assert world.job_tasks.expires_at_s[TENANT, task.id] == world.retention.expires_at_s(ended.ended_at or 0)


def test_resume_starts_paused_jobs_and_counts_active_ones_as_unchanged() -> None:
    world = World(NOW)
    tagged = jobs(world, 6)
    for job in tagged[:4]:
        world.lifecycle.pause.execute(TENANT, job.id)
    task = start(world, BulkAction.RESUME)
    work(world)
    assert states(world, tagged) == [JobState.ACTIVE] * 6
    assert standing(world, task).counts == JobTaskCounts(done=4, unchanged=2)


def test_job_that_cannot_take_the_action_is_counted_by_reason_and_delays_no_other() -> None:
    world = World(NOW)
    tagged = jobs(world, 6)
    completed = replace(stored(world, tagged[1]), state=JobState.COMPLETED)
    world.table.jobs[TENANT, completed.id] = completed
    task = start(world)
    work(world)
    assert states(world, tagged).count(JobState.PAUSED) == 5
    ended = standing(world, task)
    assert ended.state is JobTaskState.FINISHED
    assert ended.counts == JobTaskCounts(done=5, refused={Refusal.COMPLETED: 1})


def test_job_that_another_request_changes_between_record_and_action_is_refused() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = start(world)
    world.steps.after("bulk_pages.begin", lambda: change(world, tagged[1]))
    work(world)
    assert states(world, tagged) == [JobState.PAUSED, JobState.ACTIVE, JobState.PAUSED]
    assert standing(world, task).counts == JobTaskCounts(done=2, refused={Refusal.CHANGED: 1})


def test_job_deleted_meanwhile_is_refused() -> None:
    world = World(NOW)
    tagged = jobs(world, 2)
    task = start(world)
    world.steps.after("bulk_pages.begin", lambda: world.delete_job.execute(TENANT, tagged[0].id))
    work(world)
    assert standing(world, task).counts.refused in ({Refusal.CHANGED: 1}, {Refusal.DELETED: 1})


def test_job_created_after_the_operation_is_not_touched() -> None:
    world = World(NOW)
    jobs(world, 2)
    task = start(world)
    (late,) = jobs(world, 1, first=70, created_at=world.clock.now_ms() + 1)
    work(world)
    assert states(world, [late]) == [JobState.ACTIVE]
    assert standing(world, task).counts.done == 2


def test_trigger_files_one_run_for_each_job_beside_its_schedule() -> None:
    world = World(NOW)
    tagged = jobs(world, 6)
    world.lifecycle.pause.execute(TENANT, tagged[0].id)
    task = start(world, BulkAction.TRIGGER)
    work(world)
    for job in tagged:
        (run,) = (one for one in world.occurrences(job).values() if one.nominal_at < job.chain_from)
        assert (run.state, run.recurrence) == (State.QUEUED, None)
    assert standing(world, task).counts == JobTaskCounts(done=6)


def test_deletion_pauses_at_once_and_deletes_after_the_grace() -> None:
    world = World(NOW)
    tagged = jobs(world, 6)
    world.lifecycle.pause.execute(TENANT, tagged[0].id)
    task = delete(world)
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 6
    waiting = standing(world, task)
    assert waiting.state is JobTaskState.WAITING
    assert waiting.counts == JobTaskCounts(done=5, unchanged=1)
    world.clock.time_ms = (waiting.deletes_at or 0) - 1
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 6
    world.clock.time_ms += 1
    work(world)
    assert states(world, tagged) == [JobState.DELETED] * 6
    assert standing(world, task).state is JobTaskState.FINISHED
    assert standing(world, task).counts.deleted == 6


def test_deletion_spares_a_job_that_was_changed_in_the_grace() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = delete(world)
    work(world)
    world.lifecycle.resume.execute(TENANT, tagged[0].id)
    change(world, tagged[1])
    world.clock.time_ms += 24 * HOUR_MS
    work(world)
    assert states(world, tagged) == [JobState.ACTIVE, JobState.PAUSED, JobState.DELETED]
    counts = standing(world, task).counts
    assert (counts.deleted, counts.changed_since) == (1, 2)


def test_deletion_without_grace_deletes_at_once() -> None:
    world = World(NOW)
    tagged = jobs(world, 5)
    task = delete(world, grace_hours=0)
    work(world)
    assert states(world, tagged) == [JobState.DELETED] * 5
    assert (standing(world, task).state, standing(world, task).counts.done) == (JobTaskState.FINISHED, 5)


def test_deletion_after_a_grace_deletes_completed_jobs_too() -> None:
    world = World(NOW)
    tagged = jobs(world, 2)
    completed = replace(stored(world, tagged[0]), state=JobState.COMPLETED, ended_through=NOW)
    world.table.jobs[TENANT, completed.id] = completed
    delete(world, grace_hours=1)
    work(world)
    world.clock.time_ms += HOUR_MS
    work(world)
    assert states(world, tagged) == [JobState.DELETED] * 2


def test_one_off_jobs_are_cancelled_as_far_as_they_have_not_started() -> None:
    world = World(NOW)
    pending = world.put(world.one_off(1))
    running = world.put(in_state(world.one_off(2), State.RUNNING))
    task = delete(world, grace_hours=0, criteria=JobFilter(kind=Kind.ONCE, is_live=True))
    work(world)
    assert world.standing(pending.id).state is State.CANCELLED
    assert world.standing(running.id).state is State.RUNNING
    assert standing(world, task).counts == JobTaskCounts(done=1, refused={Refusal.RUNNING: 1})


@pytest.mark.parametrize(
    "action", [BulkAction.PAUSE, BulkAction.RESUME, BulkAction.TRIGGER, BulkAction.DELETE, BulkAction.PATCH]
)
@pytest.mark.parametrize("moment", range(0, 120, 3))
def test_operation_that_crashes_anywhere_is_completed_by_the_next_run(
    action: BulkAction, moment: int
) -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    if action is BulkAction.RESUME:
        for job in tagged:
            world.lifecycle.pause.execute(TENANT, job.id)
    task = start(world, action, patch=PATCH if action is BulkAction.PATCH else None)

    def crash(at: int, _: str) -> None:
        if at == moment:
            raise Crash

    world.steps.taken.clear()
    world.steps.at_each = crash
    try:
        work(world)
    except Crash:
        world.steps.calm()
        world.clock.time_ms += 30_000
        work(world)
    assert standing(world, task).counts == JobTaskCounts(done=3)
    if action is BulkAction.TRIGGER:
        assert [_runs(world, job.id) for job in tagged] == [1, 1, 1]
    if action is BulkAction.PATCH:
        assert {(stored(world, job).tags, stored(world, job).revision) for job in tagged} == {(("slow",), 2)}
    goal = {BulkAction.PAUSE: JobState.PAUSED, BulkAction.DELETE: JobState.DELETED}
    assert states(world, tagged) == [goal.get(action, JobState.ACTIVE)] * 3


def _runs(world: World, job_id: str) -> int:
    """The triggered runs of a job."""
    rows = (row.execution for row in world.table.executions.values())
    return sum(one.job_id == job_id and one.recurrence is None for one in rows)


PATCH = JobPatch(
    values={Member.LANE: Lane.BULK, Member.TIMEOUT: 9_000}, add_tags=("slow",), remove_tags=("billing",)
)


def test_patch_changes_the_members_that_it_has_and_no_others() -> None:
    world = World(NOW)
    tagged = jobs(world, 5, tags=("billing", "nightly"), name="report")
    task = start(world, BulkAction.PATCH, patch=PATCH)
    work(world)
    for job in tagged:
        after = stored(world, job)
        assert (after.state, after.name, after.tags) == (JobState.ACTIVE, "report", ("nightly", "slow"))
        assert (after.call.lane, after.call.timeout_ms) == (Lane.BULK, 9_000)
        assert (after.call.retry, after.call.request) == (job.call.retry, job.call.request)
    assert standing(world, task).counts == JobTaskCounts(done=5)


def test_patch_counts_jobs_that_have_its_members_as_unchanged() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    patch = JobPatch(add_tags=("billing",))
    task = start(world, BulkAction.PATCH, patch=patch)
    work(world)
    assert [stored(world, job).revision for job in tagged] == [1, 1, 1]
    assert standing(world, task).counts == JobTaskCounts(unchanged=3)


def test_patch_refuses_a_job_that_would_have_too_many_tags_and_the_call_of_a_backfill() -> None:
    world = World(NOW)
    full, free = jobs(world, 1, tags=("billing", "a", "b")), jobs(world, 1, first=9)
    patch = JobPatch(add_tags=("slow",), max_tags=3)
    task = start(world, BulkAction.PATCH, patch=patch)
    work(world)
    assert standing(world, task).counts == JobTaskCounts(done=1, refused={Refusal.QUOTA: 1})
    assert (stored(world, full[0]).tags, stored(world, free[0]).tags) == (full[0].tags, ("billing", "slow"))
    backfill = Backfill(of=full[0].schedule, from_at=0, to_at=1, count=1, interval_ms=1_000, anchor=NOW)  # type: ignore[arg-type]
    made = replace(full[0], definition=replace(full[0].definition, schedule=backfill))
    assert refusal_of(BulkAction.PATCH, made, PATCH) is Refusal.BACKFILL
    assert refusal_of(BulkAction.PATCH, made, JobPatch(remove_tags=("a",))) is None
    assert refusal_of(BulkAction.TRIGGER, made) is Refusal.BACKFILL


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"add_tags": ("No Tag",)},
        {"add_tags": ("a", "a")},
        {"remove_tags": ("a" * 64,)},
        {"add_tags": ("a",), "remove_tags": ("a",)},
        {"add_tags": tuple(f"t{number}" for number in range(11))},
    ],
)
def test_patch_that_changes_nothing_or_contradicts_itself_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        JobPatch(**fields)


def test_page_that_crashed_is_counted_although_its_jobs_match_no_more() -> None:
    world = World(NOW)
    tagged = jobs(world, 3)
    task = start(world, criteria=replace(TAGGED, state="active"))
    world.steps.before("bulk_pages.finish", die)
    with pytest.raises(Crash):
        work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 3
    world.clock.time_ms += 30_000
    work(world)
    assert standing(world, task).counts == JobTaskCounts(done=3)


def test_one_off_job_that_starts_at_the_same_moment_is_refused_as_running() -> None:
    world = World(NOW)
    pending = world.put(world.one_off(1))
    task = delete(world, grace_hours=0, criteria=JobFilter(kind=Kind.ONCE, is_live=True))

    def begin() -> None:
        world.table.executions[pending.id].execution = in_state(pending, State.RUNNING)

    world.steps.before("store.cancel", begin)
    work(world)
    assert standing(world, task).counts == JobTaskCounts(refused={Refusal.RUNNING: 1})


def test_cancelled_operation_changes_no_further_page() -> None:
    world = World(NOW)
    tagged = jobs(world, 12)
    task = start(world)
    turns = iter([True, False])
    world.process_bulk_tasks.execute(lambda: next(turns))
    cancelled = world.change_job_task.cancel(TENANT, task.id)
    work(world)
    assert states(world, tagged).count(JobState.PAUSED) == 4
    assert cancelled == standing(world, task) == world.change_job_task.cancel(TENANT, task.id)
    assert (cancelled.state, cancelled.counts.done) == (JobTaskState.CANCELLED, 4)


def test_page_that_is_worked_on_at_the_cancellation_is_counted() -> None:
    world = World(NOW)
    tagged = jobs(world, 12)
    task = start(world)
    world.steps.before("bulk_pages.finish", lambda: world.change_job_task.cancel(TENANT, task.id))
    work(world)
    assert states(world, tagged).count(JobState.PAUSED) == 4
    assert standing(world, task).counts == JobTaskCounts(done=4)
    assert standing(world, task).state is JobTaskState.CANCELLED
    assert (TENANT, task.id) in world.job_tasks.expires_at_s


def test_cancelled_deletion_leaves_its_jobs_paused() -> None:
    world = World(NOW)
    tagged = jobs(world, 2)
    task = delete(world)
    work(world)
    world.change_job_task.cancel(TENANT, task.id)
    world.clock.time_ms += 48 * HOUR_MS
    work(world)
    assert states(world, tagged) == [JobState.PAUSED] * 2


def test_operation_of_another_tenant_is_not_found() -> None:
    world = World(NOW)
    jobs(world, 1)
    task = start(world)
    with pytest.raises(NotFoundError):
        world.start_job_task.find("other", task.id)
    with pytest.raises(NotFoundError):
        world.change_job_task.cancel("other", task.id)


def test_filter_by_creation_and_name_and_state() -> None:
    world = World(NOW)
    old, new, other = (
        world.recurring(1, created_at=NOW - 5_000, name="report a"),
        world.recurring(2, created_at=NOW - 1_000, name="report b"),
        world.recurring(3, created_at=NOW - 1_000, name="import"),
    )
    criteria = replace(ALL, name_prefix="report", created_from=NOW - 2_000, state="active")
    start(world, criteria=criteria)
    work(world)
    assert states(world, [old, new, other]) == [JobState.ACTIVE, JobState.PAUSED, JobState.ACTIVE]
