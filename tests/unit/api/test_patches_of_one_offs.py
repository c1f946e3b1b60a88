"""PATCH of a job that runs once: until it starts, and in place."""

from typing import Any

import pytest

from shared.domain.executions.states import State
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import patch
from tests.support.builders import in_state, with_changes

ONE_OFF_CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "other"}, {"name": "other"}),
    ({"name": None}, {"name": None}),
    ({"tags": ["a", "b"]}, {"tags": ["a", "b"]}),
    ({"lane": "bulk"}, {"lane": "bulk"}),
    ({"timeout_seconds": 7}, {"timeout_seconds": 7}),
    (
        {"async_deadline_seconds": 7_200, "heartbeat_seconds": 10},
        {"async_deadline_seconds": 7_200, "heartbeat_seconds": 10},
    ),
    ({"start_deadline_seconds": 60}, {"start_deadline_seconds": 60}),
    ({"when_suspended": "run"}, {"when_suspended": "run"}),
    ({"when_suspended": None}, {"when_suspended": "skip"}),
    (
        {"request": {"url": "https://other.example/x"}},
        {"request": {"method": "POST", "url": "https://other.example/x"}},
    ),
    (
        {"retry": {"max_attempts": 2}},
        {"retry": {"max_attempts": 2, "base_seconds": 10, "factor": 2, "cap_seconds": 3_600}},
    ),
    ({"schedule": {"at": "2025-02-20T08:00:00Z"}}, {"schedule": {"at": "2025-02-20T08:00:00.000Z"}}),
    ({"schedule": {"delay_seconds": 60}}, {"schedule": {"at": "2025-02-19T21:11:12.345Z"}}),
]


@pytest.mark.parametrize(("change", "shown"), ONE_OFF_CHANGES)
def test_a_one_off_job_is_what_its_patch_makes_of_it_and_keeps_its_id(
    change: dict[str, Any], shown: dict[str, Any]
) -> None:
    world = ApiWorld()
    job = world.create(name="first")
    answer = patch(world, job, change)
    assert answer.status == 200, answer.text
    expected = job | shown | {"revision": 2}
    if "schedule" in shown:
        expected["next_due_at"] = shown["schedule"]["at"]
    expected["state"] = answer.json["state"]
    assert answer.json == expected
    assert answer.headers["ETag"] == '"2"'
    assert world.get(f"/v1/jobs/{job['id']}").json == answer.json


@pytest.mark.parametrize(
    "change", [{"name": "other"}, {"schedule": {"delay_seconds": 600, "jitter_seconds": 500}}]
)
def test_a_deadline_counts_from_when_the_job_is_due_with_its_jitter(change: dict[str, Any]) -> None:
    world = ApiWorld()
    job = world.create(start_deadline_seconds=1, schedule={"delay_seconds": 300, "jitter_seconds": 200})
    changed = patch(world, job, change).json
    assert changed["start_deadline_seconds"] == 1
    (last,) = (
        row.execution
        for row in world.world.table.executions.values()
        if row.execution.progress.moved_to is None
    )
    assert last.id.dispatch_at > last.nominal_at
    assert last.start_deadline_at == last.id.dispatch_at + 1_000


@pytest.mark.parametrize("moves", [1, 2, 5])
def test_a_job_that_was_moved_runs_once_at_its_last_time(moves: int) -> None:
    world = ApiWorld()
    job = moved = world.create()
    for number in range(moves):
        moved = patch(world, moved, {"schedule": {"delay_seconds": 600 + number}}).json
    rows = [row.execution for row in world.world.table.executions.values()]
    assert sorted(row.state for row in rows) == sorted([State.MOVED] * moves + [State.PENDING])
    (last,) = (row for row in rows if row.state is State.PENDING)
    assert last.job_id == job["id"]
    world.world.clock.time_ms = last.id.dispatch_at
    world.world.attempt(last)
    shown = world.get(f"/v1/jobs/{job['id']}").json
    assert (shown["state"], shown["created_at"]) == ("succeeded", job["created_at"])
    assert len(world.world.sender.calls) == 1


def test_the_new_place_of_a_moved_job_is_no_job_of_its_own() -> None:
    world = ApiWorld()
    job = world.create()
    patch(world, job, {"schedule": {"delay_seconds": 600}})
    (place,) = (
        key for key, row in world.world.table.executions.items() if row.execution.state is State.PENDING
    )
    assert world.get(f"/v1/jobs/job_{place.body}").problem == "not-found"


@pytest.mark.parametrize("moves", [1, 2, 5])
def test_the_execution_of_a_moved_job_is_found_by_each_id_that_it_ever_had(moves: int) -> None:
    world = ApiWorld()
    job = moved = world.create()
    history, seen = f"/v1/jobs/{job['id']}/executions", []
    for number in range(moves):
        seen += world.get(history).json["executions"]
        moved = patch(world, moved, {"schedule": {"delay_seconds": 600 + number}}).json
    (stands,) = world.get(history).json["executions"]
    found = [world.get(f"/v1/executions/{one['id']}").json for one in [*seen, stands]]
    assert found == [stands | {"waiting_for": None}] * (moves + 1)


def test_a_moved_job_can_be_cancelled_and_replayed() -> None:
    world = ApiWorld()
    job = world.post(JOB, idempotency_key="k").json
    moved = patch(world, job, {"schedule": {"delay_seconds": 600}}).json
    replayed = world.post(JOB, idempotency_key="k")
    assert (replayed.json, replayed.headers["Idempotency-Replayed"]) == (moved, "true")
    assert world.delete(f"/v1/jobs/{job['id']}").json["state"] == "cancelled"
    assert world.get(f"/v1/jobs/{job['id']}").json["state"] == "cancelled"


def test_a_cancel_that_meets_a_move_decides_nothing_and_holds_when_it_is_repeated() -> None:
    world = ApiWorld()
    job = world.create()
    path = f"/v1/jobs/{job['id']}"
    world.world.steps.before("store.cancel", lambda: patch(world, job, {"schedule": {"delay_seconds": 600}}))
    assert world.delete(path).problem == "service-unavailable"
    assert world.get(path).json["state"] == "pending"
    assert world.delete(path).json["state"] == "cancelled"


def test_a_replay_shows_the_job_as_it_stands_and_not_as_it_was_asked_for() -> None:
    world = ApiWorld()
    job = world.post(JOB, idempotency_key="k").json
    patch(world, job, {"request": {"url": "https://other.example/x"}})
    assert world.post(JOB, idempotency_key="k").json["request"]["url"] == "https://other.example/x"


@pytest.mark.parametrize(
    "state", [State.RUNNING, State.WAITING, State.SUCCEEDED, State.CANCELLED, State.FAILED]
)
def test_started_one_off_job_is_not_changed(state: State) -> None:
    world = ApiWorld()
    job = world.create()
    (row,) = world.world.table.executions.values()
    row.execution = in_state(row.execution, state)
    before = row.execution
    for change in ({"name": "late"}, {"schedule": {"delay_seconds": 5}}):
        assert patch(world, job, change).problem == "invalid-state"
    assert row.execution == before


@pytest.mark.parametrize(
    "change", [{"retry": {"max_attempts": 2}}, {"request": {"body": "x" * 50_000}}, {"name": "late"}]
)
def test_patch_after_the_end_is_refused_and_keeps_nothing(change: dict[str, Any]) -> None:
    """Also where fewer attempts are asked for than there were."""
    world = ApiWorld()
    job = world.create()
    (row,) = world.world.table.executions.values()
    row.execution = with_changes(in_state(row.execution, State.FAILED), attempt=3)
    assert patch(world, job, change).problem == "invalid-state"
    assert world.world.table.payloads == {}
