"""The head of a chain: the latest occurrence that was filed, found by reading the keys that could be it."""

from dataclasses import replace

import pytest

from shared.domain.errors import UnreadableItemError
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Rate
from shared.usecases.reading.find_head import FindHead
from tests.support.builders import DUE_AT, in_state
from tests.support.fakes.table import Damage
from tests.support.usecases import chains
from tests.support.usecases.world import World

MINUTE = 60_000
HOUR = 3_600_000


def ran(world: World, times: int) -> Job:
    """A job that has run so often, whose next run is filed."""
    job = world.recurring()
    world.table.executions.clear()
    for number in range(times):
        world.put(in_state(job.occurrence(DUE_AT + number * MINUTE, created_at=DUE_AT), State.SUCCEEDED))
    world.put(job.occurrence(DUE_AT + times * MINUTE, created_at=DUE_AT))
    world.clock.time_ms = DUE_AT + (times - 1) * MINUTE + 1_000
    return job


def head_at(world: World, job: Job) -> int | None:
    head = FindHead(world.store).execute(job, world.clock.time_ms)
    return head.nominal_at if head else None


@pytest.mark.parametrize("times", [1, 2, 1_000])
def test_the_next_run_is_found_with_one_read_however_long_the_job_has_run(times: int) -> None:
    world = World()
    job = ran(world, times)
    world.steps.taken.clear()
    assert head_at(world, job) == DUE_AT + times * MINUTE
    assert world.steps.taken == ["store.get_many"]


@pytest.mark.parametrize("missed", [1, 2, 3, 11, 12, 13, 61, 62, 63, 1_000])
def test_a_head_that_was_left_behind_is_found_however_far(missed: int) -> None:
    chain = chains.after_an_outage(missed)
    assert head_at(chain.world, chain.job) == DUE_AT


def test_the_target_of_a_jump_is_found_and_nothing_before_it_is_looked_at() -> None:
    chain = chains.after_a_jump(1_000)
    job = chain.world.table.jobs[chain.job.tenant_id, chain.job.id]
    chain.world.clock.time_ms += 300 * MINUTE
    assert head_at(chain.world, job) == job.chain_from
    chain.world.table.executions.clear()
    assert head_at(chain.world, job) is None


def test_chain_without_executions_has_no_head() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    world.table.executions.clear()
    assert head_at(world, job) is None


@pytest.mark.parametrize("damage", Damage)
def test_a_row_before_the_head_that_cannot_be_read_does_not_matter(damage: Damage) -> None:
    world = World()
    job = ran(world, 3)
    world.table.executions[job.id_at(DUE_AT + 2 * MINUTE)].damage = damage
    assert head_at(world, job) == DUE_AT + 3 * MINUTE


@pytest.mark.parametrize("damage", Damage)
def test_a_head_that_cannot_be_read_is_not_passed_over(damage: Damage) -> None:
    world = World()
    job = ran(world, 3)
    world.table.executions[job.id_at(DUE_AT + 3 * MINUTE)].damage = damage
    with pytest.raises(UnreadableItemError):
        head_at(world, job)


def behind(instants: int, interval_ms: int = 1_000) -> tuple[World, Job]:
    """A job whose head was left that many instants behind; its earlier runs stand as long as records are kept."""
    world = World(DUE_AT)
    job = world.recurring(schedule=Rate(interval_ms=interval_ms, anchor=DUE_AT - 500 * interval_ms))
    world.table.executions.clear()
    job = replace(job, chain_from=DUE_AT - 500 * interval_ms)
    world.table.jobs[job.tenant_id, job.id] = job
    for number in range(-500, 1):
        state = State.SUCCEEDED if number else State.PENDING
        world.put(in_state(job.occurrence(DUE_AT + number * interval_ms, created_at=DUE_AT), state))
    world.clock.time_ms = DUE_AT + instants * interval_ms
    return world, job


@pytest.mark.parametrize("instants", [0, 1, 2, 5, 31, 32, 33, 1_000, 3_599, 86_400, 7 * 86_400 - 600])
def test_head_is_found_with_a_few_reads_however_many_instants_it_is_behind(instants: int) -> None:
    world, job = behind(instants)
    world.steps.taken.clear()
    assert head_at(world, job) == DUE_AT
    assert len(world.steps.taken) <= 10
    assert set(world.steps.taken) == {"store.get_many"}


@pytest.mark.parametrize("kept", [3, 7, 50, 499])
def test_head_is_found_where_some_records_of_earlier_runs_have_expired(kept: int) -> None:
    """The first record of the chain is kept, and one of each `kept` records after it."""
    world, job = behind(300, interval_ms=HOUR)
    for number in range(-500, 0):
        if (number + 500) % kept:
            del world.table.executions[job.id_at(DUE_AT + number * HOUR)]
    assert head_at(world, job) == DUE_AT


@pytest.mark.parametrize(("missed", "later"), [(3_000, 3_000), (100_000, 50_000)])
def test_head_is_found_by_a_definition_that_was_read_before_a_jump(missed: int, later: int) -> None:
    """The jump is a few days ago, or longer ago than the time within which a chain has no other gap."""
    chain = chains.after_a_jump(missed)
    world = chain.world
    world.clock.time_ms += later * MINUTE
    target_at = world.table.jobs[chain.job.tenant_id, chain.job.id].chain_from
    assert chain.job.chain_from < target_at
    early = replace(chain.job, chain_from=DUE_AT)
    assert head_at(world, early) == target_at


@pytest.mark.parametrize("damage", Damage)
def test_head_that_cannot_be_read_is_found_however_far_behind(damage: Damage) -> None:
    world, job = behind(5_000)
    world.table.executions[job.id_at(DUE_AT)].damage = damage
    with pytest.raises(UnreadableItemError):
        head_at(world, job)
    world.table.executions[job.id_at(DUE_AT)].damage = None
    world.table.executions[job.id_at(DUE_AT - 1_000)].damage = damage
    assert head_at(world, job) == DUE_AT
