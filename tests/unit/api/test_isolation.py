"""No tenant sees, changes or finds out anything of another: tried on every route that there is."""

import copy
from typing import Any

import pytest

from functions.api.http.admission import OPERATORS_PATH
from functions.api.http.route import Route
from shared.domain.tenancy.tenant import OPERATOR, Scope
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.api.request_factory import (
    UNKNOWN,
    Party,
    ask,
    document_for,
    is_by_id,
    name_of,
    parts_of,
    path_of,
    routes,
    settle,
)

BY_ID = routes(is_by_id)
LISTS = routes(lambda route: route.method == "GET" and not parts_of(route) and not route.is_open)
PAGED = routes(lambda route: "cursor" in route.query)
KEYED = routes(lambda route: not route.is_open)
SHOWS_NO_IDS = {"getStatistics", "getBusiestJobs", "getUsage", "getSettings", "getUpcomingDensity"}
"""Lists in which the ids of a tenant's things do not occur."""


class Neighbours:
    """Two tenants with some of everything."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.operator = self.api.world.create_tenant.operator().api_key
        self.ours, self.theirs = settle(self.api, "ours"), settle(self.api, "theirs")

    def ask(self, key: str, route: Route, ids: dict[str, str], **query: str) -> Answer:
        """A request that is right in everything but maybe the ids in its path."""
        return ask(self.api, key, route.method, path_of(route, ids), document_for(route), **query)

    def restrict(self, *scopes: Scope) -> None:
        """All keys may do only so much, and nobody remembers that they could do more."""
        self.api.limit_to(*scopes)
        self.api.world.clock.time_ms += REMEMBER_MS

    def stored(self) -> Any:
        """All that is stored but when keys were used last, to be compared with itself later."""
        tenants = self.api.world.tenants
        ends = {key.id: (key.revoked, key.expires_at) for key in tenants.keys.values()}
        world = self.api.world
        return copy.deepcopy((world.table.executions, world.table.jobs, tenants.tenants, ends))


def essence(answer: Answer) -> tuple[Any, ...]:
    """All of a problem but the id of its request."""
    assert answer.problem
    return (answer.status, *(answer.json[name] for name in ("type", "title", "detail")), len(answer.json))


def mine_except(party: Party, route: Route, part: str, value: str) -> dict[str, str]:
    """Our own ids for all variable parts but one."""
    return {name: party.ids[name][0] for name in parts_of(route)} | {part: value}


@pytest.mark.parametrize("route", BY_ID, ids=name_of)
def test_a_foreign_id_is_answered_exactly_like_one_that_nobody_has(route: Route) -> None:
    near = Neighbours()
    before = near.stored()
    for part in parts_of(route):
        unknown = [
            essence(near.ask(near.ours.key, route, mine_except(near.ours, route, part, value)))
            for value in UNKNOWN[part]
        ]
        for value in near.theirs.ids[part]:
            foreign = near.ask(near.ours.key, route, mine_except(near.ours, route, part, value))
            assert essence(foreign) in unknown
            assert foreign.status == (403 if route.path.startswith(OPERATORS_PATH) else 404)
            assert value not in foreign.text
        assert len(set(unknown)) == 1
    assert near.stored() == before


@pytest.mark.parametrize("route", LISTS, ids=name_of)
def test_a_list_shows_nothing_of_others(route: Route) -> None:
    near = Neighbours()
    theirs = [
        value for part, values in near.theirs.ids.items() if part != "shared_calendar" for value in values
    ]
    answer = near.ask(near.ours.key, route, {})
    if route.path.startswith(OPERATORS_PATH):
        assert (answer.status, answer.problem) == (403, "forbidden")
        return
    assert answer.status == 200, answer.text
    assert [value for value in theirs if value in answer.text] == []
    seen = near.ask(near.theirs.key, route, {}).text
    assert route.operation in SHOWS_NO_IDS or any(value in seen for value in theirs), (
        f"{route.operation} shows nothing at all: let request_factory.settle make what it lists"
    )


@pytest.mark.parametrize("route", PAGED, ids=name_of)
def test_a_cursor_is_of_use_to_its_own_tenant_only(route: Route) -> None:
    near = Neighbours()
    ours, theirs = near.ours, near.theirs
    if route.path.startswith(OPERATORS_PATH):
        theirs = Party(OPERATOR, near.operator, near.theirs.ids)
    cursor = _cursor(near, theirs, route)
    assert near.ask(theirs.key, route, _ids(theirs, route, cursor[1]), cursor=cursor[0]).status == 200
    for foreign in (0, -1):
        ids = {name: ours.ids[name][foreign] for name in parts_of(route)}
        taken = near.ask(ours.key, route, ids, limit="1", cursor=cursor[0])
        criteria = "forbidden" if route.path.startswith(OPERATORS_PATH) else "invalid-cursor"
        assert taken.problem == criteria
        assert not any(
            value in taken.text
            for part, values in theirs.ids.items()
            if part != "shared_calendar"
            for value in values
        )


def _ids(party: Party, route: Route, number: int) -> dict[str, str]:
    return {name: party.ids[name][number % len(party.ids[name])] for name in parts_of(route)}


def _cursor(near: Neighbours, party: Party, route: Route) -> tuple[str, int]:
    for number in range(6):
        answer = near.ask(party.key, route, _ids(party, route, number), limit="1")
        assert answer.status == 200, answer.text
        if answer.json["next_cursor"] is not None:
            return answer.json["next_cursor"], number
        near.api.world.clock.time_ms += 1
    raise AssertionError(f"{route.operation} has one page only: let request_factory.settle make more")


@pytest.mark.parametrize("route", KEYED, ids=name_of)
def test_no_key_does_what_its_scopes_do_not_name(route: Route) -> None:
    near = Neighbours()
    ids = {name: near.ours.ids[name][0] for name in parts_of(route)}
    allowed = set()
    for scope in Scope:
        near.restrict(scope)
        answer = near.ask(near.ours.key, route, ids)
        if answer.status != 403:
            allowed.add(scope)
        else:
            assert answer.problem == "forbidden"
    near.restrict()
    assert near.ask(near.ours.key, route, ids).status == 403
    assert allowed == _lawful(route)


def _lawful(route: Route) -> set[Scope]:
    if route.path.startswith(OPERATORS_PATH):
        return set()
    if route.path.startswith(("/v1/keys", "/v1/settings", "/v1/signing-secrets")):
        return {Scope.ADMIN}
    if route.path in ("/v1/audit", "/v1/usage"):
        return {Scope.READ, Scope.ADMIN}
    if route.operation == "getWhoami":
        return set(Scope)
    if route.operation == "previewSchedule":
        return {Scope.READ, Scope.WRITE}
    is_search = route.path.startswith(("/v1/executions/search", "/v1/searches"))
    return {Scope.READ if route.method == "GET" or is_search else Scope.WRITE}


@pytest.mark.parametrize("route", KEYED, ids=name_of)
def test_operators_may_only_manage(route: Route) -> None:
    """Not even an operator reads or makes jobs."""
    near = Neighbours()
    ids = {name: near.ours.ids[name][-1] for name in parts_of(route)}
    answer = near.ask(near.operator, route, ids)
    if Scope.ADMIN not in _lawful(route) and not route.path.startswith(OPERATORS_PATH):
        assert answer.problem == "forbidden"
    else:
        assert answer.status != 403


@pytest.mark.parametrize(
    "path",
    [
        "/v1/keys/",
        "//v1/keys",
        "/v1//keys",
        "/v1/./keys",
        "/v1/jobs/../keys",
        "/V1/KEYS",
        "/v1/%6beys",
        "/v1/keys%2f",
        "/v1/keys;x",
        "/v1/admin/tenants/",
        "/v1/Admin/tenants",
        "/v1/%61dmin/tenants",
        "/v1/adminx/tenants",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "PUT"])
def test_no_spelling_of_a_path_gets_past_its_scope(path: str, method: str) -> None:
    near = Neighbours()
    before = near.stored()
    near.restrict(Scope.READ, Scope.WRITE)
    answer = ask(near.api, near.ours.key, method, path, {"scopes": ["admin"]})
    assert answer.status in (403, 404, 405)
    assert near.stored()[:3] == before[:3]


def test_a_named_stage_in_the_path_gets_nobody_past_a_scope_either() -> None:
    near = Neighbours()
    near.restrict(Scope.READ, Scope.WRITE)
    request = Request(
        method="POST",
        path="/prod/v1/keys",
        body=b'{"scopes":["admin"]}',
        headers={"authorization": f"Bearer {near.ours.key}", "content-type": "application/json"},
    )
    event = request.event()
    event["requestContext"]["stage"] = "prod"
    before = near.stored()
    assert near.api.api(event, None)["statusCode"] == 404
    assert near.stored()[:3] == before[:3]
