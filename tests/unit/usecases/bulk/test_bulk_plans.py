"""Dry runs and plans: what an operation would do, and the proof that its client has seen it."""

from dataclasses import replace

import pytest

from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import NewJobTask
from shared.domain.bulk.patch import JobPatch
from shared.domain.errors import IdempotencyKeyReusedError, InvalidStateError
from shared.domain.jobs.job import JobState
from shared.usecases.bulk import start_job_task
from shared.usecases.bulk.sign_plan import PLAN_MS
from shared.usecases.bulk.start_job_task import EXAMPLES, FREE_OF_PLAN
from tests.support.builders import TENANT
from tests.support.usecases.bulk import NOW, TAGGED, jobs, new_task, start, states, stored, work
from tests.support.usecases.world import World


def crowded(count: int = FREE_OF_PLAN + 1) -> World:
    world = World(NOW)
    jobs(world, count)
    return world


def test_dry_run_counts_the_jobs_by_what_would_happen_and_changes_nothing() -> None:
    world = World(NOW)
    tagged = jobs(world, 30)
    world.lifecycle.pause.execute(TENANT, tagged[0].id)
    completed = replace(stored(world, tagged[1]), state=JobState.COMPLETED)
    world.table.jobs[TENANT, completed.id] = completed
    before = states(world, tagged)
    extent = world.start_job_task.plan(world.tenant, new_task()).extent
    assert (extent.count, extent.unchanged, dict(extent.refused)) == (30, 1, {Refusal.COMPLETED: 1})
    assert (len(extent.examples), extent.is_complete) == (EXAMPLES, True)
    assert states(world, tagged) == before
    assert world.job_tasks.tasks == {}


def test_operation_on_a_hundred_jobs_needs_no_plan() -> None:
    world = crowded(FREE_OF_PLAN)
    task = world.start_job_task.execute(world.tenant, new_task()).task
    assert (task.total, task.is_total) == (FREE_OF_PLAN, True)


def test_operation_on_more_jobs_is_refused_without_a_plan_and_says_what_to_do() -> None:
    world = crowded()
    with pytest.raises(InvalidStateError, match="dry_run"):
        world.start_job_task.execute(world.tenant, new_task())
    assert world.job_tasks.tasks == {}


def test_plan_is_good_for_ten_minutes() -> None:
    world = crowded()
    plan = world.start_job_task.plan(world.tenant, new_task()).token
    world.clock.time_ms += PLAN_MS
    task = world.start_job_task.execute(world.tenant, new_task(), plan).task
    assert task.total == FREE_OF_PLAN + 1
    world.clock.time_ms += 1
    with pytest.raises(InvalidStateError, match="older than 10 minutes"):
        world.start_job_task.execute(world.tenant, new_task(), plan)


@pytest.mark.parametrize(
    "other",
    [
        new_task(BulkAction.TRIGGER),
        new_task(BulkAction.DELETE),
        new_task(reason="other"),
        new_task(BulkAction.PATCH, patch=JobPatch(add_tags=("slow",))),
        new_task(criteria=replace(TAGGED, tag=None)),
        new_task(criteria=replace(TAGGED, state="active")),
        new_task(criteria=replace(TAGGED, set_name="n")),
        new_task(criteria=replace(TAGGED, name_prefix="n")),
        new_task(criteria=replace(TAGGED, created_from=1)),
    ],
)
def test_plan_of_another_filter_or_action_is_refused(other: NewJobTask) -> None:
    world = crowded()
    plan = world.start_job_task.plan(world.tenant, other).token
    with pytest.raises(InvalidStateError, match="another filter or action"):
        world.start_job_task.execute(world.tenant, new_task(), plan)


def test_plan_of_another_tenant_is_refused() -> None:
    world = crowded()
    world.create_tenant.execute("other")
    plan = world.start_job_task.plan(world.tenants.tenants["other"], new_task()).token
    with pytest.raises(InvalidStateError, match="another filter or action"):
        world.start_job_task.execute(world.tenant, new_task(), plan)


@pytest.mark.parametrize("plan", ["", "pln_", "pln_" + "0" * 42, "pln_" + "ü" * 42, "x" * 5_000])
def test_forged_plan_is_refused(plan: str) -> None:
    world = crowded()
    with pytest.raises(InvalidStateError, match="dry_run"):
        world.start_job_task.execute(world.tenant, new_task(), plan)


def test_plan_covers_no_more_jobs_than_it_has_shown() -> None:
    world = crowded()
    plan = world.start_job_task.plan(world.tenant, new_task()).token
    jobs(world, 1, first=900)
    with pytest.raises(InvalidStateError, match="102 jobs match, and the plan has shown 101"):
        world.start_job_task.execute(world.tenant, new_task(), plan)


def test_plan_covers_fewer_jobs_and_any_rate() -> None:
    world = crowded()
    plan = world.start_job_task.plan(world.tenant, new_task()).token
    world.delete_job.execute(TENANT, next(iter(world.table.jobs.values())).id)
    assert world.start_job_task.execute(world.tenant, new_task(rate=1), plan).task.total == FREE_OF_PLAN


def test_count_stops_at_a_bound_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_job_task, "COUNTED_AT_MOST", 50)
    world = crowded()
    plan = world.start_job_task.plan(world.tenant, new_task())
    assert (plan.extent.count, plan.extent.is_complete) == (50, False)
    task = world.start_job_task.execute(world.tenant, new_task(), plan.token).task
    assert (task.total, task.is_total) == (50, False)
    work(world)
    assert states(world, [*world.table.jobs.values()]) == [JobState.PAUSED] * (FREE_OF_PLAN + 1)


def test_repetition_with_the_same_key_is_the_same_operation_without_a_plan() -> None:
    world = crowded()
    plan = world.start_job_task.plan(world.tenant, new_task()).token
    first = world.start_job_task.execute(world.tenant, new_task(), plan, "k")
    work(world)
    world.clock.time_ms += PLAN_MS + 1
    again = world.start_job_task.execute(world.tenant, new_task(), plan, "k")
    assert (again.task.id, again.replayed, first.replayed) == (first.task.id, True, False)
    with pytest.raises(IdempotencyKeyReusedError):
        world.start_job_task.execute(world.tenant, new_task(rate=1), plan, "k")


def test_tenant_has_a_bounded_number_of_open_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_job_task, "MAX_OPEN", 2)
    world = World(NOW)
    jobs(world, 1)
    first, _ = start(world), start(world)
    with pytest.raises(InvalidStateError, match="2 bulk operations are open"):
        start(world)
    world.change_job_task.cancel(TENANT, first.id)
    start(world)
