"""`/v1/settings`: the defaults that a tenant sets for its own jobs."""

from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.tenancy.tenant import Scope
from tests.support.api.admin_client import TENANTS, AdminClient
from tests.support.api.api_world import JOB
from tests.support.api.request_factory import ask
from tests.support.usecases.lanes import Lanes

SETTINGS = "/v1/settings"
WON, LOST = "https://told.example/won", "https://told.example/lost"
OTHER = "https://told.example/other"
NOW: dict[str, Any] = {"schedule": {"delay_seconds": 0}}
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


def run_failing(admin: AdminClient, **own: Any) -> list[str]:
    """Create a job whose only attempt fails, and return the URLs that were notified."""
    world = admin.api.world
    world.sender.answer_to = lambda callback: OK if "told" in callback.url else DOWN
    job = JOB | NOW | {"retry": {"max_attempts": 1}} | own
    assert admin.ask("POST", "/v1/jobs", job).status == 201
    Lanes(world).until(world.clock.time_ms + 60_000)
    return [call.callback.url for call in world.sender.calls if "told" in call.callback.url]


def test_settings_are_shown_changed_and_removed() -> None:
    admin = AdminClient()
    nothing = {"on_success": None, "on_failure": None, "alerts": None}
    assert admin.ask("GET", SETTINGS).json == nothing
    changed = admin.ask("PATCH", SETTINGS, {"on_failure": LOST})
    assert (changed.status, changed.json) == (200, nothing | {"on_failure": LOST})
    admin.ask("PATCH", SETTINGS, {"on_success": WON})
    assert admin.ask("GET", SETTINGS).json == nothing | {"on_success": WON, "on_failure": LOST}
    for removed in (None, "none"):
        admin.ask("PATCH", SETTINGS, {"on_failure": removed})
        assert admin.ask("GET", SETTINGS).json == nothing | {"on_success": WON}


def test_tenant_and_operator_change_the_same_settings() -> None:
    admin = AdminClient()
    admin.rule("PATCH", f"{TENANTS}/shop", {"on_success": WON, "weight": 3})
    assert admin.ask("GET", SETTINGS).json["on_success"] == WON
    admin.ask("PATCH", SETTINGS, {"on_failure": LOST})
    shown = admin.rule("GET", f"{TENANTS}/shop").json
    assert (shown["on_success"], shown["on_failure"], shown["weight"]) == (WON, LOST, 3)


@pytest.mark.parametrize(
    ("own", "expected"), [({}, [LOST]), ({"on_failure": OTHER}, [OTHER]), ({"on_failure": "none"}, [])]
)
def test_default_holds_for_jobs_that_neither_override_nor_disable_it(own: Any, expected: list[str]) -> None:
    admin = AdminClient()
    admin.ask("PATCH", SETTINGS, {"on_failure": LOST})
    admin.pass_a_minute()
    assert run_failing(admin, **own) == expected


def test_default_of_one_tenant_does_not_hold_for_another() -> None:
    admin = AdminClient()
    key = admin.api.world.create_tenant.execute("other", frozenset(Scope)).api_key
    assert ask(admin.api, key, "PATCH", SETTINGS, {"on_failure": OTHER}).status == 200
    admin.pass_a_minute()
    assert admin.ask("GET", SETTINGS).json["on_failure"] is None
    assert run_failing(admin) == []


@pytest.mark.parametrize("name", ["on_success", "on_failure"])
@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://told.example/", "callback-url-not-allowed"),
        ("https://127.0.0.1/", "callback-url-not-allowed"),
        ("https://169.254.169.254/latest/meta-data", "callback-url-not-allowed"),
        ("https://[::ffff:10.0.0.1]/", "callback-url-not-allowed"),
        ("https://localhost/", "callback-url-not-allowed"),
        ("https://user:pw@told.example/", "callback-url-not-allowed"),
        ("https://told.example:22/", "callback-url-not-allowed"),
        ("", "callback-url-not-allowed"),
        ("https://told.example/" + "x" * 2_048, "validation-failed"),
        (5, "validation-failed"),
        ([WON], "validation-failed"),
        ({"url": WON}, "validation-failed"),
    ],
)
def test_url_of_the_settings_must_pass_the_target_policy(name: str, url: Any, problem: str) -> None:
    admin = AdminClient()
    before = admin.api.world.tenants.tenants["shop"]
    refused = admin.ask("PATCH", SETTINGS, {name: url})
    assert (refused.status, refused.problem) == (422, problem)
    assert [error["pointer"] for error in refused.json["errors"]] == [f"/{name}"]
    assert admin.api.world.tenants.tenants["shop"] == before


@pytest.mark.parametrize(
    "document",
    [{}, {"weight": 2}, {"state": "suspended"}, {"quotas": {"tags": 1}}, {"on_failure": LOST, "id": "x"}],
)
def test_tenant_cannot_change_what_operators_set(document: Any) -> None:
    admin = AdminClient()
    before = admin.api.world.tenants.tenants["shop"]
    assert admin.ask("PATCH", SETTINGS, document).problem == "validation-failed"
    assert admin.api.world.tenants.tenants["shop"] == before


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
def test_settings_need_the_scope_admin_because_a_url_can_hold_a_secret(scope: Scope) -> None:
    admin = AdminClient()
    admin.ask("PATCH", SETTINGS, {"on_failure": f"{LOST}?token=s3cr3t"})
    key = admin.ask("POST", "/v1/keys", {"scopes": [scope]}).json["api_key"]
    for method, document in (("GET", None), ("PATCH", {"on_failure": OTHER})):
        answer = ask(admin.api, key, method, SETTINGS, document)
        assert (answer.status, answer.problem) == (403, "forbidden")
        assert "s3cr3t" not in answer.text
    assert admin.ask("GET", SETTINGS).json["on_failure"] == f"{LOST}?token=s3cr3t"


def test_url_of_the_settings_is_stored_sealed_and_audited_as_a_digest() -> None:
    admin = AdminClient()
    admin.ask("PATCH", SETTINGS, {"on_failure": f"{LOST}?token=s3cr3t"})
    assert "told.example" not in repr(admin.api.world.tenants.tenants["shop"])
    (record, *_) = admin.ask("GET", "/v1/audit").json["records"]
    assert (record["operation"], record["target"]) == ("changeSettings", "shop")
    assert record["key_id"] == admin.customer.split("_")[1]
    assert record["before"] != record["after"]
    assert "s3cr3t" not in repr(admin.api.world.audit_log.records)
