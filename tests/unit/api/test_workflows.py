"""Workflows and their runs through the API: hostile definitions, revisions, quotas, and runs as they are shown."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from functions.api.http.admission import MAX_BODY_BYTES
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.tenancy.quota import Quota
from shared.domain.workflows.graph import MAX_EDGES, MAX_TASKS
from shared.domain.workflows.run import MAX_DEADLINE_SECONDS
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send
from tests.support.fakes.sender import succeeds
from tests.support.usecases.lanes import Lanes

URL = "https://receiver.example"
NO_EXECUTION: dict[str, Any] = {"execution_id": None, "attempts_begun": 0, "attempts": [], "due_at": None}


def task(key: str, *after: str, **members: Any) -> dict[str, Any]:
    return {"key": key, "after": list(after), "request": {"url": f"{URL}/{key}"}, **members}


DIAMOND = [task("top"), task("left", "top"), task("right", "top"), task("join", "left", "right")]


def created(world: ApiWorld, *tasks: dict[str, Any], **members: Any) -> Any:
    answer = world.post({"tasks": list(tasks) or DIAMOND, **members}, "/v1/workflows")
    assert answer.status == 201, answer.text
    return answer.json


def started(world: ApiWorld, workflow: Any) -> str:
    answer = send(world, "POST", f"/v1/workflows/{workflow['id']}/runs")
    assert answer.status == 201, answer.text
    return str(answer.json["id"])


def shown(world: ApiWorld, run: str) -> Any:
    return world.get(f"/v1/runs/{run}").json


def states(world: ApiWorld, run: str) -> dict[str, str]:
    return {each["key"]: each["state"] for each in shown(world, run)["tasks"]}


def wait(world: ApiWorld, seconds: int = 5) -> None:
    Lanes(world.world).until(world.world.clock.time_ms + seconds * 1_000)


def refuses(*keys: str) -> Any:
    """A receiver that refuses the calls of these tasks for good."""

    def answer(callback: Callback) -> CallbackResponse:
        if callback.url.rpartition("/")[2] in keys:
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
        return succeeds(callback)

    return answer


HOSTILE: dict[str, tuple[list[Any], str, str]] = {
    "a cycle": ([task("a", "b"), task("b", "a")], "/tasks/1/after", "b → a → b"),
    "a task after itself": ([task("a", "a")], "/tasks/0/after", "a → a"),
    "an unknown key": ([task("a", "absent")], "/tasks/0/after/0", "no task has the key 'absent'"),
    "a key twice": ([task("a"), task("a")], "/tasks/1/key", "already that of tasks/0"),
    "an edge twice": ([task("a"), task("b", "a", "a")], "/tasks/1/after/1", "in this list already"),
    "no key": ([{"request": {"url": URL}}], "/tasks/0/key", "required"),
    "a key with a slash": ([task("a/b")], "/tasks/0/key", "1 to 64 letters"),
    "an unknown member": ([task("a", afer=[])], "/tasks/0/afer", "after"),
    "no tasks": ([], "/tasks", "at least 1"),
    "101 tasks": ([task(f"t{n}") for n in range(MAX_TASKS + 1)], "/tasks", "at most 100"),
    "4,950 edges": (
        [task(f"t{n}", *(f"t{m}" for m in range(n))) for n in range(MAX_TASKS)],
        "/tasks",
        f"at most {MAX_EDGES} edges, and this one has 4950",
    ),
    "10,000 edges": (
        [task(f"t{n}", *["t0"] * 100) for n in range(MAX_TASKS)],
        "/tasks/0/after",
        "at most 99",
    ),
    "a handler of nothing": ([task("a", run_if="any_failed")], "/tasks/0/run_if", "needs a task in after"),
    "a task that never runs": (
        [task("a"), task("undo", "a", run_if="any_failed"), task("b", "undo")],
        "/tasks/2/run_if",
        "never runs",
    ),
    "a result of a task that is not in after": (
        [task("a"), task("b", "a"), task("c", "b", needs=["a"])],
        "/tasks/2/needs/0",
        "add 'a' to after",
    ),
    "a result twice": ([task("a"), task("b", "a", needs=["a", "a"])], "/tasks/1/needs/1", "already"),
    "21 results": (
        [*(task(f"t{n}") for n in range(21)), task("b", *(f"t{n}" for n in range(21)), needs=["t0"] * 21)],
        "/tasks/21/needs",
        "at most 20",
    ),
    "results beside text": (
        [task("a"), task("b", "a", needs=["a"], request={"url": URL, "body": "hello"})],
        "/tasks/1/request/body",
        "JSON or empty",
    ),
    "results beside nesting": (
        [task("a"), task("b", "a", needs=["a"], request={"url": URL, "body": "[" * 100_000})],
        "/tasks/1/request/body",
        "nested more than 32 deep",
    ),
    "results without a body": (
        [task("a"), task("b", "a", needs=["a"], request={"url": URL, "method": "GET"})],
        "/tasks/1/request/method",
        "use POST, PUT or PATCH",
    ),
    "results that are too long together": (
        [task("a"), task("b", "a", needs=["a"], request={"url": URL, "json": "x" * 204_000})],
        "/tasks/1/request/body",
        "may have 204800 bytes together",
    ),
    "a result of a HEAD": (
        [task("a", request={"url": URL, "method": "HEAD"}), task("b", "a", needs=["a"])],
        "/tasks/0/request/method",
        "HEAD have no body",
    ),
    "a word that is none": (
        [task("a", run_if="maybe")],
        "/tasks/0/run_if",
        "all_succeeded, all_ended, any_failed",
    ),
    "a timeout of a day": ([task("a", timeout_seconds=86_400)], "/tasks/0/timeout_seconds", "from 1 to"),
    "a schedule": ([task("a", schedule={"delay_seconds": 1})], "/tasks/0/schedule", "no such member"),
    "metadata of the cloud": (
        [task("a", request={"url": "https://169.254.169.254/latest"})],
        "/tasks/0/request/url",
        "",
    ),
    "a loopback": ([task("a"), task("b", request={"url": "https://localhost/"})], "/tasks/1/request/url", ""),
    "a header of Punctual": (
        [task("a", request={"url": URL, "headers": {"webhook-id": "x"}})],
        "/tasks/0/request/headers/webhook-id",
        "",
    ),
}
"""By name: the tasks, the pointer to the first error, and a part of its text."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_definition_is_refused_with_its_place_and_what_to_send_instead(name: str) -> None:
    tasks, pointer, text = HOSTILE[name]
    world = ApiWorld()
    for answer in (
        world.post({"tasks": tasks}, "/v1/workflows"),
        send(world, "PATCH", f"/v1/workflows/{created(world)['id']}", {"tasks": tasks}, "*"),
    ):
        assert answer.status == 422, answer.text
        first = answer.json["errors"][0]
        assert (first["pointer"], text in first["detail"]) == (pointer, True), first
    assert len(world.get("/v1/workflows").json["workflows"]) == 1


@pytest.mark.parametrize("seconds", [0, MAX_DEADLINE_SECONDS + 1])
def test_deadline_out_of_range_is_refused(seconds: int) -> None:
    answer = ApiWorld().post({"tasks": DIAMOND, "deadline_seconds": seconds}, "/v1/workflows")
    assert answer.json["errors"] == [
        {"pointer": "/deadline_seconds", "detail": f"must be from 1 to {MAX_DEADLINE_SECONDS}"}
    ]


def test_body_of_a_megabyte_is_too_large_and_the_answer_says_what_fits() -> None:
    large = task("a", request={"url": URL, "body": "x" * 1_048_576})
    answer = ApiWorld().post({"tasks": [large]}, "/v1/workflows")
    assert (answer.status, str(MAX_BODY_BYTES) in answer.json["detail"]) == (413, True)


def test_quotas_of_a_job_hold_for_each_task() -> None:
    world = ApiWorld()
    world.allow(Quota.PAYLOAD_BYTES, 100)
    large = task("a", request={"url": URL, "body": "x" * 101})
    answer = world.post({"tasks": [large]}, "/v1/workflows")
    assert (answer.status, answer.json["quota"]) == (429, "payload_bytes")


def test_task_of_a_run_counts_as_due_in_its_minute() -> None:
    world = ApiWorld()
    workflow = created(world)
    world.allow(Quota.DUE_PER_MINUTE, 7)
    started(world, workflow)
    answer = send(world, "POST", f"/v1/workflows/{workflow['id']}/runs")
    assert (answer.status, answer.json["quota"]) == (429, "due_per_minute")
    assert len(world.get(f"/v1/workflows/{workflow['id']}/runs").json["runs"]) == 1


def test_refused_start_of_a_run_takes_nothing_of_its_minute() -> None:
    world = ApiWorld()
    large, small = created(world), created(world, task("a"), task("b"), task("c"))
    world.allow(Quota.DUE_PER_MINUTE, 7)
    started(world, large)
    assert send(world, "POST", f"/v1/workflows/{large['id']}/runs").problem == "quota-exceeded"
    assert send(world, "POST", f"/v1/workflows/{small['id']}/runs").status == 201


def test_redrive_of_a_run_counts_its_tasks_as_due_in_its_minute() -> None:
    world = ApiWorld()
    world.allow(Quota.DUE_PER_MINUTE, 7)
    run = started(world, created(world))
    path = f"/v1/runs/{run}"
    assert send(world, "POST", f"{path}/cancel").json["state"] == "cancelled"
    refused = send(world, "POST", f"{path}/redrive", {"epoch": 1})
    assert refused.problem == "quota-exceeded"
    assert (refused.status, refused.json["quota"]) == (429, "due_per_minute")
    assert world.get(path).json["epoch"] == 1
    world.allow(Quota.DUE_PER_MINUTE, 8)
    for _ in range(2):
        assert send(world, "POST", f"{path}/redrive", {"epoch": 1}).json["epoch"] == 2


def test_run_goes_through_the_graph_and_shows_tasks_with_their_attempts() -> None:
    world = ApiWorld()
    workflow = created(world)
    run = started(world, workflow)
    before = shown(world, run)
    assert {each["key"]: each["state"] for each in before["tasks"]} == {
        "top": "queued",
        "left": "blocked",
        "right": "blocked",
        "join": "blocked",
    }
    assert before["tasks"][3].items() >= NO_EXECUTION.items()
    assert before["graph"]["nodes"] == [
        {"key": "top", "level": 0},
        {"key": "left", "level": 1},
        {"key": "right", "level": 1},
        {"key": "join", "level": 2},
    ]
    wait(world)
    after = shown(world, run)
    assert (after["state"], after["counts"]["succeeded"]) == ("succeeded", 4)
    for each in after["tasks"]:
        execution = world.get(f"/v1/executions/{each['execution_id']}").json
        assert (execution["state"], execution["attempts"]) == (each["state"], each["attempts"])
        assert each["started_at"] == each["attempts"][0]["started_at"]
    urls = [call.callback.url for call in world.world.sender.calls]
    assert (urls[0], urls[-1], len(urls)) == (f"{URL}/top", f"{URL}/join", 4)


def test_failed_run_is_redriven_once_however_often_it_is_asked_for() -> None:
    world = ApiWorld()
    workflow = created(world)
    world.world.sender.answer_to = refuses("join")
    run = started(world, workflow)
    wait(world)
    assert (shown(world, run)["state"], states(world, run)["join"]) == ("failed", "failed")
    world.world.sender.answer_to = succeeds
    answers = [world.post({"epoch": 1}, f"/v1/runs/{run}/redrive") for _ in range(2)]
    assert [(each.status, each.json["epoch"]) for each in answers] == [(200, 2), (200, 2)]
    wait(world)
    assert shown(world, run)["state"] == "succeeded"
    urls = [call.callback.url for call in world.world.sender.calls]
    assert (urls.count(f"{URL}/join"), urls.count(f"{URL}/left")) == (2, 1)
    assert world.post({"epoch": 2}, f"/v1/runs/{run}/redrive").problem == "invalid-state"


def test_cancelled_run_makes_no_call_and_says_why() -> None:
    world = ApiWorld()
    run = started(world, created(world))
    for _ in range(2):
        cancelled = send(world, "POST", f"/v1/runs/{run}/cancel")
        assert (cancelled.status, cancelled.json["state"]) == (200, "cancelled")
    wait(world)
    assert world.world.sender.calls == []
    reasons = {each["key"]: each["reason"] for each in shown(world, run)["tasks"]}
    assert reasons == {
        "top": None,
        "left": "run_cancelled",
        "right": "run_cancelled",
        "join": "run_cancelled",
    }


def test_run_that_has_succeeded_is_not_cancelled() -> None:
    world = ApiWorld()
    run = started(world, created(world))
    wait(world)
    assert send(world, "POST", f"/v1/runs/{run}/cancel").problem == "invalid-state"


def test_same_key_starts_one_run_and_creates_one_workflow() -> None:
    world = ApiWorld()
    made = [world.post({"tasks": DIAMOND}, "/v1/workflows", idempotency_key="w") for _ in range(2)]
    assert made[0].json == made[1].json
    assert made[1].headers["Idempotency-Replayed"] == "true"
    path = f"/v1/workflows/{made[0].json['id']}/runs"
    runs = [send(world, "POST", path, idempotency_key="r") for _ in range(2)]
    assert runs[0].json["id"] == runs[1].json["id"]
    assert runs[1].headers["Idempotency-Replayed"] == "true"
    other = world.post({"tasks": [task("a")]}, "/v1/workflows", idempotency_key="w")
    assert other.problem == "idempotency-key-reused"


def test_key_of_a_creation_answers_with_the_workflow_as_it_is_and_with_409_once_it_is_deleted() -> None:
    world = ApiWorld()
    create = partial(world.post, {"tasks": DIAMOND}, "/v1/workflows", idempotency_key="w")
    path = f"/v1/workflows/{create().json['id']}"
    renamed = send(world, "PATCH", path, {"name": "n"}, '"1"').json
    again = create()
    assert (again.status, again.json, again.headers["ETag"]) == (201, renamed, '"2"')
    assert world.delete(path).status == 200
    refused = create()
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert "another key" in refused.json["detail"]
    assert world.get("/v1/workflows").json["workflows"] == []


def test_patch_keeps_the_requests_that_it_does_not_name_and_open_runs_keep_their_revision() -> None:
    world = ApiWorld()
    secret = task("a", request={"url": f"{URL}/a", "headers": {"X-Token": "hidden"}, "body": "kept"})
    workflow = created(world, secret)
    path, run = f"/v1/workflows/{workflow['id']}", started(world, workflow)
    named = send(world, "PATCH", path, {"name": "n", "deadline_seconds": None}, '"1"')
    assert (named.status, named.json["revision"], named.json["tasks"]) == (200, 2, workflow["tasks"])
    assert "hidden" not in named.text and "kept" not in named.text
    assert send(world, "PATCH", path, {"tasks": [task("b")]}, '"2"').json["revision"] == 3
    wait(world)
    [call] = world.world.sender.calls
    assert (call.callback.body, dict(call.callback.headers)["X-Token"]) == (b"kept", "hidden")
    assert (shown(world, run)["revision"], shown(world, run)["state"]) == (1, "succeeded")
    second = started(world, workflow)
    assert list(states(world, second)) == ["b"]


@pytest.mark.parametrize(
    ("patch", "pointer"),
    [([], ""), ({"unknown": None}, "/unknown"), ({"tasks": None}, "/tasks"), ({"schedule": {}}, "/schedule")],
)
def test_patch_that_makes_no_workflow_is_refused(patch: Any, pointer: str) -> None:
    world = ApiWorld()
    answer = send(world, "PATCH", f"/v1/workflows/{created(world)['id']}", patch, "*")
    assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_patch_without_a_condition_is_428() -> None:
    world = ApiWorld()
    answer = send(world, "PATCH", f"/v1/workflows/{created(world)['id']}", {"name": "n"})
    assert answer.problem == "precondition-required"


def test_deleted_workflow_starts_no_run_and_its_open_runs_go_on() -> None:
    world = ApiWorld()
    workflow = created(world)
    run, path = started(world, workflow), f"/v1/workflows/{workflow['id']}"
    deleted = [world.delete(path) for _ in range(2)]
    assert [(each.status, each.json["state"]) for each in deleted] == [(200, "deleted")] * 2
    assert world.get(path).problem == "not-found"
    assert send(world, "POST", f"{path}/runs").problem == "not-found"
    assert world.get("/v1/workflows").json["workflows"] == []
    wait(world)
    assert shown(world, run)["state"] == "succeeded"
    assert [each["id"] for each in world.get(f"{path}/runs").json["runs"]] == [run]


def test_changes_of_a_workflow_follow_one_another_in_the_audit_trail() -> None:
    world = ApiWorld()
    workflow = created(world)
    path = f"/v1/workflows/{workflow['id']}"
    secret = task("top", request={"url": f"{URL}/top", "headers": {"X-Token": "other"}})
    send(world, "PATCH", path, {"tasks": [secret, *DIAMOND[1:]]}, "*")
    world.delete(path)
    made, changed, deleted = [
        record for record in world.world.audit_log.of("acme") if record.target == workflow["id"]
    ]
    assert made.before is None
    assert (changed.before, deleted.before) == (made.after, changed.after)
    assert len({made.after, changed.after, deleted.after}) == 3


def test_workflow_beyond_the_quota_is_refused_and_uses_up_no_key() -> None:
    world = ApiWorld()
    world.allow(Quota.WORKFLOWS, 1)
    first = world.post({"tasks": DIAMOND}, "/v1/workflows", idempotency_key="k")
    refused = world.post({"tasks": DIAMOND}, "/v1/workflows", idempotency_key="l")
    assert (refused.status, refused.problem, refused.json["quota"]) == (429, "quota-exceeded", "workflows")
    assert "1" in refused.json["detail"]
    again = world.post({"tasks": DIAMOND}, "/v1/workflows", idempotency_key="k")
    assert (again.status, again.json["id"]) == (201, first.json["id"])
    assert world.get("/v1/usage").json["quotas"]["workflows"]["used"] == 1
    assert world.delete(f"/v1/workflows/{first.json['id']}").status == 200
    world.world.clock.time_ms += 1_000
    assert world.post({"tasks": [task("a")]}, "/v1/workflows", idempotency_key="l").status == 201


def test_change_of_a_workflow_needs_no_place_in_the_quota() -> None:
    world = ApiWorld()
    path = f"/v1/workflows/{created(world)['id']}"
    world.allow(Quota.WORKFLOWS, 0)
    assert send(world, "PATCH", path, {"name": "n"}, "*").status == 200


def test_replayed_start_of_a_run_needs_no_place_in_its_minute() -> None:
    world = ApiWorld()
    world.allow(Quota.DUE_PER_MINUTE, 4)
    path = f"/v1/workflows/{created(world)['id']}/runs"
    first, again = [send(world, "POST", path, idempotency_key="k") for _ in range(2)]
    assert (again.status, again.json["id"]) == (201, first.json["id"])
    refused = send(world, "POST", path, idempotency_key="l")
    assert (refused.status, refused.json["quota"]) == (429, "due_per_minute")
    world.allow(Quota.DUE_PER_MINUTE, 100)
    assert send(world, "POST", path, idempotency_key="l").status == 201


CALLED = {"on_success": f"{URL}/won", "on_failure": f"{URL}/lost"}
SUBSCRIBED = {"url": f"{URL}/alerts", "events": ["failed", "recovered"], "format": "json"}


def test_end_of_a_run_is_called_and_shown_with_its_notification() -> None:
    world = ApiWorld()
    workflow = created(world, task("a"), callbacks=CALLED, alerts=SUBSCRIBED)
    assert workflow["callbacks"] == CALLED
    assert workflow["alerts"] == {**SUBSCRIBED, "late_after_seconds": None}
    run = started(world, workflow)
    assert shown(world, run)["notification"] is None
    wait(world)
    notification = shown(world, run)["notification"]
    assert notification["state"] == "succeeded"
    assert [call.callback.url for call in world.world.sender.calls] == [f"{URL}/a", CALLED["on_success"]]
    execution = world.get(f"/v1/executions/{notification['id']}").json
    assert (execution["job_id"], execution["notification_of"]) == (workflow["id"], notification["id"])


def test_patch_merges_callbacks_and_alerts_and_null_restores_the_default() -> None:
    world = ApiWorld()
    workflow = created(world, task("a"), callbacks=CALLED, alerts=SUBSCRIBED)
    path = f"/v1/workflows/{workflow['id']}"
    other = send(
        world, "PATCH", path, {"callbacks": {"on_failure": "none"}, "alerts": {"format": "slack"}}, "*"
    )
    assert other.json["callbacks"] == {**CALLED, "on_failure": "none"}
    assert (other.json["alerts"]["format"], other.json["alerts"]["url"]) == ("slack", SUBSCRIBED["url"])
    assert send(world, "PATCH", path, {"name": "n"}, "*").json["callbacks"] == other.json["callbacks"]
    none = send(world, "PATCH", path, {"callbacks": {"on_success": None}, "alerts": None}, "*").json
    assert (none["callbacks"], none["alerts"]) == ({"on_success": None, "on_failure": "none"}, None)
    assert send(world, "PATCH", path, {"callbacks": None}, "*").json["callbacks"]["on_failure"] is None


@pytest.mark.parametrize(
    ("member", "value", "pointer"),
    [
        ("callbacks", {"on_success": "https://169.254.169.254/"}, "/callbacks/on_success"),
        ("callbacks", {"on_failure": "ftp://x.example/"}, "/callbacks/on_failure"),
        ("callbacks", {"on_end": f"{URL}/x"}, "/callbacks/on_end"),
        ("callbacks", [], "/callbacks"),
        ("alerts", {"url": "https://localhost/"}, "/alerts/url"),
        ("alerts", {"url": URL, "events": ["late"]}, "/alerts/events"),
        ("alerts", {"url": URL, "events": ["recovered"]}, "/alerts/events"),
        ("alerts", {"url": URL, "events": ["failed", "failed"]}, "/alerts/events"),
        ("alerts", {"url": URL, "events": []}, "/alerts/events"),
        ("alerts", {"url": URL, "late_after_seconds": 5}, "/alerts/late_after_seconds"),
    ],
)
def test_hostile_notification_is_refused_with_its_place(member: str, value: Any, pointer: str) -> None:
    world = ApiWorld()
    path = f"/v1/workflows/{created(world)['id']}"
    for answer in (
        world.post({"tasks": DIAMOND, member: value}, "/v1/workflows"),
        send(world, "PATCH", path, {member: value}, "*"),
    ):
        assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, pointer), answer.text


@pytest.mark.parametrize("patch", [{"callbacks": {"on_end": None}}, {"alerts": {"late_after_seconds": None}}])
def test_null_for_an_unknown_member_of_a_notification_is_refused(patch: Any) -> None:
    world = ApiWorld()
    workflow = created(world, task("a"), alerts=SUBSCRIBED)
    answer = send(world, "PATCH", f"/v1/workflows/{workflow['id']}", patch, "*")
    assert (answer.status, "no such member" in answer.text) == (422, True)


def test_same_key_with_another_callback_is_another_request() -> None:
    world = ApiWorld()
    body = {"tasks": [task("a")]}
    assert world.post(body, "/v1/workflows", idempotency_key="k").status == 201
    other = world.post({**body, "callbacks": CALLED}, "/v1/workflows", idempotency_key="k")
    assert other.problem == "idempotency-key-reused"


def test_lists_of_workflows_and_runs_come_in_pages() -> None:
    world = ApiWorld()
    workflows = []
    for _ in range(3):
        workflows.append(created(world)["id"])
        world.world.clock.time_ms += 1_000
    assert _pages(world, "/v1/workflows", "workflows") == workflows
    runs: list[str] = []
    for _ in range(3):
        runs.insert(0, started(world, {"id": workflows[0]}))
        world.world.clock.time_ms += 60_000
    assert _pages(world, f"/v1/workflows/{workflows[0]}/runs", "runs") == runs


def _pages(world: ApiWorld, path: str, member: str) -> list[str]:
    """The ids of all entries, two in a page."""
    first = world.get(path, limit="2").json
    second = world.get(path, limit="2", cursor=first["next_cursor"]).json
    assert second["next_cursor"] is None
    return [each["id"] for each in (*first[member], *second[member])]


def test_a_run_says_which_tasks_have_handed_on_a_result_and_shows_none() -> None:
    world = ApiWorld()
    secret = b'{"token":"hunter2"}'
    world.world.sender.answer_to = lambda callback: replace(succeeds(callback), body=secret)
    workflow = created(world, task("a"), task("b", "a", needs=["a"]), task("c", "a"))
    assert [each["needs"] for each in workflow["tasks"]] == [[], ["a"], []]
    run = started(world, workflow)
    wait(world)
    answer = world.get(f"/v1/runs/{run}")
    assert answer.json["state"] == "succeeded"
    assert [each["has_result"] for each in answer.json["tasks"]] == [True, False, False]
    ids = [each["execution_id"] for each in answer.json["tasks"]]
    texts = [answer.text, *(world.get(f"/v1/executions/{each}").text for each in ids)]
    assert not any("hunter2" in text for text in texts)


def test_a_task_without_its_result_is_shown_with_the_reason() -> None:
    world = ApiWorld()
    run = started(world, created(world, task("a"), task("b", "a", needs=["a"])))
    wait(world)
    [failed, cancelled] = shown(world, run)["tasks"]
    assert (failed["state"], failed["end_reason"]) == ("failed", "result_invalid")
    assert [(each["status"], each["reason"]) for each in failed["attempts"]] == [(200, "result_invalid")]
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "fail_fast")
    letters = world.get("/v1/dead-letters", reason="result_invalid").json["executions"]
    assert [each["id"] for each in letters] == [failed["execution_id"]]


def test_needs_of_a_workflow_survive_a_change_of_another_member() -> None:
    world = ApiWorld()
    workflow = created(world, task("a"), task("b", "a", needs=["a"]))
    path = f"/v1/workflows/{workflow['id']}"
    changed = send(world, "PATCH", path, {"name": "other"}, '"1"')
    assert changed.status == 200, changed.text
    assert [each["needs"] for each in changed.json["tasks"]] == [[], ["a"]]
