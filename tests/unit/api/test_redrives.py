"""Bulk redrives over the API: planned, started, shown, undone, and refused in words."""

from typing import Any

import pytest

from shared.domain.bulk.task import SETTLED_MS
from shared.domain.delivery.callback import CallbackResponse as Reply
from shared.domain.delivery.callback import Reason
from shared.domain.ids import parse_execution_id
from shared.usecases.dead_letters import process_bulk_redrives
from tests.support.api.api_world import ApiWorld
from tests.support.api.failed_jobs import failed_jobs
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.redrives import redrives_of

PATH = "/v1/dead-letters/redrive"
TOLD = "https://told.example/won"
OK = Reply(reason=Reason.OK, duration_ms=5, status=200)


def test_a_plan_tells_how_many_and_shows_some() -> None:
    world, made = failed_jobs(12)
    plan = world.post({"dry_run": True}, PATH)
    assert (plan.status, plan.json["count"], plan.json["already_redriven"], plan.json["complete"]) == (
        200,
        12,
        0,
        True,
    )
    assert [one["id"] for one in plan.json["sample"]] == [one["id"] for one in made[:10]]
    assert all(one["redriven_by"] is None for one in world.get("/v1/dead-letters").json["executions"])


def test_the_first_page_is_redriven_at_once_and_the_rest_by_the_redriver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_bulk_redrives, "PAGE", 50)
    world, made = failed_jobs(60)
    answer = world.post({"rate": 100}, PATH)
    assert answer.status == 202
    redrive = answer.json
    assert answer.headers["Location"] == f"/v1/redrives/{redrive['id']}"
    assert (redrive["state"], redrive["counts"]["redriven"]) == ("running", 50)
    world.world.process_bulk_tasks.execute()
    shown = world.get(f"/v1/redrives/{redrive['id']}").json
    assert (shown["state"], shown["counts"]["redriven"], shown["progress_at"]) == ("finished", 60, None)
    Lanes(world.world).until(world.world.clock.time_ms + 10_000)
    redriven = [one["redriven_by"] for one in world.get("/v1/dead-letters", limit="100").json["executions"]]
    assert len(set(redriven)) == 60
    assert len(made) == 60


def test_the_same_request_under_the_same_key_is_one_redrive() -> None:
    world, _ = failed_jobs(2)
    first = world.post({}, PATH, idempotency_key="k")
    world.world.process_bulk_tasks.execute()
    world.world.clock.time_ms += 90_000
    again = world.post({}, PATH, idempotency_key="k")
    assert (again.status, again.json["id"], again.json["state"]) == (202, first.json["id"], "finished")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert world.post({"rate": 3}, PATH, idempotency_key="k").problem == "idempotency-key-reused"
    assert world.post({}, PATH, idempotency_key="a b").problem == "idempotency-key-invalid"


def test_second_bulk_redrive_of_a_tenant_is_refused_while_one_is_open() -> None:
    world, _ = failed_jobs(2)
    first = world.post({}, PATH).json["id"]
    refused = world.post({"lane": "bulk"}, PATH)
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert first in refused.json["detail"]


def test_an_undo_says_how_many_were_too_late() -> None:
    world, made = failed_jobs(5)
    redrive = world.post({"rate": 1}, PATH).json["id"]
    Lanes(world.world).until(world.world.clock.time_ms + 1_500)
    answer = world.delete(f"/v1/redrives/{redrive}")
    assert (answer.status, answer.json["state"]) == (202, "undoing")
    assert (
        answer.json["counts"] | {"redriven": 5, "cancelled": 3, "already_started": 2} == answer.json["counts"]
    )
    world.world.process_bulk_tasks.execute()
    world.world.clock.time_ms += SETTLED_MS
    world.world.process_bulk_tasks.execute()
    shown = world.get(f"/v1/redrives/{redrive}").json
    assert (shown["state"], shown["counts"]["cancelled"], shown["counts"]["already_started"]) == (
        "undone",
        3,
        2,
    )
    states = [world.get(f"/v1/executions/{one['redriven_by']}").json["state"] for one in _letters(world)]
    assert sorted(states) == ["cancelled"] * 3 + ["succeeded"] * 2
    assert world.delete(f"/v1/redrives/{redrive}").json["state"] == "undone"
    assert len(made) == 5


def _letters(world: ApiWorld) -> Any:
    return world.get("/v1/dead-letters").json["executions"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ([], "validation-failed"),
        (None, "validation-failed"),
        ({"rate": 0}, "validation-failed"),
        ({"rate": 1_001}, "validation-failed"),
        ({"rate": 1.5}, "validation-failed"),
        ({"rate": "5"}, "validation-failed"),
        ({"rate": True}, "validation-failed"),
        ({"status": 99}, "validation-failed"),
        ({"status": "503"}, "validation-failed"),
        ({"lane": "fast"}, "validation-failed"),
        ({"lane": "slow"}, "validation-failed"),
        ({"job": "x"}, "validation-failed"),
        ({"job": "exe_1" + "0" * 30}, "validation-failed"),
        ({"job": "j" * 10_000}, "validation-failed"),
        ({"tag": "A B"}, "validation-failed"),
        ({"reason": "because"}, "validation-failed"),
        ({"reason": 5}, "validation-failed"),
        ({"from": "yesterday"}, "validation-failed"),
        ({"from": "2025-02-19T12:00:00"}, "validation-failed"),
        ({"from": "2025-02-19T12:00:00Z", "to": "2025-02-19T12:00:00Z"}, "validation-failed"),
        ({"from": "2025-02-19T13:00:00Z", "to": "2025-02-19T12:00:00Z"}, "validation-failed"),
        ({"dry_run": "yes"}, "validation-failed"),
        ({"payload": "x"}, "validation-failed"),
    ],
)
def test_invalid_redrive_request_is_refused(body: Any, problem: str) -> None:
    world, _ = failed_jobs()
    answer = world.post(body, PATH)
    assert (answer.status, answer.problem) == (422, problem)
    assert world.world.redrives.tasks == {}


@pytest.mark.parametrize("redrive_id", ["rdr_" + "0" * 26, "unknown", "rdr_" + "x" * 2_000])
def test_unknown_redrive_is_not_found(redrive_id: str) -> None:
    world = ApiWorld()
    assert world.get(f"/v1/redrives/{redrive_id}").problem == "not-found"
    assert world.delete(f"/v1/redrives/{redrive_id}").problem == "not-found"


def test_a_store_that_fails_after_it_is_durable_costs_no_answer() -> None:
    world, made = failed_jobs(2)
    world.world.steps.fail("queries.index_pages")
    answer = world.post({}, PATH)
    assert (answer.status, answer.json["counts"]["redriven"]) == (202, 0)
    world.world.process_bulk_tasks.execute()
    assert all(one["redriven_by"] for one in _letters(world))
    assert len(made) == 2


@pytest.mark.parametrize("keys", [("k", "k"), ("k", "other"), ("a b", ""), ("k" * 5_000, "k")])
def test_a_single_redrive_needs_no_key_and_lets_any_be(keys: tuple[str, str]) -> None:
    world, (dead,) = failed_jobs()
    path = f"/v1/executions/{dead['id']}/redrive"
    first, again = (world.post({}, path, idempotency_key=key) for key in keys)
    assert (first.status, again.status, again.json["id"]) == (201, 201, first.json["id"])
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(redrives_of(world.world, world.world.standing(parse_execution_id(dead["id"])))) == 1


def test_a_redrive_of_a_notification_whose_original_has_gone_is_refused_in_words() -> None:
    world = ApiWorld()
    gone = Reply(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
    world.world.sender.answer_to = lambda call: gone if call.url == TOLD else OK
    world.create(schedule={"delay_seconds": 0}, on_success=TOLD)
    Lanes(world.world).until(world.world.clock.time_ms + 10_000)
    (dead,) = _letters(world)
    del world.world.table.executions[parse_execution_id(dead["notification_of"])]
    path = f"/v1/executions/{dead['id']}/redrive"
    refused = world.post({}, path)
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert "tells of" in refused.json["detail"]
    assert world.get(f"/v1/dead-letters/{dead['id']}").json["request"] is None
