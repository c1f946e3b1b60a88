"""The history of a job that was paused, changed and triggered: all of its chains and extras in one order."""

from dataclasses import replace

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange, history_position
from shared.domain.schedules.schedule import Rate
from shared.usecases.listings.job_history import CHAINS_AT_MOST
from shared.usecases.listings.list_executions import HistoryPosition
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, execution_id, in_state, one_off, with_changes
from tests.support.usecases.shown import records
from tests.support.usecases.world import World

MINUTE = 60_000
EVERYTHING = ExecutionFilter()


def ran(world: World, job: Job, count: int, from_at: int = DUE_AT) -> list[Execution]:
    """Occurrences of the job's present chain that have run."""
    made = []
    for number in range(count):
        occurrence = job.occurrence(from_at + number * MINUTE, created_at=DUE_AT)
        made.append(in_state(occurrence, State.SUCCEEDED))
        world.table.executions.pop(occurrence.id, None)
        world.put(made[-1])
    return made


def next_chain(world: World, before: Job, until: int, **changes: object) -> Job:
    """The job with a new chain, which begins after `until`."""
    after = with_changes(
        before,
        revision=before.revision + 1,
        chain_revision=before.revision + 1,
        history_from=until + 1,
        chain_from=until + MINUTE,
        **changes,
    )
    world.table.past_chains[before.tenant_id, before.id, before.chain_revision] = before.chain(until)
    world.table.jobs[before.tenant_id, before.id] = after
    return after


def extra(world: World, job: Job, number: int, at: int) -> Execution:
    """One that was triggered."""
    triggered = with_changes(
        job.occurrence(at, created_at=at),
        id=execution_id(number, dispatch_at=at),
        state=State.QUEUED,
        recurrence=None,
    )
    assert world.jobs.file_beside(world.table.jobs[job.tenant_id, job.id], triggered, EXPIRES_AT_S)
    return triggered


def told(world: World, job_id: str, limit: int, wanted: ExecutionFilter = EVERYTHING) -> list[Execution]:
    """Every page of a history."""
    found: list[Execution] = []
    position: HistoryPosition | None = None
    for _ in range(500):
        page = world.list_executions.execute(TENANT, job_id, limit=limit, criteria=wanted, position=position)
        assert len(page.executions) <= limit
        found += records(page.executions)
        position = page.next_position
        if position is None:
            return found
    raise AssertionError("the pages do not end")


def in_order(*parts: list[Execution]) -> list[Execution]:
    return sorted((one for part in parts for one in part), key=history_position, reverse=True)


def three_chains(world: World) -> tuple[Job, list[Execution]]:
    """Every minute, then every two minutes, then every minute again."""
    job = world.recurring()
    first = ran(world, job, 5)
    job = next_chain(world, job, DUE_AT + 4 * MINUTE, schedule=Rate(interval_ms=2 * MINUTE, anchor=DUE_AT))
    second = [
        world.put(in_state(job.occurrence(DUE_AT + number * MINUTE, created_at=DUE_AT), State.FAILED))
        for number in (6, 8, 10)
    ]
    job = next_chain(world, job, DUE_AT + 11 * MINUTE, schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT))
    third = ran(world, job, 4, DUE_AT + 12 * MINUTE)
    world.clock.time_ms = DUE_AT + 15 * MINUTE + 1
    return job, in_order(first, second, third)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_a_history_goes_through_all_chains_without_gap_or_repeat(limit: int) -> None:
    world = World(DUE_AT)
    job, wanted = three_chains(world)
    assert told(world, job.id, limit) == wanted


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_executions_beside_the_schedule_stand_at_their_own_instants(limit: int) -> None:
    world = World(DUE_AT)
    job, planned = three_chains(world)
    extras = [
        extra(world, job, 2**80 - 1, DUE_AT + 3 * MINUTE),
        extra(world, job, 0, DUE_AT + 3 * MINUTE),
        extra(world, job, 7, DUE_AT + 3 * MINUTE),
        extra(world, job, 8, DUE_AT + 11 * MINUTE + 30_000),
        extra(world, job, 9, DUE_AT - MINUTE),
    ]
    assert told(world, job.id, limit) == in_order(planned, extras)


@pytest.mark.parametrize("limit", [1, 2])
def test_many_executions_of_one_instant_are_never_lost_between_pages(limit: int) -> None:
    world = World(DUE_AT)
    job = world.recurring()
    planned = ran(world, job, 1)
    extras = [extra(world, job, number, DUE_AT) for number in range(7)]
    world.clock.time_ms = DUE_AT + 1
    assert told(world, job.id, limit) == in_order(planned, extras)


def test_filter_finds_an_execution_among_many_extra_executions() -> None:
    """More than one read of records finds, behind which the schedule's own executions are still to come."""
    world = World(DUE_AT)
    job = world.recurring()
    ran(world, job, 3)
    extras = [extra(world, job, number, DUE_AT + 1 + number) for number in range(250)]
    wanted = extras[20]
    world.table.executions[wanted.id].execution = in_state(wanted, State.CANCELLED)
    world.clock.time_ms = DUE_AT + 3 * MINUTE
    found = told(world, job.id, 10, ExecutionFilter(state=State.CANCELLED))
    assert [one.id for one in found] == [wanted.id]


def test_pages_hold_while_the_job_is_triggered_and_changed() -> None:
    world = World(DUE_AT)
    job, planned = three_chains(world)
    seen: list[Execution] = []
    position: HistoryPosition | None = None
    for number in range(50):
        page = world.list_executions.execute(TENANT, job.id, limit=2, position=position)
        seen += records(page.executions)
        position = page.next_position
        if position is None:
            break
        extra(world, job, 100 + number, world.clock.time_ms)
        world.clock.time_ms += 1_000
        if number == 1:
            job = next_chain(world, job, DUE_AT + 15 * MINUTE)
            ran(world, job, 1, DUE_AT + 16 * MINUTE)
    assert seen == planned


def test_a_span_and_a_state_narrow_a_history() -> None:
    world = World(DUE_AT)
    job, planned = three_chains(world)
    span = PositionRange(
        after=IndexPosition(at=DUE_AT + 3 * MINUTE), before=IndexPosition(at=DUE_AT + 12 * MINUTE)
    )
    within = [one for one in planned if DUE_AT + 3 * MINUTE <= one.nominal_at < DUE_AT + 12 * MINUTE]
    assert len(within) == 5
    assert told(world, job.id, 2, ExecutionFilter(span=span)) == within
    failed = ExecutionFilter(span=span, state=State.FAILED)
    assert told(world, job.id, 2, failed) == [one for one in within if one.state is State.FAILED]


def test_history_of_a_long_pause_ends_within_a_single_page() -> None:
    """A month of seconds without a record: it is told by one, and stepped over by the chain that knows of it."""
    world = World(DUE_AT)
    job = world.recurring(schedule=Rate(interval_ms=1_000, anchor=DUE_AT))
    world.table.executions.clear()
    world.put(in_state(job.occurrence(DUE_AT, created_at=DUE_AT), State.SUCCEEDED))
    resumed_at = DUE_AT + 30 * 86_400_000
    skipped = with_changes(
        job.occurrence(DUE_AT + 1_000, created_at=DUE_AT),
        state=State.SKIPPED,
        end_reason=EndReason.JOB_PAUSED,
        ends_chain=True,
    )
    world.put(skipped)
    after = replace(
        job, revision=3, chain_revision=3, history_from=resumed_at + 1, chain_from=resumed_at + 1_000
    )
    world.table.past_chains[job.tenant_id, job.id, 1] = job.chain(resumed_at, 0, DUE_AT + 1_000)
    world.table.jobs[job.tenant_id, job.id] = after
    world.clock.time_ms = resumed_at + 500
    page = world.list_executions.execute(TENANT, job.id, limit=10)
    assert [one.state for one in records(page.executions)] == [State.SKIPPED, State.SUCCEEDED]
    assert page.next_position is None


def test_a_paused_job_shows_what_was_before_at_once() -> None:
    world = World(DUE_AT)
    job = world.recurring(schedule=Rate(interval_ms=1_000, anchor=DUE_AT))
    paused = replace(job, state=JobState.PAUSED, ended_from=DUE_AT + 1_000, ended_through=DUE_AT + 6_000)
    world.table.jobs[job.tenant_id, job.id] = paused
    world.clock.time_ms = DUE_AT + 10 * 86_400_000
    page = world.list_executions.execute(TENANT, job.id, limit=10)
    assert ([one.nominal_at for one in records(page.executions)], page.next_position) == ([DUE_AT], None)


def test_a_page_walks_through_so_many_chains_only_and_says_that_there_is_more() -> None:
    """A daily job that was changed every minute has chains without any instant."""
    world = World(DUE_AT)
    job = world.recurring(schedule=Rate(interval_ms=86_400_000, anchor=DUE_AT))
    first = world.standing(job.id_at(DUE_AT))
    for number in range(2 * CHAINS_AT_MOST + 10):
        job = next_chain(world, job, DUE_AT + 1 + number * 1_000)
    late = extra(world, job, 5, DUE_AT + 5_500)
    world.clock.time_ms = DUE_AT + 3_600_000
    world.steps.taken.clear()
    page = world.list_executions.execute(TENANT, job.id, limit=10)
    assert page.next_position is not None
    assert len(world.steps.taken) <= 12
    following = (
        world.standing(job.id_at(job.chain_from))
        if job.id_at(job.chain_from) in world.table.executions
        else None
    )
    assert told(world, job.id, 10) == [one for one in (following, late, first) if one is not None]


def test_a_one_off_has_its_execution_and_what_was_filed_beside_it() -> None:
    world = World(DUE_AT)
    execution = world.put(in_state(one_off(), State.FAILED, attempt=5))
    again = replace(one_off(77, due_at=DUE_AT + 5), job_id=execution.job_id)
    world.put(again)
    world.table.extras[TENANT, execution.job_id, history_position(again)] = EXPIRES_AT_S
    assert told(world, execution.job_id, 1) == [again, execution]


def test_a_record_that_names_another_tenants_execution_shows_nothing_of_it() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    foreign = world.put(one_off(9, tenant_id="other"))
    world.table.extras[TENANT, job.id, history_position(foreign)] = EXPIRES_AT_S
    assert foreign not in told(world, job.id, 10)


def test_the_whole_of_a_lifecycle_is_told() -> None:
    """Paused, resumed and deleted through the use cases themselves."""
    world = World(DUE_AT)
    job = world.recurring()
    world.clock.time_ms = DUE_AT + 10
    world.table.executions[job.id_at(DUE_AT)].execution = in_state(
        world.standing(job.id_at(DUE_AT)), State.SUCCEEDED
    )
    world.put(job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT))
    world.lifecycle.pause.execute(TENANT, job.id)
    world.clock.time_ms += 10 * MINUTE
    world.lifecycle.resume.execute(TENANT, job.id)
    history = told(world, job.id, 2)
    assert [one.nominal_at for one in history] == sorted((one.nominal_at for one in history), reverse=True)
    assert history[-1].state is State.SUCCEEDED
    assert {one.progress.end_reason for one in history[1:-1]} == {EndReason.JOB_PAUSED}
    assert history[0].state in (State.PENDING, State.QUEUED)
    assert history[0].revision > history[-1].revision


def test_a_deleted_job_has_no_empty_pages_however_long_ago_that_was() -> None:
    world = World(DUE_AT)
    job = world.recurring(schedule=Rate(interval_ms=1_000, anchor=DUE_AT))
    world.lifecycle.delete.execute(TENANT, job.id)
    world.clock.time_ms += 24 * 60 * MINUTE
    page = world.list_executions.execute(TENANT, job.id, limit=100)
    assert {one.progress.end_reason for one in records(page.executions)} == {EndReason.JOB_DELETED}
    assert page.next_position is None
