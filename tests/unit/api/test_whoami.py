"""`/v1/whoami`: what a client learns of its own key."""

import pytest

from shared.domain.tenancy.tenant import Scope
from tests.support.api.admin_client import AdminClient
from tests.support.api.request_factory import ask

WHOAMI = "/v1/whoami"


def test_client_learns_the_tenant_and_the_scopes_of_its_key() -> None:
    admin = AdminClient()
    assert admin.ask("GET", WHOAMI).json == {
        "tenant": "shop",
        "is_operator": False,
        "key_id": admin.customer.split("_")[1],
        "scopes": ["admin", "read", "write"],
        "expires_at": None,
    }


def test_operator_learns_that_its_key_is_one_of_the_operators() -> None:
    admin = AdminClient()
    shown = admin.rule("GET", WHOAMI).json
    assert (shown["tenant"], shown["is_operator"], shown["scopes"]) == ("operator", True, ["admin"])


@pytest.mark.parametrize("scope", Scope)
def test_key_with_any_one_scope_may_ask_and_sees_its_own_end(scope: Scope) -> None:
    admin = AdminClient()
    made = admin.ask("POST", "/v1/keys", {"scopes": [scope.value], "expires_in_seconds": 60}).json
    shown = ask(admin.api, made["api_key"], "GET", WHOAMI).json
    assert (shown["key_id"], shown["scopes"]) == (made["id"], [scope.value])
    assert shown["expires_at"] == made["expires_at"] is not None
    admin.pass_a_minute()
    assert ask(admin.api, made["api_key"], "GET", WHOAMI).problem == "unauthenticated"


def test_answer_costs_no_call_beyond_those_of_the_check_of_the_key() -> None:
    admin = AdminClient()
    assert admin.ask("GET", WHOAMI).status == 200
    before = list(admin.api.world.steps.taken)
    assert admin.ask("GET", WHOAMI).status == 200
    assert admin.api.world.steps.taken == before


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_no_other_method_is_open_to_every_key(method: str) -> None:
    admin = AdminClient()
    read = admin.ask("POST", "/v1/keys", {"scopes": ["read"]}).json["api_key"]
    assert ask(admin.api, read, method, WHOAMI).problem == "forbidden"
    assert admin.ask(method, WHOAMI).problem == "method-not-allowed"
