"""How many runs a tenant's jobs are about to make: the runs of the list, step by step, within bounds."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.executions.states import State
from shared.domain.ids import ENTROPY_BITS
from shared.domain.schedules.schedule import Cron, Rate
from shared.usecases.listings.count_upcoming import (
    LONGEST_DAYS,
    READS_AT_MOST,
    RUNS_AT_MOST,
    STEPS_AT_MOST,
    Density,
    check_range,
)
from shared.usecases.listings.list_upcoming import UpcomingPosition
from shared.usecases.listings.upcoming_sources import DEFINITIONS_AT_MOST
from tests.support.builders import DUE_AT, in_state, job, one_off
from tests.support.usecases.world import World

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
EACH_SECOND = Rate(interval_ms=SECOND, anchor=DUE_AT)


def counted(world: World, within_ms: int, step_ms: int = MINUTE) -> Density:
    until = world.clock.time_ms + within_ms
    return world.cases.listings.count_upcoming.execute(world.tenant, until, step_ms)


def counts_of(density: Density) -> dict[int, int]:
    return {step.at: step.count for step in density.steps if step.count}


def listed(world: World, until: int, step_ms: int) -> Counter[int]:
    """The runs of all pages of the list, by the start of their step."""
    runs: list[int] = []
    position: UpcomingPosition | None = None
    within_ms = until - 1 - world.clock.time_ms
    while True:
        page = world.list_upcoming.execute(world.tenant, within_ms, limit=100, position=position)
        runs += [run.at for run in page.runs]
        position = page.next_position
        if position is None:
            return Counter(at - at % step_ms for at in runs)


@pytest.mark.parametrize("step_ms", [SECOND, 7 * SECOND, MINUTE, HOUR])
def test_counts_are_those_of_the_list(step_ms: int) -> None:
    world = World(DUE_AT - 1_000)
    world.tenant = replace(world.tenant, index_shards=2)
    world.recurring(1)
    world.recurring(2, jitter_ms=50_000)
    world.recurring(3, max_runs=3)
    world.recurring(4, schedule=Rate(interval_ms=5 * SECOND, anchor=DUE_AT))
    world.recurring(5, schedule=Cron(line="*/7 * * * *", timezone="Europe/Berlin"))
    world.put(one_off(1, due_at=DUE_AT + 30_000, index_shard=1))
    world.put(one_off(2, due_at=DUE_AT + 30_000))
    retry_at = DUE_AT + 90_000
    world.put(in_state(one_off(3, due_at=DUE_AT - 3_600_000), State.WAITING, next_attempt_at=retry_at))
    density = counted(world, 10 * MINUTE, step_ms)
    assert density.is_complete
    assert counts_of(density) == listed(world, density.until, step_ms)
    assert sum(step.count for step in density.steps) > 100


def test_every_step_of_the_range_is_there_from_the_present_one_on() -> None:
    world = World(DUE_AT + 20_000)
    world.put(one_off(1, due_at=DUE_AT + 10_000))
    world.put(one_off(2, due_at=DUE_AT + 30_000))
    density = counted(world, 2 * MINUTE)
    first = DUE_AT - DUE_AT % MINUTE
    assert [step.at for step in density.steps] == [first + number * MINUTE for number in range(3)]
    assert density.until == first + 3 * MINUTE
    assert [step.count for step in density.steps] == [1, 0, 0]


@pytest.mark.parametrize("state", sorted(set(State) - {State.PENDING, State.QUEUED, State.MOVED}))
def test_run_that_has_begun_or_ended_is_not_counted(state: State) -> None:
    world = World(DUE_AT - 1_000)
    row = world.table.executions[world.recurring().id_at(DUE_AT)]
    later = {} if state is not State.WAITING else {"next_attempt_at": DUE_AT + DAY}
    row.execution = in_state(row.execution, state, **later)
    assert sum(counts_of(counted(world, 2 * MINUTE, SECOND)).values()) == 1


def test_runs_of_other_tenants_are_not_counted() -> None:
    world = World(DUE_AT - 1_000)
    world.put(one_off(1, tenant_id="other"))
    foreign = job(5, tenant_id="other")
    world.table.jobs["other", foreign.id] = foreign
    assert counts_of(counted(world, 10 * MINUTE)) == {}


def put_in_each_second(world: World, count: int, state_of: Callable[[int], State]) -> None:
    """One-off jobs with identities as the product draws them."""
    drawn = Random(17)
    for number in range(count):
        single = one_off(drawn.getrandbits(ENTROPY_BITS), due_at=DUE_AT + (number + 1) * SECOND)
        world.put(in_state(single, state_of(number)))


def test_counts_up_to_the_bound_of_reads_are_exact() -> None:
    world = World(DUE_AT)
    put_in_each_second(world, READS_AT_MOST, lambda number: State.CANCELLED if number % 2 else State.PENDING)
    density = counted(world, HOUR, MINUTE)
    assert (density.is_complete, density.is_estimated) == (True, False)
    assert sum(counts_of(density).values()) == READS_AT_MOST // 2


def test_sample_of_more_stored_runs_is_read_and_counts_them_all() -> None:
    world = World(DUE_AT)
    put_in_each_second(world, 5 * READS_AT_MOST + 50, lambda _: State.PENDING)
    world.steps.taken.clear()
    density = counted(world, HOUR, MINUTE)
    assert (density.is_complete, density.is_estimated) == (True, True)
    assert sum(counts_of(density).values()) == 5 * READS_AT_MOST + 50
    assert len(density.steps) == 61
    assert 0 < world.steps.count("store.get_many") <= READS_AT_MOST // 100


@pytest.mark.parametrize("period", [2, 5, 10])
def test_sample_leaves_out_as_many_runs_as_were_cancelled_whatever_their_pattern(period: int) -> None:
    world = World(DUE_AT)
    stored = 10 * READS_AT_MOST
    put_in_each_second(world, stored, lambda number: State.PENDING if number % period else State.CANCELLED)
    density = counted(world, HOUR, MINUTE)
    will_run = stored - stored // period
    assert sum(counts_of(density).values()) == pytest.approx(will_run, rel=0.15)


def test_sample_finds_no_run_where_all_were_cancelled() -> None:
    world = World(DUE_AT)
    put_in_each_second(world, 2 * READS_AT_MOST, lambda _: State.CANCELLED)
    assert counts_of(counted(world, HOUR, MINUTE)) == {}


def test_runs_that_are_not_stored_cost_no_read_and_are_counted_up_to_a_bound() -> None:
    world = World(DUE_AT)
    for number in range(3):
        world.recurring(number, schedule=EACH_SECOND)
    world.steps.taken.clear()
    density = counted(world, DAY, HOUR)
    assert not density.is_complete
    assert sum(counts_of(density).values()) == RUNS_AT_MOST
    assert len(world.steps.taken) <= 6


def test_counts_are_incomplete_beyond_the_definition_limit() -> None:
    world = World(DUE_AT - 1_000)
    for number in range(DEFINITIONS_AT_MOST + 20):
        world.recurring(number)
    density = counted(world, MINUTE, SECOND)
    assert not density.is_complete
    assert counts_of(density)[DUE_AT - DUE_AT % SECOND] == DEFINITIONS_AT_MOST + 20


@pytest.mark.parametrize(
    ("until", "step_ms", "reason"),
    [
        (DUE_AT, MINUTE, "to must be in the future"),
        (DUE_AT - 1, MINUTE, "to must be in the future"),
        (DUE_AT + LONGEST_DAYS * DAY + 1, DAY, "at most 31 days"),
        (DUE_AT + STEPS_AT_MOST * MINUTE + 1, MINUTE, "at most 1000 steps"),
    ],
)
def test_range_without_an_answer_is_refused(until: int, step_ms: int, reason: str) -> None:
    with pytest.raises(InvalidValueError, match=reason):
        check_range(DUE_AT, until, step_ms)


def test_longest_ranges_are_answered() -> None:
    assert check_range(DUE_AT, DUE_AT + LONGEST_DAYS * DAY, DAY) > DUE_AT
    aligned = DUE_AT - DUE_AT % MINUTE
    assert check_range(aligned, aligned + STEPS_AT_MOST * MINUTE, MINUTE) == aligned + STEPS_AT_MOST * MINUTE
