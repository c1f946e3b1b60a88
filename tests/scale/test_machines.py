"""Virtual machines and stores of the scale model: what takes how long, and which rows a scan returns."""

from collections.abc import Callable

import pytest

from shared.domain.bucket import bucket_of
from shared.domain.executions.states import State
from tests.scale.machines import Machine, MachineSpread
from tests.scale.stage import START_MS
from tests.scale.stores import ScaleExecutionStore, ScaleTable
from tests.simulation.hub import Hub
from tests.support.builders import DUE_AT, EXPIRES_AT_S, in_state, one_off

FULL_MB = 1_769


def duration_ms(machine: Machine, act: Callable[[], object]) -> float:
    """How long the machine takes in virtual time."""
    ended: list[float] = []

    def run() -> None:
        act()
        ended.append(machine.hub.now_ms - START_MS)

    machine.hub.spawn(run)
    machine.hub.run_until(START_MS + 60_000)
    return ended[0]


def test_machine_with_half_a_core_takes_twice_the_processor_time() -> None:
    machine = Machine(Hub(START_MS), FULL_MB // 2)
    assert duration_ms(machine, lambda: machine.spend(10, 5)) == pytest.approx(25, abs=0.1)


def test_calls_side_by_side_share_the_processor_and_wait_together() -> None:
    machine = Machine(Hub(START_MS), FULL_MB)
    spread = MachineSpread(machine, threads=4)

    def act() -> None:
        spread(lambda _: machine.spend(1, 20), range(8))

    # Two groups of four: each call needs the processor for 1 ms, and each group waits for 20 ms.
    assert duration_ms(machine, act) == pytest.approx(45, abs=3)


def test_calls_side_by_side_return_their_results_in_order() -> None:
    machine = Machine(Hub(START_MS), FULL_MB)
    results: list[int] = []

    def act() -> None:
        results.extend(MachineSpread(machine, threads=3)(lambda number: number * 2, range(5)))

    duration_ms(machine, act)
    assert results == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_scan_pages_through_counted_rows_after_the_others(limit: int) -> None:
    table = ScaleTable()
    for number in range(5):
        ended = in_state(one_off(number), State.SUCCEEDED, attempt=1)
        table.insert(ended, EXPIRES_AT_S)
    bucket = bucket_of(DUE_AT)
    table.count_ended(bucket, 0)
    table.insert(one_off(7), None)
    store, after, states = ScaleExecutionStore(table), None, []
    while True:
        page = store.scan(bucket, 0, after=after, limit=limit)
        states += [row.state for row in page.rows]
        after = page.next_after
        if after is None:
            break
    assert states == [State.PENDING, *[State.SUCCEEDED] * 5]
