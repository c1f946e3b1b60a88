"""`on_success` and `on_failure` over HTTP: of jobs, of tenants, and what is shown of notifications."""

from typing import Any

import orjson
import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.ids import parse_execution_id
from tests.support.api.admin_client import TENANTS, AdminClient
from tests.support.api.api_world import JOB, Answer, ApiWorld
from tests.support.api.job_requests import patch, post
from tests.support.api.request_factory import ask
from tests.support.usecases.lanes import Lanes

WON, LOST = "https://told.example/won", "https://told.example/lost"
BOTH: dict[str, Any] = {"on_success": WON, "on_failure": LOST}
NOW: dict[str, Any] = {"schedule": {"delay_seconds": 0}}
SECRET = "s3cr3t"


def pass_minutes(world: ApiWorld, minutes: int = 1) -> None:
    Lanes(world.world).until(world.world.clock.time_ms + minutes * 60_000)


def told(world: ApiWorld) -> list[str]:
    """The URLs that were told, in order."""
    urls = [call.callback.url for call in world.world.sender.calls]
    return [url for url in urls if "told" in url]


def fail_calls(world: ApiWorld, *urls: str) -> None:
    """Calls fail for good, those to these URLs or all that tell nothing."""
    gone = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
    well = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
    world.world.sender.answer_to = lambda callback: (
        gone if callback.url in (urls or (JOB["request"]["url"],)) else well
    )


@pytest.mark.parametrize("schedule", [{"delay_seconds": 60}, {"rate_seconds": 60}])
@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({}, {"on_success": None, "on_failure": None}),
        (BOTH, BOTH),
        ({"on_failure": LOST}, {"on_success": None, "on_failure": LOST}),
        ({"on_success": "none", "on_failure": None}, {"on_success": "none", "on_failure": None}),
    ],
)
def test_a_job_shows_whom_it_has_told(schedule: dict[str, int], asked: Any, shown: Any) -> None:
    world = ApiWorld()
    job = world.create(schedule=schedule, **asked)
    assert {name: job[name] for name in BOTH} == shown
    assert {name: world.get(f"/v1/jobs/{job['id']}").json[name] for name in BOTH} == shown


@pytest.mark.parametrize("schedule", [{"delay_seconds": 60}, {"rate_seconds": 60}])
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"on_success": None}, {"on_success": None, "on_failure": LOST}),
        ({"on_failure": "none"}, {"on_success": WON, "on_failure": "none"}),
        ({"on_failure": WON}, {"on_success": WON, "on_failure": WON}),
        ({"name": "other"}, BOTH),
        ({"request": {"body": "x"}}, BOTH),
    ],
)
def test_a_patch_replaces_takes_away_or_leaves_alone(
    schedule: dict[str, int], change: Any, shown: Any
) -> None:
    world = ApiWorld()
    job = world.create(schedule=schedule, **BOTH)
    answer = patch(world, job, change)
    assert answer.status == 200, answer.text
    assert {name: answer.json[name] for name in BOTH} == shown


@pytest.mark.parametrize("name", ["on_success", "on_failure"])
@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://told.example/", "callback-url-not-allowed"),
        ("https://127.0.0.1/", "callback-url-not-allowed"),
        ("https://10.0.0.1/", "callback-url-not-allowed"),
        ("https://169.254.169.254/latest/meta-data", "callback-url-not-allowed"),
        ("https://[::1]/", "callback-url-not-allowed"),
        ("https://localhost/", "callback-url-not-allowed"),
        ("https://user:pw@told.example/", "callback-url-not-allowed"),
        ("https://told.example:22/", "callback-url-not-allowed"),
        ("https://told.example/#part", "callback-url-not-allowed"),
        ("https://told.example/a b", "callback-url-not-allowed"),
        ("ftp://told.example/", "callback-url-not-allowed"),
        ("", "callback-url-not-allowed"),
        ("None", "callback-url-not-allowed"),
        ("off", "callback-url-not-allowed"),
        ("https://told.example/" + "x" * 2_048, "validation-failed"),
        (5, "validation-failed"),
        (True, "validation-failed"),
        (False, "validation-failed"),
        ([WON], "validation-failed"),
        ({"url": WON}, "validation-failed"),
    ],
)
def test_outcome_callback_url_must_pass_the_target_policy(name: str, url: Any, problem: str) -> None:
    world = ApiWorld()
    answer = world.post(JOB | {name: url})
    assert (answer.status, answer.problem) == (422, problem)
    assert [error["pointer"] for error in answer.json["errors"]] == [f"/{name}"]
    job = world.create(**BOTH)
    refused = patch(world, job, {name: url})
    assert (refused.problem, [error["pointer"] for error in refused.json["errors"]]) == (
        problem,
        [f"/{name}"],
    )
    admin = AdminClient()
    of_tenant = admin.rule("PATCH", f"{TENANTS}/shop", {name: url})
    assert of_tenant.problem == problem
    assert [error["pointer"] for error in of_tenant.json["errors"]] == [f"/{name}"]


def test_in_a_batch_the_refusal_names_the_job() -> None:
    world = ApiWorld()
    answer = world.post({"jobs": [JOB, JOB | {"on_failure": "http://told.example/"}]}, "/v1/jobs/batch")
    first, second = answer.json["results"]
    assert (first["status"], second["status"]) == (201, 422)
    assert [error["pointer"] for error in second["problem"]["errors"]] == ["/jobs/1/on_failure"]


def test_an_execution_shows_its_notification_and_that_shows_what_it_tells_of() -> None:
    world = ApiWorld()
    world.create(**NOW, **BOTH)
    pass_minutes(world)
    assert told(world) == [WON]
    newest, oldest = world.get("/v1/executions").json["executions"]
    ended, telling = (newest, oldest) if newest["notification"] else (oldest, newest)
    assert ended["notification"] == {"id": telling["id"], "state": "succeeded"}
    shown = world.get(f"/v1/executions/{ended['id']}").json
    assert shown["notification"] == {"id": telling["id"], "state": "succeeded"}
    assert (telling["notification_of"], telling["notification"]) == (ended["id"], None)
    history = world.get(f"/v1/jobs/{ended['job_id']}/executions").json["executions"]
    assert [(one["id"], one["notification"]) for one in history] == [(ended["id"], ended["notification"])]
    assert [job["id"] for job in world.get("/v1/jobs").json["jobs"]] == [ended["job_id"]]
    assert world.get(f"/v1/jobs/{telling['id'].replace('exe_', 'job_')}").problem == "not-found"


def test_a_notification_that_fails_is_a_dead_letter_that_names_what_it_tells_of() -> None:
    world = ApiWorld()
    fail_calls(world, WON)
    job = world.create(**NOW, **BOTH)
    pass_minutes(world)
    (dead,) = world.get("/v1/dead-letters").json["executions"]
    assert dead["notification_of"] == job["id"].replace("job_", "exe_")
    inspected = world.get(f"/v1/dead-letters/{dead['id']}").json
    assert (inspected["request"]["url"], inspected["request"]["body"]) == (WON, None)
    assert told(world) == [WON]
    fail_calls(world, "none of them")
    made = post_redrive(world, dead["id"])
    assert (made.status, made.json["notification_of"]) == (201, dead["notification_of"])
    pass_minutes(world)
    assert told(world) == [WON, WON]


def post_redrive(world: ApiWorld, execution_id: str) -> Answer:
    return ask(world, world.world.credentials.api_key, "POST", f"/v1/executions/{execution_id}/redrive")


def test_runs_of_a_job_after_its_change_tell_those_whom_it_names_now() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60}, on_success=WON)
    changed = patch(world, job, {"on_success": "https://told.example/new"}).json
    post(world, changed, "trigger")
    pass_minutes(world)
    assert set(told(world)) == {"https://told.example/new"}


def test_a_backfill_tells_whom_its_job_tells() -> None:
    world = ApiWorld()
    fields = {"schedule": {"rate_seconds": 3_600, "start_at": "2025-02-17T00:00:00Z"}}
    job = world.create(**fields, on_success=WON)
    asked = {"from": "2025-02-17T00:00:00Z", "to": "2025-02-17T02:00:00Z"}
    made = post(world, job, "backfill", asked)
    assert (made.status, made.json["on_success"]) == (201, WON)
    pass_minutes(world, 10)
    assert told(world).count(WON) >= 2


def test_notification_has_no_secret_of_the_request_and_its_url_is_stored_sealed() -> None:
    world = ApiWorld()
    request = {"url": f"https://receiver.example/?t={SECRET}", "headers": {"X-A": SECRET}, "body": SECRET}
    world.create(**NOW, request=request, on_success=f"{WON}?t={SECRET}")
    pass_minutes(world)
    call = world.world.sender.calls[-1]
    assert call.callback.url == f"{WON}?t={SECRET}"
    assert SECRET.encode() not in call.callback.body
    assert orjson.loads(call.callback.body)["data"]["outcome"] == "succeeded"
    for row in world.world.table.executions.values():
        assert SECRET not in repr(row.execution)


class TestTenants:
    """The default of a tenant, which an operator sets."""

    def test_callback_of_a_tenant_is_set_shown_and_removed(self) -> None:
        admin = AdminClient()
        path = f"{TENANTS}/shop"
        assert {name: admin.rule("GET", path).json[name] for name in BOTH} == dict.fromkeys(BOTH)
        changed = admin.rule("PATCH", path, BOTH)
        assert changed.status == 200, changed.text
        assert {name: changed.json[name] for name in BOTH} == BOTH
        assert admin.rule("GET", path).json == changed.json
        assert admin.rule("PATCH", path, {"weight": 2}).json["on_failure"] == LOST
        for gone in (None, "none"):
            assert admin.rule("PATCH", path, {"on_failure": gone}).json["on_failure"] is None
        assert admin.rule("GET", path).json["on_success"] == WON

    def test_change_of_a_tenants_callback_is_audited(self) -> None:
        admin = AdminClient()
        admin.rule("PATCH", f"{TENANTS}/shop", {"on_failure": LOST})
        (record, *_) = admin.ask("GET", "/v1/audit").json["records"]
        assert (record["operation"], record["target"]) == ("changeTenant", "shop")
        assert record["before"] != record["after"]

    def test_callback_of_a_tenant_is_stored_sealed(self) -> None:
        admin = AdminClient()
        admin.rule("PATCH", f"{TENANTS}/shop", {"on_failure": LOST})
        assert "told.example" not in repr(admin.api.world.tenants.tenants["shop"])

    @pytest.mark.parametrize(
        ("own", "expected"), [({}, [LOST]), ({"on_failure": WON}, [WON]), ({"on_failure": "none"}, [])]
    )
    def test_callback_of_a_tenant_holds_for_jobs_without_one(self, own: Any, expected: list[str]) -> None:
        admin = AdminClient()
        fail_calls(admin.api)
        admin.rule("PATCH", f"{TENANTS}/shop", {"on_failure": LOST})
        admin.pass_a_minute()
        assert admin.ask("POST", "/v1/jobs", JOB | NOW | own).status == 201
        pass_minutes(admin.api)
        assert told(admin.api) == expected

    def test_callback_of_a_tenant_is_set_by_operators_alone(self) -> None:
        admin = AdminClient()
        assert admin.ask("PATCH", f"{TENANTS}/shop", BOTH).problem == "forbidden"


def reads_of(world: ApiWorld, path: str) -> tuple[int, Any]:
    """How many reads of the store a listing costs, and what it shows."""
    before = world.world.steps.count("store.get_many")
    shown = world.get(path, limit="100").json["executions"]
    return world.world.steps.count("store.get_many") - before, shown


def test_a_page_looks_after_all_its_notifications_at_once() -> None:
    world = ApiWorld()
    for _ in range(12):
        world.create(**NOW, **BOTH)
    pass_minutes(world)
    reads, shown = reads_of(world, "/v1/executions")
    ended = [one for one in shown if one["notification"]]
    assert [one["notification"]["state"] for one in ended] == ["succeeded"] * 12
    (one, *_), store = ended, world.world.table.executions
    del store[parse_execution_id(one["notification"]["id"])]
    again = {each["id"]: each["notification"] for each in reads_of(world, "/v1/executions")[1]}
    assert again[one["id"]] == one["notification"] | {"state": None}
    quiet = ApiWorld()
    for _ in range(24):
        quiet.create(**NOW)
    pass_minutes(quiet)
    assert reads == reads_of(quiet, "/v1/executions")[0] + 1


def test_a_dead_letter_shows_its_notification_in_the_list_and_by_itself() -> None:
    world = ApiWorld()
    world.create(**NOW, **BOTH)
    fail_calls(world)
    pass_minutes(world)
    (listed,) = world.get("/v1/dead-letters").json["executions"]
    shown = world.get(f"/v1/dead-letters/{listed['id']}").json
    assert listed["notification"]["state"] == shown["notification"]["state"] == "succeeded"
    assert (
        world.get(f"/v1/jobs/{listed['job_id']}/executions").json["executions"][0]["notification"]
        == (listed["notification"])
    )
