"""The history of a job, newest first, page by page, without gaps or repeats; and a tenant's dead letters."""

import pytest

from shared.domain.errors import NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.listings.position import IndexPosition
from shared.domain.schedules.schedule import Rate
from shared.ports.listings import TenantIndex
from shared.usecases.reading.read_page import EXAMINED_AT_MOST
from tests.support.builders import DUE_AT, TENANT, in_state, one_off, with_changes
from tests.support.fakes.table import Damage
from tests.support.usecases.chains import after_a_jump
from tests.support.usecases.shown import records
from tests.support.usecases.world import World

MINUTE = 60_000


def history(world: World, job: Job, count: int) -> list[int]:
    """A job that has run `count` times, and whose next run is filed."""
    world.table.executions.clear()
    for number in range(count):
        world.put(in_state(job.occurrence(DUE_AT + number * MINUTE, created_at=DUE_AT), State.SUCCEEDED))
    world.put(job.occurrence(DUE_AT + count * MINUTE, created_at=DUE_AT))
    world.clock.time_ms = DUE_AT + (count - 1) * MINUTE + 1_000
    return [DUE_AT + number * MINUTE for number in range(count, -1, -1)]


def pages(world: World, job: Job, limit: int) -> list[list[Execution]]:
    """Every page of a job's history."""
    found, position = [], None
    while True:
        page = world.list_executions.execute(TENANT, job.id, limit=limit, position=position)
        found.append(records(page.executions))
        assert len(found) < 2_000
        if page.next_position is None:
            return found
        position = page.next_position


@pytest.mark.parametrize("limit", [1, 7, 99, 100])
@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 250])
def test_the_pages_together_are_the_history(count: int, limit: int) -> None:
    world = World(DUE_AT)
    job = world.recurring()
    instants = history(world, job, count)
    found = pages(world, job, limit)
    assert [execution.nominal_at for page in found for execution in page] == instants
    assert max(len(page) for page in found) <= limit


def test_a_page_holds_though_the_job_goes_on_meanwhile() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    instants = history(world, job, 10)
    first = world.list_executions.execute(TENANT, job.id, limit=5)
    world.put(job.occurrence(DUE_AT + 11 * MINUTE, created_at=DUE_AT))
    world.clock.time_ms += MINUTE
    rest = world.list_executions.execute(TENANT, job.id, limit=50, position=first.next_position)
    seen = [execution.nominal_at for page in (first, rest) for execution in records(page.executions)]
    assert seen == instants


def test_missed_instants_are_bridged_and_their_record_is_shown() -> None:
    chain = after_a_jump(missed=2_000)
    found = pages(chain.world, chain.job, 100)
    assert [execution.state for page in found for execution in page] == [
        State.QUEUED,
        State.SKIPPED,
        State.RUNNING,
    ]


def test_a_page_reads_only_so_much_and_says_that_there_is_more() -> None:
    chain = after_a_jump(missed=2_000)
    chain.world.steps.taken.clear()
    page = chain.world.list_executions.execute(TENANT, chain.job.id, limit=100)
    assert chain.world.steps.count("store.get_many") == EXAMINED_AT_MOST // 100
    assert page.next_position is not None


def test_a_deleted_jobs_history_stays_readable() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    history(world, job, 3)
    world.delete_job.execute(TENANT, job.id)
    states = [execution.state for page in pages(world, job, 100) for execution in page]
    assert states == [State.CANCELLED, *[State.SUCCEEDED] * 3]


@pytest.mark.parametrize("damage", Damage)
def test_a_row_that_cannot_be_read_hides_no_other(damage: Damage) -> None:
    world = World(DUE_AT)
    job = world.recurring()
    instants = history(world, job, 3)
    world.table.executions[job.id_at(DUE_AT + MINUTE)].damage = damage
    seen = [execution.nominal_at for page in pages(world, job, 2) for execution in page]
    assert seen == [instant for instant in instants if instant != DUE_AT + MINUTE]


def test_a_busy_job_lists_its_next_run_too() -> None:
    world = World(DUE_AT)
    job = world.recurring(schedule=Rate(interval_ms=1_000, anchor=DUE_AT))
    world.put(job.occurrence(DUE_AT + 1_000, created_at=DUE_AT))
    page = world.list_executions.execute(TENANT, job.id, limit=10)
    assert [execution.nominal_at for execution in records(page.executions)] == [DUE_AT + 1_000, DUE_AT]


def test_a_one_off_has_one_execution() -> None:
    world = World(DUE_AT)
    execution = world.put(one_off())
    page = world.list_executions.execute(TENANT, execution.job_id, limit=10)
    assert (page.executions, page.next_position) == ((execution,), None)


@pytest.mark.parametrize("job_id", ["", "nonsense", one_off(9).job_id, "job_r" + "0" * 27])
def test_an_unknown_job_is_not_found(job_id: str) -> None:
    with pytest.raises(NotFoundError):
        World().list_executions.execute(TENANT, job_id, limit=10)


def test_a_foreign_job_is_not_found_either() -> None:
    world = World(DUE_AT)
    job, execution = world.recurring(), world.put(one_off())
    for job_id in (job.id, execution.job_id):
        with pytest.raises(NotFoundError):
            world.list_executions.execute("somebody-else", job_id, limit=10)


def dead_letters(world: World, count: int) -> list[Execution]:
    made = []
    for number in range(count):
        failed = in_state(one_off(number, due_at=DUE_AT + number), State.FAILED, attempt=5)
        world.put(failed)
        world.table.executions[failed.id].entry = TenantIndex.FAILED
        made.append(failed)
    return made[::-1]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_dead_letters_come_page_by_page_newest_first(limit: int) -> None:
    world = World(DUE_AT)
    criteria = dead_letters(world, 7)
    found: list[Execution] = []
    before: IndexPosition | None = None
    while True:
        page = world.list_dead_letters.execute(TENANT, limit=limit, before=before)
        found += page.executions
        before = page.next_before
        if before is None:
            break
    assert found == criteria


def test_the_items_say_what_the_index_only_claims() -> None:
    """The index may be behind: one has gone, and one is something else by now."""
    world = World(DUE_AT)
    newest, middle, oldest = dead_letters(world, 3)
    del world.table.executions[middle.id]
    world.table.executions[oldest.id].execution = with_changes(oldest, state=State.SUCCEEDED)
    assert world.list_dead_letters.execute(TENANT, limit=10).executions == (newest,)


def test_a_dead_letter_that_cannot_be_read_hides_no_other() -> None:
    world = World(DUE_AT)
    newest, middle, oldest = dead_letters(world, 3)
    world.table.executions[middle.id].damage = Damage.BROKEN
    assert world.list_dead_letters.execute(TENANT, limit=10).executions == (newest, oldest)


def test_dead_letters_of_other_tenants_are_not_listed() -> None:
    world = World(DUE_AT)
    dead_letters(world, 3)
    assert world.list_dead_letters.execute("somebody-else", limit=10).executions == ()
