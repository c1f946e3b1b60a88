"""The HTTP application over the fakes: what each operation answers."""

import json
from typing import Any

import pytest

from shared.domain.bucket import GUARD_MS
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.executions.states import State
from tests.support.api.api_world import JOB, ApiWorld, Request
from tests.support.builders import TENANT
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import EARLY

MINUTE = 60_000


def test_an_accepted_job_is_shown_with_where_to_find_it() -> None:
    world = ApiWorld()
    answer = world.post(JOB | {"name": "report", "lane": "bulk"})
    assert answer.status == 201
    job = answer.json
    assert (job["kind"], job["state"], job["name"], job["lane"]) == ("once", "pending", "report", "bulk")
    assert job["schedule"] == {"at": "2025-02-19T22:10:12.345Z"}
    assert job["next_due_at"] == "2025-02-19T22:10:12.345Z"
    assert job["request"] == {"method": "POST", "url": "https://receiver.example/hook"}
    assert answer.headers["Location"] == f"/v1/jobs/{job['id']}"
    assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"1"', "no-store")
    assert world.get(answer.headers["Location"]).json == job


@pytest.mark.parametrize(
    ("schedule", "kind", "shown", "next_due_at"),
    [
        (
            {"at": "2030-01-01T09:00:00+01:00"},
            "once",
            {"at": "2030-01-01T08:00:00.000Z"},
            "2030-01-01T08:00:00.000Z",
        ),
        (
            {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
            "cron",
            {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
            "2025-02-20T01:30:00.000Z",
        ),
        (
            {"rate_seconds": 90},
            "rate",
            {"rate_seconds": 90, "start_at": "2025-02-19T21:10:12.000Z"},
            "2025-02-19T21:11:42.000Z",
        ),
    ],
)
def test_every_kind_of_schedule_is_shown_normalised(
    schedule: dict[str, Any], kind: str, shown: dict[str, Any], next_due_at: str
) -> None:
    job = ApiWorld().create(schedule=schedule)
    assert (job["kind"], job["schedule"], job["next_due_at"]) == (kind, shown, next_due_at)


def test_headers_and_body_of_the_request_are_never_shown_again() -> None:
    world = ApiWorld()
    request = {"url": "https://receiver.example/", "headers": {"X-Token": "s3cr3t-h"}, "body": "s3cr3t-b"}
    answer = world.post(JOB | {"request": request})
    assert "s3cr3t" not in answer.text
    assert "s3cr3t" not in world.get(answer.headers["Location"]).text


def test_a_json_body_brings_its_content_type_unless_one_was_given() -> None:
    world = ApiWorld()
    for headers in ({}, {"content-TYPE": "application/vnd.acme+json"}):
        target = {"url": "https://receiver.example/", "json": {"ä": [1]}, "headers": headers}
        world.create(schedule={"delay_seconds": 0}, request=target)
    Lanes(world.world).until(EARLY + MINUTE)
    sent = [dict(call.callback.headers) for call in world.world.sender.calls]
    assert [each.get("Content-Type", each.get("content-TYPE")) for each in sent] == [
        "application/json",
        "application/vnd.acme+json",
    ]
    assert {call.callback.body for call in world.world.sender.calls} == {'{"ä":[1]}'.encode()}


def test_a_replay_is_answered_alike_and_says_so() -> None:
    world = ApiWorld()
    first = world.post(JOB, idempotency_key="k-1")
    world.world.clock.time_ms += MINUTE
    again = world.post(JOB, idempotency_key="k-1")
    assert (first.status, again.status, again.json) == (201, 201, first.json)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"


def test_cancelling_answers_with_the_cancelled_job() -> None:
    world = ApiWorld()
    job = world.create()
    answer = world.delete(f"/v1/jobs/{job['id']}")
    assert (answer.status, answer.json["state"], answer.json["next_due_at"]) == (200, "cancelled", None)
    assert world.delete(f"/v1/jobs/{job['id']}").status == 200


def test_deleting_a_recurring_job_answers_with_the_deleted_one() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    answer = world.delete(f"/v1/jobs/{job['id']}")
    assert (answer.status, answer.json["state"], answer.json["next_due_at"]) == (200, "deleted", None)


def test_letting_the_running_attempt_be_the_last_is_accepted_and_not_done() -> None:
    world = ApiWorld()
    job = world.create(schedule={"delay_seconds": 0})
    (key,) = world.world.sent()
    answers: list[int] = []
    world.world.steps.before(
        "store.finish",
        lambda: answers.append(world.delete(f"/v1/jobs/{job['id']}", stop_retries="true").status),
    )
    world.world.attempt(world.world.standing(key))
    assert answers == [202]


def test_the_history_of_a_job_comes_page_by_page() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    Lanes(world.world).until(EARLY + 5 * MINUTE)
    path = f"/v1/jobs/{job['id']}/executions"
    states: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(10):
        page = world.get(path, limit="2", **cursor)
        assert page.status == 200
        states += [execution["state"] for execution in page.json["executions"]]
        if page.json["next_cursor"] is None:
            break
        cursor = {"cursor": page.json["next_cursor"]}
    assert states == ["queued", *["succeeded"] * 5]


def test_an_execution_is_shown_with_its_attempts() -> None:
    world = ApiWorld()
    down = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500, body=b"down \xff")
    world.world.sender.answer_to = in_turn(down)
    job = world.create(schedule={"delay_seconds": 0})
    world.world.attempt(world.world.standing(world.world.sent()[0]))
    (shown,) = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]
    assert (shown["job_id"], shown["state"], shown["attempts_begun"]) == (job["id"], "waiting", 1)
    assert shown["attempts"] == [
        {
            "number": 1,
            "started_at": "2025-02-19T21:10:12.345Z",
            "duration_ms": 5,
            "status": 500,
            "reason": "http_status",
        }
    ]
    assert shown["next_attempt_at"] > shown["scheduled_at"]
    assert shown["last_response_body"] == "down \N{REPLACEMENT CHARACTER}"
    assert (shown["end_reason"], shown["missed"]) == (None, None)


def test_dead_letters_come_page_by_page() -> None:
    world = ApiWorld()
    world.world.sender.answer_to = in_turn(
        CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
    )
    jobs = [world.create(schedule={"delay_seconds": second}) for second in range(3)]
    Lanes(world.world).until(EARLY + MINUTE)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(5):
        page = world.get("/v1/dead-letters", limit="2", **cursor).json
        seen += [execution["job_id"] for execution in page["executions"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == [job["id"] for job in reversed(jobs)]


def test_missed_instants_are_shown_as_one_record() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    world.world.clock.time_ms += 10 * MINUTE
    world.world.attempt(world.world.standing(world.world.sent()[0]))
    shown = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]
    assert [execution["state"] for execution in shown] == [State.QUEUED, State.SKIPPED, State.SUCCEEDED]
    assert shown[1]["missed"] == {
        "count": 8,
        "first_at": "2025-02-19T21:12:12.000Z",
        "last_at": "2025-02-19T21:19:12.000Z",
    }
    assert shown[1]["end_reason"] == "coalesced"


@pytest.mark.parametrize("path", ["/v1/health", "/v1/openapi.json"])
def test_open_paths_answer_anybody(path: str) -> None:
    assert ApiWorld().handle(Request(method="GET", path=path)).status == 200


def test_job_of_another_tenant_looks_like_an_unknown_one() -> None:
    world = ApiWorld()
    job = world.create()
    other = world.world.create_tenant.execute("other")
    stranger = {"authorization": f"Bearer {other.api_key}"}
    for method, suffix in (("GET", ""), ("DELETE", ""), ("GET", "/executions")):
        paths = [f"/v1/jobs/{name}{suffix}" for name in (job["id"], "job_unknown")]
        answers = [world.handle(Request(method=method, path=path, headers=stranger)) for path in paths]
        assert [answer.problem for answer in answers] == ["not-found"] * 2
        assert answers[0].text == answers[1].text
    assert world.get(f"/v1/jobs/{job['id']}").json["state"] == "pending"
    assert world.world.tenants.tenants.keys() == {TENANT, "other"}


def test_request_inherits_no_identity_from_an_earlier_request() -> None:
    world = ApiWorld()
    world.create()
    assert world.handle(Request(method="POST", path="/v1/jobs", body="{}")).problem == "unauthenticated"
    assert world.get("/v1/nowhere").problem == "not-found"
    assert world.handle(Request(method="GET", path="/v1/jobs/x")).problem == "unauthenticated"


@pytest.mark.parametrize(
    ("behind_ms", "status"), [(300_000, 503), (GUARD_MS + 1, 503), (GUARD_MS, 201), (-300_000, 201)]
)
def test_process_whose_clock_is_behind_the_gateway_accepts_no_job(behind_ms: int, status: int) -> None:
    """It would file the job into a bucket that was already swept."""
    world = ApiWorld()
    received_at = world.world.clock.now_ms() + behind_ms
    headers = world.credential | {"content-type": "application/json"}
    request = Request(
        method="POST", path="/v1/jobs", body=json.dumps(JOB), headers=headers, received_at=received_at
    )
    assert world.handle(request).status == status
    assert len(world.world.table.executions) == (status == 201)
