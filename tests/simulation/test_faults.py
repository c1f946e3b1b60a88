"""The faults of the simulation are the ones that the services document, and each is what it says."""

from dataclasses import fields, replace
from functools import partial
from typing import Any

import pytest

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.bootstrap.ports import Ports
from shared.domain.bucket import MINUTE_MS
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import PositionRange
from shared.names import FAILURE_PARTITIONS, Lane
from shared.ports.executions import Claim, WriteUnknown
from shared.ports.listings import TenantIndex
from tests.simulation.calls import PortCalls, ProcessHandle
from tests.simulation.clients import LOAD_MS, Clients
from tests.simulation.faults import FaultMix, Strike
from tests.simulation.lanes import MAX_RECEIVES, QUEUE_URLS, VISIBILITY_MS
from tests.simulation.process import THROTTLES_OF_STREAK
from tests.simulation.requests import request
from tests.simulation.rhythms import every
from tests.simulation.single_acts import ALWAYS, CALM, fail_one, in_a_process, put
from tests.simulation.world import World
from tests.support.builders import one_off, wakeup, with_changes
from tests.support.fakes.clock import one_by_one
from tests.support.fakes.wakeup_queue import even


def stands(world: World) -> bool:
    return one_off().id in world.table.executions


def _put(execution: Execution, ports: Ports) -> Execution | None:
    return ports.executions.put_if_absent(execution)


def test_every_probability_of_a_mix_is_a_kind_of_fault() -> None:
    drawn = {field.name for field in fields(FaultMix)} - {"skew_ms", "wrong_clocks", "reconciles", "limited"}
    assert drawn <= {kind.value for kind in Strike}


def test_a_throttled_call_has_no_effect_and_one_whose_answer_is_lost_has_it() -> None:
    for mix, effect in ((FaultMix(throttle=ALWAYS), False), (FaultMix(lose_answer=ALWAYS), True)):
        world = World(1, mix)
        # Not in an old hour, where the archive counts each put by calls of its own.
        filed = one_off(due_at=world.hub.now_ms + 60_000)
        (fault,) = in_a_process(world, partial(_put, filed))
        assert (isinstance(fault, UnavailableError), filed.id in world.table.executions) == (True, effect)


def test_a_repeated_write_answers_for_its_second_time() -> None:
    world = World(1, FaultMix(repeat=ALWAYS))
    (standing,) = in_a_process(world, put)
    assert standing == one_off()


def test_a_crash_ends_the_process_at_the_call() -> None:
    world = World(1, FaultMix(crash=ALWAYS))
    assert in_a_process(world, put) == []


def test_a_frozen_worker_that_wakes_after_its_lease_is_counted() -> None:
    world = World(1, CALM)
    world.store.put_if_absent(with_changes(one_off(), state=State.QUEUED))

    def claim_and_freeze(ports: Ports) -> None:
        (granted,) = ports.claimer.claim([Claim(execution_id=one_off().id, owner="me")], world.hub.now_ms)
        assert isinstance(granted, Execution)
        world.weather.mix = FaultMix(freeze=ALWAYS)
        while not world.weather.struck[Strike.OUTLIVED_LEASE]:
            ports.executions.get(one_off().id)

    in_a_process(world, claim_and_freeze)
    assert world.weather.struck[Strike.OUTLIVED_LEASE] == 1


def test_a_single_write_to_an_item_of_a_transaction_meets_a_conflict_and_other_writes_do_not() -> None:
    world = World(1, CALM)
    one, other = one_off(1), one_off(2)
    with world.contention.holding([str(one.id)]):
        (refused,) = in_a_process(world, lambda ports: ports.executions.put_if_absent(one))
        (written,) = in_a_process(world, lambda ports: ports.executions.put_if_absent(other))
    assert (type(refused), written) == (UnavailableError, None)
    assert (one.id in world.table.executions, other.id in world.table.executions) == (False, True)
    assert in_a_process(world, lambda ports: ports.executions.put_if_absent(one)) == [None]


def test_a_claim_of_an_item_of_a_transaction_is_undecided_and_the_others_of_its_batch_are_decided() -> None:
    world = World(1, CALM)
    for number in (1, 2):
        world.store.put_if_absent(with_changes(one_off(number), state=State.QUEUED))
    claims = [Claim(execution_id=one_off(number).id, owner="me") for number in (1, 2)]
    with world.contention.holding([str(one_off(1).id)]):
        (answers,) = in_a_process(world, lambda ports: ports.claimer.claim(claims, world.hub.now_ms))
    assert [type(answer) for answer in answers] == [WriteUnknown, Execution]


def test_single_statement_of_a_batch_may_be_throttled_alone() -> None:
    world = World(1, FaultMix(throttle_statement=0.5))
    for number in range(20):
        world.store.put_if_absent(with_changes(one_off(number), state=State.QUEUED))
    claims = [Claim(execution_id=one_off(number).id, owner="me") for number in range(20)]
    (answers,) = in_a_process(world, lambda ports: ports.claimer.claim(claims, world.hub.now_ms))
    assert {type(answer) for answer in answers} == {WriteUnknown, Execution}


def test_a_batch_of_reads_may_leave_keys_out_which_are_read_later() -> None:
    world = World(1, FaultMix(unprocessed_keys=0.5))
    for number in range(20):
        world.store.put_if_absent(one_off(number))
    ids = [one_off(number).id for number in range(20)]
    began_at = world.hub.now_ms
    read: list[int] = []

    def get(ports: Ports) -> Any:
        found = ports.executions.get_many(ids)
        read.append(world.hub.now_ms)
        return found

    while not world.weather.struck[Strike.UNPROCESSED_KEYS]:
        (found,) = in_a_process(world, get)
    assert set(found) == set(ids)
    assert read[-1] > began_at


def test_keys_that_stay_unprocessed_are_an_error_and_no_short_answer() -> None:
    world = World(1, FaultMix(unprocessed_keys=ALWAYS))
    for number in range(200):
        world.store.put_if_absent(one_off(number))
    ids = [one_off(number).id for number in range(100)]
    came_to = [in_a_process(world, lambda ports: ports.executions.get_many(ids))[0] for _ in range(10)]
    assert any(isinstance(one, UnavailableError) for one in came_to)
    assert all(isinstance(one, UnavailableError) or len(one) == 100 for one in came_to)


def test_the_index_of_dead_letters_lags_behind_and_the_table_does_not() -> None:
    world = World(1, FaultMix(stale_index=ALWAYS))
    fail_one(world)
    assert shown_dead(world) == []
    assert world.table.executions[one_off().id].execution.state is State.FAILED
    world.hub.run_until(world.hub.now_ms + 60_000)
    assert shown_dead(world) == [one_off().id]


def test_the_index_still_names_rows_that_ttl_has_taken() -> None:
    world = World(1, CALM)
    fail_one(world)
    world.weather.mix = FaultMix(stale_index=ALWAYS)
    (gone,) = world.table.drop_expired(world.hub.now_ms + 1, lambda: True)
    world.store.drop_from_index(gone)
    assert shown_dead(world) == [gone]
    world.hub.run_until(world.hub.now_ms + 60_000)
    assert shown_dead(world) == []


def shown_dead(world: World) -> list[ExecutionId]:
    pages = world.queries.index_pages(
        TenantIndex.FAILED,
        one_off().tenant_id,
        FAILURE_PARTITIONS,
        PositionRange(),
        newest_first=True,
        limit=10,
    )
    return [place.id for page in pages for place in page.positions]


def sent(world: World, count: int = 1) -> list[Any]:
    process = world.process("test")
    sqs: Any = PortCalls(ProcessHandle(process), world.lanes)
    queue = SqsWakeupQueue(sqs, QUEUE_URLS, even, one_by_one)
    wakeups = [wakeup(number, not_before=world.hub.now_ms) for number in range(count)]
    unsent: list[Any] = []
    process.spawn(lambda: unsent.extend(queue.send(wakeups, world.hub.now_ms)))
    world.hub.run_until(world.hub.now_ms + 1_000)
    return unsent


@pytest.mark.parametrize(
    ("mix", "copies"), [(FaultMix(lose_message=ALWAYS), 0), (CALM, 1), (FaultMix(double_message=ALWAYS), 2)]
)
def test_a_message_may_be_lost_or_doubled(mix: FaultMix, copies: int) -> None:
    world = World(1, mix)
    assert sent(world) == []
    assert world.lanes.sends == copies


def test_batch_entries_may_be_refused_and_are_returned() -> None:
    world = World(1, FaultMix(refuse_entry=0.5))
    unsent = sent(world, count=20)
    assert 0 < len(unsent) < 20
    assert world.lanes.sends == 20 - len(unsent)


def test_a_deleted_message_may_come_again_until_its_receives_are_used_up() -> None:
    world = World(1, FaultMix(redeliver=ALWAYS))
    sent(world)
    (message,) = world.lanes.messages.values()
    world.hub.run_until(world.hub.now_ms + (MAX_RECEIVES + 1) * (VISIBILITY_MS + 1_000))
    assert message.dead
    assert world.weather.struck[Strike.DEAD_MESSAGE] == 1


def test_clocks_differ_by_no_more_than_the_mix_says() -> None:
    world = World(1, FaultMix(skew_ms=2_000))
    skews = [world.process("test").now_ms() - world.hub.now_ms for _ in range(500)]
    assert max(skews) > 1_900 > -1_900 > min(skews)
    assert all(-2_000 <= skew <= 2_000 for skew in skews)


def test_wrong_clocks_are_far_off_or_set_back_for_a_few_processes() -> None:
    world = World(1, FaultMix(wrong_clocks=True))
    processes = [world.process("executor") for _ in range(1_000)]
    first = [process.now_ms() - world.hub.now_ms for process in processes]
    assert set(first) == {-300_000, -30_000, 0, 30_000, 300_000}
    assert first.count(0) > 900
    world.hub.run_until(world.hub.now_ms + 4_000)
    then = [process.now_ms() - world.hub.now_ms for process in processes]
    steps = {(before, after) for before, after in zip(first, then, strict=True) if before != after}
    assert steps == {(0, -30_000), (0, -300_000), (30_000, 0), (300_000, 0)}


def test_api_process_that_is_far_behind_refuses_its_request() -> None:
    world = World(1, FaultMix(wrong_clocks=True))
    seen: list[int] = []
    for _ in range(1_000):
        request(
            world, "create", lambda cases: seen.append(cases.core.ports.clock.now_ms()), world.hub.now_ms, 1
        )
    world.hub.run_until(world.hub.now_ms + 1_000)
    assert {now_ms - world.start_ms for now_ms in seen} >= {0, 30_000, 300_000}
    assert min(seen) >= world.start_ms - 5_000
    assert world.weather.struck[Strike.REFUSED_BY_CLOCK] == 1_000 - len(seen) > 5


def test_batch_whose_invocation_fails_after_its_calls_comes_back_and_is_not_called_again() -> None:
    world = World(1, FaultMix(lost_response=ALWAYS))
    world.functions.start_ticks(lambda: 0)
    Clients(world).order(delay_seconds=0, cancelled=0)
    world.hub.run_until(world.hub.now_ms + LOAD_MS + 2_000)
    (message,) = world.lanes.messages.values()
    assert (len(world.receiver.log), message.receives) == (1, 1)
    world.hub.run_until(world.hub.now_ms + 2 * VISIBILITY_MS)
    assert message.receives > 1
    assert len(world.receiver.log) == 1


def test_all_messages_of_a_queue_are_lost_at_once_and_those_of_others_are_not() -> None:
    world = World(1, CALM)
    world.lanes.closed = set(QUEUE_URLS)
    for lane in (Lane.STANDARD, Lane.BULK):
        world.lanes.come_again(replace(wakeup(), lane=lane))
    world.lanes.come_again(wakeup())
    of_this_queue, of_another, dead = world.lanes.messages.values()
    dead.dead = True
    world.weather.mix = FaultMix(lose_queue=ALWAYS)
    assert sent(world) == []
    assert of_this_queue.queue is dead.queue is not of_another.queue
    assert list(world.lanes.messages.values()) == [of_another, dead]


def test_process_may_die_between_a_transaction_and_its_message() -> None:
    world = World(1, FaultMix(crash_before_send=ALWAYS))
    order = Clients(world).order(rhythm=every(1), cancelled=0)
    world.hub.run_until(world.hub.now_ms + LOAD_MS + 2_000)
    assert (len(world.table.jobs) > 0, order.acked_at, world.lanes.sends) == (True, None, 0)


def test_streak_throttles_ten_calls_of_one_caller() -> None:
    world = World(1, FaultMix(throttle_streak=ALWAYS))

    def try_often(ports: Ports) -> list[bool]:
        throttled = []
        for _ in range(THROTTLES_OF_STREAK + 2):
            try:
                ports.executions.get(one_off().id)
                throttled.append(False)
            except UnavailableError:
                throttled.append(True)
            world.weather.mix = CALM
        return throttled

    assert in_a_process(world, try_often) == [[True] * THROTTLES_OF_STREAK + [False] * 2]


def test_process_may_stand_still_for_longer_than_a_message_is_invisible() -> None:
    world = World(1, FaultMix(long_freeze=ALWAYS))
    ended_at: list[int] = []

    def read(ports: Ports) -> None:
        ports.executions.get(one_off().id)
        ended_at.append(world.hub.now_ms)

    assert in_a_process(world, read) == [None]
    ended_at.clear()
    in_a_process(world, read, kind="executor")
    assert ended_at == []
    began_at = world.hub.now_ms
    world.hub.run_until(began_at + 10 * VISIBILITY_MS)
    assert ended_at[0] - began_at > VISIBILITY_MS


def test_no_watcher_and_no_sweeper_runs_in_a_gap_of_ticks() -> None:
    world = World(1, CALM)
    world.functions.start_ticks(lambda: world.hub.now_ms + MINUTE_MS)
    world.hub.run_until(world.hub.now_ms + 3 * MINUTE_MS)
    world.weather.mix = FaultMix(tick_gap=ALWAYS)
    world.hub.run_until(world.hub.now_ms + MINUTE_MS)
    swept, ends_at = world.ledger.swept_through(), world.functions.no_ticks_until_ms
    assert ends_at >= world.hub.now_ms + 59 * MINUTE_MS - 60_000
    world.hub.run_until(ends_at - 1)
    assert world.ledger.swept_through() == swept
    world.hub.run_until(ends_at + 2 * MINUTE_MS)
    assert world.ledger.swept_through() != swept
