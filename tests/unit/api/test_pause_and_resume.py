"""Pause and resume over HTTP."""

from typing import Any

import pytest

from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import MINUTELY, post, send

HOUR = 3_600_000


def test_a_paused_job_says_so_and_why() -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    answer = post(world, job, "pause", {"reason": "maintenance"})
    assert answer.status == 200, answer.text
    shown = {"state": "paused", "pause_reason": "maintenance", "next_due_at": None, "revision": 2}
    assert answer.json | {"last_run": None} == job | shown | {
        "no_next_run": "The job is paused. Reason: maintenance"
    }
    assert answer.headers["ETag"] == '"2"'


def test_paused_job_does_not_run_until_it_is_resumed() -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    post(world, job, "pause")
    world.world.clock.time_ms += HOUR
    resumed = post(world, job, "resume").json
    assert (resumed["state"], resumed["pause_reason"], resumed["revision"]) == ("active", None, 3)
    assert resumed["next_due_at"] == "2025-02-19T22:11:12.000Z"


def test_deleted_job_shows_the_instants_that_its_pause_skipped() -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    post(world, job, "pause")
    world.world.clock.time_ms += HOUR
    world.delete(f"/v1/jobs/{job['id']}")
    told = world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]
    (skipped,) = (one for one in told if one["state"] == "skipped")
    assert (skipped["end_reason"], skipped["missed"]["count"]) == ("job_paused", 59)


def test_pause_and_resume_are_idempotent() -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    paused = post(world, job, "pause", {"reason": "one"}).json
    assert post(world, job, "pause", {"reason": "two"}).json == paused
    resumed = post(world, job, "resume").json
    assert post(world, job, "resume").json == resumed


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_a_job_that_runs_once_has_neither(verb: str) -> None:
    world = ApiWorld()
    assert post(world, world.create(), verb).problem == "invalid-state"


@pytest.mark.parametrize("verb", ["pause", "resume", "trigger"])
def test_deleted_job_is_not_paused_resumed_or_triggered(verb: str) -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    world.delete(f"/v1/jobs/{job['id']}")
    assert post(world, job, verb).problem == "invalid-state"


@pytest.mark.parametrize("verb", ["pause", "resume", "trigger"])
@pytest.mark.parametrize("unknown", ["job_unknown", "job_r" + "0" * 27, "job_1" + "0" * 30])
def test_an_unknown_job_is_not_found(verb: str, unknown: str) -> None:
    assert post(ApiWorld(), {"id": unknown}, verb).problem == "not-found"


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_a_stale_tag_is_refused(verb: str) -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    assert send(world, "POST", f"/v1/jobs/{job['id']}/{verb}", None, '"7"').problem == "precondition-failed"


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_pause_or_resume_of_a_deleted_job_with_a_wrong_tag_is_412(verb: str) -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    path = f"/v1/jobs/{job['id']}"
    world.delete(path)
    assert send(world, "POST", f"{path}/{verb}", None, '"7"').problem == "precondition-failed"


@pytest.mark.parametrize("reason", ["", "x" * 257, 7, None])
def test_a_reason_is_a_short_text(reason: Any) -> None:
    world = ApiWorld()
    job = world.create(**MINUTELY)
    answer = post(world, job, "pause", {"reason": reason})
    assert answer.status == (200 if reason is None else 422)
