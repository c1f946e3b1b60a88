"""The busiest jobs of a day: counted from its files, again after a change, and without those of deleted tenants."""

from typing import Any

from shared.domain.archive.busiest import DayJobs, day_window
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import recurring_job_id
from shared.domain.tenancy.forgetting import FORGET_AFTER_MS
from shared.ports.history import PassedMark
from shared.usecases.archive.count_jobs import LATEST_DAYS
from shared.usecases.archive.read_busiest_jobs import BusiestJobs
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.archive import DAY_MS, FIRST_PASS, HOUR, HOUR_MS, SEAL, UNIT, ArchiveWorld

OTHER = "globex"
FIRST, SECOND = (recurring_job_id(DUE_AT, number, cell="0") for number in (1, 2))
DAY = HOUR // 24
COUNTED = FIRST_PASS + 6 * 60_000
"""A tick that counts, on the day after the executions."""


def run_of(world: ArchiveWorld, number: int, job_id: str = FIRST, **changes: Any) -> Execution:
    return world.ended(number, job_id=job_id, **changes)


def passed_world(*, has_open_row: bool = False) -> ArchiveWorld:
    """A day with three runs of one job, one of another, one of another tenant, and a one-off job."""
    world = ArchiveWorld()
    if has_open_row:
        world.open_row(99)
    world.history.note_passed(PassedMark(since=DAY * 24, before=0), 0)
    for number in (1, 2):
        run_of(world, number)
    run_of(world, 3, state=State.FAILED)
    run_of(world, 4, SECOND)
    run_of(world, 5, tenant_id=OTHER)
    world.ended(6)
    world.tick()
    return world


def counts(jobs: DayJobs | None) -> list[tuple[str, str, int, int]]:
    return [(each.tenant_id, each.job_id, each.ended, each.failed) for each in jobs.jobs] if jobs else []


def shown(world: ArchiveWorld, tenant_id: str | None = TENANT) -> BusiestJobs:
    window = day_window(None, FIRST_PASS)
    return world.cases.archive.read_busiest_jobs.execute(tenant_id, window)


def test_jobs_of_each_tenant_and_of_all_are_those_of_the_files() -> None:
    world = passed_world()
    assert world.tick(COUNTED).counted_days == 1
    own, others, whole = (world.history.day(name, DAY) for name in (TENANT, OTHER, None))
    assert counts(own) == [(TENANT, FIRST, 3, 1), (TENANT, SECOND, 1, 0)]
    assert counts(others) == [(OTHER, FIRST, 1, 0)]
    assert counts(whole) == [(TENANT, FIRST, 3, 1), (TENANT, SECOND, 1, 0), (OTHER, FIRST, 1, 0)]
    assert own is not None
    assert (own.ended, own.job_count) == (5, 2)
    assert shown(world) == BusiestJobs(window=day_window(None, FIRST_PASS), found=own, is_complete=True)


def test_day_is_counted_once_and_again_when_a_file_has_changed() -> None:
    world = passed_world()
    assert world.tick(COUNTED).counted_days == 1
    assert world.tick(COUNTED + HOUR_MS).counted_days == 0
    run_of(world, 7, SECOND)
    world.tick(SEAL)
    assert not shown(world).is_complete
    assert world.tick(SEAL + COUNTED - FIRST_PASS).counted_days == 1
    assert counts(world.history.day(TENANT, DAY))[1] == (TENANT, SECOND, 2, 0)
    assert shown(world).is_complete


def test_day_whose_late_record_opens_an_old_hour_is_counted_again() -> None:
    world = passed_world()
    world.tick(SEAL)
    later = SEAL + LATEST_DAYS * DAY_MS + COUNTED - FIRST_PASS
    assert world.tick(later).counted_days == 0, "it is looked at no more"
    world.put_late(8)
    world.tick(later + HOUR_MS)
    world.tick(later + DAY_MS)
    assert world.tick(later + 2 * DAY_MS).counted_days == 0
    found = world.history.day(TENANT, DAY)
    assert found is not None
    assert found.ended == 6


def test_day_with_an_hour_without_a_pass_is_not_counted() -> None:
    world = passed_world()
    world.clock.time_ms = COUNTED
    for before, days in ((DAY * 24 + 23, 0), (DAY * 24 + 24, 1)):
        world.history.mark = PassedMark(since=DAY * 24, before=before)
        assert world.cases.archive._count_jobs.execute((), lambda: True).days == days
        assert shown(world).is_complete == bool(days)


def test_day_with_an_open_execution_is_not_complete() -> None:
    world = passed_world(has_open_row=True)
    world.tick(COUNTED)
    assert counts(shown(world).found)
    assert not shown(world).is_complete


def test_run_without_time_counts_nothing() -> None:
    world = passed_world()
    world.clock.time_ms = COUNTED
    assert world.run_archive.execute(lambda: False).counted_days == 0
    assert world.history.day(None, DAY) is None


def test_crash_before_the_last_write_counts_the_day_again() -> None:
    world = passed_world()
    for number in range(3):
        world.steps.before("history.put_day", lambda: None, times=number)
        world.steps.fail("history.put_day")
        assert world.tick(COUNTED).unavailable == 1
        assert world.history.day(None, DAY) is None
        world.steps.calm()
    assert world.tick(COUNTED).counted_days == 1


def test_damaged_file_is_found_and_its_day_stays_as_it_was() -> None:
    world = passed_world()
    world.tick(COUNTED)
    before = world.history.day(TENANT, DAY)
    key = UNIT.file_key("eu-west-1")
    world.archive_objects.objects[key] = ('"broken"', b"{")
    world.history.days[None, DAY].jobs = DayJobs(day=DAY, tenant_id=None, ended=6, job_count=0, jobs=())
    report = world.tick(COUNTED + HOUR_MS)
    assert (report.damaged, report.counted_days, report.mismatched) == ([UNIT], 0, 1)
    assert world.history.day(TENANT, DAY) == before


def test_jobs_of_a_deleted_tenant_are_nowhere_and_those_of_others_are_all_there() -> None:
    world = passed_world()
    world.tick(COUNTED)
    world.tick(SEAL)
    world.tick(SEAL + COUNTED - FIRST_PASS)
    world.clock.time_ms += HOUR_MS // 2
    world.leave(TENANT)
    world.tick(SEAL + COUNTED - FIRST_PASS + HOUR_MS)
    assert counts(world.history.day(None, DAY)) == [(OTHER, FIRST, 1, 0)], "although no file has changed"
    world.tick(SEAL + COUNTED - FIRST_PASS + HOUR_MS + FORGET_AFTER_MS)
    whole = world.history.day(None, DAY)
    assert world.history.day(TENANT, DAY) is None
    assert whole is not None
    assert (whole.ended, counts(whole)) == (1, [(OTHER, FIRST, 1, 0)])
    assert shown(world, OTHER).is_complete
    assert shown(world, None).is_complete


def test_old_day_names_no_deleted_tenant_when_the_archive_is_rid_of_it() -> None:
    world = passed_world()
    world.tick(COUNTED)
    world.tick(SEAL)
    world.clock.time_ms = SEAL + LATEST_DAYS * DAY_MS
    world.leave(TENANT)
    world.tick(SEAL + LATEST_DAYS * DAY_MS + FORGET_AFTER_MS)
    assert world.deletions.forgetting() == []
    assert counts(world.history.day(None, DAY)) == [(OTHER, FIRST, 1, 0)]


def test_tenant_waits_while_the_day_cannot_be_counted() -> None:
    world = passed_world()
    world.tick(COUNTED)
    world.tick(SEAL)
    world.leave(TENANT)
    world.steps.fail("history.put_day")
    report = world.tick(SEAL + FORGET_AFTER_MS)
    assert report.forgetting.unavailable == 1
    assert world.deletions.forgetting() == [TENANT]
    world.steps.calm()
    world.tick(SEAL + FORGET_AFTER_MS + 1)
    assert world.deletions.forgetting() == []
    assert counts(world.history.day(None, DAY)) == [(OTHER, FIRST, 1, 0)]


def test_record_that_expired_counts_on_in_its_file() -> None:
    world = passed_world()
    world.tick(COUNTED)
    world.table.executions.clear()
    run_of(world, 11, SECOND)
    world.tick(SEAL)
    world.tick(SEAL + COUNTED - FIRST_PASS)
    assert counts(world.history.day(TENANT, DAY)) == [(TENANT, FIRST, 3, 1), (TENANT, SECOND, 2, 0)]


def test_row_that_takes_the_place_of_a_deleted_tenants_row_is_counted() -> None:
    world = passed_world()
    world.tick(COUNTED)
    world.leave(OTHER)
    run_of(world, 12, SECOND)
    world.tick(SEAL)
    assert not shown(world, None).is_complete, "the day has as many executions as before"
    world.tick(SEAL + COUNTED - FIRST_PASS)
    whole = world.history.day(None, DAY)
    assert whole is not None
    assert (whole.ended, counts(whole)) == (6, [(TENANT, FIRST, 3, 1), (TENANT, SECOND, 2, 0)])
    assert shown(world, None).is_complete
