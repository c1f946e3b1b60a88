"""All executions of a tenant by due time: merged over the shards of the index, page by page."""

from dataclasses import replace

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.domain.tenancy.tenant import Tenant
from shared.ports.listings import TenantIndex
from shared.usecases.reading.read_page import FILTERED_AT_MOST
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.fakes.table import Damage
from tests.support.usecases.shown import records
from tests.support.usecases.world import World

EVERYTHING = ExecutionFilter()


def sharded(world: World, shards: int) -> Tenant:
    """The tenant with an index of so many shards."""
    world.tenant = replace(world.tenant, index_shards=shards)
    return world.tenant


def filed(world: World, count: int, shards: int, state: State = State.PENDING) -> list[Execution]:
    """Executions over all shards, three of which share each instant; the newest first."""
    made = [
        world.put(
            in_state(one_off(number, due_at=DUE_AT + number // 3, index_shard=(number * 7) % shards), state)
        )
        for number in range(count)
    ]
    return sorted(made, key=lambda one: due_position(one.id), reverse=True)


def told(
    world: World, tenant: Tenant, limit: int, criteria: ExecutionFilter = EVERYTHING
) -> list[list[Execution]]:
    """Every page."""
    pages: list[list[Execution]] = []
    before: IndexPosition | None = None
    for _ in range(2_000):
        page = world.list_by_time.execute(tenant, limit=limit, criteria=criteria, before=before)
        pages.append(records(page.executions))
        before = page.next_before
        if before is None:
            return pages
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("shards", [1, 2, 5, 16])
@pytest.mark.parametrize("limit", [1, 4, 100])
def test_the_shards_come_as_one_list_newest_first(shards: int, limit: int) -> None:
    world = World(DUE_AT)
    tenant = sharded(world, shards)
    criteria = filed(world, 70, shards)
    pages = told(world, tenant, limit)
    assert [one for page in pages for one in page] == criteria
    assert max(len(page) for page in pages) <= limit


def test_pages_hold_while_others_write() -> None:
    world = World(DUE_AT)
    tenant = sharded(world, 3)
    criteria = filed(world, 30, 3)
    seen: list[Execution] = []
    before: IndexPosition | None = None
    for number in range(100):
        page = world.list_by_time.execute(tenant, limit=4, criteria=EVERYTHING, before=before)
        seen += records(page.executions)
        before = page.next_before
        if before is None:
            break
        world.put(one_off(1_000 + number, due_at=DUE_AT + number % 15, index_shard=number % 3))
    assert len({one.id for one in seen}) == len(seen)
    assert [one for one in seen if one in criteria] == criteria


def test_states_and_spans_narrow_the_list() -> None:
    world = World(DUE_AT)
    tenant = sharded(world, 2)
    for number, state in enumerate(State):
        if state is not State.MOVED:
            world.put(in_state(one_off(number, due_at=DUE_AT + number, index_shard=number % 2), state))
    for state in set(State) - {State.MOVED, State.FAILED}:
        (page,) = told(world, tenant, 100, ExecutionFilter(state=state))
        assert [one.state for one in page] == [state]
    span = PositionRange(after=IndexPosition(at=DUE_AT + 1), before=IndexPosition(at=DUE_AT + 3))
    (page,) = told(world, tenant, 100, ExecutionFilter(span=span))
    assert [one.id.dispatch_at - DUE_AT for one in page] == [2, 1]


def test_failed_executions_come_from_the_sparse_index_alone() -> None:
    world = World(DUE_AT)
    tenant = sharded(world, 4)
    failed = filed(world, 6, 4, State.FAILED)
    for one in failed:
        world.table.executions[one.id].entry = TenantIndex.FAILED
    for number in range(100, 900):
        world.put(one_off(number))
    world.steps.taken.clear()
    (page,) = told(world, tenant, 100, ExecutionFilter(state=State.FAILED))
    assert page == failed
    # The archive is asked whether it has anything of the tenant.
    assert world.steps.taken == ["queries.index_pages", "history.newest", "store.get_many"]


def test_moved_job_is_listed_at_its_new_time_only() -> None:
    world = World(DUE_AT)
    origin = one_off(1)
    target = replace(one_off(2, due_at=DUE_AT + 5), job_id=origin.job_id, job_created_at=origin.created_at)
    world.put(with_changes(origin, state=State.MOVED, moved_to=target.id))
    world.put(target)
    assert told(world, world.tenant, 100) == [[target]]


@pytest.mark.parametrize("shards", [1, 8])
@pytest.mark.parametrize("limit", [1, 30, 100])
def test_page_with_a_filter_reads_few_keys(limit: int, shards: int) -> None:
    world = World(DUE_AT)
    tenant = sharded(world, shards)
    order = [due_position(one.id) for one in filed(world, FILTERED_AT_MOST + 50, shards)]
    world.steps.taken.clear()
    page = world.list_by_time.execute(tenant, limit=limit, criteria=ExecutionFilter(state=State.CANCELLED))
    assert page.executions == ()
    assert page.next_before == order[FILTERED_AT_MOST - 1]
    assert world.steps.count("queries.index_pages") == 1


def test_foreign_and_broken_rows_are_left_out_and_hide_no_execution() -> None:
    world = World(DUE_AT)
    criteria = filed(world, 4, 1)
    world.put(one_off(50, tenant_id="other"))
    world.table.executions[criteria[1].id].damage = Damage.BROKEN
    assert told(world, world.tenant, 2) == [[criteria[0], criteria[2]], [criteria[3]]]


def test_a_place_in_a_cursor_cannot_widen_the_span() -> None:
    world = World(DUE_AT)
    filed(world, 9, 1)
    span = PositionRange(before=IndexPosition(at=DUE_AT + 1))
    page = world.list_by_time.execute(
        world.tenant, limit=100, criteria=ExecutionFilter(span=span), before=IndexPosition(at=DUE_AT + 99)
    )
    assert {one.id.dispatch_at for one in records(page.executions)} == {DUE_AT}
