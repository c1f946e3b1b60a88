"""What every refusal of a body has: pointers into the body, all faults at once, and words for its reader."""

import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any

import orjson
import pytest

from functions.api.http.route import Route
from functions.api.resources.jobs.models import JobIn
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request
from tests.support.api.request_factory import Party, document_for, name_of, path_of, routes, settle

FULL_JOB: dict[str, Any] = {
    "schedule": {
        "cron": "0 9 * * *",
        "timezone": "Europe/Berlin",
        "dst_gap": "skip",
        "dst_overlap": "both",
        "start_at": "2030-01-01T00:00:00Z",
        "end_at": "2031-01-01T00:00:00Z",
        "max_runs": 9,
        "jitter_seconds": 1,
    },
    "request": {
        "url": "https://receiver.example/hook",
        "method": "PUT",
        "headers": {"X-A": "1"},
        "json": {"a": 1},
    },
    "name": "n",
    "tags": ["a", "b"],
    "lane": "bulk",
    "timeout_seconds": 5,
    "retry": {
        "max_attempts": 2,
        "base_seconds": 1,
        "factor": 2,
        "cap_seconds": 2,
        "give_up_after_seconds": 9,
    },
    "async_deadline_seconds": 3_600,
    "heartbeat_seconds": 60,
    "catch_up": "all",
    "catch_up_limit": 2,
    "catch_up_window_seconds": 60,
    "late_tolerance_seconds": 60,
    "overlap_policy": "skip",
    "on_success": "https://receiver.example/done",
    "on_failure": "none",
    "alerts": {
        "url": "https://receiver.example/alerts",
        "events": ["failed", "late"],
        "late_after_seconds": 60,
        "format": "slack",
    },
    "signing_secret": None,
}
FULL: dict[str, Any] = {
    "createJob": FULL_JOB,
    "createJobs": {"jobs": [FULL_JOB]},
    "updateJob": {
        "name": "n",
        "tags": ["a"],
        "timeout_seconds": 5,
        "retry": {"max_attempts": 2},
        "schedule": {},
    },
    "backfillJob": {
        "from": "2025-02-17T00:00:00Z",
        "to": "2025-02-18T00:00:00Z",
        "every_seconds": 5,
        "overlap_policy": "skip",
        "lane": "bulk",
        "dry_run": True,
    },
    "previewSchedule": FULL_JOB["schedule"],
    "createKey": {"scopes": ["read"], "name": "k", "expires_in_seconds": 86_400},
    "changeTenant": {
        "state": "active",
        "weight": 2,
        "index_shards": 2,
        "quotas": {"tags": 5, "creates_per_second": 5},
        "on_success": None,
        "on_failure": "https://receiver.example/failed",
        "alerts": FULL_JOB["alerts"],
    },
    "changeSettings": {
        "on_success": None,
        "on_failure": "https://receiver.example/failed",
        "alerts": FULL_JOB["alerts"],
    },
    "redriveDeadLetters": {
        "job": None,
        "tag": "a",
        "reason": "timeout",
        "status": 500,
        "lane": "bulk",
        "from": "2025-02-17T00:00:00Z",
        "to": "2025-02-18T00:00:00Z",
        "rate": 5,
        "dry_run": True,
    },
    "changeJobs": {
        "filter": {
            "state": "active",
            "tag": "a",
            "q": "n",
            "kind": "cron",
            "created_from": "2025-02-17T00:00:00Z",
            "created_to": "2025-02-18T00:00:00Z",
        },
        "action": "patch",
        "reason": None,
        "patch": {"lane": "bulk", "timeout_seconds": 5, "add_tags": ["b"], "remove_tags": ["a"]},
        "grace_hours": None,
        "rate": 5,
        "dry_run": True,
        "plan": None,
    },
}
"""A body with as many members as possible, by operation."""
HOSTILE: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    2**62,
    "",
    " ",
    "5m",
    "a\x00b",
    "x" * 3_000,
    "\u202e",
    [],
    [None],
    {},
]
HOSTILE += [
    {"surprise": 1},
    ["a", "a"],
    "2030-01-01",
    "https://user@receiver.example/",
    {"Host": "x", "a b": "y"},
]
WITH_BODY = routes(lambda route: route.body is not None)
OF_LIBRARIES = re.compile(
    r"pydantic|Input should|Value error|Extra inputs|Field required|NoneType|constrained|str-enum|nullable"
    r"|\bdict\b|\blist\b|\btuple\b|\bint\b|\bfloat\b|\bbool\b|\bstr\b|instance of|Traceback|__|\bNone\b"
)


def full_document(route: Route) -> Any:
    return deepcopy(FULL.get(route.operation.removesuffix("OfTenant"), document_for(route)))


def places(document: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every member, at every depth, and of a member that is not there."""
    names = (
        range(len(document)) if isinstance(document, list) else document if isinstance(document, dict) else ()
    )
    for name in names:
        yield (*path, name)
        yield from places(document[name], (*path, name))
    if isinstance(document, dict):
        yield (*path, "surprise")


def with_value(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy of a document in which one member has another value."""
    changed = deepcopy(document)
    parent = changed
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = value
    return changed


def without(document: Any, path: tuple[str | int, ...]) -> Any:
    changed = deepcopy(document)
    parent = changed
    for name in path[:-1]:
        parent = parent[name]
    parent.pop(path[-1], None) if isinstance(parent, dict) else parent.pop(path[-1])
    return changed


def variants(document: Any) -> Iterator[Any]:
    """Documents with a hostile value, or without a member."""
    yield from HOSTILE
    for path in places(document):
        for value in HOSTILE:
            yield with_value(document, path, value)
        if path[-1] != "surprise":
            yield without(document, path)


def resolves(pointer: str, document: Any) -> bool:
    """Whether a JSON pointer leads to a value of the document, or names a missing member of an object."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for number, part in enumerate(parts):
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list) and part.isdigit() and int(part) < len(document):
            document = document[int(part)]
        else:
            return (
                isinstance(document, dict)
                and number == len(parts) - 1
                and re.fullmatch("[a-z_]+", part) is not None
            )
    return True


class Client:
    """A tenant with objects of every kind, and an operator."""

    def __init__(self) -> None:
        self.world = ApiWorld()
        self.party: Party = settle(self.world, "ours")
        self.operator = self.world.world.create_tenant.operator().api_key

    def send(self, route: Route, document: Any) -> Answer:
        ids = {part: self.party.ids[part][0] for part in route.path_parts}
        key = self.operator if "/admin/" in route.path else self.party.key
        headers = {"authorization": f"Bearer {key}", "if-match": "*", "content-type": "application/json"}
        path = path_of(route, ids)
        return self.world.handle(
            Request(method=route.method, path=path, headers=headers, body=orjson.dumps(document))
        )


def refusals(answer: Answer) -> list[Any]:
    """The problem documents of an answer, those of the jobs of a batch included."""
    if answer.status < 300 and "results" in answer.json:
        return [result["problem"] for result in answer.json["results"] if "problem" in result]
    return [answer.json] if answer.status >= 400 else []


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
def test_every_refusal_points_into_the_body_in_words_of_the_api(route: Route) -> None:
    """Pointers used to name the branches of unions, and texts the types of a library."""
    client, refused = Client(), 0
    for document in variants(full_document(route)):
        answer = client.send(route, document)
        assert answer.status < 500, document
        for problem in refusals(answer):
            refused += problem["status"] == 422
            told = [problem["detail"], *(error["detail"] for error in problem.get("errors", ()))]
            strange = [text for text in told if OF_LIBRARIES.search(text)]
            assert strange == [], document
            lost = [
                one["pointer"] for one in problem.get("errors", ()) if not resolves(one["pointer"], document)
            ]
            assert lost == [], document
            # The ID of an event that was used before is refused as a whole.
            is_reused = problem["type"].endswith("idempotency-key-reused")
            if problem["status"] == 422 and "quota" not in problem and not is_reused:
                assert problem["errors"], document
    assert refused > 20


WRONG: dict[str, tuple[Any, str]] = {
    "schedule": ({"cron": "61 25 * * *"}, "/schedule/cron"),
    "schedule ": ({"cron": "0 9 * * *", "timezone": "Mars/Phobos"}, "/schedule/timezone"),
    "schedule  ": ({"at": "2001-01-01T00:00:00Z"}, "/schedule/at"),
    "schedule   ": ({"cron": "0 0 30 2 *"}, "/schedule/cron"),
    "request": ({"url": "https://10.0.0.1/"}, "/request/url"),
    "request ": ({"url": "https://receiver.example/", "headers": {"Host": "x"}}, "/request/headers/Host"),
    "request  ": ({"url": 7}, "/request/url"),
    "request   ": ({"url": "https://receiver.example/", "body": "x" * 204_801}, "/request/body"),
    "name": (" ", "/name"),
    "tags": (["a", "a"], "/tags"),
    "tags ": (["Billing Team"], "/tags/0"),
    "lane": ("fast", "/lane"),
    "timeout_seconds": (600, "/timeout_seconds"),
    "retry": ({"max_attempts": 0}, "/retry/max_attempts"),
    "retry ": ({"base_seconds": 9, "cap_seconds": 3}, "/retry/base_seconds"),
    "on_failure": ("https://localhost/", "/on_failure"),
    "alerts": ({"url": "https://localhost/"}, "/alerts/url"),
    "alerts ": ({"url": "https://receiver.example/", "events": ["late"]}, "/alerts/late_after_seconds"),
    "alerts  ": ({"url": "https://receiver.example/", "events": ["moon"]}, "/alerts/events/0"),
    "surprise": (1, "/surprise"),
}
"""A value for a member that is wrong whatever the other members are, and where its error points. Blanks only tell
entries of the same member apart."""


PAIRS = [(first, second) for first, second in combinations(WRONG, 2) if first.strip() != second.strip()]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_faults_of_two_members_come_at_once(first: str, second: str) -> None:
    """Faults of the domain used to come one at a time, after those of the schema."""
    document = JOB | {name.strip(): WRONG[name][0] for name in (first, second)}
    expected = {WRONG[name][1] for name in (first, second)}
    alone = ApiWorld().post(document)
    assert {error["pointer"] for error in alone.json["errors"]} == expected
    batch = ApiWorld().post({"jobs": [document]}, "/v1/jobs/batch")
    within = batch.json["results"][0]["problem"]["errors"]
    assert {error["pointer"] for error in within} == {f"/jobs/0{pointer}" for pointer in expected}


@pytest.mark.parametrize(
    ("document", "pointers"),
    [
        (
            {"request": {"url": "https://r.example/", "headers": {"Host": "x", "TE": "y", "X": "\n"}}},
            {"/request/headers/Host", "/request/headers/TE", "/request/headers/X"},
        ),
        (
            {"schedule": {"rate_seconds": 60, "timezone": "UTC", "dst_gap": "skip"}},
            {"/schedule/timezone", "/schedule/dst_gap"},
        ),
        ({"catch_up": "all", "overlap_policy": "skip"}, {"/catch_up", "/overlap_policy"}),
    ],
)
def test_errors_inside_of_one_member_come_at_once(document: dict[str, Any], pointers: set[str]) -> None:
    answer = ApiWorld().post(JOB | document)
    assert {error["pointer"] for error in answer.json["errors"]} == pointers


@pytest.mark.parametrize(
    ("document", "pointer", "text"),
    [
        ({"cron": "0 9 * * *"}, "/cron", "schedule.cron"),
        ({"url": "https://receiver.example/"}, "/url", "request.url"),
        ({"delay_second": 5}, "/delay_second", "delay_seconds"),
        ({"timeout_secs": 5}, "/timeout_secs", "timeout_seconds"),
        ({"schedule": {"delay_second": 5}}, "/schedule/delay_second", "delay_seconds"),
        ({"surprise": 1}, "/surprise", "the members here are schedule, request, workflow, target, name"),
        (
            {"timeout_seconds": 600},
            "/timeout_seconds",
            "from 1 to 60; a receiver that works longer answers 202",
        ),
        ({"timeout_seconds": "5m"}, "/timeout_seconds", "a whole number of seconds, without quotes"),
        ({"schedule": {"at": 1_900_000_000}}, "/schedule/at", '"2030-01-01T09:00:00Z"'),
        ({"tags": ["Billing Team"]}, "/tags/0", "lower-case letters, digits"),
        ({"lane": "fast"}, "/lane", "critical, standard, bulk"),
        ({"request": {"url": "https://r.example/", "method": "get"}}, "/request/method", "GET, POST, PUT"),
        ({"request": None}, "/request", "exactly one of request, workflow and target"),
        ({"request": 1}, "/request", "must be an object"),
        ({"retry": {"delays_seconds": []}}, "/retry/delays_seconds", "at least 1"),
        ({"schedule": {"at": "2001-01-01T00:00:00Z"}}, "/schedule/at", "it is 2025-02-19T21:10:12.345Z now"),
        ({"request": {"url": "arn:aws:lambda:x"}}, "/request/url", "send a target with lambda"),
    ],
)
def test_refusal_says_what_to_send_instead(document: dict[str, Any], pointer: str, text: str) -> None:
    answer = ApiWorld().post(JOB | document)
    told = {error["pointer"]: error["detail"] for error in answer.json["errors"]}
    assert text in told[pointer]


@pytest.mark.parametrize(
    "name", ["a\x00b", "a\x1b[31m", "a\nb", "\u202eevil", "a\u2066b", " ", "   ", "\x7f"]
)
def test_name_that_alters_the_terminal_that_shows_it_is_refused(name: str) -> None:
    answer = ApiWorld().post(JOB | {"name": name})
    assert (answer.status, [error["pointer"] for error in answer.json["errors"]]) == (422, ["/name"])


@pytest.mark.parametrize("name", ["Zoë's job", "夜間ジョブ", "مهمة", "a  b", "👩‍💻"])
def test_name_in_any_script_is_accepted(name: str) -> None:
    assert ApiWorld().create(name=name)["name"] == name


def test_single_fault_is_the_detail_of_the_problem() -> None:
    answer = ApiWorld().post(JOB | {"lane": "fast"})
    assert answer.json["detail"] == answer.json["errors"][0]["detail"]
    assert ApiWorld().post({}).json["detail"] == "2 errors in the body"


def test_full_job_of_these_tests_is_accepted_and_has_nearly_every_member() -> None:
    answer = ApiWorld().post(FULL_JOB)
    assert answer.status == 201, answer.text
    assert set(JobIn.model_fields) - FULL_JOB.keys() == {
        "start_deadline_seconds",
        "target",
        "when_suspended",
        "workflow",
    }


@pytest.mark.parametrize(
    ("schedule", "member"),
    [
        ({"expression": "at(2020-01-01T09:00:00)"}, "expression"),
        ({"at": "2020-01-01T09:00:00Z"}, "at"),
        ({"delay_seconds": 10 * 366 * 86_400}, "delay_seconds"),
    ],
)
def test_instant_out_of_range_is_refused_under_the_member_that_was_sent(
    schedule: dict[str, Any], member: str
) -> None:
    world = ApiWorld()
    job = world.post(JOB | {"schedule": schedule})
    both = world.post(JOB | {"schedule": schedule, "lane": "none"})
    preview = world.post(schedule, "/v1/schedules/preview")
    assert [each["pointer"] for each in job.json["errors"]] == [f"/schedule/{member}"]
    assert f"/schedule/{member}" in [each["pointer"] for each in both.json["errors"]]
    assert [each["pointer"] for each in preview.json["errors"]] == [f"/{member}"]
