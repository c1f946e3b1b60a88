"""Dead-letter queues: the queue gave up on a message, not on the job; each key is read again."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.executions.states import EndReason, State
from shared.names import QueueName
from shared.usecases.dead_letters.handle_dead_messages import DeadMessage, DeadMessageReport
from tests.support.builders import DUE_AT, in_state, one_off
from tests.support.fakes.table import Damage
from tests.support.usecases.messages import dead
from tests.support.usecases.world import World

NOW = DUE_AT + 600_000
MINUTE = 60_000
ROUND = 60_000
"""The pause before another round of receives."""


def rescued(world: World, *messages: DeadMessage) -> DeadMessageReport:
    return world.rescue.execute(messages)


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.RUNNING])
def test_execution_with_attempts_left_is_rescheduled_after_a_pause(state: State) -> None:
    world = World(NOW)
    execution = world.put(in_state(one_off(), state))
    report = rescued(world, dead(execution))
    assert (report.rescheduled, report.returned) == (1, [])
    assert world.sent() == [execution.id]
    assert world.queue.messages[0].visible_at == NOW + ROUND
    assert world.standing(execution.id) == execution


@pytest.mark.parametrize(
    ("next_attempt_at", "wakes_at"),
    [(NOW - 1, NOW + ROUND), (NOW + 600_000, NOW + 600_000), (NOW + 7_200_000, NOW + 7_200_000)],
)
def test_a_retry_is_woken_at_its_own_time_by_a_message_or_a_pointer(
    next_attempt_at: int, wakes_at: int
) -> None:
    world = World(NOW)
    execution = world.put(in_state(one_off(), State.WAITING, next_attempt_at=next_attempt_at))
    rescued(world, dead(execution))
    woken = [message.visible_at for message in world.queue.messages]
    woken += [row.pointer.dispatch_at for row in world.table.pointers.values()]
    assert woken == [wakes_at]


@pytest.mark.parametrize("fields", [{"attempt": 5}, {"attempt": 1, "stop_retries": True}])
def test_execution_without_attempts_left_is_failed_and_its_successor_filed(fields: dict[str, Any]) -> None:
    world = World(DUE_AT + 36_000)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.RUNNING, **fields)
    world.steps.before("store.give_up", lambda: world.standing(job.id_at(DUE_AT + MINUTE)))
    report = rescued(world, dead(row.execution))
    assert (row.execution.state, row.execution.progress.end_reason) == (State.FAILED, EndReason.WORKER_LOST)
    assert (report.failed, world.sent()) == (1, [job.id_at(DUE_AT + MINUTE)])


def test_a_live_lease_is_parked_untouched() -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), State.RUNNING))
    assert rescued(world, dead(execution)).parked == 1
    (parked,) = world.parked_messages.parked(10)
    assert (parked.message_id, parked.lane, parked.body, parked.parked_at) == (
        "m1",
        QueueName.STANDARD,
        "the body",
        DUE_AT,
    )
    assert str(execution.id) in parked.reason
    assert (world.standing(execution.id), world.sent()) == (execution, [])


def test_wakeup_of_an_item_of_a_newer_release_is_sent_again_later() -> None:
    world = World(NOW)
    execution = world.put(one_off())
    world.table.executions[execution.id].damage = Damage.NEWER
    report = rescued(world, dead(execution))
    assert (report.rescheduled, report.parked, report.failed) == (1, 0, 0)
    assert world.standing(execution.id) == execution
    (message,) = world.queue.messages
    assert (message.wakeup.keys, message.visible_at) == ((execution.id,), NOW + 900_000)


def test_newer_message_is_sent_again_to_its_queue() -> None:
    world = World(NOW)
    newer = NewerMessage(body="{}", group="acme", resends=3)
    report = rescued(world, dead(newer=newer, lane=QueueName.SLOW_BULK, error="newer"))
    assert world.queue.resent == [(QueueName.SLOW_BULK, newer)]
    assert (report.rescheduled, report.parked, report.returned) == (1, 0, [])


def test_newer_message_that_the_queue_does_not_accept_comes_back() -> None:
    world = World(NOW)
    world.queue.refuses_resends = True
    report = rescued(world, dead(newer=NewerMessage(body="{}"), error="newer"))
    assert (report.rescheduled, report.parked, report.returned) == (0, 0, ["m1"])


def test_a_broken_item_is_failed_and_parked() -> None:
    world = World(NOW)
    execution = world.put(one_off())
    world.table.executions[execution.id].damage = Damage.BROKEN
    report = rescued(world, dead(execution))
    row = world.table.executions[execution.id]
    assert (report.parked, report.failed) == (1, 1)
    assert (row.execution.state, row.execution.progress.end_reason) == (State.FAILED, EndReason.UNREADABLE)
    assert row.expires_at_s == world.retention.expires_at_s(NOW)


def test_a_message_that_nobody_can_read_is_parked_with_the_reason() -> None:
    world = World(NOW)
    report = rescued(world, dead(body="{", error="unreadable message: body"))
    assert (report.parked, report.returned) == (1, [])
    assert [(parked.body, parked.reason) for parked in world.parked_messages.parked(10)] == [
        ("{", "unreadable message: body")
    ]


@pytest.mark.parametrize(
    "state", [State.SUCCEEDED, State.FAILED, State.CANCELLED, State.SKIPPED, State.MOVED]
)
def test_dead_message_of_an_ended_execution_is_dropped(state: State) -> None:
    world = World(NOW)
    execution = world.put(in_state(one_off(), state))
    assert rescued(world, dead(execution)) == DeadMessageReport()


def test_dead_message_of_an_unknown_execution_is_dropped() -> None:
    assert rescued(World(NOW), dead(one_off())) == DeadMessageReport()


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.WAITING])
def test_an_occurrence_that_has_run_makes_sure_of_its_successor(state: State) -> None:
    """The message may be here because filing the successor failed time and again."""
    world = World(DUE_AT + 1_000)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, state)
    rescued(world, dead(row.execution))
    assert job.id_at(DUE_AT + MINUTE) in world.sent()


def test_every_key_of_a_dead_message_is_handled_separately() -> None:
    world = World(NOW)
    late, done = world.put(one_off(1)), world.put(in_state(one_off(2), State.SUCCEEDED))
    newer = world.put(one_off(3))
    world.table.executions[newer.id].damage = Damage.NEWER
    report = rescued(world, dead(late, done, newer))
    assert (report.rescheduled, report.parked, report.returned) == (2, 0, [])


@pytest.mark.parametrize("step", ["store.get", "queue.send"])
def test_a_message_that_could_not_be_settled_for_now_comes_back_and_the_others_are_settled(step: str) -> None:
    world = World(NOW)
    executions = [world.put(one_off(number)) for number in range(3)]
    world.steps.fail(step)
    report = rescued(world, *(dead(each, message_id=f"m{n}") for n, each in enumerate(executions)))
    assert (report.returned, report.rescheduled) == (["m0"], 2)
    assert set(world.sent()) == {executions[1].id, executions[2].id}


def test_a_message_that_could_not_be_parked_comes_back() -> None:
    world = World(NOW)
    world.steps.fail("parked_messages.park")
    assert rescued(world, dead(error="unreadable")).returned == ["m1"]


def test_dead_message_is_parked_with_the_cause_where_the_store_rejects_its_key() -> None:
    world = World(NOW)
    executions = [world.put(one_off(number)) for number in range(2)]
    world.steps.reject("store.get")
    report = rescued(world, *(dead(each, message_id=f"m{n}") for n, each in enumerate(executions)))
    assert (report.parked, report.rescheduled, report.returned) == (1, 1, [])
    assert "injected" in world.parked_messages.parked(1)[0].reason


def test_dead_message_comes_back_where_the_store_rejects_its_parking() -> None:
    world = World(NOW)
    world.steps.reject("parked_messages.park")
    assert rescued(world, dead(error="unreadable")).returned == ["m1"]


@pytest.mark.parametrize("damage", [None, Damage.BROKEN])
def test_dead_message_whose_successor_cannot_be_filed_is_parked_alone(
    damage: Damage | None,
) -> None:
    """Another request stands at the successor's key, or nobody can read what does."""
    world = World(DUE_AT + 1_000)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.SUCCEEDED)
    stranger = job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT)
    world.put(replace(stranger, fingerprint=b"another request!"))
    world.table.executions[stranger.id].damage = damage
    other = world.put(one_off(9))
    report = rescued(world, dead(row.execution), dead(other, message_id="m2"))
    assert (report.parked, report.rescheduled, report.returned) == (1, 1, [])
    assert str(row.execution.id) in world.parked_messages.parked(1)[0].reason


def test_dead_message_whose_successor_is_of_a_newer_release_is_sent_again_later() -> None:
    world = World(DUE_AT + 1_000)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.SUCCEEDED)
    successor = world.put(job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT))
    world.table.executions[successor.id].damage = Damage.NEWER
    report = rescued(world, dead(row.execution))
    assert (report.parked, report.rescheduled, report.returned) == (0, 1, [])
    assert world.sent() == [row.execution.id]
