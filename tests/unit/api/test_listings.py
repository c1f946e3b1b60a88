"""Listings over HTTP: what they show, page by page, and how they answer what makes no sense."""

from typing import Any

import pytest

from functions.api.cursors import Cursors, seal_cursor
from shared.domain.execution import State
from shared.domain.tenant import Scope
from tests.builders import DUE_AT, in_state, one_off
from tests.unit.functions.api_world import Answer, ApiWorld, Request
from tests.unit.usecases.lanes import Lanes
from tests.unit.usecases.world import EARLY

MINUTE = 60_000
DAILY = {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}


def pages(world: ApiWorld, path: str, member: str, **query: str) -> list[Any]:
    """The members of all pages."""
    found: list[Any] = []
    cursor: dict[str, str] = {}
    for _ in range(100):
        answer = world.get(path, **query, **cursor)
        assert answer.status == 200, answer.text
        found += answer.json[member]
        if answer.json["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json["next_cursor"]}
    raise AssertionError("the pages do not end")


def test_an_execution_is_found_by_its_id() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    (execution,) = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]
    assert world.get(f"/v1/executions/{execution['id']}").json == execution
    assert execution["due_at"] == execution["scheduled_at"]


def test_executions_that_are_not_there_for_a_tenant_are_answered_alike() -> None:
    world = ApiWorld()
    job = world.create()
    other = world.world.create_tenant("other")
    stranger = {"authorization": f"Bearer {other.api_key}"}
    known = job["id"].replace("job_", "exe_")
    paths = [f"/v1/executions/{name}" for name in (known, "exe_unknown", "x", "exe_" + "9" * 500)]
    answers = [world.handle(Request(method="GET", path=path, headers=stranger)) for path in paths]
    assert [answer.problem for answer in answers] == ["not-found"] * 4
    assert len({answer.text for answer in answers}) == 1


def test_jobs_are_listed_page_by_page_with_what_they_are() -> None:
    world = ApiWorld()
    once = world.create(name="once", tags=["eu"])
    daily = world.create(name="daily", schedule=DAILY, lane="bulk", tags=["eu", "billing"])
    for limit in ("1", "2", "100"):
        found = pages(world, "/v1/jobs", "jobs", limit=limit)
        assert [job["id"] for job in found] == [daily["id"], once["id"]]
    shown = {name: daily[name] for name in found[0]}
    assert found[0] == shown
    assert set(found[0]) == {
        "id",
        "kind",
        "state",
        "name",
        "tags",
        "schedule",
        "next_due_at",
        "lane",
        "revision",
        "created_at",
    }


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"kind": "once"}, ["report once"]),
        ({"kind": "cron"}, ["report daily"]),
        ({"tag": "billing"}, ["report daily"]),
        ({"q": "report"}, ["report daily", "report once"]),
        ({"q": "report o", "tag": "eu", "state": "pending", "kind": "once"}, ["report once"]),
        ({"state": "paused"}, []),
        ({"q": "Zürich 東京"}, []),
    ],
)
def test_jobs_are_narrowed_by_filters(query: dict[str, str], names: list[str]) -> None:
    world = ApiWorld()
    world.create(name="report once", tags=["eu"])
    world.create(name="report daily", schedule=DAILY, tags=["eu", "billing"])
    assert [job["name"] for job in pages(world, "/v1/jobs", "jobs", limit="1", **query)] == names


def test_executions_of_all_jobs_come_newest_first() -> None:
    world = ApiWorld()
    for number, state in enumerate((State.SUCCEEDED, State.PENDING, State.SUCCEEDED)):
        world.world.put(in_state(one_off(number, due_at=DUE_AT + number), state))
    found = pages(world, "/v1/executions", "executions", limit="1")
    assert [execution["state"] for execution in found] == ["succeeded", "pending", "succeeded"]
    ended = pages(world, "/v1/executions", "executions", limit="1", state="succeeded")
    assert [execution["id"] for execution in ended] == [found[0]["id"], found[2]["id"]]
    span = {"from": found[1]["due_at"], "to": found[0]["due_at"]}
    assert pages(world, "/v1/executions", "executions", **span) == [found[1]]


def test_a_jobs_history_is_narrowed_by_state_and_time() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    Lanes(world.world).until(EARLY + 5 * MINUTE)
    path = f"/v1/jobs/{job['id']}/executions"
    everything = pages(world, path, "executions")
    assert pages(world, path, "executions", limit="1", state="succeeded") == everything[1:]
    span = {"from": everything[3]["scheduled_at"], "to": everything[1]["scheduled_at"]}
    assert pages(world, path, "executions", limit="1", **span) == everything[2:4]


def test_what_is_about_to_run_is_told_with_how_that_is_known() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    world.create(schedule={"delay_seconds": 90})
    found = pages(world, "/v1/upcoming", "runs", limit="1", within="180")
    assert [(run["basis"], run["at"][11:19], run["attempt"]) for run in found] == [
        ("filed", "21:11:12", 1),
        ("filed", "21:11:42", 1),
        ("expected", "21:12:12", 1),
        ("expected", "21:13:12", 1),
    ]
    assert {run["job_id"] for run in found if run["basis"] == "expected"} == {job["id"]}
    answer = world.get("/v1/upcoming").json
    assert (answer["until"], answer["complete"]) == ("2025-02-19T21:15:12.345Z", True)


def test_the_next_runs_of_a_job_with_jitter_and_offset() -> None:
    world = ApiWorld()
    job = world.create(schedule=DAILY | {"jitter_seconds": 600})
    answer = world.get(f"/v1/jobs/{job['id']}/upcoming", count="60").json
    assert (answer["job_id"], answer["timezone"], len(answer["runs"])) == (job["id"], "Europe/Berlin", 60)
    first, last = answer["runs"][0], answer["runs"][-1]
    assert (first["scheduled_at"], first["local"], first["offset"]) == (
        "2025-02-20T01:30:00.000Z",
        "2025-02-20T02:30:00",
        "+01:00",
    )
    assert last["offset"] == "+02:00"
    assert all(run["scheduled_at"] <= run["due_at"] for run in answer["runs"])
    assert any(run["scheduled_at"] < run["due_at"] for run in answer["runs"])
    assert first["due_at"] == job["next_due_at"]


def test_a_schedule_is_previewed_and_nothing_is_stored() -> None:
    world = ApiWorld()
    answer = world.post(DAILY | {"jitter_seconds": 60}, "/v1/schedules/preview")
    assert answer.status == 200, answer.text
    shown = answer.json
    assert (len(shown["runs"]), shown["timezone"]) == (10, "Europe/Berlin")
    assert shown["runs"][0] == {
        "scheduled_at": "2025-02-20T01:30:00.000Z",
        "local": "2025-02-20T02:30:00",
        "offset": "+01:00",
        "begins_before": "2025-02-20T01:31:00.000Z",
    }
    assert [change["effect"] for change in shown["clock_changes"]][:2] == ["shifted", "first_time_only"]
    assert {warning["code"] for warning in shown["warnings"]} == {"dst_gap"}
    assert "02:30" in shown["description"]
    assert pages(world, "/v1/jobs", "jobs") == []


@pytest.mark.parametrize(
    "schedule",
    [
        {"delay_seconds": 60},
        {"at": "2030-01-01T09:00:00Z"},
        {"rate_seconds": 86_400, "timezone": None},
        {"expression": "cron(0 9 ? * MON-FRI *)", "timezone": "America/New_York"},
        {"cron": "0 0 30 2 *"},
        {"rate_seconds": 60, "end_at": "2025-03-01T00:00:00Z", "max_runs": 3},
    ],
)
def test_every_kind_of_schedule_can_be_previewed(schedule: dict[str, Any]) -> None:
    answer = ApiWorld().post(schedule, "/v1/schedules/preview")
    assert answer.status == 200 or answer.problem == "schedule-never-fires", answer.text


@pytest.mark.parametrize(
    ("body", "problem", "pointer"),
    [
        ({"cron": "61 * * * *"}, "validation-failed", "/cron"),
        ({"cron": "* * * * *", "timezone": "Mars/Olympus"}, "validation-failed", "/timezone"),
        ({"at": "2020-01-01T00:00:00Z"}, "schedule-in-past", "/at"),
        ({"at": "2999-01-01T00:00:00Z"}, "schedule-too-far", "/at"),
        ({}, "validation-failed", ""),
        ({"cron": "* * * * *", "rate_seconds": 60}, "validation-failed", ""),
        ({"schedule": {"cron": "* * * * *"}}, "validation-failed", "/schedule"),
        ({"rate_seconds": 0}, "validation-failed", "/rate_seconds"),
        ([], "validation-failed", ""),
        ("cron", "validation-failed", ""),
    ],
)
def test_a_schedule_that_cannot_be_accepted_says_where(body: Any, problem: str, pointer: str) -> None:
    answer = ApiWorld().post(body, "/v1/schedules/preview")
    assert (answer.problem, answer.json["errors"][0]["pointer"]) == (problem, pointer)


def test_operators_see_what_waits_across_tenants_and_nobody_else_does() -> None:
    world = ApiWorld()
    world.create(schedule={"delay_seconds": 60})
    world.world.put(one_off(4, tenant_id="other", due_at=EARLY + 30_000))
    made = world.world.create_tenant.operator()
    path, headers = "/v1/admin/upcoming", {"authorization": f"Bearer {made.api_key}"}
    rows, cursor = [], {}
    for _ in range(5):
        answer = world.handle(
            Request(method="GET", path=path, headers=headers, query={"limit": "1", **cursor})
        )
        assert answer.status == 200, answer.text
        rows += answer.json["rows"]
        if answer.json["next_cursor"] is None:
            break
        cursor = {"cursor": answer.json["next_cursor"]}
    assert [(row["tenant_id"], row["at"][14:19], row["retry"]) for row in rows] == [
        ("other", "10:42", False),
        ("acme", "11:12", False),
    ]
    assert world.get(path).problem == "forbidden"
    assert world.handle(Request(method="GET", path=path)).problem == "unauthenticated"
    admin = ApiWorld()
    admin.limit_to(Scope.READ, Scope.WRITE, Scope.ADMIN)
    assert admin.get(path).problem == "forbidden"


LISTINGS = {
    "/v1/jobs": ("limit", "cursor", "state", "tag", "q", "kind"),
    "/v1/executions": ("limit", "cursor", "state", "from", "to"),
    "/v1/jobs/{job}/executions": ("limit", "cursor", "state", "from", "to"),
    "/v1/upcoming": ("limit", "cursor", "within"),
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
    "count": NUMBERS,
    "state": WORDS,
    "kind": WORDS,
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
    other = world.world.create_tenant("other")
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
    for text in ("", "[]", "[2,1,2]", '[1,"x","y"]', "[1,5]", "null", "{}", "[1", '{"a":1}', "7", "[1,null]"):
        cursor = seal_cursor(world.world.vault, world.world.tenant, question, text)
        assert world.get("/v1/dead-letters", cursor=cursor).problem == "invalid-cursor", text
    good = Cursors(world.world.vault).seal(world.world.tenant, {"list": "dead-letters"}, ["0#exe"])
    assert len(good) < 200


@pytest.mark.parametrize(("scope", "status"), [(Scope.READ, 200), (Scope.WRITE, 403)])
def test_reading_asks_for_the_scope_to_read(scope: Scope, status: int) -> None:
    world = ApiWorld()
    world.limit_to(scope)
    job = world.world.recurring()
    assert {world.get(path.replace("{job}", job.id)).status for path in LISTINGS} == {status}
