"""Listings over HTTP: what they show, page by page."""

from typing import Any

import pytest

from shared.domain.executions.states import State
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import ApiWorld, Request
from tests.support.builders import DUE_AT, in_state, one_off
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import EARLY

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
    assert world.get(f"/v1/executions/{execution['id']}").json == execution | {"waiting_for": None}
    assert execution["due_at"] == execution["scheduled_at"]


def test_executions_that_are_not_there_for_a_tenant_are_answered_alike() -> None:
    world = ApiWorld()
    job = world.create()
    other = world.world.create_tenant.execute("other")
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
        "no_next_run",
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


def test_upcoming_run_is_listed_as_filed_or_expected() -> None:
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


def test_upcoming_runs_are_listed_from_a_later_instant_on() -> None:
    world = ApiWorld()
    world.create(schedule={"rate_seconds": 60})
    world.create(schedule={"delay_seconds": 90})
    span = {"from": "2025-02-19T21:11:42.345Z", "within": "31"}
    found = pages(world, "/v1/upcoming", "runs", limit="1", **span)
    # The runs that a step of the density counts, with both ends of the window.
    assert [(run["basis"], run["at"][11:19]) for run in found] == [
        ("filed", "21:11:42"),
        ("expected", "21:12:12"),
    ]
    assert world.get("/v1/upcoming", **span).json["until"] == "2025-02-19T21:12:13.345Z"
    past = world.get("/v1/upcoming", **{"from": "2025-02-19T00:00:00Z", "within": "300"}).json
    assert past == world.get("/v1/upcoming", within="300").json
    for refused in ("2025-03-22T21:10:12.346Z", "tomorrow"):
        assert world.get("/v1/upcoming", **{"from": refused}).problem == "malformed-request"
    month = world.get("/v1/upcoming", **{"from": "2025-03-22T21:10:12.345Z", "within": "60"}).json
    assert len(month["runs"]) == 1


def test_cursor_of_a_window_is_not_taken_for_another_one() -> None:
    world = ApiWorld()
    world.create(schedule={"rate_seconds": 60})
    span = {"from": "2025-02-19T22:00:00Z", "within": "600"}
    cursor = world.get("/v1/upcoming", limit="1", **span).json["next_cursor"]
    assert world.get("/v1/upcoming", limit="1", cursor=cursor, **span).json["runs"]
    for other in ({"within": "600"}, span | {"from": "2025-02-19T22:00:01Z"}):
        assert world.get("/v1/upcoming", limit="1", cursor=cursor, **other).problem == "invalid-cursor"


def test_upcoming_runs_are_counted_step_by_step() -> None:
    world = ApiWorld()
    world.create(schedule={"rate_seconds": 60})
    world.create(schedule={"delay_seconds": 90})
    query = {"to": "2025-02-19T21:13:30Z", "step_seconds": "60"}
    assert world.get("/v1/upcoming/density", **query).json == {
        "steps": [
            {"at": "2025-02-19T21:10:00.000Z", "count": 0},
            {"at": "2025-02-19T21:11:00.000Z", "count": 2},
            {"at": "2025-02-19T21:12:00.000Z", "count": 1},
            {"at": "2025-02-19T21:13:00.000Z", "count": 1},
        ],
        "until": "2025-02-19T21:14:00.000Z",
        "complete": True,
        "estimated": False,
    }
    day = world.get("/v1/upcoming/density").json
    assert (len(day["steps"]), day["until"]) == (25, "2025-02-20T22:00:00.000Z")
    for refused in ({"to": "2025-02-19T21:10:12Z"}, {"to": "2025-04-01T00:00:00Z"}):
        answer = world.get("/v1/upcoming/density", **refused)
        assert answer.problem == "malformed-request"


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
    rows: list[Any] = []
    cursor: dict[str, str] = {}
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
