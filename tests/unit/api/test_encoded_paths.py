"""Paths as API Gateway passes them: decoded before the function sees them, so that an escape becomes its character."""

from functools import cache
from typing import Any

import pytest

from functions.api.http.admission import OPERATORS_PATH
from functions.api.reference.pages import PAGES
from functions.api.routes import every_route
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.request_factory import Party, ask, document_for, parts_of, path_of, routes, settle
from tests.support.http_path import raw_path

NO_ID_HAS = ["%2F", "%25", "%0A", "%00", "%20", "%09", "%C2%A0", "%252F", "%2525", "%2E%2E%2F"]
LITERAL = sorted(
    {route for route in every_route() if not route.path_parts}, key=lambda route: route.operation
)


@cache
def settled() -> tuple[ApiWorld, Party, str]:
    """A tenant that has some of everything, and an operator's key."""
    api = ApiWorld()
    return api, settle(api, "ours"), api.world.create_tenant.operator().api_key


def test_path_is_decoded_once_and_cut_at_a_decoded_question_mark() -> None:
    targets = ["/v1/jobs/a%2Fb?x=%2F", "/v1/jobs/a%3Fb/pause", "/v1/jobs/a%252Fb", "/v1/jobs%0A"]
    assert [raw_path(target) for target in targets] == [
        "/v1/jobs/a/b",
        "/v1/jobs/a",
        "/v1/jobs/a%2Fb",
        "/v1/jobs\n",
    ]


@pytest.mark.parametrize("escape", NO_ID_HAS)
def test_id_with_an_escape_is_unknown_on_every_path(escape: str) -> None:
    api, party, operator = settled()
    for route in routes(lambda route: bool(parts_of(route))):
        key = operator if route.path.startswith(OPERATORS_PATH) else party.key
        for part in parts_of(route):
            ids = {name: party.ids[name][0] for name in parts_of(route)}
            ids[part] += escape
            answer = ask(api, key, route.method, raw_path(path_of(route, ids)), document_for(route))
            assert answer.status in (404, 405), f"{route.operation}, {part}: {answer.text}"


@pytest.mark.parametrize("escape", NO_ID_HAS)
def test_escape_behind_a_literal_path_reaches_no_operation(escape: str) -> None:
    api, party, operator = settled()
    for route in LITERAL:
        key = operator if route.path.startswith(OPERATORS_PATH) else party.key
        answer = ask(api, key, route.method, raw_path(route.path + escape), document_for(route))
        assert answer.status in (404, 405), f"{route.operation}: {answer.text}"


def test_no_spelling_of_a_creation_spares_the_creation_rate() -> None:
    api = ApiWorld()
    api.allow(Quota.CREATES_PER_SECOND, 1)
    targets = ["/v1/jobs", "/v1/jobs%0A", "/v1/jobs%3Fdry=1", "/v1%2Fjobs"]
    statuses = [api.post(JOB, raw_path(target)).status for target in targets for _ in range(3)]
    assert statuses.count(201) == 1


@pytest.mark.parametrize(
    "spelling", ["%2Fv1%2Fadmin%2Ftenants", "/v1%2Fadmin/tenants", "/v1/admin/tenants%3F"]
)
def test_no_spelling_of_the_operators_path_evades_the_scope(spelling: str) -> None:
    api = ApiWorld()
    answer = api.get(raw_path(spelling))
    assert (answer.status, answer.problem) == (403, "forbidden")


def test_no_spelling_of_a_write_evades_the_scope_of_a_key_that_reads() -> None:
    api = ApiWorld()
    api.limit_to(Scope.READ)
    for target in ("/v1%2Fjobs", "/v1/jobs%0A", "/v1/jobs%3F", "/v1/schedules%2F..%2Fjobs"):
        assert api.post(JOB, raw_path(target)).status in (403, 404)


def test_cut_path_is_the_resource_that_the_rest_names() -> None:
    """AWS passes the path in front of the question mark only, so the answer is that of the shorter path."""
    api = ApiWorld()
    made: Any = api.create()
    assert api.get(raw_path(f"/v1/jobs/{made['id']}%3Fx=1")).status == 200
    assert api.post({}, raw_path(f"/v1/jobs/{made['id']}%3Fx/pause")).status == 405


def test_no_page_answers_a_longer_path() -> None:
    for page in PAGES:
        assert ApiWorld().get(raw_path(f"{page}%2F")).status == 404
