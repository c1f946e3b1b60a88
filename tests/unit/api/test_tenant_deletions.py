"""The deletion of a tenant over HTTP: confirmed, suspended before, on record, and for operators alone."""

from typing import Any

import pytest

from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.deletion import BEGINS_AFTER_MS, SETTLED_MS
from shared.domain.tenancy.suspension import EFFECTIVE_AFTER_MS
from tests.support.api.admin_client import TENANTS, AdminClient
from tests.support.api.api_world import JOB

PATH = f"{TENANTS}/shop/deletion"
BODY: dict[str, Any] = {"confirm": "shop", "asked_by": "ticket 7"}


def suspended() -> AdminClient:
    admin = AdminClient()
    admin.ask("POST", "/v1/jobs", JOB)
    admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    admin.api.world.clock.time_ms += EFFECTIVE_AFTER_MS
    return admin


def test_suspended_tenant_is_deleted_and_its_record_stays() -> None:
    admin = suspended()
    clock = admin.api.world.clock
    asked = admin.rule("POST", PATH, BODY)
    assert asked.status == 202, asked.text
    assert asked.json == {
        "tenant": "shop",
        "state": "waiting",
        "asked_at": format_instant(clock.time_ms),
        "asked_by": "ticket 7",
        "begins_at": format_instant(clock.time_ms + BEGINS_AFTER_MS),
        "began_at": None,
        "ended_at": None,
        "deleted": {},
    }
    assert admin.rule("GET", PATH).json == asked.json
    assert admin.rule("POST", PATH, BODY | {"asked_by": "another"}).json == asked.json
    clock.time_ms += BEGINS_AFTER_MS
    for _ in range(3):
        admin.api.world.process_bulk_tasks.execute()
        clock.time_ms += SETTLED_MS
    ended = admin.rule("GET", PATH).json
    assert (ended["state"], ended["begins_at"], ended["deleted"]["executions"]) == ("ended", None, 1)
    assert admin.rule("GET", f"{TENANTS}/shop").status == 404
    assert admin.rule("POST", PATH, BODY).json == ended


def test_request_is_on_record() -> None:
    admin = suspended()
    admin.rule("POST", PATH, BODY)
    records = admin.rule("GET", f"{TENANTS}/shop/audit").json["records"]
    assert (records[0]["operation"], records[0]["target"]) == ("deleteTenant", "shop")
    assert records[0]["actor"] == "operator"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (BODY | {"confirm": "Shop"}, "/confirm"),
        (BODY | {"confirm": "shop "}, "/confirm"),
        (BODY | {"confirm": "operator"}, "/confirm"),
        ({"asked_by": "ticket 7"}, "/confirm"),
        ({"confirm": "shop"}, "/asked_by"),
        (BODY | {"asked_by": ""}, "/asked_by"),
        (BODY | {"asked_by": "a\nb"}, "/asked_by"),
        (BODY | {"asked_by": "a" * 257}, "/asked_by"),
        (BODY | {"force": True}, "/force"),
    ],
)
def test_request_without_confirmation_or_reason_deletes_nothing(body: Any, pointer: str) -> None:
    admin = suspended()
    answer = admin.rule("POST", PATH, body)
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert admin.rule("GET", PATH).status == 404


def test_tenant_that_is_not_suspended_is_not_deleted() -> None:
    admin = AdminClient()
    assert admin.rule("POST", PATH, BODY).problem == "invalid-state"
    admin.rule("PATCH", f"{TENANTS}/shop", {"state": "suspended"})
    admin.api.world.clock.time_ms += EFFECTIVE_AFTER_MS - 1
    assert admin.rule("POST", PATH, BODY).problem == "invalid-state"


@pytest.mark.parametrize(
    ("tenant", "problem"),
    [("operator", "invalid-state"), ("punctual-canary", "invalid-state"), ("nobody", "not-found")],
)
def test_tenant_of_the_deployment_and_unknown_tenant_are_refused(tenant: str, problem: str) -> None:
    admin = AdminClient()
    answer = admin.rule("POST", f"{TENANTS}/{tenant}/deletion", BODY | {"confirm": tenant})
    assert answer.problem == problem
    assert admin.rule("GET", f"{TENANTS}/{tenant}/deletion").problem == "not-found"


def test_key_of_a_customer_deletes_no_tenant() -> None:
    admin = AdminClient()
    assert admin.ask("POST", PATH, BODY).problem == "forbidden"
    assert admin.ask("GET", PATH).problem == "forbidden"
