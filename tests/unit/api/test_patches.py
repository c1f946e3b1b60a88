"""PATCH: what it makes of a job, who may send it, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.jobs.job import JobState
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import DAILY, patch, send
from tests.support.builders import TENANT

RECURRING_CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "other", "tags": ["x"]}, {"name": "other", "tags": ["x"]}),
    ({"timeout_seconds": 7}, {"timeout_seconds": 7}),
    (
        {"async_deadline_seconds": 7_200, "heartbeat_seconds": 10},
        {"async_deadline_seconds": 7_200, "heartbeat_seconds": 10},
    ),
    ({"overlap_policy": "skip"}, {"overlap_policy": "skip"}),
    ({"catch_up": "all", "catch_up_limit": 7}, {"catch_up": "all", "catch_up_limit": 7}),
    (
        {"schedule": {"timezone": "UTC"}},
        {"schedule": {"cron": "30 2 * * *", "timezone": "UTC"}, "next_due_at": "2025-02-20T02:30:00.000Z"},
    ),
    (
        {"schedule": {"rate_seconds": 60, "start_at": "2025-02-19T00:00:00Z"}},
        {
            "kind": "rate",
            "schedule": {"rate_seconds": 60, "start_at": "2025-02-19T00:00:00.000Z"},
            "next_due_at": "2025-02-19T21:11:00.000Z",
        },
    ),
    (
        {"schedule": {"expression": "cron(0 9 ? * MON *)"}},
        {
            "schedule": {"expression": "cron(0 9 ? * MON *)", "timezone": "UTC", "dst_gap": "skip"},
            "next_due_at": "2025-02-24T09:00:00.000Z",
        },
    ),
    (
        {"schedule": {"max_runs": 3, "end_at": "2030-01-01T00:00:00Z"}},
        {
            "schedule": {
                "cron": "30 2 * * *",
                "timezone": "Europe/Berlin",
                "end_at": "2030-01-01T00:00:00.000Z",
                "max_runs": 3,
            }
        },
    ),
]


@pytest.mark.parametrize(("change", "shown"), RECURRING_CHANGES)
def test_a_recurring_job_is_what_its_patch_makes_of_it(change: dict[str, Any], shown: dict[str, Any]) -> None:
    world = ApiWorld()
    job = world.create(**DAILY)
    answer = patch(world, job, change)
    assert answer.status == 200, answer.text
    assert answer.json | {"last_run": None} == job | shown | {"revision": 2}
    assert world.get(f"/v1/jobs/{job['id']}").json == answer.json | {"last_run": None}


@pytest.mark.parametrize("create", [{}, DAILY])
def test_a_patch_that_changes_nothing_changes_nothing(create: dict[str, Any]) -> None:
    world = ApiWorld()
    job = world.create(**create)
    assert patch(world, job, {}).json | {"last_run": None} == job | {"revision": 2}


@pytest.mark.parametrize("create", [{}, DAILY])
@pytest.mark.parametrize(
    ("match", "status", "problem"),
    [
        (None, 428, "precondition-required"),
        ('"2"', 412, "precondition-failed"),
        ('W/"1"', 412, "precondition-failed"),
        ("1", 400, "malformed-request"),
        ('"\u0661"', 400, "malformed-request"),
        ("", 400, "malformed-request"),
        ('"99999999999999999999"', 412, "precondition-failed"),
    ],
)
def test_patch_without_the_current_tag_is_refused(
    create: dict[str, Any], match: str | None, status: int, problem: str
) -> None:
    world = ApiWorld()
    job = world.create(**create)
    answer = send(world, "PATCH", f"/v1/jobs/{job['id']}", {"name": "x"}, match)
    assert (answer.status, answer.problem) == (status, problem)
    assert world.get(f"/v1/jobs/{job['id']}").json == job


def test_patch_with_a_star_applies_to_any_revision() -> None:
    world = ApiWorld()
    job = world.create()
    assert patch(world, job, {"name": "x"}, "*").json["revision"] == 2


@pytest.mark.parametrize(
    ("create", "change", "problem", "pointer"),
    [
        ({}, {"schedule": {"cron": "0 9 * * *"}}, "validation-failed", "/schedule"),
        (DAILY, {"schedule": {"delay_seconds": 5}}, "validation-failed", "/schedule"),
        (DAILY, {"schedule": {"cron": "61 * * * *"}}, "validation-failed", "/schedule/cron"),
        (DAILY, {"schedule": {"cron": "0 0 30 2 *"}}, "schedule-never-fires", "/schedule"),
        (DAILY, {"schedule": {"end_at": "2001-01-01T00:00:00Z"}}, "schedule-never-fires", "/schedule"),
        ({}, {"schedule": {"at": "2001-01-01T00:00:00Z"}}, "schedule-in-past", "/schedule/at"),
        ({}, {"catch_up": "all"}, "validation-failed", ""),
        ({}, {"schedule": None}, "validation-failed", "/schedule"),
        ({}, {"request": None}, "validation-failed", "/request"),
        ({}, {"unknown": 1}, "validation-failed", "/unknown"),
        ({}, {"id": "job_x"}, "validation-failed", "/id"),
        ({}, {"timeout_seconds": 61}, "validation-failed", "/timeout_seconds"),
        ({}, {"tags": ["Not A Tag"]}, "validation-failed", "/tags/0"),
        ({}, {"request": {"url": "http://plain.example/"}}, "callback-url-not-allowed", "/request/url"),
        ({}, [], "validation-failed", ""),
        ({}, "text", "validation-failed", ""),
    ],
)
def test_patched_job_is_validated_like_a_new_job(
    create: dict[str, Any], change: Any, problem: str, pointer: str
) -> None:
    world = ApiWorld()
    job = world.create(**create)
    answer = patch(world, job, change)
    assert (answer.status, answer.problem) == (422, problem)
    assert any(error["pointer"].startswith(pointer) for error in answer.json["errors"])
    assert world.get(f"/v1/jobs/{job['id']}").json == job


def test_headers_are_merged_and_a_body_replaces_the_other_kind() -> None:
    world = ApiWorld()
    job = world.create(
        request={"url": "https://receiver.example/hook", "headers": {"X-A": "1", "X-B": "2"}, "json": 1}
    )
    patch(world, job, {"request": {"headers": {"X-A": None, "X-C": "3"}, "body": "plain"}})
    (row,) = world.world.table.executions.values()
    request = world.world.open_request.execute(world.world.tenant, row.execution)
    assert request.body == b"plain"
    assert dict(request.headers) == {"X-B": "2", "X-C": "3", "Content-Type": "application/json"}


def test_a_large_request_may_become_small_and_a_small_one_large() -> None:
    world = ApiWorld()
    job = world.create()
    for body in ("x" * 50_000, "small", "y" * 60_000):
        job = patch(world, job, {"request": {"body": body}}).json
        row = next(iter(world.world.table.executions.values()))
        assert world.world.open_request.execute(world.world.tenant, row.execution).body == body.encode()


def test_a_large_request_for_a_job_that_has_ended_is_not_stored() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    ended = replace(world.world.table.jobs[TENANT, job["id"]], state=JobState.COMPLETED)
    world.world.table.jobs[TENANT, job["id"]] = ended
    assert patch(world, job, {"request": {"body": "x" * 50_000}}).status == 409
    assert world.world.table.payloads == {}


@pytest.mark.parametrize("media", ["application/merge-patch+json", "application/json"])
def test_a_patch_says_what_it_is(media: str) -> None:
    world = ApiWorld()
    job = world.create()
    path = f"/v1/jobs/{job['id']}"
    assert send(world, "PATCH", path, {"name": "x"}, '"1"', content_type=media).status == 200
    assert (
        send(world, "PATCH", path, {}, '"1"', content_type="text/plain").problem == "unsupported-media-type"
    )
