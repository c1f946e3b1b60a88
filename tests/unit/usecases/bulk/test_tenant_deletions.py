"""The deletion of a suspended tenant: complete, for good, and safe to crash anywhere."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError
from shared.domain.schedules.timing import Every
from shared.domain.tenancy.deletion import BEGINS_AFTER_MS, SETTLED_MS
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import CANARY, OPERATOR, TenantState
from shared.usecases.bulk.process_bulk_tasks import BulkReport
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.support.builders import TENANT
from tests.support.usecases.ports import EARLY
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

OTHER = "globex"
JOBS, ONE_OFFS, FILES = 3, 120, 5


@pytest.fixture
def world() -> World:
    """A tenant with jobs that is suspended, and another one."""
    world = World()
    for number in range(JOBS):
        world.accept(Every(rate_seconds=3_600), name=f"job {number}")
    for _ in range(ONE_OFFS):
        world.accept_one_off()
    for number in range(FILES):
        world.search_files.put(TENANT, "srh_1", number, b"lines")
    world.search_files.put(OTHER, "srh_2", 1, b"lines")
    world.create_tenant.execute(OTHER)
    other = world.tenants.tenants[OTHER]
    world.put(replace(world.one_off(7), tenant_id=OTHER))
    assert other.key_ids
    suspend(world)
    return world


def suspend(world: World, from_at: int = EARLY) -> None:
    world.tenants.tenants[TENANT] = replace(
        world.tenants.tenants[TENANT],
        state=TenantState.SUSPENDED,
        suspensions=(Suspension(from_at=from_at),),
    )


def delete(world: World) -> Any:
    return world.cases.tenancy.delete_tenant.execute(TENANT, "ticket 7")


def work(world: World) -> BulkReport:
    return world.process_bulk_tasks.execute()


def pass_ms(world: World, milliseconds: int) -> None:
    world.clock.time_ms += milliseconds


def all_gone(world: World) -> bool:
    mine = [row for row in world.table.executions.values() if row.execution.tenant_id == TENANT]
    jobs = [key for key in world.table.jobs if key[0] == TENANT]
    files = [key for key in world.search_files.files if key[0] == TENANT]
    return not mine and not jobs and not files


def test_deletion_begins_an_hour_after_the_suspension(world: World) -> None:
    deletion = delete(world)
    assert deletion.next_at == EARLY + BEGINS_AFTER_MS
    pass_ms(world, BEGINS_AFTER_MS - 1)
    assert work(world).deleted == 0
    pass_ms(world, 1)
    assert work(world).deleted > 0


def test_deletion_leaves_a_record_and_the_other_tenants(world: World) -> None:
    delete(world)
    pass_ms(world, BEGINS_AFTER_MS)
    began_at = world.clock.time_ms
    assert work(world).deleted == JOBS + JOBS + ONE_OFFS + FILES
    assert all_gone(world)
    assert TENANT in world.tenants.tenants, "a worker may still write something"
    pass_ms(world, SETTLED_MS)
    assert work(world).ended == 1
    assert TENANT not in world.tenants.tenants
    assert world.authenticate.execute(world.credentials.api_key) is None
    record = world.cases.tenancy.delete_tenant.find(TENANT)
    assert dict(record.counts) == {
        "jobs": JOBS,
        "files": FILES,
        "executions": JOBS + ONE_OFFS,
        "keys": 1,
        "tenants": 1,
    }
    assert list(world.search_files.files) == [(OTHER, "srh_2", 1)]
    assert (record.asked_by, record.asked_at, record.began_at) == ("ticket 7", EARLY, began_at)
    assert record.ended_at == began_at + SETTLED_MS
    assert [row.execution.tenant_id for row in world.table.executions.values()] == [OTHER]
    assert OTHER in world.tenants.tenants
    assert work(world).ended == 0


def test_execution_that_appears_behind_a_pass_is_found_by_the_next(world: World) -> None:
    delete(world)
    pass_ms(world, BEGINS_AFTER_MS)
    work(world)
    world.put(world.one_off(99))
    pass_ms(world, SETTLED_MS)
    work(world)
    assert all_gone(world)
    assert TENANT in world.tenants.tenants
    pass_ms(world, SETTLED_MS)
    assert work(world).ended == 1


def test_crash_at_any_step_leaves_a_deletion_that_goes_on(world: World) -> None:
    delete(world)
    pass_ms(world, BEGINS_AFTER_MS)
    for name in (
        "deletions.replace",
        "records.delete_definitions",
        "records.delete_executions",
        "tenants.get",
    ):
        world.steps.crash_after(name)
        with pytest.raises(Crash):
            work(world)
        pass_ms(world, SETTLED_MS)
    for _ in range(4):
        work(world)
        pass_ms(world, SETTLED_MS)
    assert all_gone(world)
    assert TENANT not in world.tenants.tenants


def test_lost_answer_of_the_last_write_ends_nothing_twice(world: World) -> None:
    delete(world)
    pass_ms(world, BEGINS_AFTER_MS)
    work(world)
    pass_ms(world, SETTLED_MS)
    world.steps.lose_answer("deletions.finish")
    assert work(world).unavailable == 1
    record = world.cases.tenancy.delete_tenant.find(TENANT)
    assert record.ended_at is not None
    pass_ms(world, SETTLED_MS)
    assert work(world).ended == 0
    assert world.cases.tenancy.delete_tenant.find(TENANT) == record


def test_two_workers_delete_no_page_side_by_side(world: World) -> None:
    delete(world)
    pass_ms(world, BEGINS_AFTER_MS)
    seen: list[int] = []
    world.steps.after("deletions.replace", lambda: seen.append(work(world).deleted))
    work(world)
    assert seen == [0]
    counts = world.cases.tenancy.delete_tenant.find(TENANT).counts
    assert sum(counts.values()) == 2 * JOBS + ONE_OFFS + FILES


def test_repeated_request_shows_the_first_deletion(world: World) -> None:
    first = delete(world)
    pass_ms(world, 5)
    assert world.cases.tenancy.delete_tenant.execute(TENANT, "ticket 8") == first


@pytest.mark.parametrize("until_at", [None, EARLY + 1])
def test_tenant_that_is_not_suspended_is_not_deleted(until_at: int | None) -> None:
    world = World()
    with pytest.raises(InvalidStateError):
        delete(world)
    from_at = EARLY + 1 if until_at is None else EARLY - 10
    world.tenants.tenants[TENANT] = replace(
        world.tenant, suspensions=(Suspension(from_at=from_at, until_at=until_at),)
    )
    with pytest.raises(InvalidStateError):
        delete(world)
    assert world.deletions.records == {}


@pytest.mark.parametrize("name", [OPERATOR, CANARY])
def test_tenants_of_the_deployment_are_not_deleted(name: str) -> None:
    with pytest.raises(InvalidStateError):
        World().cases.tenancy.delete_tenant.execute(name, "ticket")


def test_unknown_tenant_and_a_name_that_no_record_can_show_are_refused(world: World) -> None:
    delete_tenant = world.cases.tenancy.delete_tenant
    with pytest.raises(NotFoundError):
        delete_tenant.execute("nobody", "ticket")
    with pytest.raises(NotFoundError):
        delete_tenant.find(TENANT)
    for asked_by in ("", "a\nb", "x" * 257):
        with pytest.raises(InvalidValueError):
            delete_tenant.execute(TENANT, asked_by)


def test_tenant_that_is_being_deleted_is_not_resumed_and_its_id_is_not_given_again(world: World) -> None:
    delete(world)
    with pytest.raises(InvalidStateError):
        world.cases.tenancy.change_tenant.execute(TENANT, TenantChange(state=TenantState.ACTIVE))
    pass_ms(world, BEGINS_AFTER_MS)
    work(world)
    pass_ms(world, SETTLED_MS)
    work(world)
    with pytest.raises(InvalidStateError):
        world.create_tenant.execute(TENANT)
