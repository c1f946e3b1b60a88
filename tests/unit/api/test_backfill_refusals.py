"""Backfills over HTTP that are refused: by which problem, and by the member that is wrong."""

from base64 import b64encode
from typing import Any

import orjson
import pytest

from shared.domain.tenancy.quota import Quota
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request
from tests.support.api.backfills import FROM, NIGHTLY, RANGE, TO, backfilled
from tests.support.api.job_requests import post

HOSTILE: list[tuple[Any, int, str, str | None]] = [
    ({}, 422, "validation-failed", "/from"),
    ({"from": FROM}, 422, "validation-failed", "/to"),
    ({"to": TO}, 422, "validation-failed", "/from"),
    (RANGE | {"until": TO}, 422, "validation-failed", "/until"),
    (RANGE | {"from_": FROM}, 422, "validation-failed", "/from_"),
    (RANGE | {"from": 1_700_000_000}, 422, "validation-failed", "/from"),
    (RANGE | {"from": None}, 422, "validation-failed", "/from"),
    (RANGE | {"from": "yesterday"}, 422, "validation-failed", "/from"),
    (RANGE | {"from": "2025-02-15T00:00:00"}, 422, "validation-failed", "/from"),
    (RANGE | {"to": "2025-02-30T00:00:00Z"}, 422, "validation-failed", "/to"),
    (RANGE | {"to": "9" * 64}, 422, "validation-failed", "/to"),
    (RANGE | {"to": "9" * 65}, 422, "validation-failed", "/to"),
    (RANGE | {"from": TO, "to": FROM}, 422, "validation-failed", "/to"),
    (RANGE | {"from": TO}, 422, "validation-failed", "/to"),
    (RANGE | {"to": "2025-02-19T21:10:12.346Z"}, 422, "schedule-too-far", "/to"),
    (RANGE | {"to": "9998-12-31T00:00:00Z"}, 422, "schedule-too-far", "/to"),
    (RANGE | {"from": "1970-01-01T00:00:00Z"}, 422, "schedule-in-past", "/from"),
    (RANGE | {"from": "2025-02-17T12:00:00Z"}, 422, "schedule-never-fires", "/from"),
    (RANGE | {"from": "2021-02-17T12:00:00Z"}, 422, "validation-failed", "/to"),
    (RANGE | {"every_seconds": 0}, 422, "validation-failed", "/every_seconds"),
    (RANGE | {"every_seconds": 86_401}, 422, "validation-failed", "/every_seconds"),
    (RANGE | {"every_seconds": 1.5}, 422, "validation-failed", "/every_seconds"),
    (RANGE | {"every_seconds": True}, 422, "validation-failed", "/every_seconds"),
    (RANGE | {"every_seconds": "60"}, 422, "validation-failed", "/every_seconds"),
    (RANGE | {"lane": "fast"}, 422, "validation-failed", "/lane"),
    (RANGE | {"overlap_policy": "all"}, 422, "validation-failed", "/overlap_policy"),
    (RANGE | {"dry_run": "true"}, 422, "validation-failed", "/dry_run"),
    (RANGE | {"dry_run": 1}, 422, "validation-failed", "/dry_run"),
    ([RANGE], 422, "validation-failed", ""),
    (None, 422, "validation-failed", ""),
    ("x", 422, "validation-failed", ""),
]


@pytest.mark.parametrize(("body", "status", "problem", "pointer"), HOSTILE)
def test_a_hostile_body_is_refused_by_the_member_that_is_wrong(
    body: Any, status: int, problem: str, pointer: str | None
) -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    answer = _posted(world, job, body)
    assert (answer.status, answer.problem) == (status, problem), answer.text
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert len(world.world.table.jobs) == 1


def _posted(world: ApiWorld, job: Any, body: Any) -> Answer:
    return world.post(body, f"/v1/jobs/{job['id']}/backfill")


@pytest.mark.parametrize(
    ("body", "content_type", "status", "problem"),
    [
        (b"", "application/json", 400, "malformed-request"),
        (b"{", "application/json", 400, "malformed-request"),
        (b'{"from": NaN}', "application/json", 400, "malformed-request"),
        (b'{"to": "x", "to": "y"}', "application/json", 400, "malformed-request"),
        (b"\xff", "application/json", 400, "malformed-request"),
        (orjson.dumps(RANGE), "text/plain", 415, "unsupported-media-type"),
        (b" " * (256 * 1024 + 1), "application/json", 413, "payload-too-large"),
    ],
)
def test_unreadable_backfill_body_is_refused(
    body: bytes, content_type: str, status: int, problem: str
) -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    headers = world.credential | {"content-type": content_type}
    path = f"/v1/jobs/{job['id']}/backfill"
    request = Request(method="POST", path=path, headers=headers, body=b64encode(body), is_base64=True)
    answer = world.handle(request)
    assert (answer.status, answer.problem) == (status, problem)


@pytest.mark.parametrize("dry_run", [False, True])
def test_backfill_of_a_deleted_job_a_backfill_or_a_one_off_is_refused(dry_run: bool) -> None:
    world = ApiWorld()
    job, made = backfilled(world)
    once = world.create()
    world.delete(f"/v1/jobs/{job['id']}")
    for each in (job, made, once):
        answer = post(world, each, "backfill", RANGE | {"dry_run": dry_run})
        assert (answer.status, answer.problem) == (409, "invalid-state")
    answer = post(world, made, "trigger")
    assert (answer.status, answer.problem) == (409, "invalid-state")


def test_backfill_counts_as_a_creation_and_as_a_recurring_job() -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    world.allow(Quota.RECURRING_JOBS, 1)
    answer = post(world, job, "backfill", RANGE)
    assert (answer.status, answer.problem, answer.json["quota"]) == (429, "quota-exceeded", "recurring_jobs")
    assert post(world, job, "backfill", RANGE | {"dry_run": True}).status == 200
    world.allow(Quota.CREATES_PER_SECOND, 0)
    answer = post(world, job, "backfill", RANGE)
    assert (answer.status, answer.problem) == (429, "rate-limited")


def test_an_unknown_query_parameter_is_refused() -> None:
    world = ApiWorld()
    job = world.create(**NIGHTLY)
    headers = world.credential | {"content-type": "application/json"}
    path, body = f"/v1/jobs/{job['id']}/backfill", orjson.dumps(RANGE)
    answer = world.handle(
        Request(method="POST", path=path, headers=headers, body=body, query={"dry_run": "true"})
    )
    assert (answer.status, answer.problem) == (400, "malformed-request")
    assert len(world.world.table.jobs) == 1


def test_no_job_may_set_the_header_that_names_the_job_of_a_backfill() -> None:
    request = JOB["request"] | {"headers": {"X-Backfill-Of": "job_r1"}}
    assert ApiWorld().post(JOB | {"request": request}).problem == "validation-failed"
