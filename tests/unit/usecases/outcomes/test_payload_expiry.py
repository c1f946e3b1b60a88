"""A large request that stands apart goes with the record of its one-off job, on whatever path that ends."""

import pytest

from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.usecases.messages import dead
from tests.support.usecases.steps import Crash
from tests.support.usecases.sweeps import SECOND_PASS, swept
from tests.support.usecases.world import World

LAST = RetryPolicy(max_attempts=1)


def apart(world: World, state: State = State.QUEUED) -> Execution:
    execution = in_state(with_changes(one_off(retry=LAST), payload_id=one_off().job_id, request=b""), state)
    world.jobs.put_payload(execution.tenant_id, execution.job_id, world.seal(execution.job_id))
    return world.put(execution)


def goes(world: World) -> bool:
    execution = one_off()
    return list(world.table.payload_expires_at_s) == [(execution.tenant_id, execution.job_id)]


def test_when_its_last_worker_was_lost_and_a_message_finds_it() -> None:
    world = World(DUE_AT + 60_000)
    world.attempt(apart(world, State.RUNNING))
    assert world.standing(one_off().id).state is State.FAILED
    assert goes(world)


def test_when_a_sweep_finds_it() -> None:
    world = World(SECOND_PASS)
    world.ledger.note_swept_through(one_off().id.bucket - 1)
    apart(world, State.RUNNING)
    swept(world, SECOND_PASS)
    assert world.standing(one_off().id).state is State.FAILED
    assert goes(world)


def test_when_a_dead_letter_finds_it() -> None:
    world = World(DUE_AT + 60_000)
    world.rescue.execute([dead(apart(world, State.RUNNING))])
    assert world.standing(one_off().id).state is State.FAILED
    assert goes(world)


@pytest.mark.parametrize("step", ["store.finish", "store.give_up"])
def test_when_the_process_that_ended_it_died_and_the_message_is_back(step: str) -> None:
    is_lost = step == "store.give_up"
    world = World(DUE_AT + 60_000)
    execution = apart(world, State.RUNNING if is_lost else State.QUEUED)
    world.steps.crash_after(step)
    with pytest.raises(Crash):
        world.attempt(execution)
    assert world.standing(execution.id).state.is_terminal
    assert not goes(world)
    assert world.attempt(execution, receives=2).returned() == []
    assert goes(world)


def test_a_store_that_does_not_answer_keeps_nobody_from_the_end() -> None:
    world = World(DUE_AT)
    execution = apart(world)
    world.steps.fail("jobs.expire_payload")
    assert world.attempt(execution).returned() == []
    assert world.standing(execution.id).state is State.SUCCEEDED


def test_payload_stays_when_a_heartbeat_prevents_the_end() -> None:
    """It was heard of at the last moment."""
    world = World(DUE_AT + 60_000)
    execution = apart(world, State.RUNNING)
    world.steps.before(
        "store.give_up",
        lambda: world.store.extend_lease(execution, lease_until=DUE_AT + 900_000, async_until=DUE_AT * 2),
    )
    world.attempt(execution)
    assert world.standing(execution.id).state is State.RUNNING
    assert not goes(world)


def test_payload_of_a_recurring_job_stays_when_a_run_has_ended() -> None:
    world = World(DUE_AT)
    job = world.recurring(payload_id="apart")
    world.jobs.put_payload(job.tenant_id, "apart", world.seal(job.id))
    head = world.standing(job.id_at(DUE_AT))
    beside = world.trigger_job.execute(world.tenant, job.id).execution
    for execution in (head, beside):
        world.attempt(execution)
        assert world.standing(execution.id).state is State.SUCCEEDED
        world.attempt(execution, receives=2)
    assert world.table.payload_expires_at_s == {}
