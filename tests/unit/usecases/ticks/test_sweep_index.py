"""SWEEP: rows whose outcome was written while the index of failures throttled."""

from shared.domain.bucket import FIRST_SWEEP_MS, KEPT_OPEN_MS, bucket_end_ms
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.dispatch.sweep import LOOK_AGAIN_MS
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.listings import TenantIndex
from tests.support.builders import BUCKET, DUE_AT, expiry_for, in_state, one_off
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.sweeps import scanned, swept
from tests.support.usecases.world import World

SHARD = (BUCKET, 0)
CLOSING = bucket_end_ms(BUCKET) + FIRST_SWEEP_MS + KEPT_OPEN_MS
"""A scan that begins now may close the shard."""


def throttle(world: World, *tenants: str) -> None:
    """From now on the index throttles the writes of these tenants alone."""
    world.table.index_throttles = lambda execution: execution.tenant_id in tenants


def marked(world: World, number: int, tenant_id: str = "acme", state: State = State.FAILED) -> Execution:
    """An execution whose last transition was written without its entry."""
    execution = in_state(one_off(number, tenant_id=tenant_id), state)
    world.store.put_if_absent(execution, expires_at_s=expiry_for(execution))
    row = world.table.executions[execution.id]
    row.entry, row.index_is_stale = None, True
    return execution


def entry_of(world: World, execution: Execution) -> TenantIndex | None:
    return world.table.executions[execution.id].entry


def test_shard_stays_open_until_the_entries_of_its_rows_are_written() -> None:
    world = scanned()
    dead = marked(world, 1)
    throttle(world, dead.tenant_id)
    swept(world, CLOSING)
    assert SHARD in world.ledger.rows
    assert world.ledger.rows[SHARD].next_pass_at == CLOSING + LOOK_AGAIN_MS
    throttle(world)
    assert swept(world, CLOSING + LOOK_AGAIN_MS).index_repaired == 1
    assert entry_of(world, dead) is TenantIndex.FAILED
    swept(world, CLOSING + 3_600_000)
    assert SHARD not in world.ledger.rows


def test_hot_index_of_one_tenant_takes_one_request_and_no_other_tenants_entries() -> None:
    world = scanned()
    hot = [marked(world, number, "hot") for number in range(50)]
    calm = [marked(world, number, "calm") for number in range(50, 60)]
    throttle(world, "hot")
    assert swept(world, CLOSING).index_repaired == len(calm)
    assert world.steps.count("store.repair_index") == 1 + len(calm)
    assert {entry_of(world, execution) for execution in hot} == {None}
    assert {entry_of(world, execution) for execution in calm} == {TenantIndex.FAILED}


def test_marked_retry_gets_its_entry_while_it_waits() -> None:
    world = scanned()
    waiting = marked(world, 1, state=State.WAITING)
    swept(world, CLOSING)
    assert entry_of(world, waiting) is TenantIndex.RETRY


def test_running_attempt_is_left_to_its_own_outcome() -> None:
    world = scanned()
    marked(world, 1, state=State.RUNNING)
    swept(world, CLOSING)
    assert world.steps.count("store.repair_index") == 0


def test_sweep_without_time_keeps_marked_rows_for_the_next_run() -> None:
    world = scanned()
    dead = marked(world, 1)
    world.clock.time_ms = CLOSING
    ticks = iter([True] * 2)
    world.sweep.execute(lambda: next(ticks, False))
    assert (entry_of(world, dead), SHARD in world.ledger.rows) == (None, True)


def test_call_that_was_answered_is_not_made_again_however_long_the_index_throttles() -> None:
    failed = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
    answered = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
    world = World(DUE_AT, answer_to=in_turn(failed, answered))
    execution = world.one_off(retry=RetryPolicy(max_attempts=2))
    world.file.execute(execution)
    throttle(world, execution.tenant_id)
    Lanes(world).until(DUE_AT + 3_600_000)
    swept(world, world.clock.time_ms)
    row = world.table.executions[execution.id]
    assert (row.execution.state, row.execution.attempt) == (State.SUCCEEDED, 2)
    assert len(world.sender.calls) == 2
