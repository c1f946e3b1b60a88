"""One run more, now."""

import pytest

from shared.domain.executions.states import State
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import DAILY, MINUTELY, post
from tests.support.builders import TENANT


def test_triggered_run_is_called_at_once_beside_the_schedule() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    answer = post(world, job, "trigger")
    assert (answer.status, answer.headers["Location"]) == (201, f"/v1/executions/{answer.json['id']}")
    assert answer.json["job_id"] == job["id"]
    (triggered,) = (
        row.execution
        for row in world.world.table.executions.values()
        if str(row.execution.id) == answer.json["id"]
    )
    world.world.attempt(triggered)
    (call,) = world.world.sender.calls
    assert dict(call.callback.headers)["X-Job-Id"] == job["id"]
    assert world.get(f"/v1/jobs/{job['id']}").json == job, "the schedule is not touched"


def test_the_same_key_makes_one_run_however_often_it_is_sent() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    first = post(world, job, "trigger", idempotency_key="k")
    second = post(world, job, "trigger", idempotency_key="k")
    assert second.json == first.json
    assert (second.status, second.headers["Idempotency-Replayed"]) == (201, "true")
    assert post(world, job, "trigger", idempotency_key="other").json["id"] != first.json["id"]


def test_a_key_of_another_request_is_refused() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    world.post(JOB, idempotency_key="k")
    assert post(world, job, "trigger", idempotency_key="k").problem == "idempotency-key-reused"
    other = world.create(**MINUTELY)
    post(world, job, "trigger", idempotency_key="j")
    assert post(world, other, "trigger", idempotency_key="j").problem == "idempotency-key-reused"


def test_refused_trigger_does_not_use_up_its_idempotency_key() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    run = post(world, job, "trigger", idempotency_key="mine").json
    world.delete(f"/v1/jobs/{job['id']}")
    assert post(world, job, "trigger", idempotency_key="k").problem == "invalid-state"
    assert world.post(JOB, idempotency_key="k").status == 201
    assert post(world, job, "trigger", idempotency_key="mine").json["id"] == run["id"], "a replay"


def test_a_paused_job_can_be_triggered_and_a_one_off_cannot() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    post(world, job, "pause")
    assert post(world, job, "trigger").status == 201
    assert post(world, world.create(), "trigger").problem == "invalid-state"


def test_a_deletion_takes_it_along() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    triggered = post(world, job, "trigger").json["id"]
    world.delete(f"/v1/jobs/{job['id']}")
    (row,) = (row for key, row in world.world.table.executions.items() if str(key) == triggered)
    assert row.execution.state is State.CANCELLED


def test_a_run_that_a_deletion_overlooked_makes_no_call() -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    triggered = post(world, job, "trigger").json["id"]
    (row,) = (row for key, row in world.world.table.executions.items() if str(key) == triggered)
    before = row.execution
    world.delete(f"/v1/jobs/{job['id']}")
    row.execution = before
    world.world.attempt(before)
    assert world.world.sender.calls == []


@pytest.mark.parametrize("step", ["idempotency.claim", "jobs.file_beside", "queue.send"])
def test_a_lost_answer_on_the_way_makes_no_second_run(step: str) -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    before = len(world.world.table.executions)
    world.world.steps.lose_answer(step)
    assert post(world, job, "trigger", idempotency_key="k").problem == "service-unavailable"
    assert post(world, job, "trigger", idempotency_key="k").status == 201
    assert len(world.world.table.executions) == before + 1
    assert world.world.table.jobs[TENANT, job["id"]].revision == 1
