"""`alerts` over HTTP: of jobs and of tenants, and what reaches the URL."""

from typing import Any

import orjson
import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.api.admin_client import TENANTS, AdminClient
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import patch
from tests.support.usecases.lanes import Lanes

SETTINGS = "/v1/settings"
URL, OTHER = "https://told.example/alerts", "https://told.example/other"
NOW: dict[str, Any] = {"schedule": {"delay_seconds": 0}, "retry": {"max_attempts": 1}}
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
FULL = {"url": URL, "events": ["failed", "recovered", "late"], "late_after_seconds": 60, "format": "slack"}
PLAIN = {"url": URL, "events": ["failed"], "late_after_seconds": None, "format": "json"}
NONE = PLAIN | {"url": "none"}


def run_failing(admin: AdminClient, **own: Any) -> list[tuple[str, Any]]:
    """Create a job whose only attempt fails, and return the URLs and bodies of its alerts."""
    world = admin.api.world
    world.sender.answer_to = lambda callback: OK if "told" in callback.url else DOWN
    assert admin.ask("POST", "/v1/jobs", JOB | NOW | own).status == 201
    Lanes(world).until(world.clock.time_ms + 60_000)
    return [
        (call.callback.url, orjson.loads(call.callback.body))
        for call in world.sender.calls
        if "told" in call.callback.url
    ]


@pytest.mark.parametrize("schedule", [{"delay_seconds": 60}, {"rate_seconds": 60}])
@pytest.mark.parametrize(
    ("asked", "shown"), [(None, None), ({"url": URL}, PLAIN), (FULL, FULL), ({"url": "none"}, NONE)]
)
def test_job_shows_its_subscription(schedule: dict[str, int], asked: Any, shown: Any) -> None:
    world = ApiWorld()
    job = world.create(schedule=schedule, alerts=asked)
    assert job["alerts"] == shown
    assert world.get(f"/v1/jobs/{job['id']}").json["alerts"] == shown


@pytest.mark.parametrize("schedule", [{"delay_seconds": 60}, {"rate_seconds": 60}])
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"alerts": None}, None),
        ({"alerts": {"url": OTHER}}, FULL | {"url": OTHER}),
        (
            {"alerts": {"events": ["skipped"], "late_after_seconds": None}},
            PLAIN | {"events": ["skipped"], "format": "slack"},
        ),
        ({"alerts": {"events": None, "late_after_seconds": None, "format": None}}, PLAIN),
        ({"alerts": {"url": "none"}}, NONE),
        ({"name": "other"}, FULL),
        ({"request": {"body": "x"}}, FULL),
    ],
)
def test_patch_merges_into_the_subscription(schedule: dict[str, int], change: Any, shown: Any) -> None:
    world = ApiWorld()
    job = world.create(schedule=schedule, alerts=FULL)
    answer = patch(world, job, change)
    assert answer.status == 200, answer.text
    assert answer.json["alerts"] == shown


WRONG = [
    ({}, "validation-failed", "/url"),
    ({"url": None}, "validation-failed", "/url"),
    ({"url": "http://told.example/"}, "callback-url-not-allowed", "/url"),
    ({"url": "https://127.0.0.1/"}, "callback-url-not-allowed", "/url"),
    ({"url": "https://169.254.169.254/latest/meta-data"}, "callback-url-not-allowed", "/url"),
    ({"url": "https://[::ffff:10.0.0.1]/"}, "callback-url-not-allowed", "/url"),
    ({"url": "https://user:pw@told.example/"}, "callback-url-not-allowed", "/url"),
    ({"url": ""}, "callback-url-not-allowed", "/url"),
    ({"url": URL, "events": []}, "validation-failed", "/events"),
    ({"url": URL, "events": ["moon"]}, "validation-failed", "/events/0"),
    ({"url": URL, "events": ["failed", "failed"]}, "validation-failed", "/events"),
    ({"url": URL, "events": "failed"}, "validation-failed", "/events"),
    ({"url": URL, "events": ["recovered"]}, "validation-failed", "/events"),
    ({"url": URL, "events": ["late"]}, "validation-failed", "/late_after_seconds"),
    ({"url": URL, "late_after_seconds": 60}, "validation-failed", "/late_after_seconds"),
    ({"url": URL, "events": ["late"], "late_after_seconds": 0}, "validation-failed", "/late_after_seconds"),
    (
        {"url": URL, "events": ["late"], "late_after_seconds": 86_401},
        "validation-failed",
        "/late_after_seconds",
    ),
    ({"url": URL, "format": "teams"}, "validation-failed", "/format"),
    ({"url": URL, "format": None}, "validation-failed", "/format"),
    ({"url": URL, "surprise": 1}, "validation-failed", "/surprise"),
    (URL, "validation-failed", ""),
    ([URL], "validation-failed", ""),
    (True, "validation-failed", ""),
]


@pytest.mark.parametrize(("alerts", "problem", "pointer"), WRONG)
def test_subscription_that_cannot_be_is_refused_wherever_it_is_sent(
    alerts: Any, problem: str, pointer: str
) -> None:
    admin = AdminClient()
    before = admin.api.world.tenants.tenants["shop"]
    for answer in (
        admin.ask("POST", "/v1/jobs", JOB | {"alerts": alerts}),
        admin.ask("PATCH", SETTINGS, {"alerts": alerts}),
        admin.rule("PATCH", f"{TENANTS}/shop", {"alerts": alerts}),
    ):
        assert (answer.status, answer.problem) == (422, problem), answer.text
        assert [error["pointer"] for error in answer.json["errors"]] == [f"/alerts{pointer}"]
    assert admin.api.world.tenants.tenants["shop"] == before


def test_event_of_a_tenant_is_refused_for_a_job_and_taken_for_the_tenant() -> None:
    admin, alerts = AdminClient(), {"url": URL, "events": ["failed", "limit_reached"]}
    refused = admin.ask("POST", "/v1/jobs", JOB | {"alerts": alerts})
    assert (refused.status, refused.problem) == (422, "validation-failed")
    assert [error["pointer"] for error in refused.json["errors"]] == ["/alerts/events"]
    shown = PLAIN | alerts
    assert admin.ask("PATCH", SETTINGS, {"alerts": alerts}).json["alerts"] == shown
    assert admin.rule("PATCH", f"{TENANTS}/shop", {"alerts": alerts}).json["alerts"] == shown


def test_patch_to_a_subscription_that_cannot_be_is_refused() -> None:
    world = ApiWorld()
    job = world.create(alerts=FULL)
    for change in ({"events": ["failed"]}, {"url": "https://localhost/"}, {"surprise": None}):
        answer = patch(world, job, {"alerts": change})
        assert answer.status == 422
        assert all(error["pointer"].startswith("/alerts/") for error in answer.json["errors"])
    assert world.get(f"/v1/jobs/{job['id']}").json["alerts"] == FULL


def test_default_subscription_is_set_replaced_and_removed() -> None:
    admin = AdminClient()
    assert admin.ask("GET", SETTINGS).json["alerts"] is None
    changed = admin.ask("PATCH", SETTINGS, {"alerts": FULL})
    assert (changed.status, changed.json["alerts"]) == (200, FULL)
    assert admin.ask("PATCH", SETTINGS, {"on_failure": OTHER}).json["alerts"] == FULL
    assert admin.rule("GET", f"{TENANTS}/shop").json["alerts"] == FULL
    assert admin.ask("PATCH", SETTINGS, {"alerts": {"url": URL}}).json["alerts"] == PLAIN
    for removed in (None, {"url": "none"}):
        admin.ask("PATCH", SETTINGS, {"alerts": FULL})
        assert admin.ask("PATCH", SETTINGS, {"alerts": removed}).json["alerts"] is None
        assert admin.ask("GET", SETTINGS).json == {"on_success": None, "on_failure": OTHER, "alerts": None}
    assert admin.rule("PATCH", f"{TENANTS}/shop", {"alerts": FULL}).json["alerts"] == FULL
    assert admin.rule("PATCH", f"{TENANTS}/shop", {"alerts": None}).json["alerts"] is None


@pytest.mark.parametrize(
    ("own", "expected"),
    [({}, [URL]), ({"alerts": {"url": OTHER}}, [OTHER]), ({"alerts": {"url": "none"}}, [])],
)
def test_default_holds_for_jobs_that_neither_override_nor_disable_it(own: Any, expected: list[str]) -> None:
    admin = AdminClient()
    admin.ask("PATCH", SETTINGS, {"alerts": {"url": URL}})
    admin.pass_a_minute()
    assert [url for url, _ in run_failing(admin, **own)] == expected


def test_alert_and_callback_of_an_outcome_are_both_sent() -> None:
    told = dict(run_failing(AdminClient(), on_failure=OTHER, alerts={"url": URL}))
    assert {url: body["type"] for url, body in told.items()} == {
        OTHER: "execution.failed",
        URL: "execution.alert",
    }
    assert told[URL]["data"] == {"events": ["failed"], **told[OTHER]["data"]}


def test_alert_has_no_secret_of_the_request_and_its_url_is_stored_sealed() -> None:
    admin = AdminClient()
    secret = "s3cr3t"
    request = {"url": f"https://receiver.example/?t={secret}", "headers": {"X-A": secret}, "body": secret}
    ((url, body),) = run_failing(admin, request=request, alerts={"url": f"{URL}?t={secret}"})
    assert url == f"{URL}?t={secret}"
    assert secret not in orjson.dumps(body).decode()
    for row in admin.api.world.table.executions.values():
        assert secret not in repr(row.execution)


def test_replay_with_another_subscription_is_another_request() -> None:
    world = ApiWorld()
    first = world.post(JOB | {"alerts": {"url": URL}}, idempotency_key="k")
    assert world.post(JOB | {"alerts": {"url": URL}}, idempotency_key="k").json["id"] == first.json["id"]
    other = world.post(JOB | {"alerts": {"url": OTHER}}, idempotency_key="k")
    assert other.problem == "idempotency-key-reused"
