"""Executions that send to a target: the message, its rights, its outcome, and a crash after the send."""

from dataclasses import replace
from functools import partial

import pytest

from shared.domain.delivery.aws_target import AwsTarget, InvocationType, TargetKind
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.depth import DEPTH_CONTEXT, MAX_DEPTH, depth_below
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.limits.circuit_breaker import Tally
from shared.usecases.attempts.settle_attempt import SettleAttempt
from tests.support.builders import TENANT
from tests.support.fakes.targets import FakeTargets
from tests.support.usecases.world import World

ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"
FIFO = f"{QUEUE}.fifo"


def to(arn: str = QUEUE, group: str | None = None, body: bytes = b'{"n":1}') -> Request:
    target = AwsTarget(kind=TargetKind.SQS, arn=arn, message_group_id=group)
    return Request(body=body, target=target)


def deployment(*roles: str) -> World:
    world = World()
    world.tenant = replace(world.tenant, target_roles=roles)
    world.tenants.tenants[TENANT] = world.tenant
    return world


def due(world: World, request: Request | None = None) -> Execution:
    job = world.accept_one_off(request=request or to())
    world.clock.time_ms = job.id.dispatch_at
    return job


def answers(reason: Reason, status: int | None = 400) -> CallbackResponse:
    return CallbackResponse(reason=reason, duration_ms=5, status=status)


def test_message_goes_out_with_the_role_of_its_account_and_ids_to_deduplicate_by() -> None:
    world = deployment("arn:aws:iam::999900001111:role/punctual/acme", ROLE)
    job = due(world)
    world.attempt(job)
    [sent] = world.targets.calls
    call = sent.call
    assert (world.standing(job.id).state, world.sender.calls) == (State.SUCCEEDED, [])
    assert (call.role_arn, call.tenant_id, call.body) == (ROLE, TENANT, b'{"n":1}')
    assert (call.deduplication_id, call.session_name) == (str(job.id), f"punctual-0-{TENANT}")
    attributes = dict(call.attributes)
    assert attributes.pop("traceparent").startswith(f"00-{job.trace.id}-")
    assert attributes.pop("Punctual-Scheduled-At").endswith("Z")
    assert attributes.pop("Punctual-Depth").startswith("0.")
    assert attributes == {
        "Punctual-Execution": str(job.id),
        "Punctual-Job": job.job_id,
        "Punctual-Attempt": "1",
    }


def test_external_ids_of_two_tenants_differ_and_those_of_two_jobs_do_not() -> None:
    world = deployment(ROLE)
    for _ in range(2):
        world.attempt(due(world))
    first, second = (each.call.external_id for each in world.targets.calls)
    other = deployment(ROLE)
    other.tenant = replace(other.tenant, data_key=other.vault.new_data_key(TENANT))
    other.tenants.tenants[TENANT] = other.tenant
    other.attempt(due(other))
    assert first == second != other.targets.calls[0].call.external_id


@pytest.mark.parametrize("depth", [0, 3, MAX_DEPTH])
def test_consumer_that_sends_the_depth_back_makes_no_endless_chain(depth: int) -> None:
    world = deployment(ROLE)
    job = world.accept_one_off(request=to(), depth=depth)
    world.clock.time_ms = job.id.dispatch_at
    world.attempt(job)
    [sent] = world.targets.calls
    sent_back = dict(sent.call.attributes)["Punctual-Depth"]
    mac = partial(world.vault.code, world.tenant, DEPTH_CONTEXT)
    if depth < MAX_DEPTH:
        assert depth_below(sent_back, mac) == depth + 1
    else:
        with pytest.raises(InvalidValueError, match="8 times in a row"):
            depth_below(sent_back, mac)


def test_message_has_no_more_attributes_than_a_queue_takes() -> None:
    """At most ten in a message of SQS; a task of a workflow may add two."""
    world = deployment(ROLE)
    world.attempt(due(world))
    [sent] = world.targets.calls
    assert len(sent.call.attributes) + len({"backfill_of", "run", "task"}) <= 10


def test_stored_message_is_sealed_and_the_arn_is_in_plain_text() -> None:
    world = deployment(ROLE)
    job = due(world, to(body=b"a secret"))
    stored = world.standing(job.id).call
    assert stored.target == QUEUE
    assert b"a secret" not in stored.request
    assert world.open_request.execute(world.tenant, world.standing(job.id)).body == b"a secret"


def test_destination_of_each_queue_is_its_own() -> None:
    world = deployment(ROLE)
    first, second, other = (due(world, to(arn)) for arn in (QUEUE, QUEUE, f"{QUEUE}-2"))
    assert first.call.destination == second.call.destination != other.call.destination


@pytest.mark.parametrize(
    "reason",
    [
        Reason.ROLE_REFUSED,
        Reason.TARGET_NOT_FOUND,
        Reason.TARGET_ACCESS_DENIED,
        Reason.TARGET_THROTTLED,
        Reason.TARGET_FAILED,
    ],
)
def test_failure_of_a_target_is_an_attempt_and_retried(reason: Reason) -> None:
    world = deployment(ROLE)
    world.targets.answer_to = lambda _: answers(reason)
    job = due(world)
    world.attempt(job)
    standing = world.standing(job.id)
    assert (standing.state, standing.attempt) == (State.WAITING, 1)
    assert [each.reason for each in standing.progress.outcomes] == [reason]


def test_message_that_the_target_refuses_is_not_sent_again() -> None:
    world = deployment(ROLE)
    world.targets.answer_to = lambda _: answers(Reason.TARGET_REFUSED)
    job = due(world)
    world.attempt(job)
    standing = world.standing(job.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.NOT_RETRYABLE)


def test_trouble_of_sts_costs_no_attempt() -> None:
    world = deployment(ROLE)
    world.targets.answer_to = lambda _: answers(Reason.UNAVAILABLE, None)
    job = due(world)
    world.attempt(job)
    standing = world.standing(job.id)
    assert (standing.state, standing.attempt, standing.progress.outcomes) == (State.WAITING, 0, ())


def test_role_that_was_removed_fails_the_attempt_and_nothing_is_sent() -> None:
    world = deployment(ROLE)
    job = due(world)
    world.tenants.tenants[TENANT] = replace(world.tenant, target_roles=())
    world.clock.time_ms += 3_600_000
    world.attempt(job)
    assert [each.reason for each in world.standing(job.id).progress.outcomes] == [Reason.ROLE_REFUSED]
    assert world.targets.calls == []


def test_role_that_was_registered_a_moment_ago_counts_at_once() -> None:
    world = deployment()
    with pytest.raises(InvalidValueError, match="no role is registered for the account 111122223333"):
        world.accept_one_off(request=to())
    world.tenants.tenants[TENANT] = replace(world.tenant, target_roles=(ROLE,))
    job = due(world)
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED


class Dies(BaseException):
    """The process ends here."""


def test_message_that_is_sent_again_after_a_crash_has_the_same_id_and_a_fifo_queue_drops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = deployment(ROLE)
    job = due(world, to(FIFO, "orders"))

    def die(*_: object, **__: object) -> None:
        raise Dies

    with monkeypatch.context() as dying:
        dying.setattr(SettleAttempt, "execute", die)
        with pytest.raises(Dies):
            world.attempt(job)
    assert world.standing(job.id).state is State.RUNNING
    world.clock.time_ms = (world.standing(job.id).progress.lease_until or 0) + 1
    world.attempt(world.standing(job.id))
    first, second = world.targets.calls
    assert world.standing(job.id).state is State.SUCCEEDED
    assert first.call.deduplication_id == second.call.deduplication_id
    assert dict(second.call.attributes)["Punctual-Attempt"] == "2"
    assert len(world.targets.queues[FIFO]) == 1


def test_crash_before_the_send_sends_the_message_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = deployment(ROLE)
    job = due(world)

    async def die(*_: object, **__: object) -> CallbackResponse:
        raise Dies

    with monkeypatch.context() as dying:
        dying.setattr(FakeTargets, "send", die)
        with pytest.raises(Dies):
            world.attempt(job)
    world.clock.time_ms = (world.standing(job.id).progress.lease_until or 0) + 1
    world.attempt(world.standing(job.id))
    assert len(world.targets.queues[QUEUE]) == 1
    assert world.standing(job.id).state is State.SUCCEEDED


def test_http_job_asks_for_no_target_sender() -> None:
    world = deployment(ROLE)
    call_receiver = world.run_attempts.make_attempt.call_receiver
    job = world.accept_one_off()
    world.clock.time_ms = job.id.dispatch_at

    def refuse() -> FakeTargets:
        raise AssertionError("a job without a target")

    made = replace(
        world.run_attempts,
        make_attempt=replace(
            world.run_attempts.make_attempt, call_receiver=replace(call_receiver, targets=refuse)
        ),
    )
    world.run_attempts = made
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED


MACHINE = "arn:aws:states:eu-west-1:111122223333:stateMachine:close"
FUNCTION = "arn:aws:lambda:eu-west-1:111122223333:function:close"


def test_state_machine_starts_once_for_an_execution_whose_worker_died_after_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = deployment(ROLE)
    target = AwsTarget(kind=TargetKind.STEP_FUNCTIONS, arn=MACHINE)
    job = due(world, Request(body=b"{}", target=target))

    def die(*_: object, **__: object) -> None:
        raise Dies

    with monkeypatch.context() as dying:
        dying.setattr(SettleAttempt, "execute", die)
        with pytest.raises(Dies):
            world.attempt(job)
    world.clock.time_ms = (world.standing(job.id).progress.lease_until or 0) + 1
    world.attempt(world.standing(job.id))
    assert [each.call.deduplication_id for each in world.targets.calls] == [str(job.id)] * 2
    assert len(world.targets.queues[MACHINE]) == 1
    assert world.standing(job.id).state is State.SUCCEEDED


def test_function_that_fails_is_called_again_and_its_answer_is_kept_with_the_failure() -> None:
    world = deployment(ROLE)
    body = b'{"errorMessage":"as asked for"}'
    failed = CallbackResponse(reason=Reason.FUNCTION_FAILED, duration_ms=5, status=200, body=body)
    world.targets.answer_to = lambda _: failed
    target = AwsTarget(kind=TargetKind.LAMBDA, arn=FUNCTION, invocation_type=InvocationType.REQUEST_RESPONSE)
    job = due(world, Request(body=b"{}", target=target))
    world.attempt(job)
    waiting = world.standing(job.id)
    assert (waiting.state, waiting.attempt) == (State.WAITING, 1)
    assert world.targets.calls[0].call.kept_bytes == 0
    while world.standing(job.id).state is State.WAITING:
        world.clock.time_ms = world.standing(job.id).progress.next_attempt_at or 0
        world.attempt(world.standing(job.id))
    ended = world.standing(job.id)
    assert (ended.state, ended.progress.end_reason) == (State.FAILED, EndReason.ATTEMPTS_USED_UP)
    assert {each.reason for each in ended.progress.outcomes} == {Reason.FUNCTION_FAILED}
    assert ended.progress.last_body == body


def test_function_that_fails_does_not_open_the_circuit_breaker_of_its_destination() -> None:
    failed = CallbackResponse(reason=Reason.FUNCTION_FAILED, duration_ms=5, status=200)
    tally = Tally().plus(failed)
    assert (tally.good, tally.bad) == (1, 0)
