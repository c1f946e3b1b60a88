"""A flood of alerts: ten a minute to one URL, and one summary that counts all others."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.alerts import AlertFormat, AlertTarget
from shared.domain.errors import UnavailableError
from shared.domain.executions.alert_window import MAX_ALERTS, summary_due_at, window_at
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.schedules.schedule import format_instant
from tests.support.builders import BUCKET, DUE_AT, in_state
from tests.support.settings import CONSOLE
from tests.support.usecases.alerts import (
    ALERTED,
    ONCE,
    Receiver,
    announced,
    announcements,
    run_for,
    subscribe_tenant,
    subscription,
)
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.notifications import body_of, ended, notifications
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

MORE = 5


def flooded(world: World, count: int = MAX_ALERTS + MORE, first: int = 1, **fields: Any) -> list[Execution]:
    """One-off jobs that fail, one after another."""
    fields = {"retry": ONCE, "alerts": None} | fields
    jobs = [
        world.put(world.one_off(number, due_at=DUE_AT + number, **fields))
        for number in range(first, first + count)
    ]
    return [ended(world, job) for job in jobs]


def subscribed_world(receiver: Receiver | None = None) -> World:
    world = (receiver or Receiver()).world()
    world.ledger.note_swept_through(BUCKET - 1)
    subscribe_tenant(world, subscription(world))
    return world


def summaries(world: World) -> list[dict[str, Any]]:
    found = [body_of(call) for call in announced(world)]
    return [body["data"] for body in found if body["type"] == "execution.alerts"]


def singles(world: World) -> list[dict[str, Any]]:
    return [each for each in announcements(world) if "count" not in each]


def test_flood_is_ten_alerts_and_one_summary() -> None:
    world = subscribed_world()
    executions = flooded(world)
    run_for(world, 70)
    assert [each["execution_id"] for each in singles(world)] == [
        str(each.id) for each in executions[:MAX_ALERTS]
    ]
    (summary,) = summaries(world)
    begin = DUE_AT // MINUTE_MS * MINUTE_MS
    assert summary == {
        "count": MORE,
        "is_lower_bound": False,
        "jobs": MORE,
        "job_ids": [each.job_id for each in executions[MAX_ALERTS:]],
        "events": {"failed": MORE},
        "console_url": f"{CONSOLE}/console#/dead-letters",
        "from": format_instant(begin),
        "to": format_instant(begin + MINUTE_MS),
    }
    last = body_of(announced(world)[-1])
    assert last["timestamp"] == format_instant(summary_due_at(window_at("", DUE_AT)))


def test_every_suppressed_alert_is_on_record_and_names_its_summary() -> None:
    world = subscribed_world()
    executions = flooded(world)
    found = notifications(world)
    for execution in executions[MAX_ALERTS:]:
        alert = next(each for each in found[execution.id] if each.id == execution.progress.notification)
        assert (alert.state, alert.progress.end_reason) == (State.SKIPPED, EndReason.COALESCED)
        assert alert.progress.notification is not None
        assert world.standing(alert.progress.notification).alert is not None
    named = {
        each.progress.notification for some in found.values() for each in some if each.state is State.SKIPPED
    }
    assert len(named) == 1


def test_next_minute_has_alerts_of_its_own() -> None:
    world = subscribed_world()
    flooded(world)
    world.clock.time_ms = DUE_AT + MINUTE_MS
    flooded(world, first=100)
    run_for(world, 130)
    assert len(singles(world)) == 2 * MAX_ALERTS
    assert [each["count"] for each in summaries(world)] == [MORE, MORE]


def test_flood_to_one_url_suppresses_nothing_of_another() -> None:
    world = subscribed_world()
    flooded(world)
    other = subscription(world, url=f"{ALERTED}&other=1")
    (execution,) = flooded(world, 1, first=100, alerts=other)
    run_for(world, 70)
    assert execution.progress.notification is not None
    assert world.standing(execution.progress.notification).state is State.SUCCEEDED


def test_jobs_with_subscriptions_of_their_own_to_one_url_share_its_bound() -> None:
    """Each is sealed anew, so that the stored URLs differ."""
    world = subscribed_world()
    for number in range(1, MAX_ALERTS + MORE + 1):
        flooded(world, 1, first=number, alerts=subscription(world))
    run_for(world, 70)
    assert (len(singles(world)), [each["count"] for each in summaries(world)]) == (MAX_ALERTS, [MORE])


def test_summary_announces_nothing_when_it_fails() -> None:
    receiver = Receiver()
    world = subscribed_world(receiver)
    flooded(world)
    run_for(world, 30)
    receiver.told = receiver.answer
    for _ in range(30):
        run_for(world, 3_600)
    alerts = [each for some in notifications(world).values() for each in some]
    failed = [each for each in alerts if each.state is State.FAILED]
    assert len(failed) == 1
    assert failed[0].alert is not None and failed[0].alert.window is not None
    assert (failed[0].progress.notification, len(alerts)) == (None, MAX_ALERTS + MORE + 1)


def test_summary_to_a_chat_is_a_text() -> None:
    world = subscribed_world()
    alerts = subscription(world)
    assert isinstance(alerts, AlertTarget)
    subscribe_tenant(world, replace(alerts, rules=replace(alerts.rules, format=AlertFormat.SLACK)))
    flooded(world)
    run_for(world, 70)
    text = body_of(announced(world)[-1])["text"]
    assert text.startswith(f"{MORE} more alerts of {MORE} jobs in the minute from 20")
    assert f": {MORE} failed\n" in text
    assert text.endswith(f"\n{CONSOLE}/console#/dead-letters")


def test_alert_whose_summary_has_started_is_counted_in_the_next() -> None:
    world = subscribed_world()
    flooded(world, MAX_ALERTS + 1)
    late = world.put(world.one_off(99, retry=ONCE))
    row = next(row for row in world.table.executions.values() if is_summary(row.execution))
    waiting = row.execution

    def start_summary() -> None:
        row.execution = in_state(waiting, State.RUNNING)

    # The worker stands still between the look at the window and the record.
    world.steps.before("alert_windows.record", start_summary)
    ended(world, late)
    row.execution = waiting
    run_for(world, 180)
    counts = [each["count"] for each in summaries(world)]
    # The first summary may have counted it, or not: the second does.
    assert counts == [2, 1]
    assert summaries(world)[1]["job_ids"] == [late.job_id]


def is_summary(execution: Execution) -> bool:
    return execution.alert is not None and execution.alert.window is not None


def test_alerts_are_sent_one_by_one_while_the_store_of_windows_does_not_respond() -> None:
    world = subscribed_world()
    world.steps.fail("alert_windows.admit", times=MAX_ALERTS + MORE)
    flooded(world)
    run_for(world, 70)
    assert (len(singles(world)), summaries(world)) == (MAX_ALERTS + MORE, [])


def test_full_window_costs_no_further_admission() -> None:
    world = subscribed_world()
    flooded(world, MAX_ALERTS + 1)
    world.steps.taken.clear()
    flooded(world, MORE, first=100)
    assert world.steps.count("alert_windows.admit") == 0
    assert world.steps.count("alert_windows.record") == MORE
    assert world.steps.count("queue.send") == 0


def crash_at(moment: int, now: int, _: str) -> None:
    if now == moment:
        die()


def fault_at(moment: int, now: int, name: str) -> None:
    if now == moment and name != "claimer.claim":
        raise UnavailableError("injected")


def come_to_rest(world: World) -> None:
    """No message of before is left: sweeps look, and what they send for runs."""
    world.steps.calm()
    world.queue.messages.clear()
    lanes = Lanes(world)
    for _ in range(40):
        world.clock.time_ms += MINUTE_MS
        world.sweep.execute()
        lanes.until(world.clock.time_ms)


@pytest.mark.parametrize("fault", [crash_at, fault_at])
def test_suppressed_alert_is_counted_though_its_worker_fails_at_any_step(fault: Any) -> None:
    moments = 60
    for moment in range(moments):
        world = subscribed_world()
        flooded(world, MAX_ALERTS)
        last = world.put(world.one_off(99, retry=ONCE))
        world.steps.taken.clear()
        world.steps.at_each = partial(fault, moment)
        with suppress(Crash):
            world.attempt(last)
        come_to_rest(world)
        alone = [each for each in singles(world) if each["execution_id"] == str(last.id)]
        counted = sum(each["count"] for each in summaries(world))
        # After a crash the minute may be another, in which the alert is one of the first.
        assert len(alone) + counted >= 1, moment
        assert len(alone) <= 1, moment
        assert counted <= 2, moment


def test_alerts_that_were_sent_are_not_counted_when_their_message_returns() -> None:
    world = subscribed_world()
    executions = flooded(world)
    for execution in executions:
        world.attempt(execution, receives=2)
    run_for(world, 70)
    assert (len(singles(world)), [each["count"] for each in summaries(world)]) == (MAX_ALERTS, [MORE])
