"""When a request is sent again, and when it is not."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from client.tests.sdk.deployment import HAS_ACTED, HOOK, LOSSES, Deployment, Fate, client, script
from punctual._retry import retry_after
from punctual.errors import NoAnswerError, UnexpectedAnswerError
from punctual.problems import (
    ApiError,
    InternalError,
    PreconditionFailedError,
    QuotaExceededError,
    RateLimitedError,
    ServiceUnavailableError,
)
from shared.domain.tenancy.quota import Quota
from tests.support.api.request_factory import ALL_SCOPES

ONCE: dict[str, Any] = {"url": HOOK, "delay_seconds": 3_600}


@pytest.mark.parametrize("fate", LOSSES)
def test_creation_survives_a_loss_with_the_same_key_and_makes_one_job(fate: Fate) -> None:
    with client(fate, fate) as (p, deployment):
        job = p.jobs.create(**ONCE)
        assert len(deployment.sent) == 3
        assert deployment.keys == ["key-1"] * 3
        assert [each.id for each in p.jobs.iterate()] == [job.id]


@pytest.mark.parametrize("fate", LOSSES)
def test_awaited_creation_survives_a_loss_in_the_same_way(fate: Fate) -> None:
    deployment = Deployment(fate=script(fate, fate))

    async def create() -> None:
        async with deployment.async_client() as p:
            job = await p.jobs.create(**ONCE)
            assert [each.id async for each in p.jobs.iterate()] == [job.id]

    asyncio.run(create())
    assert deployment.keys[:3] == ["key-1"] * 3


def test_own_key_is_sent_and_is_part_of_the_error() -> None:
    with client(*[Fate.LOST] * 50) as (p, deployment):
        with pytest.raises(NoAnswerError) as lost:
            p.jobs.create(**ONCE, idempotency_key="invoice-4711")
        assert set(deployment.keys) == {"invoice-4711"}
        assert lost.value.idempotency_key == "invoice-4711"
        assert lost.value.attempts == len(deployment.sent) > 5
        assert lost.value.maybe_applied
        assert deployment.elapsed <= 60


def test_client_without_patience_sends_nothing_twice() -> None:
    with client(Fate.UNAVAILABLE, max_elapsed=0) as (p, deployment):
        with pytest.raises(ServiceUnavailableError) as error:
            p.jobs.create(**ONCE)
        assert len(deployment.sent) == 1
        assert error.value.maybe_applied


def test_next_attempt_is_never_before_retry_after() -> None:
    with client(Fate.THROTTLED, Fate.UNAVAILABLE) as (p, deployment):
        deployment.retry_after = "7"
        p.jobs.create(**ONCE)
        assert all(slept > 7 for slept in deployment.slept)
        assert len(deployment.slept) == 2


@pytest.mark.parametrize("text", ["soon", "-1", "Mon, 01 Jan 99999999999 00:00:00 GMT", "9" * 5_000])
def test_retry_after_that_cannot_be_read_is_none(text: str) -> None:
    assert retry_after({"retry-after": text}, datetime(2026, 1, 1, tzinfo=UTC)) is None


def test_retry_after_beyond_the_limit_gives_up_at_once_with_the_typed_error() -> None:
    with client(Fate.THROTTLED) as (p, deployment):
        deployment.retry_after = "61"
        with pytest.raises(RateLimitedError) as error:
            p.jobs.create(**ONCE)
        assert error.value.retry_after == 61
        assert (error.value.status, error.value.type) == (429, None)
        assert not error.value.maybe_applied
        assert deployment.slept == []


def test_rate_limit_of_the_api_is_waited_for() -> None:
    with client() as (p, deployment):
        deployment.world.allow(Quota.CREATES_PER_SECOND, 1)
        for _ in range(4):
            p.jobs.create(**ONCE)
        assert len(list(p.jobs.iterate())) == 4
        assert deployment.slept


def test_quota_that_is_used_up_is_not_retried() -> None:
    with client() as (p, deployment):
        deployment.world.allow(Quota.RECURRING_JOBS, 0)
        with pytest.raises(QuotaExceededError) as error:
            p.jobs.create(url=HOOK, rate_seconds=60)
        assert error.value.quota == "recurring_jobs"
        assert len(deployment.sent) == 1


def answering(*answers: httpx.Response | Exception) -> tuple[Deployment, list[httpx.Request]]:
    """A deployment whose first answers are these."""
    deployment, sent, steps = Deployment(), [], iter(answers)
    plain = deployment.answer

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        step = next(steps, None)
        if isinstance(step, Exception):
            raise step
        return step or plain(request)

    deployment.answer = answer  # type: ignore[method-assign]
    return deployment, sent


@pytest.mark.parametrize("content_type", ["application/problem+json", "application/json"])
def test_internal_error_is_not_retried_and_may_have_taken_effect(content_type: str) -> None:
    deployment, sent = answering(
        httpx.Response(
            500,
            headers={"content-type": content_type},
            content=b'{"type":"urn:punctual:problem:internal-error"}',
        )
    )
    with deployment.client() as p, pytest.raises(InternalError) as error:
        p.jobs.create(**ONCE)
    assert error.value.maybe_applied
    assert len(sent) == 1


@pytest.mark.parametrize("status", [200, 204, 301, 307])
def test_success_or_redirect_that_the_api_does_not_give_is_unexpected(status: int) -> None:
    deployment, sent = answering(httpx.Response(status, headers={"location": "https://elsewhere.example/"}))
    with deployment.client() as p, pytest.raises(UnexpectedAnswerError) as error:
        p.jobs.create(**ONCE)
    assert error.value.maybe_applied
    assert len(sent) == 1


@pytest.mark.parametrize("body", [b"<html>", b"", b'{"id":7}', b"\xff", b"[]"])
def test_answer_that_is_not_of_the_api_is_unexpected_and_not_retried(body: bytes) -> None:
    deployment, sent = answering(httpx.Response(201, content=body))
    with deployment.client() as p, pytest.raises(UnexpectedAnswerError):
        p.jobs.create(**ONCE)
    assert len(sent) == 1


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"[]", b'{"type":7,"errors":[7,{"pointer":null}]}', b"\xff"]
)
def test_malformed_problem_document_is_an_error_all_the_same(body: bytes) -> None:
    headers = {"content-type": "application/problem+json; charset=utf-8"}
    deployment, _ = answering(httpx.Response(409, headers=headers, content=body))
    with deployment.client() as p, pytest.raises(ApiError) as error:
        p.jobs.create(**ONCE)
    assert error.value.status == 409


def test_problem_type_of_a_later_version_is_a_plain_api_error() -> None:
    headers = {"content-type": "application/problem+json"}
    body = b'{"type":"urn:punctual:problem:out-of-cheese","status":429,"detail":"redo from start"}'
    deployment, sent = answering(httpx.Response(429, headers=headers, content=body))
    with deployment.client() as p, pytest.raises(ApiError, match="redo from start") as error:
        p.jobs.create(**ONCE)
    assert (type(error.value), error.value.type) == (ApiError, "out-of-cheese")
    assert len(sent) == 1


def test_refused_certificate_is_not_tried_again() -> None:
    import ssl

    cause = ssl.SSLCertVerificationError("self-signed certificate")
    refused = httpx.ConnectError("certificate verify failed")
    refused.__cause__ = cause
    deployment, sent = answering(refused)
    with deployment.client() as p, pytest.raises(NoAnswerError) as error:
        p.jobs.get("job_1")
    assert len(sent) == 1
    assert not error.value.maybe_applied


SETTLED = [fate for fate in LOSSES if fate in (Fate.UNCONNECTED, Fate.THROTTLED)]
"""Losses after which the request certainly had no effect."""


@pytest.mark.parametrize("fate", LOSSES)
def test_creation_of_a_key_is_repeated_only_if_no_key_was_made(fate: Fate) -> None:
    deployment = Deployment(fate=script(fate))
    key = deployment.world.world.create_tenant.execute("second", ALL_SCOPES).api_key
    with deployment.client(key) as p:
        before = 1
        if fate in SETTLED:
            p.keys.create(scopes=["read"])
        else:
            with pytest.raises((NoAnswerError, ServiceUnavailableError)) as error:
                p.keys.create(scopes=["read"])
            assert error.value.maybe_applied
            assert len(deployment.sent) == 1
        made = len(p.keys.list().keys) - before
        assert made == (1 if fate in SETTLED or fate in HAS_ACTED else 0)


@pytest.mark.parametrize("fate", LOSSES)
def test_change_of_a_revision_is_never_applied_twice(fate: Fate) -> None:
    with client() as (p, deployment):
        job = p.jobs.create(**ONCE)
        deployment.fate = script(fate)
        if fate in HAS_ACTED:
            with pytest.raises(PreconditionFailedError) as error:
                p.jobs.update(job, name="renamed")
            assert error.value.maybe_applied
        else:
            p.jobs.update(job, name="renamed")
        now = p.jobs.get(job)
        assert (now.name, now.revision) == ("renamed", 2)


@pytest.mark.parametrize("fate", LOSSES)
def test_change_of_any_revision_is_not_repeated_after_it_may_have_been_applied(fate: Fate) -> None:
    with client() as (p, deployment):
        job = p.jobs.create(**ONCE)
        deployment.fate = script(fate)
        if fate in SETTLED:
            p.jobs.update(job.id, if_match="*", delay_seconds=60)
        else:
            with pytest.raises((NoAnswerError, ServiceUnavailableError)) as error:
                p.jobs.update(job.id, if_match="*", delay_seconds=60)
            assert error.value.maybe_applied
        assert p.jobs.get(job).revision == (2 if fate in SETTLED or fate in HAS_ACTED else 1)


@pytest.mark.parametrize("fate", LOSSES)
def test_cancellation_is_repeated_after_any_loss(fate: Fate) -> None:
    with client() as (p, deployment):
        job = p.jobs.create(**ONCE)
        deployment.fate = script(fate)
        assert p.jobs.cancel(job, if_match=job.revision).state == "cancelled"


@pytest.mark.parametrize("fate", LOSSES)
def test_free_request_is_repeated_only_if_it_reads_or_has_a_key(fate: Fate) -> None:
    body = {"request": {"url": HOOK}, "schedule": {"delay_seconds": 60}}
    with client() as (p, deployment):
        deployment.fate = script(fate)
        assert p.request("GET", "/v1/usage")["tenant"] == "acme"
        deployment.fate = script(fate)
        made = p.request("POST", "/v1/jobs", json=body, idempotency_key="k")
        assert [each.id for each in p.jobs.iterate()] == [made["id"]]
        deployment.fate = script(fate)
        if fate not in SETTLED:
            with pytest.raises((NoAnswerError, ServiceUnavailableError)):
                p.request("POST", "/v1/jobs", json=body)
