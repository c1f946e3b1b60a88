"""Jobs that start workflows through the API: creation, hostile bodies, patches, keys, executions and runs."""

from typing import Any

import pytest

from shared.domain.archive.row import row_of
from shared.domain.archive.unit import DAY_MS, HOUR_MS
from shared.domain.bucket import EVERY_SHARD, MINUTE_MS
from shared.domain.ids import parse_execution_id
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send
from tests.support.builders import DUE_AT
from tests.support.usecases.archived import archive
from tests.unit.api.test_workflows import created, refuses, shown, task, wait

ABSENT = f"wfl_1{27 * '0'}"
SOON: dict[str, Any] = {"delay_seconds": 0}
NIGHTLY: dict[str, Any] = {"cron": "30 2 * * *"}
URL = "https://receiver.example"


def scheduled(world: ApiWorld, workflow: Any, **members: Any) -> Any:
    answer = world.post({"schedule": SOON, "workflow": workflow["id"], **members})
    assert answer.status == 201, answer.text
    return answer.json


def execution_of(job: Any) -> str:
    return f"exe_{job['id'].removeprefix('job_')}"


def test_job_that_starts_a_workflow_is_shown_without_a_request():
    world = ApiWorld()
    workflow = created(world, task("a"))
    job = scheduled(world, workflow, schedule=NIGHTLY, overlap_policy="skip", on_failure=f"{URL}/failed")
    assert (job["workflow"], job["request"], job["on_failure"]) == (workflow["id"], None, f"{URL}/failed")
    assert job["retry"]["max_attempts"] == 1
    assert world.get(f"/v1/jobs/{job['id']}").json == job


def test_execution_shows_its_run_and_the_run_its_execution():
    world = ApiWorld()
    job = scheduled(world, created(world, task("a"), task("b", "a")))
    before = world.get(f"/v1/executions/{execution_of(job)}").json
    assert (before["state"], before.get("run")) == ("queued", None)
    wait(world)
    execution = world.get(f"/v1/executions/{execution_of(job)}").json
    assert execution["state"] == "succeeded"
    run = shown(world, execution["run"])
    assert (run["execution_id"], run["job_id"], run["state"]) == (execution["id"], job["id"], "succeeded")
    assert execution["attempts"][0]["reason"] == "ok"
    explained = world.get(f"/v1/executions/{execution_of(job)}/explain").json
    assert explained["summary"].startswith("The run that it started has succeeded.")


def test_archived_executions_show_their_run_and_task_as_their_records_did():
    world = ApiWorld()
    workflow = created(world, task("a"))
    job = scheduled(world, workflow)
    wait(world)
    starter = world.get(f"/v1/executions/{execution_of(job)}").json
    (only,) = shown(world, starter["run"])["tasks"]
    of_task = world.get(f"/v1/executions/{only['execution_id']}").json
    assert of_task["task"] == {"run_id": starter["run"], "key": "a", "epoch": 1}
    rows = []
    for before in (starter, of_task):
        execution = world.world.table.executions.pop(parse_execution_id(before["id"])).execution
        rows.append(row_of(execution))
    archive(world.world.archive_reader, world.world.history, rows)
    world.world.clock.time_ms += 40 * DAY_MS
    for before in (starter, of_task):
        assert world.get(f"/v1/executions/{before['id']}").json == before | {"archived": True}


def test_failed_run_is_a_dead_letter_with_its_reason():
    world = ApiWorld(answer_to=refuses("a"))
    job = scheduled(world, created(world, task("a")))
    wait(world)
    letter = world.get(f"/v1/dead-letters/{execution_of(job)}").json
    assert (letter["last_reason"], letter["request"]) == ("run_failed", None)
    assert letter["run"].startswith("run_")
    listed = world.get("/v1/dead-letters", reason="run_failed").json["executions"]
    assert [each["id"] for each in listed] == [letter["id"]]
    explained = world.get(f"/v1/executions/{letter['id']}/explain").json
    assert explained["summary"].startswith("The run that it started has failed.")


def test_deleted_workflow_is_explained():
    world = ApiWorld()
    workflow = created(world, task("a"))
    job = scheduled(world, workflow)
    assert send(world, "DELETE", f"/v1/workflows/{workflow['id']}").status == 200
    wait(world)
    failed = world.get(f"/v1/executions/{execution_of(job)}").json
    assert (failed["state"], failed["end_reason"], failed.get("run")) == ("failed", "not_retryable", None)
    assert failed["attempts"][0]["reason"] == "workflow_gone"
    explained = world.get(f"/v1/executions/{failed['id']}/explain").json
    assert explained["summary"].startswith("Its workflow does not exist any more, so no run was started.")


REQUEST = {"url": f"{URL}/a"}
HOSTILE: dict[str, tuple[dict[str, Any], str, str]] = {
    "an absent workflow": ({"workflow": ABSENT}, "/workflow", "create it first"),
    "an id of another kind": ({"workflow": "job_1"}, "/workflow", ""),
    "a number": ({"workflow": 7}, "/workflow", ""),
    "both": (
        {"workflow": ABSENT, "request": REQUEST},
        "/workflow",
        "exactly one of request, workflow and target",
    ),
    "neither": ({}, "/request", "exactly one of request, workflow and target"),
    "null": ({"workflow": None}, "/request", "exactly one of request, workflow and target"),
    "retries": ({"workflow": ABSENT, "retry": {"max_attempts": 1}}, "/retry", "each task"),
    "a timeout": ({"workflow": ABSENT, "timeout_seconds": 30}, "/timeout_seconds", "each task"),
    "a deadline": (
        {"workflow": ABSENT, "async_deadline_seconds": 60},
        "/async_deadline_seconds",
        "deadline_seconds of the workflow",
    ),
    "heartbeats": ({"workflow": ABSENT, "heartbeat_seconds": 60}, "/heartbeat_seconds", "no heartbeats"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("way", ["create", "key", "batch"])
def test_job_with_a_hostile_workflow_is_refused_at_its_place(name: str, way: str):
    members, pointer, text = HOSTILE[name]
    world, body = ApiWorld(), {"schedule": NIGHTLY, **members}
    if way == "create":
        answer: Any = world.post(body).json
    elif way == "key":
        answer = send(world, "PUT", "/v1/jobs/by-key/nightly", body).json
    else:
        answer = world.post({"jobs": [body]}, "/v1/jobs/batch").json["results"][0]["problem"]
        pointer = f"/jobs/0{pointer}"
    assert answer["status"] == 422
    found = {each["pointer"]: each["detail"] for each in answer["errors"]}
    assert text in found[pointer], found


@pytest.mark.parametrize("text", ["night", "job_r001jmg0r03szjym089eyz6ab9d1", "wfl_1" + "0" * 10_000])
def test_text_that_is_no_id_of_a_workflow_is_told_how_one_begins(text: str):
    refused = ApiWorld().post({"schedule": SOON, "workflow": text})
    assert (refused.status, refused.json["errors"][0]["pointer"]) == (422, "/workflow")
    assert refused.json["detail"] == "must be the ID of a workflow, which begins with wfl_1"


def test_workflow_of_another_tenant_is_absent():
    world = ApiWorld()
    workflow = created(world, task("a"))
    rival = world.world.create_tenant.execute("rival")
    body = {"schedule": SOON, "workflow": workflow["id"]}
    answer = world.post(body, authorization=f"Bearer {rival.api_key}")
    assert answer.status == 422
    assert [each["pointer"] for each in answer.json["errors"]] == ["/workflow"]


def test_patch_replaces_a_request_by_a_workflow_and_back():
    world = ApiWorld()
    first, second = created(world, task("a")), created(world, task("b"))
    job = world.post({"schedule": NIGHTLY, "request": REQUEST, "retry": {"max_attempts": 3}}).json
    path = f"/v1/jobs/{job['id']}"
    for workflow in (first, second):
        job = _patched(world, path, {"workflow": workflow["id"]})
        assert (job["workflow"], job["request"], job["retry"]["max_attempts"]) == (workflow["id"], None, 1)
    job = _patched(world, path, {"name": "nightly"})
    assert (job["name"], job["workflow"]) == ("nightly", second["id"])
    job = _patched(world, path, {"request": REQUEST})
    assert (job.get("workflow"), job["request"]["url"], job["retry"]["max_attempts"]) == (None, f"{URL}/a", 5)


def _patched(world: ApiWorld, path: str, patch: dict[str, Any]) -> Any:
    answer = send(world, "PATCH", path, patch, match="*")
    assert answer.status == 200, answer.text
    return answer.json


@pytest.mark.parametrize(
    ("patch", "pointer"),
    [
        ({"workflow": ABSENT}, "/workflow"),
        ({"retry": {"max_attempts": 2}}, "/retry"),
        ({"workflow": None}, "/request"),
    ],
)
def test_patch_of_a_workflow_job_is_refused_at_its_place(patch: dict[str, Any], pointer: str):
    world = ApiWorld()
    job = scheduled(world, created(world, task("a")), schedule=NIGHTLY)
    answer = send(world, "PATCH", f"/v1/jobs/{job['id']}", patch, match="*")
    assert answer.status == 422, answer.text
    assert pointer in [each["pointer"] for each in answer.json["errors"]]


def test_key_names_a_job_that_starts_a_workflow():
    world = ApiWorld()
    first, second = created(world, task("a")), created(world, task("b"))
    path, body = "/v1/jobs/by-key/nightly", {"schedule": NIGHTLY, "workflow": first["id"]}
    assert send(world, "PUT", path, body).json["change"] == "created"
    assert send(world, "PUT", path, body).json["change"] == "unchanged"
    changed = send(world, "PUT", path, {**body, "workflow": second["id"]}).json
    assert changed["change"] == "updated"
    assert [(each["pointer"], each["after"]) for each in changed["fields"]] == [("/workflow", second["id"])]
    called = send(world, "PUT", path, {"schedule": NIGHTLY, "request": REQUEST}).json
    assert (called["change"], called["job"]["request"]["url"]) == ("updated", f"{URL}/a")


def test_difference_between_a_request_and_a_workflow_shows_no_header_and_no_body():
    world = ApiWorld()
    path, workflow = "/v1/jobs/by-key/nightly", created(world, task("a"))
    calls = {
        "schedule": NIGHTLY,
        "request": {**REQUEST, "headers": {"X-Token": "s3cret"}, "body": "confidential"},
    }
    starts = {"schedule": NIGHTLY, "workflow": workflow["id"]}
    for stands, sent, side in ((calls, starts, "before"), (starts, calls, "after")):
        assert send(world, "PUT", path, stands).status == 200
        answer = send(world, "PUT", path, sent)
        fields = {each["pointer"]: each for each in answer.json["fields"]}
        assert fields["/request"][side] == {"method": "POST", "url": f"{URL}/a"}
        assert "s3cret" not in answer.text
        assert "confidential" not in answer.text


def test_open_run_refuses_a_plain_cancellation_and_stop_retries_cancels_it():
    world = ApiWorld()
    job = scheduled(world, created(world, task("a"), task("b", "a")))
    world.world.attempt(world.world.standing(parse_execution_id(execution_of(job))))
    answer = send(world, "DELETE", f"/v1/jobs/{job['id']}")
    assert answer.status == 409
    assert "cancel the run" in answer.json["detail"]
    assert world.delete(f"/v1/jobs/{job['id']}", stop_retries="true").json["state"] == "cancelled"
    execution = world.get(f"/v1/executions/{execution_of(job)}").json
    assert shown(world, execution["run"])["state"] == "cancelled"


def test_trigger_starts_a_run():
    world = ApiWorld()
    job = scheduled(world, created(world, task("a")), schedule={"rate_seconds": 3600})
    triggered = send(world, "POST", f"/v1/jobs/{job['id']}/trigger").json
    wait(world)
    execution = world.get(f"/v1/executions/{triggered['id']}").json
    assert (execution["state"], execution["run"].startswith("run_")) == ("succeeded", True)


@pytest.mark.parametrize(
    ("when_excluded", "days"),
    [
        ("skip", ["2025-02-21", "2025-02-25", "2025-02-26"]),
        ("next", ["2025-02-21", "2025-02-25", "2025-02-26"]),
        ("previous", ["2025-02-19", "2025-02-21", "2025-02-25"]),
    ],
)
def test_calendar_of_a_schedule_moves_or_leaves_out_runs_of_a_workflow(when_excluded: str, days: list[str]):
    """The world's clock is at Wednesday 19 February 2025, 21:10; the 20th and the 24th are out, and the weekend is."""
    world = ApiWorld()
    out = {"dates_out": ["2025-02-20", "2025-02-24"]}
    assert send(world, "PUT", "/v1/calendars/plant", out).status == 200
    rule = {} if when_excluded == "skip" else {"when_excluded": when_excluded}
    start = {} if when_excluded == "previous" else {"start_at": "2025-02-20T00:00:00Z"}
    schedule = {"cron": "30 22 * * *", "timezone": "UTC", "calendar": "plant", **rule, **start}
    workflow = created(world, task("a"))
    preview = world.post(schedule, "/v1/schedules/preview").json
    assert [run["local"][:10] for run in preview["runs"][:3]] == days
    job = scheduled(world, workflow, schedule=schedule)
    upcoming = world.get(f"/v1/jobs/{job['id']}/upcoming", count="3").json["runs"]
    assert [run["local"][:10] for run in upcoming] == days
    for day in range(8):
        # Four minutes of each day, around the time of the schedule.
        world.world.clock.time_ms = DUE_AT - DUE_AT % DAY_MS + day * DAY_MS + 22 * HOUR_MS + 28 * MINUTE_MS
        for _ in range(4):
            world.world.watch.execute(EVERY_SHARD)
            wait(world, 60)
    runs = world.get(f"/v1/workflows/{workflow['id']}/runs").json["runs"]
    assert [run["created_at"][:10] for run in reversed(runs)][:3] == days
    assert {run["state"] for run in runs} == {"succeeded"}


def test_workflow_runs_on_the_last_business_day_of_a_month():
    world = ApiWorld()
    workflow = created(world, task("a"))
    schedule = {"cron": "0 18 * * *", "timezone": "Europe/Berlin", "calendar": "DE", "business_day": -1}
    job = scheduled(world, workflow, schedule=schedule)
    assert (job["schedule"], job["next_due_at"]) == (schedule, "2025-02-28T17:00:00.000Z")
