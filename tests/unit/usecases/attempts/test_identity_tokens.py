"""Calls with an identity token: whose it is, where it is sent, and what happens without one."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.identity_token import OidcAuth, key_set
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.timing import Every
from tests.support.api.api_world import logged
from tests.support.builders import TENANT
from tests.support.delivery.tokens import verified
from tests.support.settings import ISSUER
from tests.support.usecases.world import REQUEST, World

AUDIENCE = "https://receiver.example"
WITH_TOKEN = replace(REQUEST, auth=OidcAuth(audience=AUDIENCE), headers=(("X-Team", "billing"),))


def due(world: World, request: Request = WITH_TOKEN, **fields: Any) -> Execution:
    job = world.accept_one_off(request=request, **fields)
    world.clock.time_ms = job.id.dispatch_at
    return job


def tokens_of(world: World) -> list[str]:
    """The token of each call; AssertionError where a call has two such headers."""
    found = []
    for call in world.sender.calls:
        values = [value for name, value in call.callback.headers if name.lower() == "authorization"]
        found += values if values else [""]
        assert len(values) <= 1
    return [value.removeprefix("Bearer ") for value in found]


def test_call_has_a_token_of_its_tenant_for_its_audience_beside_the_signature() -> None:
    world = World()
    job = due(world)
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED
    (token,) = tokens_of(world)
    claims = verified(token, key_set(world.identity_tokens.public_keys().keys))
    assert (claims["iss"], claims["sub"], claims["aud"]) == (ISSUER, TENANT, AUDIENCE)
    headers = dict(world.sender.calls[0].callback.headers)
    assert headers["webhook-signature"]
    assert headers["X-Team"] == "billing"


def test_call_without_auth_asks_for_no_token() -> None:
    world = World()
    world.identity_tokens.is_down = True
    job = due(world, REQUEST)
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED
    assert (tokens_of(world), world.identity_tokens.issued) == ([""], [])


def test_token_that_cannot_be_had_costs_no_attempt_and_no_call() -> None:
    world = World()
    job = due(world)
    world.identity_tokens.is_down = True
    world.attempt(job)
    standing = world.standing(job.id)
    assert (standing.state, standing.attempt, standing.progress.outcomes) == (State.WAITING, 0, ())
    assert world.sender.calls == []
    world.identity_tokens.is_down = False
    world.clock.time_ms = standing.progress.next_attempt_at or 0
    world.attempt(standing)
    assert world.standing(job.id).state is State.SUCCEEDED
    assert world.standing(job.id).attempt == 1


def test_retry_has_a_token() -> None:
    world = World(answer_to=lambda _: CallbackResponse(reason=Reason.HTTP_STATUS, status=500, duration_ms=5))
    job = due(world)
    world.attempt(job)
    world.clock.time_ms = world.standing(job.id).progress.next_attempt_at or 0
    world.attempt(world.standing(job.id))
    assert len(tokens_of(world)) == 2
    assert all(tokens_of(world))


def test_run_of_a_schedule_and_its_successor_have_tokens() -> None:
    world = World()
    job = world.accept(timing=Every(rate_seconds=60), request=WITH_TOKEN)
    assert isinstance(job, Job)
    assert job.call.auth is AuthKind.OIDC
    for _ in range(2):
        run = min(
            (each for each in world.occurrences(job).values() if not each.state.is_terminal),
            key=lambda each: each.id.dispatch_at,
        )
        world.clock.time_ms = run.id.dispatch_at
        world.attempt(run)
    assert all(tokens_of(world))
    assert world.identity_tokens.issued == [(TENANT, AUDIENCE)] * 2


def test_notification_of_the_end_has_no_token() -> None:
    """Its URL may be another party's, which could call the job's receiver with the token."""
    world = World()
    job = due(world, replace(WITH_TOKEN, on_success="https://other.example/told"))
    world.attempt(job)
    rows = [row.execution for row in world.table.executions.values()]
    (told,) = [each for each in rows if each.notification_of is not None]
    assert told.call.auth is None
    world.attempt(told)
    assert [call.callback.url for call in world.sender.calls][1:] == ["https://other.example/told"]
    assert tokens_of(world)[1] == ""


def test_token_is_in_no_log_line_representation_or_stored_item() -> None:
    world = World(answer_to=lambda _: CallbackResponse(reason=Reason.HTTP_STATUS, status=500, duration_ms=5))
    job = due(world)
    with logged() as records:
        world.attempt(job)
    (token,) = tokens_of(world)
    text = f"{records} {[vars(each) for each in records]} {world.sender.calls} {world.table.executions}"
    assert token not in text
    assert token.split(".")[2] not in text


def test_stored_request_is_sealed_with_its_audience() -> None:
    world = World()
    job = due(world)
    assert AUDIENCE.encode() not in world.standing(job.id).call.request
    assert world.open_request.execute(world.tenant, world.standing(job.id)).auth == WITH_TOKEN.auth


def test_job_with_a_token_is_refused_where_none_is_issued() -> None:
    world = World(token_keys=())
    with pytest.raises(InvalidValueError, match=r"token_keys = \[1\]"):
        world.accept_one_off(request=WITH_TOKEN)
    assert world.accept_one_off().call.auth is None


def test_same_call_with_another_audience_is_another_job_to_an_idempotency_key() -> None:
    world = World()
    prints = {
        world.accept_one_off(request=each).fingerprint
        for each in (REQUEST, WITH_TOKEN, replace(WITH_TOKEN, auth=OidcAuth(audience="b")))
    }
    assert len(prints) == 3
