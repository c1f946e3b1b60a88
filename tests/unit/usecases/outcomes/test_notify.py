"""NOTIFY: each outcome that somebody asked for is told of once, by an execution of its own, and by nobody else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bucket import bucket_end_ms
from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.delivery.outcome_callbacks import INHERIT, NO_TARGET, OutcomeCallbacks
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import (
    InvalidStateError,
    UnavailableError,
    UnknownVersionError,
    UnreadableItemError,
)
from shared.domain.executions.notification import NOTIFICATION_RETRY, NOTIFICATION_TIMEOUT_MS
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import one_off_job_id, parse_execution_id
from shared.domain.schedules.schedule import format_instant
from shared.names import Lane
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.builders import BUCKET, DUE_AT, TENANT, in_state, with_changes
from tests.support.settings import CONSOLE
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.messages import dead
from tests.support.usecases.notifications import (
    DOWN,
    LOST,
    OK,
    WON,
    answering,
    body_of,
    both,
    ended,
    listener,
    notifications,
    tell_by_default,
    telling,
    told_one_off,
)
from tests.support.usecases.redrives import run_out
from tests.support.usecases.reports import ASYNC_ACCEPTED, complete, fail, token_of
from tests.support.usecases.rounds import to_the_end
from tests.support.usecases.world import World

MINUTE = 60_000
ONCE = RetryPolicy(max_attempts=1)
GONE = replace(DOWN, status=410)


def unavailable() -> None:
    raise UnavailableError("throttled")


def newer() -> None:
    raise UnknownVersionError("the tenant has version 2")


def broken() -> None:
    raise UnreadableItemError("the tenant is broken")


def run_all(world: World, minutes: int = 1) -> None:
    """Everything that has a message runs."""
    Lanes(world).until(world.clock.time_ms + minutes * MINUTE)


@pytest.mark.parametrize(("answer", "url", "outcome"), [(OK, WON, "succeeded"), (DOWN, LOST, "failed")])
def test_an_outcome_is_told_of_once_by_a_call_of_its_own(
    answer: CallbackResponse, url: str, outcome: str
) -> None:
    world = answering(answer)
    execution = ended(world, told_one_off(world, retry=ONCE))
    ((notification,),) = notifications(world).values()
    assert (execution.progress.notification, notification.notification_of) == (notification.id, execution.id)
    assert world.sent() == [notification.id]
    run_all(world)
    (call,) = telling(world)
    headers = dict(call.callback.headers)
    assert (call.callback.url, call.callback.method) == (url, "POST")
    assert headers["webhook-id"] == headers["Idempotency-Key"] == str(notification.id)
    assert headers["webhook-signature"].startswith("v1,")
    assert (headers["X-Job-Id"], headers["X-Attempt"]) == (execution.job_id, "1")
    assert headers["Content-Type"] == "application/json"
    assert world.standing(notification.id).state is State.SUCCEEDED
    assert body_of(call) == {
        "type": f"execution.{outcome}",
        "timestamp": format_instant(notification.id.dispatch_at),
        "data": {
            "job_id": execution.job_id,
            "name": execution.name,
            "tags": list(execution.tags),
            "lane": "standard",
            "host": "receiver.example",
            "execution_id": str(execution.id),
            "execution_path": f"/v1/executions/{execution.id}",
            "console_url": f"{CONSOLE}/console#/runs/{execution.id}",
            "outcome": outcome,
            "end_reason": execution.progress.end_reason,
            "scheduled_at": format_instant(DUE_AT),
            "due_at": format_instant(DUE_AT),
            "lag_ms": 0,
            "redrive_of": None,
            "attempts_begun": 1,
            "attempts": [
                {
                    "number": 1,
                    "started_at": format_instant(DUE_AT),
                    "duration_ms": 5,
                    "status": answer.status,
                    "reason": answer.reason.word,
                }
            ],
        },
    }


def test_notification_contains_neither_request_nor_response() -> None:
    world = answering(DOWN)
    execution = told_one_off(world, retry=ONCE)
    secret = Request(
        method="POST", url="https://r.example/?t=s3cr3t", headers=(("A", "s3cr3t"),), body=b"s3cr3t"
    )
    execution = world.put(with_changes(execution, request=world.seal(execution.job_id, secret)))
    ended(world, execution)
    run_all(world)
    (call,) = telling(world)
    assert b"s3cr3t" not in call.callback.body
    assert b"down" not in call.callback.body
    assert body_of(call)["data"]["host"] == "r.example"


def test_the_item_of_a_notification_keeps_its_url_sealed_and_no_body() -> None:
    world = answering(OK)
    ended(world, told_one_off(world))
    ((notification,),) = notifications(world).values()
    assert b"told.example" not in notification.call.request
    assert notification.call.destination == (both(world).on_success or NO_TARGET).destination
    assert (notification.call.retry, notification.call.timeout_ms) == (
        NOTIFICATION_RETRY,
        NOTIFICATION_TIMEOUT_MS,
    )
    assert (notification.call.callbacks, notification.call.payload_id, notification.tags) == (
        INHERIT,
        None,
        (),
    )


@pytest.mark.parametrize("answer", [OK, DOWN])
@pytest.mark.parametrize(
    "fields",
    [{"callbacks": INHERIT}, {"callbacks": OutcomeCallbacks(on_success=NO_TARGET, on_failure=NO_TARGET)}],
)
def test_outcome_without_a_callback_target_makes_no_notification(
    answer: CallbackResponse, fields: dict[str, Any]
) -> None:
    world = answering(answer)
    execution = ended(world, told_one_off(world, retry=ONCE, **fields))
    assert execution.progress.notification is None
    assert (notifications(world), world.sent()) == ({}, [])


@pytest.mark.parametrize(
    ("own", "default", "told"),
    [(None, None, []), (None, LOST, [LOST]), (WON, LOST, [WON]), ("none", LOST, []), (None, "none", [])],
)
def test_a_job_has_its_own_say_before_its_tenant(
    own: str | None, default: str | None, told: list[str]
) -> None:
    world = answering(DOWN)
    tell_by_default(world, OutcomeCallbacks(on_failure=listener(world, default)))
    ended(world, told_one_off(world, retry=ONCE, callbacks=OutcomeCallbacks(on_failure=listener(world, own))))
    run_all(world)
    assert [call.callback.url for call in telling(world)] == told


def test_retry_cancellation_or_skip_makes_no_notification() -> None:
    world = answering(DOWN)
    waiting = told_one_off(world, number=1)
    assert world.attempt(waiting).returned() == []
    assert world.standing(waiting.id).state is State.WAITING
    world.cancel_job.execute(TENANT, waiting.job_id)
    late = told_one_off(world, number=2, start_deadline_at=DUE_AT - 1)
    ended(world, late)
    assert [world.standing(one.id).state for one in (waiting, late)] == [State.CANCELLED, State.SKIPPED]
    assert notifications(world) == {}


def test_notification_of_a_failure_lists_every_attempt() -> None:
    world = answering(DOWN)
    execution = told_one_off(world, retry=RetryPolicy(max_attempts=3))
    world.file.execute(execution)
    run_all(world, 10)
    (call,) = telling(world)
    assert [attempt["number"] for attempt in body_of(call)["data"]["attempts"]] == [1, 2, 3]
    assert body_of(call)["data"]["end_reason"] == "attempts_used_up"


def test_a_worker_lost_with_the_last_attempt_is_told_of_too() -> None:
    world = answering(OK)
    execution = told_one_off(world, retry=ONCE)
    world.put(in_state(execution, State.RUNNING, lease_until=DUE_AT + 1))
    world.clock.time_ms = bucket_end_ms(BUCKET) + 10_000
    world.ledger.note_swept_through(BUCKET - 1)
    assert world.sweep.execute().worker_lost == 1
    run_all(world)
    (call,) = telling(world)
    told = body_of(call)["data"]
    assert (call.callback.url, told["end_reason"], told["attempts"]) == (LOST, "worker_lost", [])
    assert told["attempts_begun"] == 1


@pytest.mark.parametrize("fault", [newer, broken])
def test_a_lost_worker_is_given_up_though_its_tenant_cannot_be_read(fault: Callable[[], None]) -> None:
    world = answering(OK)
    execution = told_one_off(world, retry=ONCE)
    world.put(in_state(execution, State.RUNNING, lease_until=DUE_AT + 1))
    world.clock.time_ms = bucket_end_ms(BUCKET) + 10_000
    world.ledger.note_swept_through(BUCKET - 1)
    world.steps.before("tenants.get", fault, times=2)
    assert world.sweep.execute().quarantined == [str(execution.id)]
    standing = world.standing(execution.id)
    assert (standing.state, standing.progress.end_reason) == (State.FAILED, EndReason.WORKER_LOST)
    assert standing.progress.notification is not None


@pytest.mark.parametrize(("report", "url"), [(complete, WON), (fail, LOST)])
def test_the_end_of_a_long_run_is_told_of_when_it_is_reported(report: Any, url: str) -> None:
    world = answering(ASYNC_ACCEPTED)
    execution = told_one_off(world, retry=ONCE)
    assert world.attempt(execution).returned() == []
    token = token_of(world)
    assert notifications(world) == {}
    for _ in range(2):
        report(world, execution, token)
    run_all(world)
    assert [call.callback.url for call in telling(world)] == [url]


def test_a_notification_is_retried_by_its_own_policy_and_dies_alone() -> None:
    world = answering(OK, told=DOWN)
    ended(world, told_one_off(world, retry=ONCE))
    ((notification,),) = notifications(world).values()
    failed = to_the_end(world, notification)
    assert (failed.state, failed.progress.end_reason) == (State.FAILED, EndReason.ATTEMPTS_USED_UP)
    assert failed.attempt == NOTIFICATION_RETRY.max_attempts == len(telling(world))
    assert world.table.executions[failed.id].is_dead_letter
    assert failed.progress.notification is None
    assert list(notifications(world).values()) == [[failed]]


@pytest.mark.parametrize("told", [OK, GONE])
def test_a_tenant_that_is_told_of_everything_is_not_told_of_that(told: CallbackResponse) -> None:
    world = answering(OK, told=told)
    tell_by_default(world, both(world))
    execution = ended(world, told_one_off(world, callbacks=INHERIT))
    ((notification,),) = notifications(world).values()
    assert ended(world, notification).progress.notification is None
    assert notifications(world).keys() == {execution.id}
    assert [call.callback.url for call in telling(world)] == [WON]


def test_failed_notification_can_be_redriven_with_the_same_content() -> None:
    world = answering(OK, told=GONE)
    ended(world, told_one_off(world))
    run_all(world)
    ((failed,),) = notifications(world).values()
    assert failed.state is State.FAILED
    again = world.redrive.execute(TENANT, str(failed.id)).execution
    assert (again.notification_of, again.progress.notification) == (failed.notification_of, None)
    run_out(world, again)
    first, second = telling(world)
    assert body_of(first) == body_of(second)
    assert dict(second.callback.headers)["webhook-id"] == str(again.id)


def test_receiver_of_a_notification_can_neither_pause_the_job_nor_accept_async() -> None:
    world = answering(OK, told=GONE)
    job = world.recurring(callbacks=both(world), retry=ONCE)
    world.attempt(world.standing(job.id_at(DUE_AT)))
    ((notification,),) = notifications(world).values()
    world.attempt(notification)
    assert world.standing(notification.id).progress.end_reason is EndReason.NOT_RETRYABLE
    assert world.table.jobs[TENANT, job.id].state == "active"
    world = answering(OK, told=ASYNC_ACCEPTED)
    ended(world, told_one_off(world))
    ((notification,),) = notifications(world).values()
    world.attempt(notification)
    assert world.standing(notification.id).state is State.SUCCEEDED


def test_a_deletion_of_the_job_does_not_silence_what_had_ended() -> None:
    world = answering(DOWN)
    job = world.recurring(callbacks=both(world), retry=ONCE)
    world.attempt(world.standing(job.id_at(DUE_AT)))
    world.delete_job.execute(TENANT, job.id)
    run_all(world)
    assert [call.callback.url for call in telling(world)] == [LOST]


def test_runs_of_a_schedule_triggered_ones_and_redrives_are_told_of_each_by_itself() -> None:
    world = answering(DOWN)
    job = world.recurring(callbacks=both(world), retry=ONCE, lane=Lane.BULK)
    run = ended(world, world.standing(job.id_at(DUE_AT)))
    triggered = ended(world, world.trigger_job.execute(world.tenant, job.id).execution)
    redrive = ended(world, world.redrive.execute(TENANT, str(run.id)).execution)
    found = notifications(world)
    assert found.keys() == {run.id, triggered.id, redrive.id}
    assert {one.lane for (one,) in found.values()} == {Lane.BULK}
    assert len({one.id for (one,) in found.values()}) == 3
    told = world.open_request.execute(world.tenant, found[redrive.id][0])
    assert f'"redrive_of":"{run.id}"'.encode() in told.body


def test_a_notification_is_no_job_and_no_run_of_one() -> None:
    world = answering(OK)
    job = world.recurring(callbacks=both(world))
    world.attempt(world.standing(job.id_at(DUE_AT)))
    ((notification,),) = notifications(world).values()
    page = world.list_executions.execute(TENANT, job.id, limit=50)
    assert notification.id not in [execution.id for execution in page.executions]
    assert notification.job_id == job.id
    with pytest.raises(Exception, match="no such job"):
        world.find_job.execute(TENANT, one_off_job_id(notification.id))
    with pytest.raises(InvalidStateError):
        world.cancel_redrive.execute(TENANT, str(notification.id), stop_retries=False)


@pytest.mark.parametrize("again", ["message", "rescue"])
def test_repeated_message_of_an_end_files_no_second_notification(again: str) -> None:
    world = answering(OK)
    execution = ended(world, told_one_off(world))
    for receives in (2, 3):
        world.clock.time_ms += MINUTE
        if again == "message":
            world.attempt(execution, receives=receives)
        else:
            world.rescue.execute([dead(execution)])
    assert [len(each) for each in notifications(world).values()] == [1]
    assert set(world.sent()) == {execution.progress.notification}


def test_the_message_is_not_done_before_the_notification_stands() -> None:
    world = answering(OK)
    execution = told_one_off(world)
    world.steps.fail("store.put_if_absent")
    report = world.attempt(execution)
    assert len(report.returned()) == 1
    assert notifications(world) == {}
    assert world.attempt(execution, receives=2).returned() == []
    assert len(notifications(world)) == 1


@pytest.mark.parametrize("fault", [unavailable, newer, broken])
def test_an_outcome_does_not_wait_for_the_tenants_store(fault: Callable[[], None]) -> None:
    world = answering(OK)
    tell_by_default(world, OutcomeCallbacks(on_success=listener(world, WON)))
    execution = told_one_off(world, callbacks=INHERIT)

    def takes_long(_: Callback) -> CallbackResponse:
        """What was remembered of the tenant is too old when the answer is there."""
        world.clock.time_ms += REMEMBER_MS
        world.steps.before("tenants.get", fault, times=2)
        return OK

    world.sender.answer_to = takes_long
    report = world.attempt(execution)
    assert [(attempt.end, attempt.is_done) for attempt in report.attempts] == [(AttemptEnd.SUCCEEDED, False)]
    assert len(report.returned()) == 1
    standing = world.standing(execution.id)
    assert (standing.state, notifications(world)) == (State.SUCCEEDED, {})
    assert standing.progress.notification is not None
    world.steps.calm()
    world.attempt(execution, receives=2)
    assert len(notifications(world)) == 1


def test_notification_is_not_filed_after_the_tenant_removed_its_callback() -> None:
    world = answering(OK)
    tell_by_default(world, OutcomeCallbacks(on_success=listener(world, WON)))
    execution = told_one_off(world, callbacks=INHERIT)
    world.steps.fail("store.put_if_absent")
    world.attempt(execution)
    tell_by_default(world, INHERIT)
    world.clock.time_ms += MINUTE + 1
    assert world.attempt(execution, receives=2).returned() == []
    assert notifications(world) == {}


def test_notification_is_not_filed_again_after_its_retention() -> None:
    world = answering(OK)
    execution = ended(world, told_one_off(world))
    assert execution.progress.notification is not None
    del world.table.executions[execution.progress.notification]
    world.clock.time_ms = execution.progress.notification.dispatch_at + 14 * 24 * 60 * MINUTE
    world.attempt(execution, receives=2)
    assert notifications(world) == {}


def test_an_outcome_that_a_rival_recorded_is_told_of_as_the_rival_chose() -> None:
    """Two that report the same at once write the same outcome, and each would choose a notification."""
    world = answering(ASYNC_ACCEPTED)
    execution = told_one_off(world, retry=ONCE)
    world.attempt(execution)
    token = token_of(world)

    def rival() -> None:
        world.clock.time_ms += 7
        complete(world, execution, token)

    world.steps.before("store.finish", rival)
    complete(world, execution, token)
    assert [len(each) for each in notifications(world).values()] == [1]


def test_the_id_is_a_function_of_the_original() -> None:
    world = answering(OK)
    first = ended(world, told_one_off(world, number=1))
    second = ended(world, told_one_off(world, number=2))
    assert first.progress.notification is not None and second.progress.notification is not None
    assert first.progress.notification.entropy != second.progress.notification.entropy
    again = world.notify.choose(with_changes(first, state=State.QUEUED, notification=None), State.SUCCEEDED)
    assert again is not None and again.entropy == first.progress.notification.entropy
    assert parse_execution_id(str(again)) == again
