"""`Punctual-Depth`: calls that create jobs, whose calls create jobs."""

from typing import Any

import pytest

from shared.domain.delivery.depth import MAX_DEPTH
from tests.support.api.api_world import JOB, Answer, ApiWorld
from tests.support.api.job_requests import patch, post
from tests.support.usecases.lanes import Lanes

NOW: dict[str, Any] = JOB | {"schedule": {"delay_seconds": 0}}
BATCH = "/v1/jobs/batch"


def called(world: ApiWorld, minutes: int = 1) -> list[str]:
    """The depths of all calls so far, after some minutes, in the order of the calls."""
    Lanes(world.world).until(world.world.clock.time_ms + minutes * 60_000)
    return [dict(call.callback.headers)["Punctual-Depth"] for call in world.world.sender.calls]


def create_by_call(world: ApiWorld, depth: str, path: str) -> Answer:
    document = {"jobs": [NOW]} if path == BATCH else NOW
    return world.post(document, path, **{"punctual-depth": depth})


@pytest.mark.parametrize("path", ["/v1/jobs", BATCH])
def test_chain_of_calls_that_create_jobs_ends_at_the_greatest_depth(path: str) -> None:
    world = ApiWorld()
    world.create(**NOW)
    for depth in range(MAX_DEPTH):
        assert called(world)[-1].startswith(f"{depth}.")
        assert create_by_call(world, called(world)[-1], path).status in (200, 201)
    refused = create_by_call(world, called(world)[-1], path)
    assert (refused.status, refused.problem) == (422, "validation-failed")
    assert "8 times in a row" in refused.json["detail"]
    assert len(called(world)) == MAX_DEPTH + 1


@pytest.mark.parametrize("path", ["/v1/jobs", BATCH])
def test_creation_with_a_depth_that_no_call_carried_is_refused(path: str) -> None:
    world = ApiWorld()
    refused = create_by_call(world, "0." + "A" * 43, path)
    assert (refused.status, refused.problem) == (422, "validation-failed")
    assert "leave the header out" in refused.json["detail"]


def test_changed_triggered_and_recurring_runs_keep_the_depth_of_their_job() -> None:
    world = ApiWorld()
    world.create(**NOW)
    document = JOB | {"schedule": {"rate_seconds": 60}}
    job = world.post(document, **{"punctual-depth": called(world)[-1]}).json
    assert patch(world, job, {"request": {"body": "changed"}}).status == 200
    assert post(world, job, "trigger").status in (200, 201, 202)
    assert {depth.partition(".")[0] for depth in called(world, 3)[1:]} == {"1"}


def test_notification_has_the_depth_of_the_run_that_it_reports() -> None:
    world = ApiWorld()
    world.create(**NOW)
    document = NOW | {"on_success": "https://told.example/won"}
    assert world.post(document, **{"punctual-depth": called(world)[-1]}).status == 201
    assert [depth.partition(".")[0] for depth in called(world)] == ["0", "1", "1"]


def test_repeated_creation_is_one_job_whatever_its_depth() -> None:
    world = ApiWorld()
    world.create(**NOW)
    key = {"idempotency-key": "one"}
    first = world.post(NOW, **key, **{"punctual-depth": called(world)[-1]})
    again = world.post(NOW, **key)
    assert (first.status, again.status) == (201, 201)
    assert first.json["id"] == again.json["id"]
