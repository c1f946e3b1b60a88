"""EXECUTE: what a refused claim means; nothing may depend on a message that is dropped."""

from typing import Any

import pytest

from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.states import EndReason, State
from shared.ports.executions import ClaimRejected
from shared.usecases.attempts.batch_report import BatchReport, Verdict
from shared.usecases.attempts.settle_refusal import Refusal
from tests.support.builders import DUE_AT, in_state, with_changes
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.table import Damage
from tests.support.usecases.notifications import notifications, told_one_off
from tests.support.usecases.world import World

MINUTE = 60_000


def verdicts(report: BatchReport) -> list[Verdict]:
    return [settled.verdict for settled in report.settled]


@pytest.mark.parametrize(
    "state", [State.SUCCEEDED, State.FAILED, State.CANCELLED, State.SKIPPED, State.MOVED]
)
def test_message_for_an_ended_execution_is_dropped(state: State) -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(world.one_off(), state))
    report = world.attempt(execution)
    assert verdicts(report) == [Verdict.DONE]
    assert [refusal.kind for refusal in report.refusals] == [Refusal.DROPPED]
    assert (world.sent(), world.sender.calls) == ([], [])


def test_message_of_an_unknown_execution_is_done() -> None:
    world = World(DUE_AT)
    assert verdicts(world.attempt(world.one_off())) == [Verdict.DONE]


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_message_of_an_ended_occurrence_files_its_successor(state: State) -> None:
    world = World(DUE_AT)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, state)
    assert verdicts(world.attempt(row.execution)) == [Verdict.DONE]
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


def test_a_message_stays_until_that_successor_stands() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.SUCCEEDED)
    world.steps.fail("queue.send", times=2)
    assert verdicts(world.attempt(row.execution)) == [Verdict.RETURN]
    assert verdicts(world.attempt(row.execution)) == [Verdict.DONE]
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


def test_refusal_that_could_not_be_settled_uses_up_no_receive() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.SUCCEEDED)
    world.steps.fail("store.put_if_absent")
    assert verdicts(world.attempt(row.execution, receives=4)) == [Verdict.DONE]
    assert world.sent() == [row.execution.id]


def test_refusal_whose_settlement_the_store_rejects_keeps_its_message() -> None:
    """The message uses up its receives: a fault of ours is for operators."""
    world = World(DUE_AT)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.SUCCEEDED)
    world.steps.reject("store.put_if_absent")
    assert verdicts(world.attempt(row.execution)) == [Verdict.RETURN]
    assert world.sent() == []


def test_a_tombstone_is_dropped_and_nothing_is_filed() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = with_changes(row.execution, state=State.CANCELLED, ends_chain=True)
    assert verdicts(world.attempt(row.execution)) == [Verdict.DONE]
    assert list(world.occurrences(job)) == [DUE_AT]


@pytest.mark.parametrize("wait_ms", [30_000, 900_000, 3_600_000])
def test_a_retry_that_is_not_due_is_woken_again_and_its_old_message_dropped(wait_ms: int) -> None:
    world = World(DUE_AT)
    old = world.one_off()
    world.put(in_state(old, State.WAITING, next_attempt_at=DUE_AT + wait_ms))
    report = world.attempt(old)
    assert verdicts(report) == [Verdict.DONE]
    assert [refusal.kind for refusal in report.refusals] == [Refusal.SENT_LATER]
    due = [message.wakeup.not_before for message in world.queue.messages]
    due += [row.pointer.dispatch_at for row in world.table.pointers.values()]
    assert due == [DUE_AT + wait_ms]


def test_a_run_met_between_two_attempts_has_its_successor_filed_though_its_retry_is_hours_away() -> None:
    """The attempt before may have failed to file it."""
    world = World(DUE_AT)
    job = world.recurring()
    first = world.standing(job.id_at(DUE_AT))
    waiting = in_state(first, State.WAITING, next_attempt_at=DUE_AT + 4 * 3_600_000)
    world.table.executions[first.id].execution = waiting
    world.attempt(first)
    assert sorted(world.occurrences(job)) == [DUE_AT, DUE_AT + 60_000]


def test_message_is_first_returned_until_the_live_lease_of_another_worker_ends() -> None:
    world = World(DUE_AT + 5_000)
    execution = world.put(in_state(world.one_off(), State.RUNNING))
    (settled,) = world.attempt(world.one_off(), receives=1).settled
    assert settled.verdict is Verdict.RETURN
    assert settled.visible_after_seconds * 1000 > (execution.progress.lease_until or 0) - (DUE_AT + 5_000)
    assert world.sent() == []


@pytest.mark.parametrize("receives", [2, 3, 4])
def test_live_lease_is_awaited_with_a_fresh_message_from_the_second_receive_on(
    receives: int,
) -> None:
    world = World(DUE_AT + 5_000)
    execution = world.put(in_state(world.one_off(), State.RUNNING))
    report = world.attempt(world.one_off(), receives=receives)
    assert verdicts(report) == [Verdict.DONE]
    assert world.sent() == [execution.id]
    assert world.queue.messages[0].visible_at > (execution.progress.lease_until or 0)


def test_message_is_returned_where_its_delayed_copy_could_not_be_sent() -> None:
    world = World(DUE_AT)
    world.put(in_state(world.one_off(), State.RUNNING))
    world.steps.fail("queue.send", times=2)
    assert verdicts(world.attempt(world.one_off(), receives=2)) == [Verdict.RETURN]


@pytest.mark.parametrize("fields", [{"attempt": 5}, {"attempt": 1, "stop_retries": True}])
def test_a_dead_lease_with_nothing_left_ends_as_worker_lost(fields: dict[str, int]) -> None:
    world = World(DUE_AT + 60_000)
    execution = world.put(in_state(world.one_off(), State.RUNNING, **fields))
    report = world.attempt(world.one_off())
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.progress.end_reason) == (State.FAILED, EndReason.WORKER_LOST)
    assert row.is_dead_letter
    assert row.expires_at_s is not None
    assert verdicts(report) == [Verdict.DONE]
    assert [refusal.kind for refusal in report.refusals] == [Refusal.WORKER_LOST]


def test_a_lost_last_attempt_of_an_occurrence_does_not_end_the_chain() -> None:
    world = World(DUE_AT + 36_000)
    job = world.recurring()
    row = world.table.executions[job.id_at(DUE_AT)]
    row.execution = in_state(row.execution, State.RUNNING, attempt=5)
    message = with_changes(row.execution, next_attempt_at=None)
    world.steps.before("store.give_up", lambda: world.standing(job.id_at(DUE_AT + MINUTE)))
    world.attempt(message)
    assert row.execution.state is State.FAILED
    assert world.sent() == [job.id_at(DUE_AT + MINUTE)]


@pytest.mark.parametrize("state", [State.PENDING, State.RUNNING])
def test_a_row_that_changed_between_refusal_and_look_is_looked_at_again_soon(state: State) -> None:
    world = World(DUE_AT + 60_000)
    racing = in_state(world.one_off(), state)
    result = world.settle_refusal.execute(ClaimRejected(racing).existing, 1)
    assert (result.is_done, result.wait_seconds) == (False, 2)


def test_message_of_a_broken_item_is_kept_until_it_is_a_dead_message() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off())
    world.table.executions[execution.id].damage = Damage.BROKEN
    report = world.attempt(execution)
    assert verdicts(report) == [Verdict.RETURN]
    assert world.sender.calls == []


def test_lost_worker_whose_end_was_written_twice_is_settled_by_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The transport repeats a write whose answer was lost, and the second one is refused."""
    write = FakeExecutionStore.give_up

    def twice(store: FakeExecutionStore, *args: Any, **kwargs: Any) -> bool:
        return write(store, *args, **kwargs) and write(store, *args, **kwargs)

    monkeypatch.setattr(FakeExecutionStore, "give_up", twice)
    world = World(DUE_AT + MINUTE)
    once = told_one_off(world, retry=RetryPolicy(max_attempts=1))
    lost = world.put(in_state(once, State.RUNNING, attempt=1, lease_until=DUE_AT + 1))
    report = world.attempt(lost)
    assert [refusal.kind for refusal in report.refusals] == [Refusal.UNSETTLED]
    assert verdicts(report) == [Verdict.RETURN]
    assert verdicts(world.attempt(lost)) == [Verdict.DONE]
    assert len(notifications(world)[lost.id]) == 1
