"""CREATE with an Idempotency-Key: a replay files the very same job again, and so heals a crash in between."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.errors import IdempotencyKeyReusedError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import After, Every, Timing
from shared.usecases.jobs.create_job import CreatedJob
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import EARLY, REQUEST, World

WEEK_MS = 7 * 86_400_000
TIMINGS = [After(30), After(3_600), Once(at=EARLY + 30_000), Every(60)]


def create(world: World, timing: object, key: str | None = "k", **fields: object) -> CreatedJob:
    return world.create_job.execute(world.tenant, NewJob(timing=timing, request=REQUEST, **fields), key)  # type: ignore[arg-type]


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("later_ms", [0, 1, 5_000, 20_000, 3_000_000, 86_400_000])
def test_a_replay_answers_with_the_same_job_however_much_later(timing: object, later_ms: int) -> None:
    world = World()
    first = create(world, timing)
    world.clock.time_ms += later_ms
    again = create(world, timing)
    assert (first.replayed, again.replayed) == (False, True)
    assert identity(again) == identity(first)
    assert again.job == first.job
    assert len(world.table.executions) == 1


def identity(created: CreatedJob) -> str:
    return created.job.id if isinstance(created.job, Job) else created.job.job_id


def test_a_replay_after_it_has_run_answers_with_the_outcome_and_runs_nothing() -> None:
    """Though the instant asked for has long become one that would be refused."""
    world = World()
    create(world, Once(at=EARLY + 5_000))
    lanes = Lanes(world)
    lanes.until(EARLY + 10_000)
    world.clock.time_ms += 3_600_000
    again = create(world, Once(at=EARLY + 5_000))
    assert (again.replayed, again.job.state) == (True, State.SUCCEEDED)
    lanes.until(world.clock.time_ms + 60_000)
    assert len(world.sender.calls) == 1


@pytest.mark.parametrize(
    ("timing", "step"),
    [(timing, "idempotency.claim") for timing in TIMINGS]
    + [(timing, "store.put_if_absent") for timing in TIMINGS[:3]]
    + [(Every(60), "jobs.create")],
)
def test_a_crash_between_record_and_answer_is_healed_by_the_replay(timing: object, step: str) -> None:
    world = World()
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        create(world, timing)
    world.clock.time_ms += 40_000
    again = create(world, timing)
    assert len(world.table.executions) == 1
    (first,) = (row.execution for row in world.table.executions.values())
    Lanes(world).until(EARLY + 120_000)
    assert bool(world.sender.calls) is (timing != After(3_600))
    assert identity(again) == first.job_id


def test_a_replay_days_after_the_crash_still_runs_the_job_that_was_chosen() -> None:
    world = World()
    world.steps.crash_after("idempotency.claim")
    with pytest.raises(Crash):
        create(world, After(30))
    world.clock.time_ms += 3 * 86_400_000
    create(world, After(30))
    Lanes(world).until(world.clock.time_ms + 5_000)
    assert len(world.sender.calls) == 1


@pytest.mark.parametrize(
    ("timing", "fields"), [(After(61), {}), (After(60), {"name": "other"}), (Every(60), {})]
)
def test_the_same_key_with_another_request_is_refused(timing: Timing, fields: dict[str, Any]) -> None:
    world = World()
    first = create(world, After(60))
    with pytest.raises(IdempotencyKeyReusedError):
        create(world, timing, **fields)
    assert [row.execution for row in world.table.executions.values()] == [first.job]


def test_keys_belong_to_their_tenant() -> None:
    world = World()
    world.create_tenant.execute("other")
    other = world.tenants.tenants["other"]
    first = create(world, After(60))
    second = world.create_job.execute(other, NewJob(timing=After(60), request=REQUEST), "k")
    assert not second.replayed
    assert identity(second) != identity(first)


def test_creation_without_a_key_leaves_no_idempotency_record() -> None:
    world = World()
    assert identity(create(world, After(60), None)) != identity(create(world, After(60), None))
    assert world.steps.count("idempotency.claim") == 0


@pytest.mark.parametrize(("later_ms", "replayed"), [(WEEK_MS - 1, True), (WEEK_MS, False)])
def test_a_key_is_remembered_for_a_week(later_ms: int, replayed: bool) -> None:
    world = World()
    create(world, After(60))
    world.clock.time_ms += later_ms
    assert create(world, After(60)).replayed is replayed


def test_two_requests_at_once_agree_on_one_job() -> None:
    world = World()
    others: list[CreatedJob] = []
    world.steps.after("idempotency.find", lambda: others.append(create(world, After(30))))
    mine = create(world, After(30))
    assert identity(mine) == identity(others[0])
    assert mine.replayed
    assert len(world.table.executions) == 1


def test_an_answer_that_was_lost_after_the_record_is_healed_by_the_replay() -> None:
    world = World()
    world.steps.lose_answer("idempotency.claim")
    with pytest.raises(UnavailableError):
        create(world, After(30))
    assert create(world, After(30)).replayed
    assert len(world.sent()) == 1


def test_a_replay_does_not_bring_a_deleted_job_back() -> None:
    world = World()
    job = create(world, Every(60)).job
    assert isinstance(job, Job)
    world.delete_job.execute(job.tenant_id, job.id)
    world.queue.messages.clear()
    again = create(world, Every(60))
    assert isinstance(again.job, Job)
    assert again.job.state is JobState.DELETED
    assert world.sent() == []


def test_replay_does_not_bring_a_cancelled_job_back() -> None:
    world = World()
    job = create(world, After(30)).job
    world.cancel_job.execute(job.tenant_id, identity(create(world, After(30))))
    world.queue.messages.clear()
    assert create(world, After(30)).job.state is State.CANCELLED
    assert world.sent() == []


def test_a_replay_writes_the_payload_of_its_own_before_the_item_again() -> None:
    world = World()
    large = replace(REQUEST, body=b"x" * 10_000)
    new = NewJob(timing=After(30), request=large)
    world.steps.crash_after("jobs.put_payload")
    with pytest.raises(Crash):
        world.create_job.execute(world.tenant, new, "k")
    world.create_job.execute(world.tenant, new, "k")
    Lanes(world).until(EARLY + 60_000)
    assert [call.callback.body for call in world.sender.calls] == [large.body]
