"""Calls that a role of the tenant signs for AWS: whose role, what is signed, and what happens without one."""

from dataclasses import replace

import pytest

from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.request import Request
from shared.domain.delivery.sigv4_auth import SigV4Auth
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from tests.support.api.api_world import logged
from tests.support.builders import TENANT
from tests.support.fakes.signed_sender import KEYS
from tests.support.usecases.world import REQUEST, World

ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
OTHER = "arn:aws:iam::444455556666:role/punctual/acme"
SIGNED = replace(
    REQUEST,
    url="https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/orders",
    auth=SigV4Auth(role=ROLE, service="execute-api", region="eu-west-1"),
)


def deployment(*roles: str) -> World:
    world = World()
    world.tenant = replace(world.tenant, target_roles=roles)
    world.tenants.tenants[TENANT] = world.tenant
    return world


def due(world: World, request: Request = SIGNED) -> Execution:
    job = world.accept_one_off(request=request)
    world.clock.time_ms = job.id.dispatch_at
    return job


def test_call_is_signed_with_the_role_of_the_job_beside_the_signature_of_punctual() -> None:
    world = deployment(OTHER, ROLE)
    job = due(world)
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED
    (asked,) = world.signed_sender.calls
    assert (asked.role_arn, asked.tenant_id, asked.session_name) == (ROLE, TENANT, f"punctual-0-{TENANT}")
    assert asked.scope == "execute-api/eu-west-1/a1b2c3"
    assert len(asked.external_id) == 32
    (call,) = world.sender.calls
    headers = dict(call.callback.headers)
    assert headers["webhook-signature"]
    assert "/eu-west-1/execute-api/aws4_request" in headers["Authorization"]
    assert "webhook-signature" in headers["Authorization"].partition("SignedHeaders=")[2]


def test_plain_call_asks_for_no_signature() -> None:
    world = deployment()
    world.signed_sender.refuses = Reason.ROLE_REFUSED
    job = due(world, REQUEST)
    world.attempt(job)
    assert (world.standing(job.id).state, world.signed_sender.calls) == (State.SUCCEEDED, [])


def test_role_of_the_job_is_the_tenants_own() -> None:
    for roles in ((), (OTHER,)):
        with pytest.raises(InvalidValueError, match="no role of this tenant") as refused:
            due(deployment(*roles))
        assert refused.value.path == ("request", "auth", "sigv4", "role")


def test_role_that_is_no_longer_registered_is_named_in_the_history_and_nothing_is_sent() -> None:
    world = deployment(ROLE)
    job = due(world)
    world.tenants.tenants[TENANT] = replace(world.tenant, target_roles=(OTHER,))
    world.clock.time_ms += 61_000
    world.attempt(job)
    (outcome,) = world.standing(job.id).progress.outcomes
    assert (outcome.reason, world.sender.calls, world.signed_sender.calls) == (Reason.ROLE_REFUSED, [], [])


def test_session_that_is_refused_for_now_costs_no_attempt() -> None:
    world = deployment(ROLE)
    world.signed_sender.refuses = Reason.UNAVAILABLE
    job = due(world)
    world.attempt(job)
    standing = world.standing(job.id)
    assert (standing.state, standing.attempt, standing.progress.outcomes) == (State.WAITING, 0, ())
    world.signed_sender.refuses = None
    world.clock.time_ms = standing.progress.next_attempt_at or 0
    world.attempt(standing)
    assert world.standing(job.id).state is State.SUCCEEDED
    assert world.standing(job.id).attempt == 1


def test_role_that_does_not_admit_punctual_is_an_attempt_with_its_reason() -> None:
    world = deployment(ROLE)
    world.signed_sender.refuses = Reason.ROLE_REFUSED
    job = due(world)
    world.attempt(job)
    (outcome,) = world.standing(job.id).progress.outcomes
    assert (outcome.reason, world.sender.calls) == (Reason.ROLE_REFUSED, [])


def test_notification_of_the_end_is_not_signed_for_aws() -> None:
    world = deployment(ROLE)
    world.attempt(due(world, replace(SIGNED, on_success="https://other.example/told")))
    rows = [row.execution for row in world.table.executions.values()]
    (told,) = [each for each in rows if each.notification_of is not None]
    assert told.call.auth is None
    world.attempt(told)
    assert "Authorization" not in dict(world.sender.calls[1].callback.headers)


def test_signature_and_token_are_in_no_log_line_representation_or_stored_item() -> None:
    def echo(callback: Callback) -> CallbackResponse:
        headers = dict(callback.headers)
        text = f"{headers['Authorization'][-80:]} {headers['X-Amz-Security-Token']}"
        return CallbackResponse(
            reason=Reason.HTTP_STATUS, status=403, duration_ms=5, body=text.encode()[:256]
        )

    world = World(answer_to=echo)
    world.tenant = world.tenants.tenants[TENANT] = replace(world.tenant, target_roles=(ROLE,))
    job = due(world)
    with logged() as records:
        world.attempt(job)
    (call,) = world.sender.calls
    signature = dict(call.callback.headers)["Authorization"].rpartition("=")[2]
    (asked,) = world.signed_sender.calls
    text = f"{records} {[vars(each) for each in records]} {call} {asked} {world.table.executions}"
    for secret in (signature, KEYS.token or "", KEYS.secret_key, asked.external_id):
        assert secret[:24] not in text
    assert world.standing(job.id).progress.last_body.count(b"[redacted]") == 2


def test_job_and_its_executions_are_marked_for_older_releases() -> None:
    assert due(deployment(ROLE)).call.auth is AuthKind.SIGV4
