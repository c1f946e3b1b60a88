"""The ends of runs: each epoch's end is notified once, whatever crashes, and a redrive changes no notification."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.alerts import AlertEvent, AlertFormat, AlertRules, Alerts
from shared.domain.delivery.outcome_callbacks import NO_CALLBACK, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.schedules.schedule import format_instant
from shared.domain.workflows.graph import OnFailure
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.new_workflow import RunCallbacks
from shared.domain.workflows.run import Run, RunState
from shared.domain.workflows.run_end import opened
from shared.domain.workflows.workflow import Workflow
from tests.support.fakes.sender import Call
from tests.support.settings import CONSOLE
from tests.support.usecases.alerts import (
    ALERTED,
    FAILED,
    LATE,
    announced,
    announcements,
    subscribe_tenant,
    subscription,
)
from tests.support.usecases.moments import at_moment
from tests.support.usecases.notifications import LOST, WON, body_of, both, tell_by_default, telling
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.workflows import FAILS, WorkflowWorld
from tests.support.workflows import node

GONE = replace(FAILS, status=410)
BOTH = RunCallbacks(on_success=WON, on_failure=LOST)
CHAIN = (node("a"), node("b", "a"))
SUBSCRIBED = Alerts(
    url=ALERTED, rules=AlertRules(events=frozenset({AlertEvent.FAILED, AlertEvent.RECOVERED}))
)


def ended(world: WorkflowWorld, workflow: Workflow) -> Run:
    run = world.start(workflow)
    world.work()
    return world.stored(run)


def told(world: WorkflowWorld) -> list[tuple[str, str, int]]:
    """URL, outcome and epoch of each call of a notification."""
    calls = [(call, body_of(call)["data"]) for call in telling(world)]
    return [(call.callback.url, data["outcome"], data["epoch"]) for call, data in calls]


def stored_notifications(world: WorkflowWorld) -> list[Execution]:
    rows = (row.execution for row in world.table.executions.values())
    return [each for each in rows if each.ended_run is not None]


def test_end_of_a_run_is_told_once_with_what_came_of_each_task() -> None:
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    workflow = world.define(
        *CHAIN, node("c", "b"), callbacks=BOTH, name="order", tags=("shop",), on_failure=OnFailure.CONTINUE
    )
    run = ended(world, workflow)
    [call] = telling(world)
    assert call.callback.url == LOST
    body = body_of(call)
    assert (body["type"], body["timestamp"]) == ("run.failed", format_instant(run.ended_at or 0))
    data = body["data"]
    executions = {key: str(world.execution(run, workflow.graph, key).id) for key in "ab"}
    tasks = data.pop("tasks")
    assert tasks == [
        {"key": "a", "state": "succeeded", "reason": None, "epoch": 1, "execution_id": executions["a"]},
        {"key": "b", "state": "failed", "reason": None, "epoch": 1, "execution_id": executions["b"]},
        {
            "key": "c",
            "state": "skipped",
            "reason": "upstream_not_succeeded",
            "epoch": 1,
            "execution_id": None,
        },
    ]
    assert data.pop("console_url") == f"{CONSOLE}/console#/workflow-runs/{run_id_text(run.id)}"
    assert data == {
        "run_id": run_id_text(run.id),
        "run_path": f"/v1/runs/{run_id_text(run.id)}",
        "workflow_id": workflow.id,
        "revision": 1,
        "name": "order",
        "tags": ["shop"],
        "outcome": "failed",
        "epoch": 1,
        "created_at": format_instant(run.created_at),
        "deadline_at": format_instant(run.deadline_at),
        "ended_at": format_instant(run.ended_at or 0),
    }
    world.sweep_after(20)
    world.work()
    assert len(telling(world)) == 1
    assert world.ledger.open_before(1 << 40) == []


def test_success_is_told_to_its_own_url() -> None:
    world = WorkflowWorld()
    run = ended(world, world.define(*CHAIN, callbacks=BOTH))
    assert told(world) == [(WON, "succeeded", 1)]
    [notification] = stored_notifications(world)
    assert (notification.id, notification.state) == (run.notification, State.SUCCEEDED)
    assert notification.ended_run is not None
    told_of = opened(notification, notification.ended_run)
    assert told_of == replace(run, notification=None, fingerprint=b"")


def test_deadline_that_passes_is_told_as_a_failure() -> None:
    world = WorkflowWorld()
    world.answers["a"] = FAILS
    retry = RetryPolicy(max_attempts=9, delays_seconds=(600,) * 8)
    world.start(world.define(*CHAIN, callbacks=BOTH, retry=retry, deadline_seconds=60))
    world.recover()
    assert told(world) == [(LOST, "timed_out", 1)]


def test_cancelled_run_is_not_told_and_closes_its_shard() -> None:
    world = WorkflowWorld()
    run = world.start(world.define(*CHAIN, callbacks=BOTH))
    world.cancel(run)
    world.recover()
    assert (world.stored(run).notification, telling(world)) == (None, [])
    assert world.ledger.open_before(1 << 40) == []


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (RunCallbacks(), [(WON, "succeeded", 1)]),
        (RunCallbacks(on_success=NO_CALLBACK), []),
        (RunCallbacks(on_success=LOST), [(LOST, "succeeded", 1)]),
    ],
)
def test_workflow_has_its_own_say_before_its_tenant(own: RunCallbacks, expected: list[Any]) -> None:
    world = WorkflowWorld()
    tell_by_default(world, both(world))
    ended(world, world.define(*CHAIN, callbacks=own))
    assert told(world) == expected


def test_run_without_a_target_has_no_notification() -> None:
    world = WorkflowWorld()
    run = ended(world, world.define(*CHAIN))
    assert (run.notification, len(world.table.executions)) == (None, len(CHAIN))


def test_epoch_of_a_run_is_told_once_and_of_its_own_end_alone() -> None:
    """The first notification is called after the redrive, when the run has forgotten its first end."""
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    run = world.start(world.define(*CHAIN, callbacks=BOTH))
    for _ in CHAIN:
        world.work_one()
    assert (world.stored(run).state, telling(world)) == (RunState.FAILED, [])
    del world.answers["b"]
    world.redriven(run)
    world.work()
    assert sorted(told(world)) == [(LOST, "failed", 1), (WON, "succeeded", 2)]
    first = next(body_of(call)["data"] for call in telling(world) if call.callback.url == LOST)
    assert [task["state"] for task in first["tasks"]] == ["succeeded", "failed"]


def test_redrive_files_the_notification_that_a_crash_left_unfiled() -> None:
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    run = world.start(world.define(*CHAIN, callbacks=BOTH))
    world.work_one()
    # The end of `b` ends the run in the same update.
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    assert (world.stored(run).state, stored_notifications(world)) == (RunState.FAILED, [])
    del world.answers["b"]
    world.redriven(run)
    world.work()
    assert sorted(told(world)) == [(LOST, "failed", 1), (WON, "succeeded", 2)]


def test_sweeper_files_the_notification_that_a_crash_left_unfiled() -> None:
    world = WorkflowWorld()
    run = world.start(world.define(node("a"), callbacks=BOTH))
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    assert (world.stored(run).state, stored_notifications(world)) == (RunState.SUCCEEDED, [])
    world.recover()
    assert told(world) == [(WON, "succeeded", 1)]
    assert world.ledger.open_before(1 << 40) == []


def test_shard_stays_open_while_the_notification_cannot_be_filed() -> None:
    world = WorkflowWorld()
    run = world.start(world.define(node("a"), callbacks=BOTH))
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.work_one()
    page = world.store.scan(run.id.bucket, run.id.shard, after=None, limit=100)
    world.steps.fail("store.put_if_absent")
    left = world.cases.workflows.repair_runs.execute((), page.runs)
    assert ([row.id for row in left.open_runs], left.failed) == ([run.id], 1)
    settled = world.cases.workflows.repair_runs.execute((), page.runs)
    assert settled.open_runs == []
    assert len(stored_notifications(world)) == 1


def unavailable() -> None:
    raise UnavailableError("injected")


def story(world: WorkflowWorld, plant: Any = None) -> Run:
    """A run that fails, is redriven, and succeeds; the client repeats what was not acknowledged."""
    # A crash can use up an attempt.
    retry = RetryPolicy(max_attempts=4, delays_seconds=(1, 1, 1))
    workflow = world.define(*CHAIN, callbacks=BOTH, alerts=SUBSCRIBED, retry=retry)
    world.answers["b"] = FAILS
    world.steps.taken.clear()
    if plant is not None:
        world.steps.at_each = plant
    started: list[Run] = []

    def insist(act: Any) -> None:
        try:
            act()
        except (Crash, UnavailableError):
            act()

    insist(lambda: started.append(world.start(workflow, "key")))
    insist(world.work)
    while not world.stored(started[-1]).state.is_terminal:
        insist(world.recover)
    del world.answers["b"]
    insist(lambda: world.redriven(started[-1], 1))
    insist(world.work)
    return started[-1]


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", [die, unavailable], ids=["crash", "no_answer"])
def test_epoch_of_a_run_is_told_once_whatever_fails_at_any_step(fault: Any) -> None:
    calm = WorkflowWorld()
    story(calm)
    for moment in range(2 * len(calm.steps.taken)):
        world = WorkflowWorld()
        run = story(world, at_moment(moment, fault))
        world.steps.calm()
        world.recover()
        assert world.stored(run).state is RunState.SUCCEEDED, f"moment {moment}"
        assert set(told(world)) == {(LOST, "failed", 1), (WON, "succeeded", 2)}, f"moment {moment}"
        assert len(stored_notifications(world)) == 4, f"moment {moment}"
        assert sorted(data["events"] for data in _once(announcements(world))) == [["failed"], ["recovered"]]
        world.sweep_after(90)
        assert world.ledger.open_before(1 << 40) == [], f"moment {moment}"


def _once(announcements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A call whose outcome a crash lost is made again, with the same content."""
    found: list[dict[str, Any]] = []
    for each in announcements:
        if each not in found:
            found.append(each)
    return found


def test_failure_and_recovery_of_a_workflow_are_announced_once() -> None:
    world = WorkflowWorld()
    workflow = world.define(*CHAIN, alerts=SUBSCRIBED)
    ended(world, workflow)
    assert announced(world) == []
    world.answers["b"] = FAILS
    ended(world, workflow)
    del world.answers["b"]
    ended(world, workflow)
    ended(world, workflow)
    assert [data["events"] for data in announcements(world)] == [["failed"], ["recovered"]]
    assert {body_of(call)["type"] for call in announced(world)} == {"run.alert"}


def test_alert_for_a_chat_names_the_failed_tasks_and_mentions_no_channel() -> None:
    world = WorkflowWorld()
    world.answers["b"] = FAILS
    rules = AlertRules(format=AlertFormat.SLACK)
    workflow = world.define(*CHAIN, name="<!channel> @here", alerts=Alerts(url=ALERTED, rules=rules))
    ended(world, workflow)
    [call] = announced(world)
    text = body_of(call)["text"]
    assert "failed: 1 of 2 tasks succeeded, 1 failed: b" in text
    run = next(iter(world.table.runs.values())).run
    assert text.split("\n")[-1] == f"{CONSOLE}/console#/workflow-runs/{run_id_text(run.id)}"
    assert "<!" not in text
    assert "@here" not in text


def test_alerts_of_the_tenant_hold_for_runs_and_their_other_events_do_not_happen() -> None:
    world = WorkflowWorld()
    subscribe_tenant(world, subscription(world, FAILED, LATE))
    world.answers["b"] = FAILS
    ended(world, world.define(*CHAIN))
    assert [data["events"] for data in announcements(world)] == [["failed"]]


def test_failed_notification_of_a_run_is_a_dead_letter_that_is_redriven_with_the_same_content() -> None:
    world = WorkflowWorld()
    answer = world.sender.answer_to
    world.sender.answer_to = lambda callback: GONE if callback.url == WON else answer(callback)
    ended(world, world.define(*CHAIN, callbacks=BOTH))
    [failed] = stored_notifications(world)
    assert failed.state is State.FAILED
    first = telling(world)[-1]
    world.sender.answer_to = answer
    world.redrive_execution(failed)
    world.work()
    last: Call = telling(world)[-1]
    assert (body_of(last), len(told(world))) == (body_of(first), failed.attempt + 1)


def test_notification_is_sent_though_its_workflow_was_changed_and_deleted_since() -> None:
    world = WorkflowWorld()
    workflow = world.define(*CHAIN, callbacks=BOTH, name="first")
    run = world.start(workflow)
    for _ in CHAIN:
        world.work_one()
    assert world.stored(run).state is RunState.SUCCEEDED
    world.put_workflow.update(world.tenant, workflow.id, world.new_workflow(node("z"), name="second"))
    world.put_workflow.delete(workflow.tenant_id, workflow.id)
    world.work()
    [call] = telling(world)
    assert (body_of(call)["data"]["name"], len(body_of(call)["data"]["tasks"])) == ("first", 2)


def test_callbacks_of_a_tenant_that_were_removed_before_the_end_are_not_called() -> None:
    world = WorkflowWorld()
    tell_by_default(world, both(world))
    run = world.start(world.define(*CHAIN))
    tell_by_default(world, OutcomeCallbacks())
    world.clock.time_ms += 120_000
    world.work()
    assert (world.stored(run).state, telling(world)) == (RunState.SUCCEEDED, [])


def test_message_that_comes_again_files_the_notification_of_the_run_that_it_has_ended() -> None:
    world = WorkflowWorld()
    run = world.start(world.define(node("a"), callbacks=BOTH))
    [message] = world.queue.messages
    world.queue.messages.clear()
    world.steps.after("runs.update", die)
    with pytest.raises(Crash):
        world.handle(message.wakeup)
    assert (world.stored(run).state, stored_notifications(world)) == (RunState.SUCCEEDED, [])
    world.handle(message.wakeup)
    world.work()
    assert told(world) == [(WON, "succeeded", 1)]
