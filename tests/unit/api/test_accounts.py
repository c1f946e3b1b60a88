"""Tenants, keys and secrets over HTTP: who may do what, and what cannot be asked for."""

from typing import Any

import pytest

from shared.domain.tenancy.tenant import Scope
from tests.support.api.admin_client import TENANTS, Office
from tests.support.api.api_world import JOB
from tests.support.api.request_factory import ask


def id_of(key: str) -> str:
    return key.split("_")[1]


def test_an_operator_makes_a_tenant_that_can_work_at_once() -> None:
    office = Office()
    made = office.rule("POST", TENANTS, {"id": "acme-2"})
    assert (made.status, made.headers["Location"]) == (201, f"{TENANTS}/acme-2")
    assert made.json["signing_secret"].startswith("whsec_")
    assert made.json["key"]["scopes"] == ["read", "write"]
    assert ask(office.api, made.json["api_key"], "POST", "/v1/jobs", JOB).status == 201
    shown = office.rule("GET", f"{TENANTS}/acme-2")
    assert shown.json == made.json["tenant"]
    assert made.json["api_key"].rpartition("_")[2] not in shown.text + office.rule("GET", TENANTS).text


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
    office = Office()
    before = dict(office.api.world.tenants.tenants)
    assert office.rule("POST", TENANTS, document).problem == problem
    assert office.api.world.tenants.tenants == before


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
    office = Office()
    before = office.api.world.tenants.tenants["shop"]
    assert office.rule("PATCH", f"{TENANTS}/shop", document).problem == "validation-failed"
    assert office.api.world.tenants.tenants["shop"] == before


def test_a_suspended_tenant_is_shut_out_within_a_minute_and_comes_back() -> None:
    office = Office()
    assert office.ask("GET", "/v1/jobs").status == 200
    assert office.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"}).json["state"] == "suspended"
    office.pass_a_minute()
    for method, path, document in (("GET", "/v1/jobs", None), ("POST", "/v1/keys", {"scopes": ["admin"]})):
        assert office.ask(method, path, document).problem == "forbidden"
    office.rule("PATCH", f"{TENANTS}/shop", {"state": "active"})
    office.pass_a_minute()
    assert office.ask("GET", "/v1/jobs").status == 200


def test_the_operators_tenant_cannot_be_suspended() -> None:
    office = Office()
    answer = office.rule("PATCH", f"{TENANTS}/operator", {"state": "suspended"})
    assert answer.problem == "invalid-state"


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
def test_no_key_makes_one_that_may_do_more_than_itself(scope: Scope) -> None:
    office = Office()
    weak = office.ask("POST", "/v1/keys", {"scopes": [scope]}).json["api_key"]
    for path in ("/v1/keys", f"/v1/keys/{id_of(office.customer)}/rotate", f"/v1/keys/{id_of(weak)}/rotate"):
        assert ask(office.api, weak, "POST", path, {"scopes": ["admin"]}).problem == "forbidden"
    assert ask(office.api, weak, "DELETE", f"/v1/keys/{id_of(office.customer)}").problem == "forbidden"


def test_a_tenants_manager_is_no_operator() -> None:
    office = Office()
    for path in ("", "/shop", "/operator", "/acme", "/nobody"):
        assert office.ask("GET", TENANTS + path).problem == "forbidden"
    assert office.ask("POST", f"{TENANTS}/operator/keys", {"scopes": ["admin"]}).problem == "forbidden"
    assert office.ask("PATCH", f"{TENANTS}/shop", {"quotas": {"tags": 10}}).problem == "forbidden"


@pytest.mark.parametrize("scopes", [["read"], ["admin", "write"], ["read", "write", "admin"]])
def test_operators_keys_cannot_be_made_to_do_a_customers_work(scopes: list[str]) -> None:
    office = Office()
    for path in ("/v1/keys", f"{TENANTS}/operator/keys"):
        assert office.rule("POST", path, {"scopes": scopes}).problem == "validation-failed"
    assert office.rule("POST", "/v1/keys", {"scopes": ["admin"]}).status == 201


def test_the_last_manager_is_not_revoked_by_its_own_tenant() -> None:
    office = Office()
    path = f"/keys/{id_of(office.customer)}"
    assert office.ask("DELETE", "/v1" + path).problem == "invalid-state"
    assert office.rule("DELETE", f"{TENANTS}/shop{path}").json["state"] == "revoked"
    own = f"/v1/keys/{id_of(office.operator)}"
    assert office.rule("DELETE", own).problem == "invalid-state"
    assert office.rule("DELETE", f"{TENANTS}/operator/keys/{id_of(office.operator)}").status == 409


def test_a_key_is_revoked_for_good_within_a_minute() -> None:
    office = Office()
    made = office.ask("POST", "/v1/keys", {"scopes": ["read"], "name": "ci"}).json
    assert ask(office.api, made["api_key"], "GET", "/v1/jobs").status == 200
    assert office.ask("DELETE", f"/v1/keys/{made['id']}").json["state"] == "revoked"
    assert office.ask("DELETE", f"/v1/keys/{made['id']}").status == 200
    office.pass_a_minute()
    assert ask(office.api, made["api_key"], "GET", "/v1/jobs").problem == "unauthenticated"
    assert office.ask("POST", f"/v1/keys/{made['id']}/rotate").problem == "invalid-state"


def test_an_operator_finds_a_key_under_its_own_tenant_only() -> None:
    office = Office()
    for name in ("operator", "acme", "nobody"):
        answer = office.rule("DELETE", f"{TENANTS}/{name}/keys/{id_of(office.customer)}")
        assert answer.problem == "not-found"
    assert office.ask("GET", "/v1/jobs").status == 200


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
    office = Office()
    assert office.ask("POST", "/v1/keys", document).problem == "validation-failed"
    assert len(office.ask("GET", "/v1/keys").json["keys"]) == 1


@pytest.mark.parametrize("overlap", [-1, 30 * 86_400 + 1, True, "60", 1.5, None])
def test_an_overlap_that_cannot_be_is_refused(overlap: Any) -> None:
    office = Office()
    for path in (f"/v1/keys/{id_of(office.customer)}/rotate", "/v1/signing-secrets"):
        assert office.ask("POST", path, {"overlap_seconds": overlap}).problem == "validation-failed"


def test_a_rotation_needs_no_body() -> None:
    office = Office()
    made = office.ask("POST", f"/v1/keys/{id_of(office.customer)}/rotate")
    assert made.status == 201
    old, new = office.ask("GET", "/v1/keys").json["keys"]
    assert (old["expires_at"][:10], new["expires_at"], new["id"]) == ("2025-02-20", None, made.json["id"])
    assert office.ask("POST", "/v1/signing-secrets").status == 201
    assert [each["state"] for each in office.ask("GET", "/v1/signing-secrets").json["signing_secrets"]] == [
        "current",
        "overlapping",
    ]


def test_when_a_key_was_last_used_is_shown() -> None:
    office = Office()
    (key,) = office.ask("GET", "/v1/keys").json["keys"]
    assert key["last_used_at"] == "2025-02-19T21:10:12.345Z"


def test_all_tenants_are_listed_page_by_page() -> None:
    office = Office()
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = office.rule("GET", TENANTS, limit="2", **cursor).json
        found += [tenant["id"] for tenant in page["tenants"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == ["acme", "operator", "shop"]
