"""Tenants, keys and secrets over HTTP: who may do what, and what cannot be asked for."""

from typing import Any

import pytest

from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Scope
from tests.support.api.admin_client import TENANTS, AdminClient
from tests.support.api.api_world import JOB
from tests.support.api.request_factory import ask


def id_of(key: str) -> str:
    return key.split("_")[1]


def test_an_operator_makes_a_tenant_that_can_work_at_once() -> None:
    admin = AdminClient()
    made = admin.rule("POST", TENANTS, {"id": "acme-2"})
    assert (made.status, made.headers["Location"]) == (201, f"{TENANTS}/acme-2")
    assert made.json["signing_secret"].startswith("whsec_")
    assert made.json["key"]["scopes"] == ["read", "write"]
    assert ask(admin.api, made.json["api_key"], "POST", "/v1/jobs", JOB).status == 201
    shown = admin.rule("GET", f"{TENANTS}/acme-2")
    assert shown.json == made.json["tenant"]
    assert made.json["api_key"].rpartition("_")[2] not in shown.text + admin.rule("GET", TENANTS).text


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"id": "shop"}, "invalid-state"),
        ({"id": "operator"}, "validation-failed"),
        ({"id": "system", "scopes": ["admin"]}, "validation-failed"),
        ({"id": "key#1"}, "validation-failed"),
        ({"id": "a" * 41}, "validation-failed"),
        ({"id": "Ünal"}, "validation-failed"),
        ({"id": "t", "scopes": []}, "validation-failed"),
        ({"id": "t", "scopes": ["root"]}, "validation-failed"),
        ({"id": "t", "scopes": "admin"}, "validation-failed"),
        ({"id": "t", "weight": 9}, "validation-failed"),
        ({"id": None}, "validation-failed"),
        ({}, "validation-failed"),
    ],
)
def test_a_tenant_that_cannot_be_is_refused(document: Any, problem: str) -> None:
    admin = AdminClient()
    before = dict(admin.api.world.tenants.tenants)
    assert admin.rule("POST", TENANTS, document).problem == problem
    assert admin.api.world.tenants.tenants == before


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"state": "deleted"},
        {"state": None},
        {"weight": 0},
        {"weight": True},
        {"weight": "5"},
        {"index_shards": 65},
        {"quotas": None},
        {"quotas": {"moons": 1}},
        {"quotas": {"tags": -1}},
        {"quotas": {"tags": 11}},
        {"quotas": {"tags": 1.5}},
        {"quotas": {"api_keys": 1}},
        {"id": "other"},
        {"signing_secrets": []},
    ],
)
def test_a_change_that_cannot_be_is_refused(document: Any) -> None:
    admin = AdminClient()
    before = admin.api.world.tenants.tenants["shop"]
    assert admin.rule("PATCH", f"{TENANTS}/shop", document).problem == "validation-failed"
    assert admin.api.world.tenants.tenants["shop"] == before


@pytest.mark.parametrize("limit", [-1, 1.5, "5", True])
def test_refused_limit_is_one_error_at_the_quota(limit: Any) -> None:
    refused = AdminClient().rule("PATCH", f"{TENANTS}/shop", {"quotas": {"tags": limit}, "weight": 2})
    assert [error["pointer"] for error in refused.json["errors"]] == ["/quotas/tags"]


def test_a_suspended_tenant_is_shut_out_within_a_minute_and_comes_back() -> None:
    admin = AdminClient()
    assert admin.ask("GET", "/v1/jobs").status == 200
    answer = admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    assert (answer.status, answer.json["state"]) == (202, "suspended")
    assert answer.json["effective_at"] == instant_text(admin, 60_000)
    admin.pass_a_minute()
    assert admin.rule("PATCH", f"{TENANTS}/shop", {"weight": 2}).status == 200
    for method, path, document in (("GET", "/v1/jobs", None), ("POST", "/v1/keys", {"scopes": ["admin"]})):
        assert admin.ask(method, path, document).problem == "forbidden"
    answer = admin.rule("PATCH", f"{TENANTS}/shop", {"state": "active"})
    assert (answer.status, answer.json["state"]) == (202, "active")
    assert answer.json["effective_at"] == instant_text(admin, 60_000)
    again = admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    assert (again.status, again.problem) == (409, "invalid-state")
    admin.pass_a_minute()
    assert admin.ask("GET", "/v1/jobs").status == 200
    assert admin.rule("PATCH", f"{TENANTS}/shop", {"state": "active"}).status == 200


def instant_text(admin: AdminClient, later_ms: int) -> str:
    return format_instant(admin.api.world.clock.time_ms + later_ms)


def test_api_stays_closed_until_the_resumption_takes_effect() -> None:
    admin = AdminClient()
    admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    for _ in range(60):
        admin.pass_a_minute()
    admin.rule("PATCH", f"{TENANTS}/shop", {"state": "active"})
    for _ in range(4):
        admin.pass_a_minute()
        assert admin.ask("GET", "/v1/jobs").problem == "forbidden"
    admin.pass_a_minute()
    assert admin.ask("GET", "/v1/jobs").status == 200


def test_repeated_suspension_is_acknowledged_for_later_until_every_worker_knows_it() -> None:
    admin = AdminClient()
    admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    admin.pass_a_minute()
    answer = admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    assert (answer.status, answer.json["effective_at"]) == (202, instant_text(admin, 60_000))
    admin.pass_a_minute()
    answer = admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    assert (answer.status, answer.json["effective_at"]) == (200, instant_text(admin, -60_000))


def test_the_operators_tenant_cannot_be_suspended() -> None:
    admin = AdminClient()
    answer = admin.rule("PATCH", f"{TENANTS}/operator", {"state": "suspended"})
    assert answer.problem == "invalid-state"


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
def test_no_key_makes_one_that_may_do_more_than_itself(scope: Scope) -> None:
    admin = AdminClient()
    weak = admin.ask("POST", "/v1/keys", {"scopes": [scope]}).json["api_key"]
    for path in ("/v1/keys", f"/v1/keys/{id_of(admin.customer)}/rotate", f"/v1/keys/{id_of(weak)}/rotate"):
        assert ask(admin.api, weak, "POST", path, {"scopes": ["admin"]}).problem == "forbidden"
    assert ask(admin.api, weak, "DELETE", f"/v1/keys/{id_of(admin.customer)}").problem == "forbidden"


def test_a_tenants_manager_is_no_operator() -> None:
    admin = AdminClient()
    for path in ("", "/shop", "/operator", "/acme", "/nobody"):
        assert admin.ask("GET", TENANTS + path).problem == "forbidden"
    assert admin.ask("POST", f"{TENANTS}/operator/keys", {"scopes": ["admin"]}).problem == "forbidden"
    assert admin.ask("PATCH", f"{TENANTS}/shop", {"quotas": {"tags": 10}}).problem == "forbidden"


@pytest.mark.parametrize("scopes", [["read"], ["admin", "write"], ["read", "write", "admin"]])
def test_operators_keys_cannot_be_made_to_do_a_customers_work(scopes: list[str]) -> None:
    admin = AdminClient()
    for path in ("/v1/keys", f"{TENANTS}/operator/keys"):
        assert admin.rule("POST", path, {"scopes": scopes}).problem == "validation-failed"
    assert admin.rule("POST", "/v1/keys", {"scopes": ["admin"]}).status == 201


def test_the_last_manager_is_not_revoked_by_its_own_tenant() -> None:
    admin = AdminClient()
    path = f"/keys/{id_of(admin.customer)}"
    assert admin.ask("DELETE", "/v1" + path).problem == "invalid-state"
    assert admin.rule("DELETE", f"{TENANTS}/shop{path}").json["state"] == "revoked"
    own = f"/v1/keys/{id_of(admin.operator)}"
    assert admin.rule("DELETE", own).problem == "invalid-state"
    assert admin.rule("DELETE", f"{TENANTS}/operator/keys/{id_of(admin.operator)}").status == 409


def test_a_key_is_revoked_for_good_within_a_minute() -> None:
    admin = AdminClient()
    made = admin.ask("POST", "/v1/keys", {"scopes": ["read"], "name": "ci"}).json
    assert ask(admin.api, made["api_key"], "GET", "/v1/jobs").status == 200
    assert admin.ask("DELETE", f"/v1/keys/{made['id']}").json["state"] == "revoked"
    assert admin.ask("DELETE", f"/v1/keys/{made['id']}").status == 200
    admin.pass_a_minute()
    assert ask(admin.api, made["api_key"], "GET", "/v1/jobs").problem == "unauthenticated"
    assert admin.ask("POST", f"/v1/keys/{made['id']}/rotate").problem == "invalid-state"


def test_an_operator_finds_a_key_under_its_own_tenant_only() -> None:
    admin = AdminClient()
    for name in ("operator", "acme", "nobody"):
        answer = admin.rule("DELETE", f"{TENANTS}/{name}/keys/{id_of(admin.customer)}")
        assert answer.problem == "not-found"
    assert admin.ask("GET", "/v1/jobs").status == 200


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"scopes": []},
        {"scopes": ["read", "root"]},
        {"scopes": {"read": True}},
        {"scopes": ["read"], "name": ""},
        {"scopes": ["read"], "name": "x" * 65},
        {"scopes": ["read"], "name": "a\u0000b"},
        {"scopes": ["read"], "expires_in_seconds": 0},
        {"scopes": ["read"], "expires_in_seconds": 10**12},
        {"scopes": ["read"], "expires_in_seconds": "60"},
        {"scopes": ["read"], "tenant_id": "acme"},
        {"scopes": ["read"], "id": "0" * 16},
        [],
        "read",
    ],
)
def test_a_key_that_cannot_be_is_refused(document: Any) -> None:
    admin = AdminClient()
    assert admin.ask("POST", "/v1/keys", document).problem == "validation-failed"
    assert len(admin.ask("GET", "/v1/keys").json["keys"]) == 1


@pytest.mark.parametrize("overlap", [-1, 30 * 86_400 + 1, True, "60", 1.5, None])
def test_an_overlap_that_cannot_be_is_refused(overlap: Any) -> None:
    admin = AdminClient()
    for path in (f"/v1/keys/{id_of(admin.customer)}/rotate", "/v1/signing-secrets"):
        assert admin.ask("POST", path, {"overlap_seconds": overlap}).problem == "validation-failed"


def test_a_rotation_needs_no_body() -> None:
    admin = AdminClient()
    made = admin.ask("POST", f"/v1/keys/{id_of(admin.customer)}/rotate")
    assert made.status == 201
    old, new = admin.ask("GET", "/v1/keys").json["keys"]
    assert (old["expires_at"][:10], new["expires_at"], new["id"]) == ("2025-02-20", None, made.json["id"])
    assert admin.ask("POST", "/v1/signing-secrets").status == 201
    assert [each["state"] for each in admin.ask("GET", "/v1/signing-secrets").json["signing_secrets"]] == [
        "current",
        "overlapping",
    ]


def test_when_a_key_was_last_used_is_shown() -> None:
    admin = AdminClient()
    (key,) = admin.ask("GET", "/v1/keys").json["keys"]
    assert key["last_used_at"] == "2025-02-19T21:10:12.345Z"


def test_all_tenants_are_listed_page_by_page() -> None:
    admin = AdminClient()
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = admin.rule("GET", TENANTS, limit="2", **cursor).json
        found += [tenant["id"] for tenant in page["tenants"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == ["acme", "operator", "shop"]
