"""`traceparent` from the request that creates a job to its receiver."""

from typing import Any

import pytest

from shared.domain.bucket import ShardRange
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE
from tests.support.api.api_world import JOB, ApiWorld, logged
from tests.support.api.job_requests import patch, post
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes

NOW: dict[str, Any] = JOB | {"schedule": {"delay_seconds": 0}}
BATCH = "/v1/jobs/batch"
TRACE_ID, PARENT_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SENT = {"traceparent": f"00-{TRACE_ID}-{PARENT_ID}-01"}
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=503)


def carried(world: ApiWorld, minutes: int = 1) -> list[list[str]]:
    """The parts of `traceparent` of all calls so far, after some minutes, each with a tick of the watcher."""
    lanes = Lanes(world.world)
    for _ in range(minutes):
        world.world.watch.execute(ShardRange(index=0, of=1))
        lanes.until(world.world.clock.time_ms + 60_000)
    return [dict(call.callback.headers)["traceparent"].split("-") for call in world.world.sender.calls]


def create(world: ApiWorld, document: dict[str, Any], path: str, **headers: str) -> None:
    body = {"jobs": [document]} if path == BATCH else document
    assert world.post(body, path, **headers).status in (200, 201)


@pytest.mark.parametrize("path", ["/v1/jobs", BATCH])
@pytest.mark.parametrize("delay_seconds", [0, 300])
def test_trace_of_the_client_reaches_the_receiver(path: str, delay_seconds: int) -> None:
    """A watcher sends the message of the later job."""
    world = ApiWorld()
    create(world, JOB | {"schedule": {"delay_seconds": delay_seconds}}, path, **SENT)
    ((version, trace_id, span_id, flags),) = carried(world, minutes=6)
    assert (version, trace_id, flags) == ("00", TRACE_ID, "01")
    assert span_id not in (PARENT_ID, "0" * 16)


@pytest.mark.parametrize("path", ["/v1/jobs", BATCH])
def test_executions_without_a_trace_of_their_client_have_one_each(path: str) -> None:
    world = ApiWorld()
    for _ in range(2):
        create(world, NOW, path, tracestate="vendor=value")
    first, second = carried(world)
    assert first[1] != second[1]
    assert (first[3], second[3]) == ("00", "00")


def test_attempts_of_an_execution_share_its_trace_and_are_spans_of_their_own() -> None:
    world = ApiWorld()
    world.world.sender.answer_to = in_turn(DOWN)
    create(world, NOW, "/v1/jobs", **SENT)
    calls = carried(world, minutes=10)
    assert len(calls) > 1
    assert {call[1] for call in calls} == {TRACE_ID}
    assert len({call[2] for call in calls}) == len(calls)


def test_changed_triggered_and_recurring_runs_and_notifications_stay_in_the_trace_of_their_job() -> None:
    world = ApiWorld()
    document = JOB | {"schedule": {"rate_seconds": 60}, "on_success": "https://told.example/won"}
    job = world.post(document, **SENT).json
    assert patch(world, job, {"request": {"body": "changed"}}).status == 200
    assert post(world, job, "trigger").status in (200, 201, 202)
    calls = carried(world, minutes=3)
    assert len(calls) > 4
    assert {call[1] for call in calls} == {TRACE_ID}


def test_notification_is_in_the_own_trace_of_the_execution_that_it_reports() -> None:
    world = ApiWorld()
    create(world, NOW | {"on_success": "https://told.example/won"}, "/v1/jobs")
    call, notification = carried(world)
    assert call[1] == notification[1]
    assert call[2] != notification[2]


def test_repeated_creation_is_one_job_in_its_first_trace() -> None:
    world = ApiWorld()
    key = {"idempotency-key": "one"}
    with logged() as lines:
        first = world.post(JOB, **key, **SENT)
        again = world.post(JOB, **key, traceparent=f"00-{'1' * 32}-{PARENT_ID}-01")
    assert first.json["id"] == again.json["id"]
    assert [vars(line)["trace"] for line in lines if line.message == ACCEPTED_LOG_LINE] == [TRACE_ID] * 2


@pytest.mark.parametrize(
    "value", ["", "ff" + SENT["traceparent"][2:], SENT["traceparent"].upper(), "s3cr3t\r\n", "s3cr3t" * 999]
)
def test_malformed_traceparent_is_ignored_and_never_logged(value: str) -> None:
    world = ApiWorld()
    with logged() as lines:
        create(world, NOW, "/v1/jobs", traceparent=value, tracestate="s3cr3t=" + "x" * 9_000)
    assert carried(world)[0][3] == "00"
    (line,) = (vars(line) for line in lines if line.message == ACCEPTED_LOG_LINE)
    assert "s3cr3t" not in repr(line)
    assert line["parent"] is None


def test_line_of_an_accepted_job_has_the_trace_of_its_call() -> None:
    world = ApiWorld()
    with logged() as lines:
        create(world, NOW, "/v1/jobs", **SENT)
        create(world, NOW, "/v1/jobs")
        create(world, JOB | {"schedule": {"rate_seconds": 3_600}}, "/v1/jobs")
    found = [vars(line) for line in lines if line.message == ACCEPTED_LOG_LINE]
    assert [line["parent"] for line in found] == [PARENT_ID, None, None]
    assert [line["trace"] for line in found[:2]] == [call[1] for call in carried(world)]
    assert found[2]["trace"] is None


def test_line_of_a_batch_has_the_trace_of_each_call() -> None:
    world = ApiWorld()
    with logged() as lines:
        assert world.post({"jobs": [NOW] * 20}, BATCH).status == 200
    found = [vars(line) for line in lines if line.message == ACCEPTED_BATCH_LOG_LINE]
    traces = {trace_id for line in found for _, trace_id, _ in line["jobs"]}
    assert len(traces) == 20
    assert traces == {call[1] for call in carried(world)}
