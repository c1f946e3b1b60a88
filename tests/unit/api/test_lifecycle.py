"""PATCH, pause, resume and trigger over HTTP."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from shared.domain.execution import State
from shared.domain.job import JobState
from tests.builders import TENANT, in_state
from tests.unit.functions.api_world import JOB, Answer, ApiWorld, Request

MINUTELY: dict[str, Any] = {"schedule": {"rate_seconds": 60}}
DAILY: dict[str, Any] = {"schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}}
HOUR = 3_600_000


def send(
    world: ApiWorld, method: str, path: str, document: Any = None, match: str | None = None, **headers: str
) -> Answer:
    """A request of the tenant, with a body where there is a document."""
    spelt = world.credential | {name.replace("_", "-"): value for name, value in headers.items()}
    if match is not None:
        spelt["if-match"] = match
    if document is not None:
        spelt.setdefault("content-type", "application/json")
    body = None if document is None else orjson.dumps(document)
    return world.handle(Request(method=method, path=path, headers=spelt, body=body))


def patch(world: ApiWorld, job: dict[str, Any], document: Any, match: str | None = "") -> Answer:
    """A PATCH of a job as it was last seen."""
    tag = f'"{job["revision"]}"' if match == "" else match
    return send(world, "PATCH", f"/v1/jobs/{job['id']}", document, tag)


def post(world: ApiWorld, job: dict[str, Any], verb: str, document: Any = None, **headers: str) -> Answer:
    """One of the verbs."""
    return send(world, "POST", f"/v1/jobs/{job['id']}/{verb}", document, **headers)


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
        row.execution for row in world.world.table.executions.values() if row.execution.moved_to is None
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
def test_what_has_started_is_changed_no_more(state: State) -> None:
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
def test_it_is_too_late_whatever_the_change_and_nothing_of_it_is_kept(change: dict[str, Any]) -> None:
    """Also where fewer attempts are asked for than there were."""
    world = ApiWorld()
    job = world.create()
    (row,) = world.world.table.executions.values()
    row.execution = replace(in_state(row.execution, State.FAILED), attempt=3)
    assert patch(world, job, change).problem == "invalid-state"
    assert world.world.table.payloads == {}


RECURRING_CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "other", "tags": ["x"]}, {"name": "other", "tags": ["x"]}),
    ({"timeout_seconds": 7}, {"timeout_seconds": 7}),
    (
        {"async_deadline_seconds": 7_200, "heartbeat_seconds": 10},
        {"async_deadline_seconds": 7_200, "heartbeat_seconds": 10},
    ),
    ({"overlap_policy": "skip"}, {"overlap_policy": "skip"}),
    ({"catch_up": "all", "catch_up_limit": 7}, {"catch_up": "all", "catch_up_limit": 7}),
    (
        {"schedule": {"timezone": "UTC"}},
        {"schedule": {"cron": "30 2 * * *", "timezone": "UTC"}, "next_due_at": "2025-02-20T02:30:00.000Z"},
    ),
    (
        {"schedule": {"rate_seconds": 60, "start_at": "2025-02-19T00:00:00Z"}},
        {
            "kind": "rate",
            "schedule": {"rate_seconds": 60, "start_at": "2025-02-19T00:00:00.000Z"},
            "next_due_at": "2025-02-19T21:11:00.000Z",
        },
    ),
    (
        {"schedule": {"expression": "cron(0 9 ? * MON *)"}},
        {
            "schedule": {"expression": "cron(0 9 ? * MON *)", "timezone": "UTC", "dst_gap": "skip"},
            "next_due_at": "2025-02-24T09:00:00.000Z",
        },
    ),
    (
        {"schedule": {"max_runs": 3, "end_at": "2030-01-01T00:00:00Z"}},
        {
            "schedule": {
                "cron": "30 2 * * *",
                "timezone": "Europe/Berlin",
                "end_at": "2030-01-01T00:00:00.000Z",
                "max_runs": 3,
            }
        },
    ),
]


@pytest.mark.parametrize(("change", "shown"), RECURRING_CHANGES)
def test_a_recurring_job_is_what_its_patch_makes_of_it(change: dict[str, Any], shown: dict[str, Any]) -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    answer = patch(world, job, change)
    assert answer.status == 200, answer.text
    assert answer.json == job | shown | {"revision": 2}
    assert world.get(f"/v1/jobs/{job['id']}").json == answer.json


@pytest.mark.parametrize("create", [{}, DAILY])
def test_a_patch_that_changes_nothing_changes_nothing(create: dict[str, Any]) -> None:
    world = ApiWorld()
    job = world.create(**create)
    assert patch(world, job, {}).json == job | {"revision": 2}


@pytest.mark.parametrize("create", [{}, DAILY])
@pytest.mark.parametrize(
    ("match", "status", "problem"),
    [
        (None, 428, "precondition-required"),
        ('"2"', 412, "precondition-failed"),
        ('W/"1"', 412, "precondition-failed"),
        ("1", 412, "precondition-failed"),
        ('"\u0661"', 412, "precondition-failed"),
        ("", 412, "precondition-failed"),
        ('"99999999999999999999"', 412, "precondition-failed"),
    ],
)
def test_only_who_has_seen_the_job_may_change_it(
    create: dict[str, Any], match: str | None, status: int, problem: str
) -> None:
    world = ApiWorld()
    job = world.create(**create)
    answer = send(world, "PATCH", f"/v1/jobs/{job['id']}", {"name": "x"}, match)
    assert (answer.status, answer.problem) == (status, problem)
    assert world.get(f"/v1/jobs/{job['id']}").json == job


def test_a_star_is_whoever_takes_the_job_as_it_is() -> None:
    world = ApiWorld()
    job = world.create()
    assert patch(world, job, {"name": "x"}, "*").json["revision"] == 2


@pytest.mark.parametrize(
    ("create", "change", "problem", "pointer"),
    [
        ({}, {"schedule": {"cron": "0 9 * * *"}}, "validation-failed", "/schedule"),
        (DAILY, {"schedule": {"delay_seconds": 5}}, "validation-failed", "/schedule"),
        (DAILY, {"schedule": {"cron": "61 * * * *"}}, "validation-failed", "/schedule/cron"),
        (DAILY, {"schedule": {"cron": "0 0 30 2 *"}}, "schedule-never-fires", "/schedule"),
        (DAILY, {"schedule": {"end_at": "2001-01-01T00:00:00Z"}}, "schedule-never-fires", "/schedule"),
        ({}, {"schedule": {"at": "2001-01-01T00:00:00Z"}}, "schedule-in-past", "/schedule/at"),
        ({}, {"catch_up": "all"}, "validation-failed", ""),
        ({}, {"schedule": None}, "validation-failed", "/schedule"),
        ({}, {"request": None}, "validation-failed", "/request"),
        ({}, {"unknown": 1}, "validation-failed", "/unknown"),
        ({}, {"id": "job_x"}, "validation-failed", "/id"),
        ({}, {"timeout_seconds": 61}, "validation-failed", "/timeout_seconds"),
        ({}, {"tags": ["Not A Tag"]}, "validation-failed", "/tags/0"),
        ({}, {"request": {"url": "http://plain.example/"}}, "callback-url-not-allowed", "/request/url"),
        ({}, [], "validation-failed", ""),
        ({}, "text", "validation-failed", ""),
    ],
)
def test_what_comes_out_is_judged_like_a_new_job(
    create: dict[str, Any], change: Any, problem: str, pointer: str
) -> None:
    world = ApiWorld()
    job = world.create(**create)
    answer = patch(world, job, change)
    assert (answer.status, answer.problem) == (422, problem)
    assert any(error["pointer"].startswith(pointer) for error in answer.json["errors"])
    assert world.get(f"/v1/jobs/{job['id']}").json == job


def test_headers_are_merged_and_a_body_replaces_the_other_kind() -> None:
    world = ApiWorld()
    job = world.create(
        request={"url": "https://receiver.example/hook", "headers": {"X-A": "1", "X-B": "2"}, "json": 1}
    )
    patch(world, job, {"request": {"headers": {"X-A": None, "X-C": "3"}, "body": "plain"}})
    (row,) = world.world.table.executions.values()
    request = world.world.open_request(world.world.tenant, row.execution)
    assert request.body == b"plain"
    assert dict(request.headers) == {"X-B": "2", "X-C": "3", "Content-Type": "application/json"}


def test_a_large_request_may_become_small_and_a_small_one_large() -> None:
    world = ApiWorld()
    job = world.create()
    for body in ("x" * 50_000, "small", "y" * 60_000):
        job = patch(world, job, {"request": {"body": body}}).json
        row = next(iter(world.world.table.executions.values()))
        assert world.world.open_request(world.world.tenant, row.execution).body == body.encode()


def test_a_large_request_for_a_job_that_has_ended_is_not_stored() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    ended = replace(world.world.table.jobs[TENANT, job["id"]], state=JobState.COMPLETED)
    world.world.table.jobs[TENANT, job["id"]] = ended
    assert patch(world, job, {"request": {"body": "x" * 50_000}}).status == 409
    assert world.world.table.payloads == {}


@pytest.mark.parametrize("media", ["application/merge-patch+json", "application/json"])
def test_a_patch_says_what_it_is(media: str) -> None:
    world = ApiWorld()
    job = world.create()
    path = f"/v1/jobs/{job['id']}"
    assert send(world, "PATCH", path, {"name": "x"}, '"1"', content_type=media).status == 200
    assert (
        send(world, "PATCH", path, {}, '"1"', content_type="text/plain").problem == "unsupported-media-type"
    )


class TestPause:
    """Pause and resume."""

    def test_a_paused_job_says_so_and_why(self) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        answer = post(world, job, "pause", {"reason": "maintenance"})
        assert answer.status == 200, answer.text
        shown = {"state": "paused", "pause_reason": "maintenance", "next_due_at": None, "revision": 2}
        assert answer.json == job | shown
        assert answer.headers["ETag"] == '"2"'

    def test_it_runs_no_more_until_it_is_resumed(self) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        post(world, job, "pause")
        world.world.clock.time_ms += HOUR
        resumed = post(world, job, "resume").json
        assert (resumed["state"], resumed["pause_reason"], resumed["revision"]) == ("active", None, 3)
        assert resumed["next_due_at"] == "2025-02-19T22:11:12.000Z"

    def test_what_it_passed_over_is_told_of_a_deleted_job_too(self) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        post(world, job, "pause")
        world.world.clock.time_ms += HOUR
        world.delete(f"/v1/jobs/{job['id']}")
        told = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]
        (skipped,) = (one for one in told if one["state"] == "skipped")
        assert (skipped["end_reason"], skipped["missed"]["count"]) == ("job_paused", 59)

    def test_both_may_be_repeated(self) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        paused = post(world, job, "pause", {"reason": "one"}).json
        assert post(world, job, "pause", {"reason": "two"}).json == paused
        resumed = post(world, job, "resume").json
        assert post(world, job, "resume").json == resumed

    @pytest.mark.parametrize("verb", ["pause", "resume"])
    def test_a_job_that_runs_once_has_neither(self, verb: str) -> None:
        world = ApiWorld()
        assert post(world, world.create(), verb).problem == "invalid-state"

    @pytest.mark.parametrize("verb", ["pause", "resume", "trigger"])
    def test_a_deleted_job_has_none_of_it(self, verb: str) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        world.delete(f"/v1/jobs/{job['id']}")
        assert post(world, job, verb).problem == "invalid-state"

    @pytest.mark.parametrize("verb", ["pause", "resume", "trigger"])
    @pytest.mark.parametrize("unknown", ["job_unknown", "job_r" + "0" * 26, "job_1" + "0" * 29])
    def test_an_unknown_job_is_not_found(self, verb: str, unknown: str) -> None:
        assert post(ApiWorld(), {"id": unknown}, verb).problem == "not-found"

    @pytest.mark.parametrize("verb", ["pause", "resume"])
    def test_a_stale_tag_is_refused(self, verb: str) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        assert (
            send(world, "POST", f"/v1/jobs/{job['id']}/{verb}", None, '"7"').problem == "precondition-failed"
        )

    @pytest.mark.parametrize("verb", ["pause", "resume"])
    def test_of_a_deleted_job_too_and_before_its_state_is_looked_at(self, verb: str) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        path = f"/v1/jobs/{job['id']}"
        world.delete(path)
        assert send(world, "POST", f"{path}/{verb}", None, '"7"').problem == "precondition-failed"

    @pytest.mark.parametrize("reason", ["", "x" * 257, 7, None])
    def test_a_reason_is_a_short_text(self, reason: Any) -> None:
        world = ApiWorld()
        job = world.create(**MINUTELY)
        answer = post(world, job, "pause", {"reason": reason})
        assert answer.status == (200 if reason is None else 422)


class TestTrigger:
    """One run more, now."""

    def test_it_is_called_at_once_beside_the_schedule(self) -> None:
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

    def test_the_same_key_makes_one_run_however_often_it_is_sent(self) -> None:
        world = ApiWorld()
        job = world.create(**DAILY)
        first = post(world, job, "trigger", idempotency_key="k")
        second = post(world, job, "trigger", idempotency_key="k")
        assert second.json == first.json
        assert (second.status, second.headers["Idempotency-Replayed"]) == (201, "true")
        assert post(world, job, "trigger", idempotency_key="other").json["id"] != first.json["id"]

    def test_a_key_of_another_request_is_refused(self) -> None:
        world = ApiWorld()
        job = world.create(**DAILY)
        world.post(JOB, idempotency_key="k")
        assert post(world, job, "trigger", idempotency_key="k").problem == "idempotency-key-reused"
        other = world.create(**MINUTELY)
        post(world, job, "trigger", idempotency_key="j")
        assert post(world, other, "trigger", idempotency_key="j").problem == "idempotency-key-reused"

    def test_one_that_is_refused_takes_no_key(self) -> None:
        world = ApiWorld()
        job = world.create(**DAILY)
        run = post(world, job, "trigger", idempotency_key="mine").json
        world.delete(f"/v1/jobs/{job['id']}")
        assert post(world, job, "trigger", idempotency_key="k").problem == "invalid-state"
        assert world.post(JOB, idempotency_key="k").status == 201
        assert post(world, job, "trigger", idempotency_key="mine").json["id"] == run["id"], "a replay"

    def test_a_paused_job_can_be_triggered_and_a_one_off_cannot(self) -> None:
        world = ApiWorld()
        job = world.create(**DAILY)
        post(world, job, "pause")
        assert post(world, job, "trigger").status == 201
        assert post(world, world.create(), "trigger").problem == "invalid-state"

    def test_a_deletion_takes_it_along(self) -> None:
        world = ApiWorld()
        job = world.create(**DAILY)
        triggered = post(world, job, "trigger").json["id"]
        world.delete(f"/v1/jobs/{job['id']}")
        (row,) = (row for key, row in world.world.table.executions.items() if str(key) == triggered)
        assert row.execution.state is State.CANCELLED

    def test_a_run_that_a_deletion_overlooked_makes_no_call(self) -> None:
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
    def test_a_lost_answer_on_the_way_makes_no_second_run(self, step: str) -> None:
        world = ApiWorld()
        job = world.create(**DAILY)
        before = len(world.world.table.executions)
        world.world.steps.lose_answer(step)
        assert post(world, job, "trigger", idempotency_key="k").problem == "service-unavailable"
        assert post(world, job, "trigger", idempotency_key="k").status == 201
        assert len(world.world.table.executions) == before + 1
        assert world.world.table.jobs[TENANT, job["id"]].revision == 1
