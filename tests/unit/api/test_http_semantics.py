"""What any client of HTTP expects: HEAD, bodies where none is read, media types, encodings, headers of security."""

from typing import Any

import orjson
import pytest

from functions.api.http.route import Route
from functions.api.reference.pages import PAGES
from tests.support.api.api_world import JOB, ApiWorld, Request
from tests.support.api.request_factory import ask, name_of, path_of, routes, settle

READS = routes(lambda route: route.method == "GET")
BODILESS = routes(lambda route: route.body is None and not route.is_open)


def settled(route: Route) -> tuple[ApiWorld, str, str]:
    """A world, the key and the path for a request to a route."""
    world = ApiWorld()
    party = settle(world, "ours")
    key = world.world.create_tenant.operator().api_key if "/admin/" in route.path else party.key
    return world, key, path_of(route, {part: party.ids[part][0] for part in route.path_parts})


@pytest.mark.parametrize("route", READS, ids=name_of)
def test_head_has_the_status_and_headers_of_get_and_no_body(route: Route) -> None:
    world, key, path = settled(route)
    get, head = (ask(world, key, method, path) for method in ("GET", "HEAD"))
    assert (head.status, head.headers, head.text) == (get.status, get.headers, "")


@pytest.mark.parametrize("page", PAGES)
def test_head_of_a_page_needs_no_key(page: str) -> None:
    answer = ApiWorld().handle(Request(method="HEAD", path=page))
    assert (answer.status, answer.text) == (200, "")


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/docs", "/v1/nothing", "/v1/health"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT"])
def test_every_answer_forbids_browsers_to_guess_its_type(method: str, path: str) -> None:
    answer = ApiWorld().handle(Request(method=method, path=path))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("route", BODILESS, ids=name_of)
@pytest.mark.parametrize("document", [{"body": {"a": 1}}, [], None, "garbage"])
def test_body_that_nothing_reads_is_refused(route: Route, document: Any) -> None:
    """A trigger with another payload used to run with the stored one."""
    world, key, path = settled(route)
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json", "if-match": "*"}
    refused = world.handle(
        Request(method=route.method, path=path, headers=headers, body=orjson.dumps(document))
    )
    assert (refused.status, refused.problem) == (422, "validation-failed")
    pointers = [error["pointer"] for error in refused.json["errors"]]
    assert pointers == (["/body"] if document == {"body": {"a": 1}} else [""])
    assert all("send none, or {}" in error["detail"] for error in refused.json["errors"])


@pytest.mark.parametrize("route", BODILESS, ids=name_of)
def test_empty_object_counts_as_no_body(route: Route) -> None:
    world, key, path = settled(route)
    assert ask(world, key, route.method, path, {}).status not in (400, 415, 422)


def test_text_where_no_body_is_read_is_refused_by_its_type() -> None:
    world = ApiWorld()
    path = f"/v1/jobs/{world.create(schedule={'rate_seconds': 60})['id']}/trigger"
    headers = world.credential | {"content-type": "text/plain"}
    assert world.handle(Request(method="POST", path=path, headers=headers, body=b"garbage")).status == 415


@pytest.mark.parametrize(
    ("media", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8; x=y", 201),
        ('APPLICATION/JSON;profile="a;b" ; Charset=UTF-8', 201),
        ("application/json; charset=us-ascii", 201),
        ("application/json; charset=latin-1", 415),
        ("application/json; charset=utf-16", 415),
        ("text/json", 415),
        ("", 415),
    ],
)
def test_parameters_of_the_media_type_are_accepted_but_for_another_charset(media: str, status: int) -> None:
    world = ApiWorld()
    headers = world.credential | {"content-type": media}
    request = Request(method="POST", path="/v1/jobs", headers=headers, body=orjson.dumps(JOB))
    assert world.handle(request).status == status


@pytest.mark.parametrize(("encoding", "status"), [("gzip", 415), ("br", 415), ("identity", 201)])
def test_body_that_says_it_is_encoded_is_refused(encoding: str, status: int) -> None:
    world = ApiWorld()
    headers = world.credential | {"content-type": "application/json", "content-encoding": encoding}
    request = Request(method="POST", path="/v1/jobs", headers=headers, body=orjson.dumps(JOB))
    assert world.handle(request).status == status


def test_bytes_that_a_gateway_replaced_are_refused_and_the_same_character_escaped_is_kept() -> None:
    """Latin-1 used to be accepted, and to reach its receiver as U+FFFD, signed."""
    world = ApiWorld()
    headers = world.credential | {"content-type": "application/json"}
    text = orjson.dumps(JOB | {"name": "caf\ufffd"}).decode()
    refused = world.handle(Request(method="POST", path="/v1/jobs", headers=headers, body=text))
    assert (refused.problem, "\\ufffd" in refused.json["detail"]) == ("malformed-request", True)
    escaped = text.replace("\ufffd", "\\ufffd")
    accepted = world.handle(Request(method="POST", path="/v1/jobs", headers=headers, body=escaped))
    assert (accepted.status, accepted.json["name"]) == (201, "caf\ufffd")
