"""Event sources: operators map accounts of AWS to tenants."""

from typing import Any

import pytest

from shared.domain.triggers.event_source import MAX_EVENT_SOURCES
from tests.support.api.admin_client import AdminClient

ROUTES = [{"source_prefix": "aws.s3", "tenant_id": "shop"}]
PATH = "/v1/admin/event-sources"


def test_event_source_is_put_shown_listed_and_deleted() -> None:
    world = AdminClient()
    made = world.rule("PUT", f"{PATH}/111122223333", {"routes": ROUTES})
    assert made.status == 200, made.text
    assert (made.json["version"], made.json["routes"]) == (1, ROUTES)
    assert world.rule("PUT", f"{PATH}/111122223333", {"routes": ROUTES}).json == made.json
    assert world.rule("GET", f"{PATH}/111122223333").json == made.json
    assert world.rule("GET", PATH).json == {"event_sources": [made.json]}
    assert world.rule("DELETE", f"{PATH}/111122223333").json == made.json
    assert world.rule("GET", f"{PATH}/111122223333").status == 404
    assert world.rule("DELETE", f"{PATH}/111122223333").status == 404


def test_change_of_an_event_source_is_audited_once_each_time() -> None:
    world = AdminClient()
    for routes in (ROUTES, ROUTES, [ROUTES[0] | {"source_prefix": "com.shop."}]):
        assert world.rule("PUT", f"{PATH}/111122223333", {"routes": routes}).status == 200
    world.rule("DELETE", f"{PATH}/111122223333")
    records = world.rule("GET", "/v1/admin/tenants/operator/audit").json["records"]
    found = [each["operation"] for each in records if "EventSource" in each["operation"]]
    assert found == ["deleteEventSource", "putEventSource", "putEventSource"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_event_sources_are_for_operators(method: str) -> None:
    world = AdminClient()
    body = {"routes": ROUTES} if method == "PUT" else None
    assert world.ask(method, f"{PATH}/111122223333", body).status == 403


@pytest.mark.parametrize(
    ("routes", "pointer"),
    [
        ([], "/routes"),
        (ROUTES * 51, "/routes"),
        (ROUTES * 2, "/routes/1/source_prefix"),
        ([{"source_prefix": "", "tenant_id": "shop"}], "/routes/0/source_prefix"),
        ([{"source_prefix": "a\nb", "tenant_id": "shop"}], "/routes/0/source_prefix"),
        ([{"source_prefix": "a", "tenant_id": "nobody"}], "/routes/0/tenant_id"),
        ([{"source_prefix": "a", "tenant_id": "operator"}], "/routes/0/tenant_id"),
        ([{"source_prefix": "a"}], "/routes/0/tenant_id"),
    ],
)
def test_event_source_that_cannot_be_is_refused_with_a_pointer(routes: list[Any], pointer: str) -> None:
    refused = AdminClient().rule("PUT", f"{PATH}/111122223333", {"routes": routes})
    assert refused.problem == "validation-failed", refused.text
    assert refused.json["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("account", ["1", "11112222333a", "1111222233334"])
def test_account_that_cannot_be_is_not_found(account: str) -> None:
    world = AdminClient()
    assert world.rule("GET", f"{PATH}/{account}").status == 404
    assert world.rule("PUT", f"{PATH}/{account}", {"routes": ROUTES}).status == 404


def test_number_of_event_sources_is_limited() -> None:
    world = AdminClient()
    for number in range(MAX_EVENT_SOURCES):
        assert world.rule("PUT", f"{PATH}/{number:012}", {"routes": ROUTES}).status == 200
    refused = world.rule("PUT", f"{PATH}/999999999999", {"routes": ROUTES})
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert (
        world.rule("PUT", f"{PATH}/{1:012}", {"routes": [ROUTES[0] | {"source_prefix": "x"}]}).status == 200
    )
