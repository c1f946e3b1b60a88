"""What one page of a listing reads of 10,000 jobs, in read units.

Computed as DynamoDB bills: 1 for each item read strongly, 0.5 for each 4 KB of an index, and 1 for each 4 KB of
a strongly consistent query. An entry of the index counts 250 bytes, a definition 1 KB.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import JobState
from shared.domain.listings.filters import DeadLetterFilter, ExecutionFilter, JobFilter, Kind
from shared.domain.listings.position import IndexPage
from shared.ports.listings import DefinitionPage, TenantIndex
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.listings.list_jobs import OF_A_STATE_AT_MOST, ListJobs
from shared.usecases.reading.read_page import FILTERED_AT_MOST
from shared.usecases.reading.shown import HotExecutions
from tests.support.builders import DUE_AT, in_state, job, one_off, with_changes
from tests.support.usecases.world import World

JOBS, RUNS = 10_000, 1_000
MINUTE = 60_000
ENTRY_BYTES, DEFINITION_BYTES, UNIT_BYTES = 250, 1_024, 4_096
MOST_UNITS = 50
MOST_ITEMS = 100


@dataclass
class Bill:
    """Counts what passes to the queries and to the store."""

    world: World
    units: float = 0
    items: int = 0

    def get_many(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        self.items += len(ids)
        self.units += len(ids)
        return self.world.store.get_many(ids)

    def get(self, execution_id: ExecutionId) -> Execution | None:
        self.items += 1
        self.units += 1
        return self.world.store.get(execution_id)

    def definitions(self, *place: Any, state: Any = None, **chosen: Any) -> DefinitionPage:
        examined = self.world.list_jobs.queries.definitions(*place, **chosen)
        self.units += len(examined.jobs) * DEFINITION_BYTES / UNIT_BYTES
        sent = self.world.list_jobs.queries.definitions(*place, state=state, **chosen)
        self.items += len(sent.jobs)
        return sent

    def index_pages(self, *place: Any, only: Any = None, **chosen: Any) -> Sequence[IndexPage]:
        examined = self.world.list_jobs.queries.index_pages(*place, **chosen)
        for page in examined:
            self.units += max(1, -(-len(page.positions) * ENTRY_BYTES // UNIT_BYTES)) / 2
        return self.world.list_jobs.queries.index_pages(*place, only=only, **chosen) if only else examined


@pytest.fixture(scope="module")
def world() -> World:
    """A tenant with 10,000 one-off jobs, 1,000 runs of recurring jobs and 500 definitions."""
    made = World(DUE_AT)
    made.tenant = replace(made.tenant, index_shards=2)
    for number in range(500):
        made.table.jobs[made.tenant.id, job(number).id] = job(number)
    for number in range(JOBS):
        single = one_off(number, due_at=DUE_AT + number * MINUTE, index_shard=number % 2, tags=("all",))
        made.put(in_state(single, State.SUCCEEDED) if number % 3 else single)
    for number in range(RUNS):
        run = one_off(JOBS + number, due_at=DUE_AT + number * MINUTE, index_shard=number % 2)
        made.put(with_changes(run, job_id=job(1).id))
    for number in range(500):
        dead = in_state(one_off(2 * JOBS + number, due_at=DUE_AT + JOBS * MINUTE + number), State.FAILED)
        made.put(dead)
        made.table.executions[dead.id].entry = TenantIndex.FAILED
    return made


@pytest.fixture
def bill(world: World) -> Bill:
    return Bill(world)


JOB_FILTERS = (
    JobFilter(tag="none"),
    JobFilter(tag="all"),
    JobFilter(name_prefix="none"),
    JobFilter(set_name="none"),
    JobFilter(kind=Kind.ONCE, tag="none"),
    JobFilter(kind=Kind.CRON),
    JobFilter(state="active", tag="none"),
    JobFilter(state="cancelled"),
    JobFilter(state="succeeded"),
    JobFilter(state="failed", tag="none"),
)


@pytest.mark.parametrize("criteria", JOB_FILTERS, ids=str)
@pytest.mark.parametrize("limit", [1, 100])
def test_page_of_jobs_with_a_filter_costs_fifty_units_at_most(
    bill: Bill, criteria: JobFilter, limit: int
) -> None:
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    position = None
    for _ in range(3):
        bill.units, bill.items = 0, 0
        page = listing.execute(bill.world.tenant, limit=limit, criteria=criteria, position=position)
        assert bill.units <= MOST_UNITS
        assert bill.items <= MOST_ITEMS
        position = page.next_position
        if position is None:
            break


def test_page_of_paused_jobs_looks_at_thousands_of_recurring_jobs_and_is_sent_its_own_alone() -> None:
    made = World(DUE_AT)
    for number in range(OF_A_STATE_AT_MOST + 100):
        state = JobState.PAUSED if number % 100 == 99 else JobState.ACTIVE
        made.table.jobs[made.tenant.id, job(number).id] = job(number, state=state)
    bill = Bill(made)
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    paused = JobFilter(state=JobState.PAUSED)
    page = listing.execute(made.tenant, limit=100, criteria=paused)
    assert (len(page.jobs), bill.items, bill.units) == (40, 40, OF_A_STATE_AT_MOST / 4)
    rest = listing.execute(made.tenant, limit=100, criteria=paused, position=page.next_position)
    assert (len(rest.jobs), rest.next_position) == (1, None)
    # Who names a number of jobs to examine gets no more.
    assert listing.execute(made.tenant, limit=100, criteria=paused, at_most=50).jobs == ()


@pytest.mark.parametrize("definitions", [99, 100, 101])
def test_page_that_passes_from_recurring_to_one_off_jobs_reads_a_hundred_items_at_most(
    definitions: int,
) -> None:
    made = World(DUE_AT)
    for number in range(definitions):
        made.table.jobs[made.tenant.id, job(number).id] = job(number)
    for number in range(200):
        made.put(one_off(number))
    bill, position, pages = Bill(made), None, 0
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    while position is not None or pages == 0:
        bill.units, bill.items = 0, 0
        page = listing.execute(
            made.tenant, limit=100, criteria=JobFilter(name_prefix="none"), position=position
        )
        assert bill.items <= MOST_ITEMS
        position, pages = page.next_position, pages + 1
    assert pages <= 12


@pytest.mark.parametrize("tag", ["none", "all"])
def test_filter_by_tag_reads_only_jobs_with_the_tag(bill: Bill, tag: str) -> None:
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    page = listing.execute(bill.world.tenant, limit=10, criteria=JobFilter(kind=Kind.ONCE, tag=tag))
    assert bill.items == len(page.jobs) == (10 if tag == "all" else 0)


def test_page_of_one_off_jobs_reads_no_runs_of_recurring_jobs(bill: Bill) -> None:
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    page = listing.execute(bill.world.tenant, limit=10, criteria=JobFilter(kind=Kind.ONCE))
    assert bill.items == len(page.jobs) == 10


def test_runs_of_recurring_jobs_push_no_one_off_job_to_a_later_page() -> None:
    made = World(DUE_AT)
    for number in range(1_000):
        made.put(with_changes(one_off(number, due_at=DUE_AT + number), job_id=job(1).id))
    made.put(one_off(1_000, due_at=DUE_AT + 1_000))
    bill = Bill(made)
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    page = listing.execute(made.tenant, limit=10, criteria=JobFilter(kind=Kind.ONCE))
    assert (len(page.jobs), page.next_position) == (1, None)
    assert bill.units <= 2


@pytest.mark.parametrize("state", ["cancelled", "failed"])
def test_page_of_moved_jobs_reads_each_job_twice_at_most(state: str) -> None:
    made = World(DUE_AT)
    for number in range(200):
        origin = one_off(number, due_at=DUE_AT + number)
        target = with_changes(one_off(1_000 + number, due_at=DUE_AT + MINUTE), job_id=origin.job_id)
        made.put(with_changes(origin, state=State.MOVED, moved_to=target.id))
        made.put(in_state(target, State.FAILED))
        made.table.executions[target.id].entry = TenantIndex.FAILED
    bill = Bill(made)
    listing = ListJobs(queries=bill, store=bill)  # type: ignore[arg-type]
    page = listing.execute(made.tenant, limit=100, criteria=JobFilter(state=state))
    assert (len(page.jobs) > 0) is (state == "failed")
    assert 0 < bill.items <= 2 * FILTERED_AT_MOST


LISTINGS: tuple[Callable[[Bill, int], object], ...] = (
    lambda bill, limit: ListByTime(queries=bill, kept=HotExecutions(bill)).execute(  # type: ignore[arg-type]
        bill.world.tenant, limit=limit, criteria=ExecutionFilter(state=State.CANCELLED)
    ),
    lambda bill, limit: ListByTime(queries=bill, kept=HotExecutions(bill)).execute(  # type: ignore[arg-type]
        bill.world.tenant, limit=limit, criteria=ExecutionFilter(state=State.FAILED)
    ),
    lambda bill, limit: ListDeadLetters(
        queries=bill,  # type: ignore[arg-type]
        store=bill,  # type: ignore[arg-type]
        jobs=bill.world.jobs,
    ).execute(bill.world.tenant.id, limit=limit, criteria=DeadLetterFilter(status=599)),
)


@pytest.mark.parametrize("listing", LISTINGS, ids=["executions", "failed executions", "dead letters"])
@pytest.mark.parametrize("limit", [1, 10, 100])
def test_page_of_executions_with_a_filter_costs_fifty_units_at_most(
    bill: Bill, listing: Callable[[Bill, int], object], limit: int
) -> None:
    listing(bill, limit)
    assert 0 < bill.units <= MOST_UNITS
