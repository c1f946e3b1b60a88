"""Listings over HTTP: parameters and cursors that make no sense are refused, exactly, and break nothing."""

from typing import Any

import pytest

from functions.api.http.cursors import Cursors, seal_cursor
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import EARLY

MINUTE = 60_000
LISTINGS = {
    "/v1/jobs": ("limit", "cursor", "state", "tag", "q", "kind", "include"),
    "/v1/executions": ("limit", "cursor", "state", "from", "to"),
    "/v1/jobs/{job}/executions": ("limit", "cursor", "state", "from", "to"),
    "/v1/upcoming": ("limit", "cursor", "within", "from"),
    "/v1/upcoming/density": ("to", "step_seconds"),
    "/v1/jobs/{job}/upcoming": ("count",),
    "/v1/dead-letters": ("limit", "cursor"),
}
NUMBERS = [
    "",
    "0",
    "101",
    "1000000000",
    "1e9",
    "+5",
    "-1",
    " 5",
    "5 ",
    "5.0",
    "0x5",
    "\N{ARABIC-INDIC DIGIT FIVE}",
    "\x00",
    "5\x00",
    "9" * 400,
]
WORDS = [
    "",
    "nonsense",
    "Pending",
    "pending ",
    "moved",
    "\x00",
    "pending\x00",
    "x" * 5_000,
    "ä",
    "'; --",
    "%00",
    "null",
]
INSTANTS = [
    "",
    "yesterday",
    "2025-02-30T00:00:00Z",
    "2025-02-19",
    "2025-02-19T21:10:12",
    "1969-12-31T23:59:59Z",
    "9999-01-01T00:00:00Z",
    "1740000012345",
    "2025-02-19T21:10:60Z",
    "2025-02-19T21:10:12Z\x00",
    "2" * 5_000,
    "2025-02-19T21:10:12 01:00",
]
CURSORS = ["", "x", "null", "%00", "\x00", "A" * 1_025, "A" * 100_000, "-_-_", "e30=", "ä", "../../etc"]
HOSTILE = {
    "limit": NUMBERS,
    "within": [text for text in NUMBERS if text not in ("101",)] + ["86401", "99999"],
    "step_seconds": [text for text in NUMBERS if text not in ("101",)] + ["1", "86", "86401", "99999"],
    "count": NUMBERS,
    "state": WORDS,
    "kind": WORDS,
    "include": WORDS,
    "tag": ["", "Billing", "a b", "-x", "x" * 64, "\x00", "a\x00", "ä", "a,b"],
    "q": ["", "\x00", "a\x00b", "x" * 129, "\x1b[31m", "a\nb"],
    "from": INSTANTS,
    "to": INSTANTS,
    "cursor": CURSORS,
}


def listing(world: ApiWorld, path: str) -> str:
    return path.replace("{job}", world.create(schedule={"rate_seconds": 60})["id"])


@pytest.mark.parametrize("path", LISTINGS)
def test_a_parameter_that_makes_no_sense_is_refused_and_breaks_nothing(path: str) -> None:
    world = ApiWorld()
    asked = listing(world, path)
    for name in LISTINGS[path]:
        expected = "invalid-cursor" if name == "cursor" else "malformed-request"
        for text in HOSTILE[name]:
            answer = world.get(asked, **{name: text})
            assert (answer.status, answer.problem) == (400, expected), (name, text[:20])


@pytest.mark.parametrize("path", [*LISTINGS, "/v1/executions/exe_x"])
def test_unknown_parameters_are_refused(path: str) -> None:
    world = ApiWorld()
    for name in ("Limit", "limits", "", "\x00", "x" * 9_000, "__proto__", "state[]"):
        assert world.get(listing(world, path), **{name: "1"}).problem == "malformed-request"


@pytest.mark.parametrize("path", LISTINGS)
def test_a_parameter_given_twice_is_refused(path: str) -> None:
    world = ApiWorld()
    asked = listing(world, path)
    for name, (first, second) in {
        "limit": ("5", "6"),
        "count": ("5", "5"),
        "state": ("failed", "failed"),
    }.items():
        if name in LISTINGS[path]:
            request = Request(method="GET", path=asked, headers=world.credential, query={name: first})
            event = request.event() | {"rawQueryString": f"{name}={first}&{name}={second}"}
            assert send(world, event).problem == "malformed-request"


def send(world: ApiWorld, event: dict[str, Any]) -> Answer:
    raw = world.api(event, None)
    return Answer(raw["statusCode"], dict(raw["headers"]), raw["body"])


@pytest.mark.parametrize("path", ["/v1/executions", "/v1/jobs/{job}/executions"])
def test_a_span_that_ends_before_it_begins_is_refused(path: str) -> None:
    world = ApiWorld()
    asked = listing(world, path)
    late, early = "2025-02-19T21:10:13Z", "2025-02-19T21:10:12Z"
    assert world.get(asked, **{"from": late, "to": early}).problem == "malformed-request"
    assert world.get(asked, **{"from": late, "to": late}).problem == "malformed-request"
    assert world.get(asked, **{"from": early, "to": late}).status == 200
    widest = {"from": "1970-01-01T00:00:00Z", "to": "9998-12-31T23:59:59.999Z"}
    assert world.get(asked, **widest).status == 200


def cursors(world: ApiWorld) -> dict[tuple[str, tuple[tuple[str, str], ...]], str]:
    """A cursor of every listing, by its question."""
    jobs = [world.create(schedule={"rate_seconds": 60}) for _ in range(2)]
    world.create(tags=["eu"])
    Lanes(world.world).until(EARLY + 5 * MINUTE)
    questions: list[tuple[str, dict[str, str]]] = [
        ("/v1/jobs", {}),
        ("/v1/jobs", {"kind": "rate"}),
        ("/v1/executions", {}),
        ("/v1/executions", {"state": "succeeded"}),
        ("/v1/executions", {"from": "2025-02-19T21:11:00Z"}),
        (f"/v1/jobs/{jobs[0]['id']}/executions", {}),
        (f"/v1/jobs/{jobs[1]['id']}/executions", {}),
        (f"/v1/jobs/{jobs[0]['id']}/executions", {"state": "succeeded"}),
        ("/v1/upcoming", {"within": "7000"}),
        ("/v1/upcoming", {"within": "7001"}),
    ]
    made = {}
    for path, query in questions:
        answer = world.get(path, limit="1", **query)
        assert answer.json["next_cursor"], (path, query)
        made[path, tuple(query.items())] = answer.json["next_cursor"]
    return made


def test_a_cursor_is_good_for_its_own_question_whatever_the_limit_is() -> None:
    world = ApiWorld()
    made = cursors(world)
    for (path, query), cursor in made.items():
        assert len(cursor) <= 256
        for (own_path, own_query), other in made.items():
            answer = world.get(path, limit="7", cursor=other, **dict(query))
            if (path, query) == (own_path, own_query):
                assert answer.status == 200
            else:
                assert answer.problem == "invalid-cursor"


def test_a_cursor_that_was_cut_or_altered_or_is_anothers_is_refused() -> None:
    world = ApiWorld()
    made = cursors(world)
    other = world.world.create_tenant.execute("other")
    stranger = {"authorization": f"Bearer {other.api_key}"}
    for (path, query), cursor in made.items():
        altered = [cursor[:-1], cursor[1:], cursor + "A", cursor.swapcase(), cursor[: len(cursor) // 2]]
        altered += [
            cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
            for place in range(0, len(cursor) - 1, 9)
        ]
        for text in altered:
            assert world.get(path, cursor=text, **dict(query)).problem == "invalid-cursor"
        request = Request(method="GET", path=path, headers=stranger, query={"cursor": cursor, **dict(query)})
        assert world.handle(request).problem in ("invalid-cursor", "not-found")


def test_a_cursor_of_another_format_is_refused() -> None:
    world = ApiWorld()
    question = '{"list":"dead-letters"}'
    for text in (
        "",
        "[]",
        "[2,1,2]",
        '[2,"0#exe"]',
        '[1,"x","y"]',
        "[1,5]",
        "null",
        "{}",
        "[1",
        '{"a":1}',
        "7",
        "[1,null]",
    ):
        cursor = seal_cursor(world.world.vault, world.world.tenant, question, text)
        assert world.get("/v1/dead-letters", cursor=cursor).problem == "invalid-cursor", text
    good = Cursors(world.world.vault).seal(world.world.tenant, {"list": "dead-letters"}, ["0#exe"])
    assert good is not None
    assert len(good) < 200


@pytest.mark.parametrize(("scope", "status"), [(Scope.READ, 200), (Scope.WRITE, 403)])
def test_reading_asks_for_the_scope_to_read(scope: Scope, status: int) -> None:
    world = ApiWorld()
    world.limit_to(scope)
    job = world.world.recurring()
    assert {world.get(path.replace("{job}", job.id)).status for path in LISTINGS} == {status}
