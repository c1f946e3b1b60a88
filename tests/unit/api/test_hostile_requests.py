"""Requests that are nearly right: each is refused with one exact problem, and changes nothing."""

from typing import Any

import orjson
import pytest

from functions.api.http.route import Route
from functions.api.routes import every_route
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request
from tests.support.api.request_factory import ask, name_of, path_of, routes, settle

JSON = {"content-type": "application/json"}


def sent(world: ApiWorld, method: str, path: str, document: Any = None, **headers: str) -> Answer:
    spelt = {name.replace("_", "-"): value for name, value in headers.items()}
    body = None if document is None else orjson.dumps(document)
    return world.handle(Request(method=method, path=path, headers=world.credential | JSON | spelt, body=body))


@pytest.mark.parametrize(
    ("patch", "pointers"),
    [
        ({"tmieout_seconds": None}, ["/tmieout_seconds"]),
        ({"": None}, ["/"]),
        ({"id": None}, ["/id"]),
        ({"state": None, "name": "other"}, ["/state"]),
        ({"schedule": {"corn": None}}, ["/schedule/corn"]),
        ({"request": {"uri": None, "a/b~c": None}}, ["/request/uri", "/request/a~1b~0c"]),
        ({"request": {"json_": None}}, ["/request/json_"]),
        ({"retry": {"attempts": None}}, ["/retry/attempts"]),
        ({"tmieout_seconds": 5}, ["/tmieout_seconds"]),
        ({"retry": {"attempts": 5}}, ["/retry/attempts"]),
        ({"request": None}, ["/request"]),
        ({"request": {"url": None}}, ["/request/url"]),
        ({"timeout_seconds": 61}, ["/timeout_seconds"]),
        ({"timeout_seconds": 30.0}, ["/timeout_seconds"]),
        ({"retry": 5}, ["/retry"]),
        ({"tags": ["a", "a"]}, ["/tags"]),
        ([], [""]),
        ("name", [""]),
        (5, [""]),
    ],
)
def test_a_patch_that_names_what_is_not_there_is_refused(patch: Any, pointers: list[str]) -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    path = f"/v1/jobs/{job['id']}"
    answer = sent(world, "PATCH", path, patch, if_match="*")
    assert answer.problem == "validation-failed"
    assert [error["pointer"] for error in answer.json["errors"]] == pointers
    assert world.get(path).json == job


def test_a_header_of_the_request_that_is_not_there_may_be_taken_away() -> None:
    world = ApiWorld()
    path = f"/v1/jobs/{world.create()['id']}"
    assert sent(world, "PATCH", path, {"request": {"headers": {"X-No": None}}}, if_match="*").status == 200


@pytest.mark.parametrize("route", routes(lambda route: route.body is not None), ids=name_of)
@pytest.mark.parametrize("body", [[], "text", 5, True, None, [{}]], ids=str)
def test_a_body_that_is_no_object_breaks_every_schema(route: Route, body: Any) -> None:
    world = ApiWorld()
    party = settle(world, "ours")
    operator = world.world.create_tenant.operator().api_key
    ids = {name: party.ids[name][0] for name in route.path_parts}
    key = operator if "/admin/" in route.path else party.key
    headers = {"authorization": f"Bearer {key}", "if-match": "*", **JSON}
    request = Request(method=route.method, path=path_of(route, ids), headers=headers, body=orjson.dumps(body))
    answer = world.handle(request)
    assert answer.problem == "validation-failed"
    assert [error["pointer"] for error in answer.json["errors"]] == [""]


@pytest.mark.parametrize("route", every_route(), ids=name_of)
@pytest.mark.parametrize("name", ["verbose", "Limit", "stop-retries", "__proto__"])
def test_no_operation_takes_a_parameter_that_it_does_not_know(route: Route, name: str) -> None:
    """A misspelt one would silently mean something else."""
    world = ApiWorld()
    party = settle(world, "ours")
    ids = {part: party.ids[part][0] for part in route.path_parts}
    key = world.world.create_tenant.operator().api_key if "/admin/" in route.path else party.key
    answer = ask(world, key, route.method, path_of(route, ids), **{name: "true"})
    assert answer.problem == "malformed-request"
    assert name in answer.json["detail"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/jobs/batch", "POST"),
        ("DELETE", "/v1/jobs/batch", "POST"),
        ("PATCH", "/v1/jobs/batch", "POST"),
        ("PUT", "/v1/jobs", "GET, HEAD, POST"),
        ("HEAD", "/v1/jobs/batch", "POST"),
        ("GET", "/v1/jobs/x/pause", "POST"),
        ("POST", "/v1/jobs/x/upcoming", "GET, HEAD"),
        ("POST", "/v1/executions/x", "DELETE, GET, HEAD"),
        ("PUT", "/v1/dead-letters/x", "GET, HEAD"),
        ("GET", "/v1/executions/x/redrive", "POST"),
        ("GET", "/v1/schedules/preview", "POST"),
        ("POST", "/v1/dead-letters", "GET, HEAD"),
        ("POST", "/v1/upcoming", "GET, HEAD"),
    ],
)
def test_a_method_that_a_path_does_not_have_is_405(method: str, path: str, allowed: str) -> None:
    answer = sent(ApiWorld(), method, path)
    assert (answer.status, answer.headers["Allow"]) == (405, allowed)


def test_action_without_the_id_of_a_job_says_where_the_id_belongs() -> None:
    answer = sent(ApiWorld(), "POST", "/v1/jobs/pause")
    assert answer.problem == "method-not-allowed"
    assert "/v1/jobs/{job_id}/pause" in answer.json["detail"]


INVALID, NEVER = "validation-failed", "schedule-never-fires"
SCHEDULES: list[tuple[dict[str, Any], str, str]] = [
    ({"cron": ""}, INVALID, "/schedule/cron"),
    ({"cron": " "}, INVALID, "/schedule/cron"),
    ({"cron": "* * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "* * * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "60 * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "-1 * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "*/0 * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "*/60 * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "1,,2 * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 24 * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 0 * *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 32 * *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * 13 *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * * 8"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * * FUNDAY"}, INVALID, "/schedule/cron"),
    ({"cron": "R * * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "@reboot"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * * *\n"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * * *\x00"}, INVALID, "/schedule/cron"),
    ({"cron": "\N{ARABIC-INDIC DIGIT ZERO} 0 * * *"}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 * * *" + " " * 400}, INVALID, "/schedule/cron"),
    ({"cron": "0 0 30 2 *"}, NEVER, "/schedule/cron"),
    ({"cron": "0 0 31 4,6,9,11 *"}, NEVER, "/schedule/cron"),
    ({"expression": "cron(0 9 * * *)"}, INVALID, "/schedule/expression"),
    ({"expression": "cron(0 9 ? * MON-FRI *"}, INVALID, "/schedule/expression"),
    ({"expression": "rate(0 minutes)"}, INVALID, "/schedule/expression"),
    ({"expression": "rate(1 fortnight)"}, INVALID, "/schedule/expression"),
    ({"expression": "every day"}, INVALID, "/schedule/expression"),
    ({"expression": "at(2030-02-30T00:00:00)"}, INVALID, "/schedule/expression"),
    ({"at": ""}, INVALID, "/schedule/at"),
    ({"at": "2030-01-01"}, INVALID, "/schedule/at"),
    ({"at": "2030-01-01T09:00:00"}, INVALID, "/schedule/at"),
    ({"at": "2030-02-30T00:00:00Z"}, INVALID, "/schedule/at"),
    ({"at": "2030-01-01T24:00:00Z"}, INVALID, "/schedule/at"),
    ({"at": "2030-01-01T00:00:60Z"}, INVALID, "/schedule/at"),
    ({"at": "2030-01-01 00:00:00Z"}, INVALID, "/schedule/at"),
    ({"at": "2030-01-01T00:00:00+24:00"}, INVALID, "/schedule/at"),
    ({"at": "1893456000"}, INVALID, "/schedule/at"),
    ({"at": "2030-03-31T02:30:00", "timezone": "Europe/Berlin"}, INVALID, "/schedule/at"),
    ({"at": "2025-02-19T21:09:12.344Z"}, "schedule-in-past", "/schedule/at"),
    ({"at": "1970-01-01T00:00:00Z"}, "schedule-in-past", "/schedule/at"),
    ({"at": "2035-02-21T21:10:12.346Z"}, "schedule-too-far", "/schedule/at"),
    ({"at": "9998-12-31T23:59:59Z"}, "schedule-too-far", "/schedule/at"),
    *(
        ({"cron": "0 9 * * *", "timezone": zone}, INVALID, "/schedule/timezone")
        for zone in (
            "",
            " ",
            "Mars/Phobos",
            "europe/berlin",
            "Europe/Berlin ",
            "../UTC",
            "/UTC",
            "UTC\x00",
            "GMT+25",
        )
    ),
    (
        {"rate_seconds": 60, "start_at": "2030-01-01", "end_at": "2031-01-01T00:00:00Z"},
        INVALID,
        "/schedule/start_at",
    ),
    ({"rate_seconds": 60, "end_at": "tomorrow"}, INVALID, "/schedule/end_at"),
    ({"rate_seconds": 60, "timezone": "UTC"}, INVALID, "/schedule/timezone"),
    ({"delay_seconds": 60, "max_runs": 2}, INVALID, "/schedule/max_runs"),
    ({"rate_seconds": 60, "max_runs": 0}, INVALID, "/schedule/max_runs"),
    ({"delay_seconds": 60, "jitter_seconds": 86_401}, INVALID, "/schedule/jitter_seconds"),
]


@pytest.mark.parametrize(
    ("schedule", "problem", "pointer"), SCHEDULES, ids=[repr(case[0])[:60] for case in SCHEDULES]
)
def test_a_schedule_that_cannot_be_kept_is_refused_alike_everywhere(
    schedule: dict[str, Any], problem: str, pointer: str
) -> None:
    world = ApiWorld()
    alone = world.post(JOB | {"schedule": schedule})
    batch = world.post({"jobs": [JOB, JOB | {"schedule": schedule}]}, "/v1/jobs/batch")
    preview = world.post(schedule, "/v1/schedules/preview")
    refused = batch.json["results"][1]["problem"]
    assert (alone.problem, preview.problem) == (problem, problem)
    assert refused["type"].endswith(problem)
    assert [error["pointer"] for error in alone.json["errors"]] == [pointer]
    assert [error["pointer"] for error in refused["errors"]] == [f"/jobs/1{pointer}"]
    assert [error["pointer"] for error in preview.json["errors"]] == [pointer.removeprefix("/schedule")]


RECURRING, ONCE = {"rate_seconds": 60}, {"delay_seconds": 3_600}
SEQUENCES: list[tuple[dict[str, int], list[tuple[str, int | str]]]] = [
    (ONCE, [("DELETE", 200), ("DELETE", 200), ("PATCH", "invalid-state"), ("GET", 200)]),
    (
        ONCE,
        [("pause", "invalid-state"), ("resume", "invalid-state"), ("trigger", "invalid-state"), ("GET", 200)],
    ),
    (RECURRING, [("resume", 200), ("pause", 200), ("pause", 200), ("resume", 200), ("resume", 200)]),
    (
        RECURRING,
        [("pause", 200), ("trigger", 201), ("PATCH", 200), ("DELETE", 200), ("resume", "invalid-state")],
    ),
    (RECURRING, [("DELETE", 200), ("DELETE", 200), ("pause", "invalid-state"), ("trigger", "invalid-state")]),
    (
        RECURRING,
        [("DELETE", 200), ("PATCH", "invalid-state"), ("GET", 200), ("upcoming", 200), ("executions", 200)],
    ),
]


@pytest.mark.parametrize(("schedule", "steps"), SEQUENCES)
def test_a_sequence_of_requests_is_answered_by_what_stands(
    schedule: dict[str, int], steps: list[tuple[str, int | str]]
) -> None:
    world = ApiWorld()
    job = f"/v1/jobs/{world.create(schedule=schedule)['id']}"
    for step, expected in steps:
        method = step if step.isupper() else "GET" if step in ("upcoming", "executions") else "POST"
        path = job if step.isupper() else f"{job}/{step}"
        answer = sent(world, method, path, {"name": "n"} if step == "PATCH" else None, if_match="*")
        assert (answer.status if isinstance(expected, int) else answer.problem) == expected, step
