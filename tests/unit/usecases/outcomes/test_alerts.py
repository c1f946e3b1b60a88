"""Alerts: each event that a subscription names is announced once, and costs nothing where none is named."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.alerts import NO_ALERTS, AlertEvent, AlertFormat, AlertTarget
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.outcome_callbacks import OutcomeCallbacks
from shared.domain.errors import UnavailableError, UnknownVersionError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import JobState
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import format_instant
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.builders import DUE_AT, TENANT, execution_id, in_state
from tests.support.usecases.alerts import (
    ALERTED,
    DOWN,
    FAILED,
    GONE,
    LATE,
    ONCE,
    RECOVERED,
    SKIPPED,
    Receiver,
    announced,
    announcements,
    run_for,
    subscribe_tenant,
    subscription,
)
from tests.support.usecases.notifications import (
    LOST,
    OK,
    body_of,
    both,
    ended,
    notifications,
    telling,
)
from tests.support.usecases.redrives import run_out
from tests.support.usecases.rounds import to_the_end
from tests.support.usecases.world import World

MINUTE = 60_000
LATER = DUE_AT + 60 * MINUTE
GONE_ANSWER = replace(DOWN, status=410)


def subscribed(world: World, *events: AlertEvent, **fields: Any) -> Execution:
    """A one-off job that is due now, with one attempt."""
    fields = {"retry": ONCE, "alerts": subscription(world, *events)} | fields
    return world.put(world.one_off(**fields))


def test_failure_is_announced_once_by_a_call_of_its_own() -> None:
    world = Receiver().world()
    execution = ended(world, subscribed(world, name="import", tags=("team:a",)))
    ((alert,),) = notifications(world).values()
    assert (execution.progress.notification, alert.notification_of) == (alert.id, execution.id)
    run_for(world, 30)
    (call,) = announced(world)
    headers = dict(call.callback.headers)
    assert (call.callback.url, call.callback.method) == (ALERTED, "POST")
    assert headers["webhook-id"] == str(alert.id)
    assert headers["webhook-signature"].startswith("v1,")
    told = body_of(call)
    assert (told["type"], told["timestamp"]) == ("execution.alert", format_instant(alert.id.dispatch_at))
    data = told["data"]
    assert (data["events"], data["outcome"], data["end_reason"]) == (
        ["failed"],
        "failed",
        "attempts_used_up",
    )
    assert (data["name"], data["tags"], data["host"], data["lag_ms"]) == (
        "import",
        ["team:a"],
        "receiver.example",
        0,
    )
    assert world.standing(alert.id).state is State.SUCCEEDED


def test_callback_and_alert_of_one_outcome_are_two_notifications() -> None:
    world = Receiver().world()
    execution = ended(world, subscribed(world, callbacks=both(world)))
    (found,) = notifications(world).values()
    assert len({each.id for each in found}) == 2
    assert execution.progress.notification in {each.id for each in found if each.alert is None}
    run_for(world, 30)
    assert [call.callback.url for call in telling(world)] == [LOST]
    assert body_of(telling(world)[0])["type"] == "execution.failed"
    assert [each["events"] for each in announcements(world)] == [["failed"]]
    for receives in (2, 3):
        world.attempt(execution, receives=receives)
    assert [len(each) for each in notifications(world).values()] == [2]


def test_alert_to_a_chat_is_signed_like_every_call() -> None:
    world = Receiver().world()
    alerts = subscription(world)
    assert alerts is not None
    slack = replace(alerts, rules=replace(alerts.rules, format=AlertFormat.SLACK))
    ended(world, subscribed(world, alerts=slack, name="<!channel>"))
    run_for(world, 30)
    (call,) = announced(world)
    assert body_of(call).keys() == {"text"}
    assert body_of(call)["text"].startswith("*&lt;!channel&gt;* failed (attempts_used_up)")
    headers = dict(call.callback.headers)
    assert headers["webhook-signature"].startswith("v1,")
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("events", [(LATE,), (SKIPPED, GONE)])
def test_event_that_is_not_named_is_not_announced(events: tuple[AlertEvent, ...]) -> None:
    world = Receiver().world()
    execution = ended(world, subscribed(world, *events))
    assert (execution.progress.notification, notifications(world)) == (None, {})


@pytest.mark.parametrize(
    ("own", "default", "urls"),
    [
        (None, None, []),
        (None, "/tenant", ["/tenant"]),
        ("/job", "/tenant", ["/job"]),
        ("none", "/tenant", []),
    ],
)
def test_job_overrides_or_disables_the_subscription_of_its_tenant(
    own: str | None, default: str | None, urls: list[str]
) -> None:
    world = Receiver().world()
    targets: dict[str | None, AlertTarget | None] = {
        None: None,
        "none": NO_ALERTS,
        **{path: subscription(world, url=ALERTED + path) for path in ("/job", "/tenant")},
    }
    subscribe_tenant(world, targets[default])
    ended(world, subscribed(world, alerts=targets[own]))
    run_for(world, 30)
    assert [call.callback.url for call in announced(world)] == [ALERTED + path for path in urls]


@pytest.mark.parametrize(("is_own", "name"), [(True, "billing"), (False, None)])
def test_secret_of_the_job_signs_alerts_to_its_own_url_alone(is_own: bool, name: str | None) -> None:
    world = Receiver().world()
    world.cases.tenancy.signing_secrets.rotate(TENANT, overlap_seconds=0, name="billing")
    world.tenant = world.tenants.tenants[TENANT]
    alerts = subscription(world)
    subscribe_tenant(world, alerts)
    ended(world, subscribed(world, alerts=alerts if is_own else None, signing_secret="billing"))
    ((alert,),) = notifications(world).values()
    assert alert.call.signing_secret == name


@pytest.mark.parametrize(("lag_ms", "expected"), [(60_000, []), (60_001, [["late"]])])
def test_late_start_is_announced_when_the_execution_has_ended(lag_ms: int, expected: Any) -> None:
    world = Receiver(OK).world()
    execution = subscribed(world, LATE)
    world.clock.time_ms = DUE_AT + lag_ms
    ended(world, execution)
    run_for(world, 30)
    assert [each["events"] for each in announcements(world)] == expected


def overlapping(world: World, **fields: Any) -> Execution:
    """A run that finds the one before it still running."""
    job = world.recurring(
        overlap_policy=OverlapPolicy.SKIP, alerts=subscription(world, SKIPPED, **fields), retry=ONCE
    )
    first = world.standing(job.id_at(DUE_AT))
    assert world.guard_start.execute(first)
    second = job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT)
    world.clock.time_ms = DUE_AT + MINUTE
    return world.put(in_state(second, State.QUEUED))


def test_run_that_the_overlap_policy_skips_is_announced() -> None:
    world = Receiver(OK).world()
    skipped = ended(world, overlapping(world))
    assert (skipped.state, skipped.progress.end_reason) == (State.SKIPPED, EndReason.OVERLAP)
    run_for(world, 30)
    (told,) = announcements(world)
    assert (told["events"], told["execution_id"], told["end_reason"], told["attempts"]) == (
        ["skipped"],
        str(skipped.id),
        "overlap",
        [],
    )


def test_start_that_comes_too_late_is_announced() -> None:
    world = Receiver(OK).world()
    late = ended(world, subscribed(world, SKIPPED, start_deadline_at=DUE_AT - 1))
    run_for(world, 30)
    (told,) = announcements(world)
    assert (told["events"], told["execution_id"], told["end_reason"]) == (["skipped"], str(late.id), "late")


def test_refunded_start_that_comes_too_late_is_announced() -> None:
    """The worker could make no call, and the deadline passed before the next try."""
    refund = CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=0)
    world = Receiver(refund).world()
    execution = subscribed(world, SKIPPED, start_deadline_at=DUE_AT + 10)
    skipped = ended(world, execution)
    assert (skipped.state, skipped.attempt) == (State.SKIPPED, 0)
    run_for(world, 30)
    assert [each["events"] for each in announcements(world)] == [["skipped"]]


def test_skip_is_announced_though_the_worker_crashed_after_it() -> None:
    world = Receiver(OK).world()
    execution = subscribed(world, SKIPPED, start_deadline_at=DUE_AT - 1)
    world.steps.fail("store.put_if_absent")
    world.attempt(execution)
    assert (world.sent(), notifications(world)) == ([execution.id], {})
    run_for(world, 30)
    assert [each["events"] for each in announcements(world)] == [["skipped"]]


def test_skip_stays_with_its_message_while_the_tenant_is_unreadable() -> None:
    world = Receiver(OK).world()
    subscribe_tenant(world, subscription(world, SKIPPED))
    execution = subscribed(world, alerts=None, start_deadline_at=DUE_AT - 1)

    def newer() -> None:
        raise UnknownVersionError("the tenant has version 2")

    world.steps.before("tenants.get", newer, times=9)
    report = world.attempt(execution)
    assert len(report.returned()) == 1
    assert world.standing(execution.id).state is State.SKIPPED
    world.steps.calm()
    world.attempt(execution, receives=2)
    run_for(world, 30)
    assert [each["events"] for each in announcements(world)] == [["skipped"]]


def test_receiver_that_is_gone_is_announced_and_its_job_paused() -> None:
    world = Receiver(GONE_ANSWER).world()
    job = world.recurring(alerts=subscription(world, FAILED, GONE))
    ended(world, world.standing(job.id_at(DUE_AT)))
    run_for(world, 30)
    assert [each["events"] for each in announcements(world)] == [["failed", "gone"]]
    assert world.table.jobs[TENANT, job.id].state is JobState.PAUSED


def trigger(world: World, job_id: str, answer: CallbackResponse) -> Execution:
    """A run of the job with this answer, a second after the last."""
    world.clock.time_ms += 1_000
    receiver = world.sender.answer_to
    assert isinstance(receiver, Receiver)
    receiver.answer = answer
    made = world.trigger_job.execute(world.tenant, job_id).execution
    execution = ended(world, world.standing(made.id))
    run_for(world, 5)
    return execution


def test_only_the_first_success_after_a_failure_is_a_recovery() -> None:
    world = Receiver().world()
    job = world.recurring(alerts=subscription(world, FAILED, RECOVERED), retry=ONCE, chain_from=LATER)
    answers = [OK, DOWN, DOWN, OK, OK, DOWN, OK]
    runs = [trigger(world, job.id, answer) for answer in answers]
    expected = [(1, "failed"), (2, "failed"), (3, "recovered"), (5, "failed"), (6, "recovered")]
    assert [(each["execution_id"], each["events"]) for each in announcements(world)] == [
        (str(runs[number].id), [event]) for number, event in expected
    ]


def test_success_of_a_redrive_is_the_recovery_of_a_one_off_job() -> None:
    receiver = Receiver()
    world = receiver.world()
    failed = ended(world, subscribed(world, FAILED, RECOVERED))
    run_for(world, 5)
    receiver.answer = OK
    run_out(world, world.redrive.execute(TENANT, str(failed.id)).execution)
    run_for(world, 5)
    assert [each["events"] for each in announcements(world)] == [["failed"], ["recovered"]]


def test_recovery_is_one_of_two_successes_at_once() -> None:
    receiver = Receiver()
    world = receiver.world()
    job = world.recurring(alerts=subscription(world, FAILED, RECOVERED), retry=ONCE, chain_from=LATER)
    trigger(world, job.id, DOWN)
    receiver.answer = OK
    run = world.trigger_job.execute(world.tenant, job.id).execution
    world.clock.time_ms += 1_000

    def rival() -> None:
        """Another success is faster than the first write of this one."""
        health = world.job_health.read(TENANT, job.id)
        recovered = health.after_recovery(execution_id(99), world.clock.now_ms())
        assert world.job_health.swap(TENANT, job.id, health, recovered, 0)

    world.steps.before("job_health.swap", rival)
    ended(world, world.standing(run.id))
    run_for(world, 60)
    assert [each["events"] for each in announcements(world)] == [["failed"]]
    assert world.standing(run.id).state is State.SUCCEEDED


def test_failure_of_an_alert_announces_nothing() -> None:
    world = Receiver(told=DOWN).world()
    subscribe_tenant(world, subscription(world, *AlertEvent))
    ended(world, subscribed(world, alerts=None))
    ((alert,),) = notifications(world).values()
    failed = to_the_end(world, alert)
    assert (failed.state, failed.progress.notification) == (State.FAILED, None)
    assert list(notifications(world).values()) == [[failed]]
    assert len(announced(world)) == failed.attempt == 8


def test_redriven_alert_announces_the_same() -> None:
    receiver = Receiver(told=GONE_ANSWER)
    world = receiver.world()
    ended(world, subscribed(world))
    run_for(world, 5)
    ((failed,),) = notifications(world).values()
    receiver.told = OK
    run_out(world, world.redrive.execute(TENANT, str(failed.id)).execution)
    first, second = announced(world)
    assert body_of(first) == body_of(second)


@pytest.mark.parametrize("events", [(), (FAILED,), (FAILED, RECOVERED, LATE, SKIPPED, GONE)])
def test_success_without_an_event_takes_the_steps_of_a_job_without_alerts(
    events: tuple[AlertEvent, ...],
) -> None:
    """A one-off job has had no failure, so not even its health is read."""

    def steps(alerts: Any) -> list[str]:
        world = Receiver(OK).world()
        execution = subscribed(world, alerts=subscription(world, *events) if alerts else None)
        world.steps.taken.clear()
        ended(world, execution)
        return world.steps.taken

    assert steps(alerts=True) == steps(alerts=False)


def test_recoveries_cost_a_read_for_a_success_and_a_write_for_a_failure() -> None:
    receiver = Receiver()
    world = receiver.world()
    for events, costs in (
        ((FAILED,), {DOWN: (0, 0), OK: (0, 0)}),
        ((FAILED, RECOVERED), {DOWN: (1, 1), OK: (1, 0)}),
    ):
        job = world.recurring(len(events), alerts=subscription(world, *events), retry=ONCE, chain_from=LATER)
        for answer, (reads, writes) in reversed(costs.items()):
            receiver.answer = answer
            world.clock.time_ms += 1_000
            made = world.trigger_job.execute(world.tenant, job.id).execution
            world.steps.taken.clear()
            ended(world, world.standing(made.id))
            found = (world.steps.count("job_health.read"), world.steps.count("job_health.swap"))
            assert found == (reads, writes)


def test_execution_gets_no_write_for_its_alert_beyond_its_outcome() -> None:
    world = Receiver().world()
    execution = subscribed(world, *AlertEvent)
    ended(world, execution)
    writes = [step for step in world.steps.taken if step.startswith("store.") and "get" not in step]
    assert writes == ["store.finish", "store.put_if_absent"]


def test_outcome_does_not_wait_for_the_health_of_the_job() -> None:
    world = Receiver(OK).world()
    job = world.recurring(alerts=subscription(world, FAILED, RECOVERED), retry=ONCE, chain_from=LATER)
    trigger(world, job.id, DOWN)
    receiver = world.sender.answer_to
    assert isinstance(receiver, Receiver)
    receiver.answer = OK
    run = world.trigger_job.execute(world.tenant, job.id).execution
    world.steps.fail("job_health.read", times=2)
    assert len(world.attempt(run).returned()) == 1
    assert world.standing(run.id).state is State.SUCCEEDED
    assert world.attempt(run, receives=2).returned() == []
    run_for(world, 5)
    assert [each["events"] for each in announcements(world)] == [["failed"], ["recovered"]]


def test_alert_waits_for_a_tenant_that_cannot_be_read() -> None:
    world = Receiver().world()
    subscribe_tenant(world, subscription(world))
    execution = subscribed(world, alerts=None)

    def unavailable() -> None:
        raise UnavailableError("throttled")

    def takes_long(_: Callback) -> CallbackResponse:
        """What was remembered of the tenant is too old when the answer is there."""
        world.clock.time_ms += REMEMBER_MS
        world.steps.before("tenants.get", unavailable, times=2)
        return DOWN

    answers, world.sender.answer_to = world.sender.answer_to, takes_long
    assert len(world.attempt(execution).returned()) == 1
    assert world.standing(execution.id).progress.notification is not None
    world.steps.calm()
    world.sender.answer_to = answers
    world.attempt(execution, receives=2)
    run_for(world, 5)
    assert [each["events"] for each in announcements(world)] == [["failed"]]


def test_alert_is_not_filed_after_the_subscription_was_removed() -> None:
    world = Receiver().world()
    subscribe_tenant(world, subscription(world))
    execution = subscribed(world, alerts=None)
    world.steps.fail("store.put_if_absent")
    world.attempt(execution)
    subscribe_tenant(world, None)
    world.clock.time_ms += MINUTE + 1
    assert world.attempt(execution, receives=2).returned() == []
    assert notifications(world) == {}


def test_callback_that_was_set_since_is_not_called_in_place_of_the_alert() -> None:
    """The stored id was chosen for an alert alone: no other notification takes it."""
    world = Receiver().world()
    subscribe_tenant(world, subscription(world))
    execution = subscribed(world, alerts=None)
    world.steps.fail("store.put_if_absent")
    world.attempt(execution)
    changed = OutcomeCallbacks(on_failure=both(world).on_failure)
    world.tenants.tenants[TENANT] = replace(world.tenants.tenants[TENANT], callbacks=changed, alerts=None)
    world.clock.time_ms += MINUTE + 1
    assert world.attempt(execution, receives=2).returned() == []
    assert notifications(world) == {}
