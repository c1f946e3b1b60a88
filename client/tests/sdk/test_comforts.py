"""Iterating, waiting, batches, and operations without a key."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from client.tests.sdk.deployment import HOOK, Deployment, Fate, client, script
from punctual import AsyncPunctual, Punctual, new_job
from punctual.errors import (
    BatchRefusedError,
    ConfigurationError,
    ExecutionFailedError,
    NoAnswerError,
    WaitTimeoutError,
)
from punctual.models import BatchResult, JobIn, RequestIn, ScheduleIn
from punctual.problems import IdempotencyKeyReusedError, InvalidStateError, ValidationFailedError
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.contract.gateway import Got, Sent, got, serving
from tests.support.usecases.reports import async_accepted

GONE = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)


def test_pages_are_read_when_their_entries_are_wanted() -> None:
    with client() as (p, deployment):
        p.jobs.batch([new_job(url=HOOK, delay_seconds=60 + place) for place in range(5)]).raise_for_refused()
        before = len(deployment.sent)
        jobs = p.jobs.iterate(limit=2)
        assert len(deployment.sent) == before
        next(jobs)
        next(jobs)
        assert len(deployment.sent) == before + 1
        assert len(list(jobs)) == 3


def test_error_of_a_batch_has_the_key_with_which_it_can_be_repeated() -> None:
    jobs = [new_job(url=HOOK, delay_seconds=60 + place) for place in range(150)]
    with client() as (p, deployment):
        deployment.fate = lambda _: Fate.ANSWER_LOST if len(deployment.sent) > 1 else Fate.ANSWERED
        with pytest.raises(NoAnswerError) as lost:
            p.jobs.batch(jobs, idempotency_key="import")
        assert lost.value.idempotency_key == "import"
        deployment.fate = lambda _: Fate.ANSWERED
        p.jobs.batch(jobs, idempotency_key=lost.value.idempotency_key).raise_for_refused()
        assert len(list(p.jobs.iterate())) == 150


def test_one_off_job_is_waited_for() -> None:
    with client() as (p, _):
        job = p.jobs.create(url=HOOK, delay_seconds=20)
        end = p.wait_for(job, timeout=60).raise_for_failure()
        assert (end.state, end.succeeded) == ("succeeded", True)
        assert end.execution is not None
        assert end.execution.attempts[0].status == 200
        assert p.wait_for(end.execution).job is None
        assert p.wait_for(job.id).execution == end.execution


def test_failure_that_was_waited_for_says_why() -> None:
    with client() as (p, deployment):
        deployment.world.world.sender.answer_to = lambda _: GONE
        end = p.wait_for(p.jobs.create(url=HOOK, delay_seconds=1))
        assert not end.succeeded
        with pytest.raises(
            ExecutionFailedError, match=r"ended as failed \(not_retryable\); attempt 1 .* 410"
        ) as error:
            end.raise_for_failure()
        assert error.value.execution == end.execution
        redriven = p.executions.redrive(end.execution)  # type: ignore[arg-type]
        assert p.wait_for(redriven).state == "failed"


def test_cancelled_job_that_never_ran_has_no_execution() -> None:
    with client() as (p, _):
        job = p.jobs.cancel(p.jobs.create(url=HOOK, delay_seconds=600))
        with pytest.raises(ExecutionFailedError, match=f"{job.id} ended as cancelled"):
            p.wait_for(job).raise_for_failure()


def test_wait_ends_at_its_limit() -> None:
    with client() as (p, deployment):
        job = p.jobs.create(url=HOOK, delay_seconds=600)
        before = deployment.elapsed
        with pytest.raises(WaitTimeoutError, match=f"{job.id} is still pending after 30 s") as error:
            p.wait_for(job, timeout=30)
        assert isinstance(error.value, TimeoutError)
        assert 30 <= deployment.elapsed - before < 31
        assert len(deployment.sent) == 3


def test_distant_job_is_read_once_a_minute_until_it_is_due() -> None:
    with client() as (p, deployment):
        job = p.jobs.create(url=HOOK, delay_seconds=590)
        assert p.wait_for(job, timeout=900).succeeded
        assert len(deployment.sent) < 20
        assert 590 <= deployment.elapsed < 600


def test_recurring_job_has_no_end_to_wait_for() -> None:
    with client() as (p, _):
        job = p.jobs.create(url=HOOK, cron="0 0 1 1 *")
        with pytest.raises(ValueError, match="wait for an execution"):
            p.wait_for(job)
        assert p.wait_for(p.jobs.trigger(job)).succeeded


def test_backfill_is_waited_for() -> None:
    with client() as (p, _):
        job = p.jobs.create(url=HOOK, rate_seconds=3_600, start_at="2025-02-01T00:00:00Z")
        backfill = p.jobs.backfill(job, since="2025-02-02T00:00:00Z", until="2025-02-02T02:00:00Z")
        with pytest.raises(WaitTimeoutError, match="active"):
            p.wait_for(backfill, timeout=0)
        p.jobs.cancel(backfill)
        with pytest.raises(ExecutionFailedError, match="ended as deleted"):
            p.wait_for(backfill).raise_for_failure()


def test_job_is_awaited_in_the_same_way() -> None:
    deployment = Deployment(fate=script(Fate.ANSWER_LOST))

    async def run() -> None:
        async with deployment.async_client() as p:
            job = await p.jobs.create(url=HOOK, delay_seconds=5)
            (await p.wait_for(job)).raise_for_failure()
            made = await p.jobs.batch([new_job(url=HOOK, delay_seconds=60)])
            made.raise_for_refused()
            assert await p.request("GET", "/v1/health") == {"status": "ok"}
            hasty = p.with_options(timeout=1, max_elapsed=0)
            assert (await hasty.jobs.get(job)).state == "succeeded"
            assert repr(p) == repr(hasty) == "AsyncPunctual('https://api.example')"

    asyncio.run(run())


def test_batch_says_which_jobs_were_refused_and_why() -> None:
    with client() as (p, _):
        jobs: list[JobIn | dict[str, Any]] = [
            JobIn(schedule=ScheduleIn(delay_seconds=60), request=RequestIn(url=HOOK)),
            {"schedule": {"delay_seconds": 60}, "request": {}},
            new_job(url=HOOK, delay_seconds=60),
        ]
        made = p.jobs.batch(jobs)
        assert [result.status for result in made.results] == [201, 422, 201]
        with pytest.raises(BatchRefusedError, match=r"1 of 3 jobs were not created: job 1: 422") as error:
            made.raise_for_refused()
        [(place, problem)] = error.value.refused
        assert place == 1
        assert isinstance(problem, ValidationFailedError)
        assert problem.pointer == "/jobs/1/request/url"


def test_empty_batch_sends_nothing() -> None:
    with client() as (p, deployment):
        p.jobs.batch([]).raise_for_refused()
        assert deployment.sent == []


def test_many_jobs_are_sent_in_requests_of_a_hundred_that_can_be_repeated() -> None:
    with client() as (p, deployment):
        many = [new_job(url=HOOK, delay_seconds=3_600, name=f"n{place}") for place in range(205)]
        with pytest.raises(ValueError, match="give an idempotency_key"):
            p.jobs.batch(many)
        assert deployment.sent == []
        first = p.jobs.batch(iter(many), idempotency_key="import-7")
        assert deployment.keys == ["import-7", "import-7.2", "import-7.3"]
        again = p.jobs.batch(many, idempotency_key="import-7")
        assert [ids(result) for result in again.results] == [ids(result) for result in first.results]
        assert len(list(p.jobs.iterate())) == 205
        with pytest.raises(IdempotencyKeyReusedError):
            p.jobs.batch(many[1:], idempotency_key="import-7")


def ids(result: BatchResult) -> str | None:
    return result.job.id if result.job else None


def test_large_jobs_are_sent_in_requests_that_the_api_takes() -> None:
    with client() as (p, deployment):
        many = [new_job(url=HOOK, delay_seconds=3_600, body="x" * 60_000) for _ in range(9)]
        p.jobs.batch(many, idempotency_key="large").raise_for_refused()
        assert len(deployment.sent) == 3
        assert all(len(request.content) < 256 * 1024 for request in deployment.sent)


def test_receiver_reports_with_its_token_and_without_a_key() -> None:
    deployment = Deployment()
    deployment.world.world.sender.answer_to = async_accepted
    with deployment.client() as p:
        job = p.jobs.create(url=HOOK, delay_seconds=0)
        deployment.sleep(2)
    headers = dict(deployment.world.world.sender.calls[0].callback.headers)
    execution, token = headers["webhook-id"], headers["X-Callback-Token"]
    with Punctual("https://api.example", transport=httpx.MockTransport(deployment.answer)) as receiver:
        assert receiver.executions.heartbeat(execution, token=token).attempt == 1
        assert receiver.executions.complete(execution, token=token).outcome == "succeeded"
        with pytest.raises(InvalidStateError):
            receiver.executions.fail(execution, token=token, reason="too late")
        assert all("authorization" not in request.headers for request in deployment.sent[-3:])
        assert receiver.health.get().status == "ok"
        with pytest.raises(ConfigurationError, match="no API key"):
            receiver.jobs.get(job)


def test_both_clients_work_over_real_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    deployment = Deployment()

    def answer(sent: Sent) -> Got:
        return got(deployment.world.api(sent.event(), SimpleNamespace(aws_request_id="sdk")))

    with serving(answer) as url, Punctual(url, deployment.key) as p:
        job = p.jobs.create(url=HOOK, delay_seconds=600, name="\u20ac \ufffd")
        assert p.jobs.get(job).name == "\u20ac \ufffd"

        async def read() -> list[str]:
            async with AsyncPunctual(url, deployment.key) as a:
                return [each.id async for each in a.jobs.iterate()]

        assert asyncio.run(read()) == [job.id]


@pytest.mark.parametrize("client_type", [Punctual, AsyncPunctual])
def test_client_opens_no_connection_before_it_is_used(client_type: Any) -> None:
    made = client_type("https://api.example", "pk_1")
    assert made._client.connections._client is None
