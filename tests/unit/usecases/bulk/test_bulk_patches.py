"""The patch of a bulk operation: each member is set in all jobs, and an undo restores what each job had."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import JobTaskCounts
from shared.domain.bulk.members import URLS, Member, values_of, with_values
from shared.domain.bulk.patch import JobPatch
from shared.domain.delivery.alerts import ALERTS_DISABLED, NO_ALERTS, AlertEvent, AlertRules, Alerts
from shared.domain.delivery.outcome_callbacks import NO_TARGET
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import CallbackUrlNotAllowedError, InvalidStateError, InvalidValueError
from shared.domain.schedules.catch_up import CatchUp
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane
from shared.usecases.bulk.process_job_tasks import PAGE_WITH_URLS
from shared.usecases.requests.seal_request import open_alerts, open_callback_target
from tests.support.usecases.bulk import NOW, change, jobs, new_task, standing, start, stored, undo, work
from tests.support.usecases.world import World

URL = "https://told.example/hook"
PLAIN: dict[Member, Any] = {
    Member.LANE: Lane.BULK,
    Member.TIMEOUT: 9_000,
    Member.RETRY: RetryPolicy(max_attempts=2, delays_seconds=(60,)),
    Member.ASYNC_DEADLINE: 7_200,
    Member.HEARTBEAT: 30,
    Member.JITTER: 45_000,
    Member.CATCH_UP: CatchUp.ALL,
    Member.CATCH_UP_LIMIT: 7,
    Member.CATCH_UP_WINDOW: 60_000,
    Member.LATE_TOLERANCE: 1_000,
    Member.OVERLAP_POLICY: OverlapPolicy.SKIP,
    Member.SIGNING_SECRET: None,
}
LONG = {Member.ASYNC_DEADLINE: 43_200}
"""Together with twenty attempts longer than 7 days."""


def patched(world: World, values: dict[Member, Any], count: int = 3, **fields: Any) -> Any:
    """Jobs before, and the task that has patched them."""
    made = jobs(world, count, **fields)
    task = start(world, BulkAction.PATCH, patch=JobPatch(values=values))
    work(world)
    return made, task


def test_members_are_all_tested_here() -> None:
    assert PLAIN.keys() | URLS == set(Member)


@pytest.mark.parametrize("member", [member for member in PLAIN if member is not Member.SIGNING_SECRET])
def test_member_is_set_in_all_jobs_alone_and_restored_by_an_undo(member: Member) -> None:
    world = World(NOW)
    made, task = patched(world, {member: PLAIN[member]})
    others = set(Member) - {member}
    for job in made:
        after = stored(world, job).definition
        assert values_of(after, [member]) == {member: PLAIN[member]}
        assert values_of(after, others) == values_of(job.definition, others)
    assert standing(world, task).counts == JobTaskCounts(done=3)
    assert undo(world, task).counts.undone == 3
    assert [stored(world, job).definition for job in made] == [job.definition for job in made]


def test_urls_are_sealed_once_for_all_jobs_and_restored_by_an_undo() -> None:
    world = World(NOW)
    alerts = Alerts(url=URL, rules=AlertRules(events=frozenset({AlertEvent.SKIPPED})))
    made, task = patched(world, {Member.ON_FAILURE: URL, Member.ON_SUCCESS: "none", Member.ALERTS: alerts})
    for job in made:
        call = stored(world, job).call
        assert open_callback_target(world.vault, world.tenant, call.callbacks.on_failure) == URL
        assert call.callbacks.on_success == NO_TARGET
        assert open_alerts(world.vault, world.tenant, call.alerts) == alerts
    assert URL not in repr(world.job_tasks.tasks)
    assert undo(world, task).counts.undone == 3
    assert [stored(world, job).call for job in made] == [job.call for job in made]


def test_member_without_a_value_inherits_from_the_tenant() -> None:
    world = World(NOW)
    made, task = patched(world, {Member.ALERTS: ALERTS_DISABLED})
    assert stored(world, made[0]).call.alerts == NO_ALERTS
    again = start(world, BulkAction.PATCH, patch=JobPatch(values=dict.fromkeys(URLS)))
    work(world)
    assert standing(world, again).counts == JobTaskCounts(done=3)
    assert stored(world, made[0]).call.alerts is None
    assert undo(world, again).counts.undone == 3
    assert stored(world, made[0]).call.alerts == NO_ALERTS
    assert standing(world, task).counts.done == 3


def test_job_that_the_patch_would_make_invalid_is_refused() -> None:
    world = World(NOW)
    many = jobs(world, 1, retry=RetryPolicy(max_attempts=20))
    (few,), task = patched(world, LONG, 1, first=9)
    assert standing(world, task).counts == JobTaskCounts(done=1, refused={Refusal.INVALID: 1})
    assert stored(world, many[0]).definition == many[0].definition
    assert stored(world, few).call.async_policy.deadline_seconds == 43_200
    plan = world.start_job_task.plan(world.tenant, new_task(BulkAction.PATCH, patch=JobPatch(values=LONG)))
    assert plan.extent.refused == {Refusal.INVALID: 1}


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({Member.ON_FAILURE: "https://localhost/"}, ("patch", "on_failure")),
        ({Member.ALERTS: Alerts(url="https://10.0.0.1/")}, ("patch", "alerts", "url")),
        ({Member.SIGNING_SECRET: "unknown"}, ("patch", "signing_secret")),
    ],
)
def test_patch_that_no_job_could_have_is_refused_before_anything_is_written(
    values: dict[Member, Any], path: tuple[str, ...]
) -> None:
    world = World(NOW)
    jobs(world, 1)
    new = new_task(BulkAction.PATCH, patch=JobPatch(values=values))
    for ask in (world.start_job_task.plan, world.start_job_task.execute):
        with pytest.raises(InvalidValueError) as refused:
            ask(world.tenant, new)
        assert refused.value.path == path
        if Member.SIGNING_SECRET not in values:
            assert isinstance(refused.value, CallbackUrlNotAllowedError)
    assert world.job_tasks.tasks == {}


def test_plan_is_bound_to_the_values_of_the_patch() -> None:
    """The same values in another process, where a set has another order, and each sealing is another."""
    world = World(NOW)
    events = frozenset(AlertEvent) - {AlertEvent.LATE, AlertEvent.LIMIT_REACHED}
    patch = JobPatch(values={Member.ALERTS: Alerts(url=URL, rules=AlertRules(events=events))})
    jobs(world, 101)
    plan = world.start_job_task.plan(world.tenant, new_task(BulkAction.PATCH, patch=patch)).token
    fewer = Alerts(url=URL, rules=AlertRules(events=events - {AlertEvent.GONE}))
    other = replace(patch, values={Member.ALERTS: fewer})
    with pytest.raises(InvalidStateError, match="another filter or action"):
        world.start_job_task.execute(world.tenant, new_task(BulkAction.PATCH, patch=other), plan)
    assert world.start_job_task.execute(
        world.tenant, new_task(BulkAction.PATCH, patch=patch), plan
    ).task.total


def test_page_with_urls_is_small_enough_for_one_item() -> None:
    world = World(NOW)
    jobs(world, 60)
    start(world, BulkAction.PATCH, patch=JobPatch(values={Member.ON_SUCCESS: URL}))
    work(world)
    sizes = [len(page.entries) for page in world.bulk_pages.pages.values()]
    assert max(sizes) == PAGE_WITH_URLS


def test_undo_leaves_a_job_that_was_changed_since() -> None:
    world = World(NOW)
    made, task = patched(world, {Member.TIMEOUT: 9_000})
    change(world, made[0])
    assert undo(world, task).counts.changed_since == 1
    assert stored(world, made[0]).call.timeout_ms == 9_000


def test_values_of_a_definition_make_the_same_definition() -> None:
    world = World(NOW)
    (job,) = jobs(world, 1, retry=RetryPolicy(max_attempts=7), lane=Lane.CRITICAL)
    blank = with_values(job.definition, PLAIN | dict.fromkeys(URLS))
    assert with_values(blank, values_of(job.definition, set(Member))) == job.definition
