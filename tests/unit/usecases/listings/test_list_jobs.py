"""A tenant's jobs: recurring and one-off in one list, each exactly once."""

from dataclasses import replace

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedriveOf
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob
from shared.domain.listings.filters import JobFilter, Kind
from shared.domain.listings.position import JobPosition
from shared.domain.schedules.schedule import Cron
from shared.domain.schedules.timing import After
from shared.ports.listings import TenantIndex
from tests.support.builders import DUE_AT, in_state, job, occurrence, one_off, with_changes
from tests.support.fakes.table import Damage
from tests.support.usecases.world import REQUEST, World

EVERYTHING = JobFilter()
MINUTE = 60_000


def pages(world: World, limit: int, criteria: JobFilter = EVERYTHING) -> list[tuple[Execution | Job, ...]]:
    """Every page."""
    found: list[tuple[Execution | Job, ...]] = []
    position: JobPosition | None = None
    for _ in range(1_000):
        page = world.list_jobs.execute(world.tenant, limit=limit, criteria=criteria, position=position)
        assert len(page.jobs) <= limit
        found.append(page.jobs)
        position = page.next_position
        if position is None:
            return found
    raise AssertionError("the pages do not end")


def ids(world: World, limit: int = 100, criteria: JobFilter = EVERYTHING) -> list[str]:
    """The ids of all jobs in order."""
    return [id_of(one) for page in pages(world, limit, criteria) for one in page]


def id_of(one: Execution | Job) -> str:
    return one.job_id if isinstance(one, Execution) else one.id


def move(world: World, origin: Execution, number: int, due_at: int) -> Execution:
    """Give a one-off another time, as its owner does."""
    target = with_changes(
        one_off(number, due_at=due_at),
        job_id=origin.job_id,
        job_created_at=origin.created_at,
        name=origin.name,
        tags=origin.tags,
    )
    row = world.table.executions[origin.id]
    row.execution = with_changes(row.execution, state=State.MOVED, moved_to=target.id)
    return world.put(target)


def populated(recurring: int = 4, one_offs: int = 6, shards: int = 3) -> tuple[World, list[str]]:
    """A tenant's jobs, and their ids in the order in which they are listed."""
    world = World(DUE_AT)
    world.tenant = replace(world.tenant, index_shards=shards)
    definitions = [world.recurring(number) for number in range(recurring)]
    singles = [
        world.put(one_off(900 + number, due_at=DUE_AT + number // 2, index_shard=number % shards))
        for number in range(one_offs)
    ]
    world.put(one_off(5, tenant_id="other"))
    world.table.jobs["other", job(77).id] = job(77, tenant_id="other")
    by_due = sorted(singles, key=lambda one: (one.id.dispatch_at, str(one.id)))
    return world, [one.id for one in definitions] + [one.job_id for one in by_due]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 100])
def test_recurring_jobs_come_first_then_one_offs_by_time(limit: int) -> None:
    world, criteria = populated()
    assert ids(world, limit) == criteria


@pytest.mark.parametrize(("recurring", "one_offs"), [(0, 0), (0, 3), (3, 0)])
def test_jobs_are_listed_for_a_tenant_with_only_one_off_or_recurring_jobs(
    recurring: int, one_offs: int
) -> None:
    world, criteria = populated(recurring, one_offs)
    for limit in (1, 3, 100):
        assert ids(world, limit) == criteria


def test_occurrences_are_no_jobs() -> None:
    world = World(DUE_AT)
    definition = world.recurring()
    for number in range(1, 20):
        world.put(occurrence(definition, DUE_AT + number * MINUTE))
    assert ids(world, 2) == [definition.id]


def test_lasting_job_is_listed_once_while_other_jobs_are_created_and_moved() -> None:
    world, criteria = populated(8, 12)
    seen: list[str] = []
    position: JobPosition | None = None
    movable = list(world.table.executions)[-5:]
    for number in range(200):
        page = world.list_jobs.execute(world.tenant, limit=2, criteria=EVERYTHING, position=position)
        seen += map(id_of, page.jobs)
        position = page.next_position
        if position is None:
            break
        world.recurring(1_000 + number)
        world.put(one_off(5_000 + number, due_at=DUE_AT + number % 7, index_shard=number % 3))
        if movable:
            origin = world.standing(movable.pop())
            if origin.job_id == f"job_{origin.id.body}" and origin.tenant_id == world.tenant.id:
                move(world, origin, 9_000 + number, DUE_AT + (-1) ** number * 50)
    assert len(seen) == len(set(seen))
    assert [one for one in seen if one in criteria] == criteria


def test_a_one_off_that_was_moved_is_shown_as_it_stands_now_under_its_own_id() -> None:
    world = World(DUE_AT)
    origin = world.put(one_off(1, name="report"))
    target = move(world, origin, 2, DUE_AT + 3_600_000)
    (page,) = pages(world, 10)
    assert page == (target,)
    assert ids(world, 1) == [origin.job_id]
    criteria = JobFilter(name_prefix="rep", state="pending", kind=Kind.ONCE)
    assert ids(world, 1, criteria) == [origin.job_id]


def test_moved_jobs_cost_one_more_read_a_page() -> None:
    world = World(DUE_AT)
    for number in range(50):
        move(world, world.put(one_off(number)), 100 + number, DUE_AT + number)
    world.steps.taken.clear()
    page = world.list_jobs.execute(world.tenant, limit=100, criteria=EVERYTHING)
    assert len(page.jobs) == 50
    assert len(world.steps.taken) <= 6


def test_job_filters_apply_alone_and_combined() -> None:
    world = World(DUE_AT)
    cron = Cron(line="0 9 * * *", timezone="UTC")
    rate = world.recurring(1, name="Nightly report", tags=("billing", "eu"))
    paused = world.recurring(
        2, name="Nightly sweep", tags=("eu",), state=JobState.PAUSED, chain_from=DUE_AT + MINUTE
    )
    daily = world.recurring(3, name="daily", schedule=cron, chain_from=DUE_AT + 2 * MINUTE)
    due = world.put(one_off(4, name="Nightly once", tags=("billing",)))
    done = world.put(in_state(one_off(5, due_at=DUE_AT + 1), State.SUCCEEDED))
    everything = [rate.id, paused.id, daily.id, due.job_id, done.job_id]
    for criteria, expected in (
        (JobFilter(), everything),
        (JobFilter(kind=Kind.CRON), [daily.id]),
        (JobFilter(kind=Kind.RATE), [rate.id, paused.id]),
        (JobFilter(kind=Kind.ONCE), [due.job_id, done.job_id]),
        (JobFilter(state="paused"), [paused.id]),
        (JobFilter(state="active"), [rate.id, daily.id]),
        (JobFilter(state="pending"), [due.job_id]),
        (JobFilter(tag="billing"), [rate.id, due.job_id]),
        (JobFilter(tag="bill"), []),
        (JobFilter(name_prefix="Nightly"), [rate.id, paused.id, due.job_id]),
        (JobFilter(name_prefix="nightly"), []),
        (JobFilter(name_prefix="Nightly", tag="eu", state="active", kind=Kind.RATE), [rate.id]),
        (JobFilter(kind=Kind.ONCE, state="active"), []),
        (JobFilter(kind=Kind.CRON, state="pending"), []),
    ):
        for limit in (1, 2, 100):
            assert ids(world, limit, criteria) == expected


def test_a_filter_that_excludes_one_kind_does_not_read_the_other() -> None:
    world, _ = populated()
    for criteria, unread in (
        (JobFilter(kind=Kind.ONCE), "queries.definitions"),
        (JobFilter(state="pending"), "queries.definitions"),
        (JobFilter(kind=Kind.RATE), "queries.index_pages"),
        (JobFilter(state="paused"), "queries.index_pages"),
    ):
        world.steps.taken.clear()
        ids(world, 100, criteria)
        assert world.steps.count(unread) == 0


def failed(world: World, execution: Execution) -> Execution:
    """The execution as a dead letter, with its entry in the index of failures."""
    world.put(in_state(execution, State.FAILED))
    world.table.executions[execution.id].entry = TenantIndex.FAILED
    return world.standing(execution.id)


def test_failed_one_off_jobs_come_from_the_index_of_failures() -> None:
    world = World(DUE_AT)
    for number in range(500):
        world.put(one_off(number))
    kept, moved = one_off(1_001, name="kept", tags=("a",)), one_off(1_002, due_at=DUE_AT + 1)
    failed(world, kept)
    target = failed(world, with_changes(one_off(1_003, due_at=DUE_AT + MINUTE), job_id=moved.job_id))
    world.put(with_changes(moved, state=State.MOVED, moved_to=target.id))
    failed(world, occurrence(world.recurring(), DUE_AT + 1))
    redrive = with_changes(
        one_off(1_004, due_at=DUE_AT + 2),
        job_id=kept.job_id,
        redrive_of=RedriveOf(original=kept.id, number=1),
    )
    failed(world, redrive)
    world.steps.taken.clear()
    assert ids(world, 1, JobFilter(state="failed")) == [kept.job_id, moved.job_id]
    assert ids(world, 100, JobFilter(state="failed", tag="a", name_prefix="ke")) == [kept.job_id]
    assert world.steps.count("queries.definitions") == 0


def test_job_renamed_after_a_move_is_found_by_its_present_name_and_tags() -> None:
    world = World(DUE_AT)
    draft = NewJob(timing=After(3_600), request=REQUEST, name="draft", tags=("old",))
    job = world.create_job.execute(world.tenant, draft).job
    for new in (
        replace(draft, timing=After(7_200)),
        replace(draft, timing=After(7_200), name="report", tags=("new",)),
    ):
        job = world.revise_job.execute(world.tenant, job, REQUEST, new, revision=job.revision)
    job_id = id_of(job)
    for criteria in (JobFilter(name_prefix="rep"), JobFilter(tag="new")):
        assert ids(world, 10, criteria) == [job_id]
    for criteria in (JobFilter(name_prefix="dra"), JobFilter(tag="old")):
        assert ids(world, 10, criteria) == []


def test_a_broken_one_hides_no_other() -> None:
    world, criteria = populated(1, 3)
    broken = next(row for row in world.table.executions.values() if row.execution.job_id == criteria[2])
    broken.damage = Damage.NEWER
    assert ids(world, 1) == [criteria[0], criteria[1], criteria[3]]
