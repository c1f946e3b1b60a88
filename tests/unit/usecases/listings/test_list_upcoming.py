"""What a tenant's jobs are about to do: filed, retried and expected runs in one order, each told once."""

from dataclasses import replace

import pytest

from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Cron, Rate
from shared.usecases.listings.list_upcoming import UpcomingPosition, UpcomingRun
from shared.usecases.listings.upcoming_sources import (
    DEFINITIONS_AT_MOST,
    LIMITED_AT_MOST,
    RETRIES_AT_MOST,
    Basis,
)
from tests.support.builders import DUE_AT, in_state, job, one_off
from tests.support.usecases.world import World

MINUTE = 60_000
SECOND = Rate(interval_ms=1_000, anchor=DUE_AT)


def told(world: World, within_ms: int, limit: int = 100) -> list[UpcomingRun]:
    """Every page."""
    runs: list[UpcomingRun] = []
    position: UpcomingPosition | None = None
    for _ in range(1_000):
        page = world.list_upcoming.execute(world.tenant, within_ms, limit=limit, position=position)
        assert len(page.runs) <= limit
        runs += page.runs
        position = page.next_position
        if position is None:
            return runs
        # Time goes on while a client reads; the window stays.
        world.clock.time_ms += 1
    raise AssertionError("the pages do not end")


def shown(runs: list[UpcomingRun]) -> list[tuple[int, str]]:
    return [(run.at - DUE_AT, run.basis.value) for run in runs]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_filed_runs_retries_and_expected_runs_come_in_one_order(limit: int) -> None:
    world = World(DUE_AT - 1_000)
    world.tenant = replace(world.tenant, index_shards=2)
    world.recurring()
    world.put(one_off(1, due_at=DUE_AT + 30_000, index_shard=1))
    world.put(in_state(one_off(2, due_at=DUE_AT - 3_600_000), State.WAITING, next_attempt_at=DUE_AT + 90_000))
    assert shown(told(world, 2 * MINUTE + 1_000, limit)) == [
        (0, "filed"),
        (30_000, "filed"),
        (MINUTE, "expected"),
        (90_000, "retry"),
        (2 * MINUTE, "expected"),
    ]


def test_an_expected_run_that_is_filed_meanwhile_is_told_once() -> None:
    world = World(DUE_AT - 1_000)
    definition = world.recurring()
    first = world.list_upcoming.execute(world.tenant, 5 * MINUTE, limit=1)
    world.put(definition.occurrence(DUE_AT + MINUTE, created_at=DUE_AT))
    rest = world.list_upcoming.execute(world.tenant, 5 * MINUTE, limit=100, position=first.next_position)
    runs = [*first.runs, *rest.runs]
    assert [run.at - DUE_AT for run in runs] == [number * MINUTE for number in range(5)]
    assert runs[1].basis is Basis.FILED
    assert runs[1].id == definition.id_at(DUE_AT + MINUTE)


@pytest.mark.parametrize("state", sorted(set(State) - {State.PENDING, State.QUEUED, State.MOVED}))
def test_a_run_that_has_begun_or_ended_is_not_upcoming_nor_expected(state: State) -> None:
    world = World(DUE_AT - 1_000)
    definition = world.recurring()
    row = world.table.executions[definition.id_at(DUE_AT)]
    row.execution = in_state(
        row.execution,
        state,
        **({} if state is not State.WAITING else {"next_attempt_at": DUE_AT + 86_400_000}),
    )
    assert shown(told(world, MINUTE + 1_000)) == [(MINUTE, "expected")]


def test_the_window_is_that_of_the_first_page() -> None:
    world = World(DUE_AT)
    world.recurring()
    pages = [world.list_upcoming.execute(world.tenant, 3 * MINUTE, limit=1)]
    while len(pages) < 9 and (position := pages[-1].next_position) is not None:
        world.clock.time_ms += 10 * MINUTE
        pages.append(world.list_upcoming.execute(world.tenant, 3 * MINUTE, limit=1, position=position))
    assert {page.until for page in pages} == {DUE_AT + 3 * MINUTE}
    assert [run.at - DUE_AT for page in pages for run in page.runs] == [n * MINUTE for n in range(4)]


@pytest.mark.parametrize("state", sorted(set(JobState) - {JobState.ACTIVE}))
def test_only_active_jobs_are_expected_to_run(state: JobState) -> None:
    world = World(DUE_AT - 1_000)
    definition = world.recurring()
    world.table.jobs[definition.tenant_id, definition.id] = replace(definition, state=state)
    assert shown(told(world, 10 * MINUTE)) == [(0, "filed")]


def test_jitter_is_part_of_when_a_run_is_due() -> None:
    world = World(DUE_AT - 1_000)
    definition = world.recurring(jitter_ms=50_000)
    runs = told(world, 10 * MINUTE)
    assert [run.at for run in runs] == [definition.id_at(run.scheduled_at).dispatch_at for run in runs]
    assert [run.at for run in runs] == sorted(run.at for run in runs)
    assert any(run.at != run.scheduled_at for run in runs)
    assert len(runs) in (10, 11)


def test_a_run_whose_jitter_reaches_beyond_now_is_still_to_come() -> None:
    world = World(DUE_AT)
    definition = job(jitter_ms=50_000)
    late_at = definition.id_at(DUE_AT).dispatch_at
    assert late_at > DUE_AT + 1
    world.clock.time_ms = DUE_AT + 1
    world.table.jobs[definition.tenant_id, definition.id] = definition
    (run, *_) = told(world, MINUTE)
    assert (run.at, run.scheduled_at, run.basis) == (late_at, DUE_AT, Basis.EXPECTED)


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_a_job_ends_with_its_last_run(limit: int) -> None:
    world = World(DUE_AT - 1_000)
    world.recurring(max_runs=3)
    assert shown(told(world, 10 * MINUTE, limit)) == [
        (0, "filed"),
        (MINUTE, "expected"),
        (2 * MINUTE, "expected"),
    ]


def test_instant_before_the_start_of_the_chain_is_not_expected() -> None:
    world = World(DUE_AT)
    definition = world.recurring(chain_from=DUE_AT + 3 * MINUTE)
    assert [run.scheduled_at for run in told(world, 4 * MINUTE)] == [DUE_AT + 3 * MINUTE, DUE_AT + 4 * MINUTE]
    assert definition.schedule == Rate(interval_ms=MINUTE, anchor=DUE_AT)


def test_upcoming_runs_of_other_tenants_are_not_listed() -> None:
    world = World(DUE_AT - 1_000)
    world.put(one_off(1, tenant_id="other"))
    foreign = job(5, tenant_id="other")
    world.table.jobs["other", foreign.id] = foreign
    assert told(world, 10 * MINUTE) == []


def test_a_day_of_seconds_is_paged_with_bounded_work() -> None:
    world = World(DUE_AT)
    for number in range(30):
        world.recurring(number, schedule=SECOND)
    position = None
    for _ in range(3):
        world.steps.taken.clear()
        page = world.list_upcoming.execute(world.tenant, 86_400_000, limit=100, position=position)
        position = page.next_position
        assert (len(page.runs), position is None, page.is_complete) == (100, False, True)
        assert len(world.steps.taken) <= 6


def test_next_run_of_every_definition_is_listed_beyond_the_definition_limit() -> None:
    world = World(DUE_AT - 1_000)
    for number in range(DEFINITIONS_AT_MOST + 20):
        world.recurring(number, schedule=Cron(line="0 0 1 1 *", timezone="UTC"))
    world.steps.taken.clear()
    page = world.list_upcoming.execute(world.tenant, MINUTE, limit=100)
    assert not page.is_complete
    assert world.steps.count("queries.definitions") == 1
    assert len(told(world, MINUTE)) == DEFINITIONS_AT_MOST + 20


def test_jobs_with_a_number_of_runs_cost_a_read_each_so_only_some_are_enumerated() -> None:
    world = World(DUE_AT - 1_000)
    for number in range(LIMITED_AT_MOST + 5):
        world.recurring(number, max_runs=5)
    world.steps.taken.clear()
    page = world.list_upcoming.execute(world.tenant, MINUTE, limit=100)
    assert not page.is_complete
    assert world.steps.count("store.get_many") <= LIMITED_AT_MOST + 2


def test_list_is_incomplete_beyond_the_retries_that_are_read() -> None:
    world = World(DUE_AT)
    for number in range(RETRIES_AT_MOST + 1):
        retry_at = DUE_AT + 1_000 + number
        world.put(in_state(one_off(number, due_at=DUE_AT - number), State.WAITING, next_attempt_at=retry_at))
    page = world.list_upcoming.execute(world.tenant, MINUTE, limit=100)
    assert not page.is_complete
    assert [run.at - DUE_AT for run in told(world, MINUTE)] == [1_000 + n for n in range(RETRIES_AT_MOST)]
    del world.table.executions[one_off(RETRIES_AT_MOST, due_at=DUE_AT - RETRIES_AT_MOST).id]
    assert world.list_upcoming.execute(world.tenant, MINUTE, limit=100).is_complete


def next_of(world: World, criteria: Job | str, count: int) -> list[tuple[int, int]]:
    job_id = criteria if isinstance(criteria, str) else criteria.id
    _, runs = world.next_runs.execute(world.tenant.id, job_id, count)
    return [(run.scheduled_at - DUE_AT, run.due_at - DUE_AT) for run in runs]


def test_the_next_runs_of_a_job_are_counted_from_now() -> None:
    world = World(DUE_AT + 30_000)
    assert next_of(world, world.recurring(), 3) == [(n * MINUTE, n * MINUTE) for n in (1, 2, 3)]


def test_the_next_runs_of_a_job_end_with_it() -> None:
    world = World(DUE_AT - 1)
    limited = world.recurring(1, max_runs=2)
    bounded = world.recurring(2, schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + MINUTE))
    for one in (limited, bounded):
        assert next_of(world, one, 100) == [(0, 0), (MINUTE, MINUTE)]


@pytest.mark.parametrize("state", sorted(set(JobState) - {JobState.ACTIVE}))
def test_a_job_that_is_not_active_has_no_next_run(state: JobState) -> None:
    world = World(DUE_AT)
    definition = world.recurring()
    world.table.jobs[definition.tenant_id, definition.id] = replace(definition, state=state)
    assert next_of(world, definition, 5) == []


def test_a_one_off_has_its_own_instant_until_it_has_ended() -> None:
    world = World(DUE_AT - 5)
    waiting = world.put(in_state(one_off(1), State.WAITING, next_attempt_at=DUE_AT + 7))
    done = world.put(in_state(one_off(2), State.SUCCEEDED))
    assert next_of(world, waiting.job_id, 5) == [(0, 7)]
    assert next_of(world, done.job_id, 5) == []
