"""Deleted tenants leave the archive: their rows go, those of others stay, and nothing comes back."""

from contextlib import suppress
from io import BytesIO
from itertools import count
from typing import BinaryIO

import pytest

from shared.domain.archive.statistics import Sums
from shared.domain.archive.unit import ArchiveUnit, hour_of
from shared.domain.bucket import bucket_of
from shared.domain.executions.execution import Execution
from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.forgetting import FORGET_AFTER_MS, Forgetting
from shared.usecases.archive.forget_tenants import HOURS_AT_ONCE, MOST_TENANTS, next_hours
from tests.support.builders import DUE_AT, TENANT, deletion, one_off, with_changes
from tests.support.usecases.archive import (
    CELL,
    DAY_MS,
    FIRST_PASS,
    HOUR,
    HOUR_MS,
    SEAL,
    UNIT,
    ArchiveWorld,
    ids_of,
)
from tests.support.usecases.steps import Crash, die

OTHER, THIRD = "globex", "initech"
GONE = SEAL + DAY_MS
"""When a deletion ends in most tests."""
FORGETTABLE = GONE + FORGET_AFTER_MS
SHARD = f"{bucket_of(DUE_AT)}#0"


def sealed_world() -> tuple[ArchiveWorld, Execution]:
    """A sealed file with rows of three tenants; the row of the second."""
    world = ArchiveWorld()
    world.ended(1)
    world.ended(2)
    kept = world.ended(3, tenant_id=OTHER)
    world.ended(4, tenant_id=THIRD)
    world.tick()
    world.tick(SEAL)
    assert world.is_sealed()
    world.clock.time_ms = GONE
    return world, kept


def sums(world: ArchiveWorld, tenant_id: str | None) -> Sums | None:
    return world.history.of_unit(tenant_id, UNIT)


def owners(world: ArchiveWorld) -> set[str]:
    return {row["tenant"] for row in world.rows()}


def test_rows_of_a_deleted_tenant_leave_the_file_and_those_of_others_stay() -> None:
    world, kept = sealed_world()
    before = world.manifest()
    assert before is not None
    world.leave(TENANT)
    report = world.tick(FORGETTABLE)
    after = world.manifest()
    assert after is not None
    assert owners(world) == {OTHER, THIRD}
    assert str(kept.id) in world.ids()
    assert world.is_sealed()
    assert (after.file.tenants, after.passed_at) == ({OTHER: 1, THIRD: 1}, before.passed_at)
    assert after.file.forgotten == {SHARD: 2}
    assert after.file.ever_archived == before.file.ever_archived == {SHARD: 4}
    assert report.forgetting.rewritten == report.forgetting.forgotten == 1
    assert report.mismatched == 0


def test_statistics_of_a_deleted_tenant_go_and_those_of_all_tenants_are_those_of_the_file() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    world.tick(FORGETTABLE)
    assert sums(world, TENANT) is None
    other, third, whole = sums(world, OTHER), sums(world, THIRD), sums(world, None)
    assert other is not None
    assert third is not None
    total = Sums()
    total.merge(other)
    total.merge(third)
    assert whole == total


def test_record_of_the_deletion_says_what_was_done() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    world.tick(FORGETTABLE)
    hours = hour_of(GONE) + 1 - HOUR
    assert world.forgetting(TENANT) == Forgetting(
        hour=HOUR + hours,
        has_statistics=False,
        rows=2,
        looked_at=1,
        rewritten=1,
        ended_at=FORGETTABLE,
    )
    assert world.deletions.forgetting() == []


def test_rows_stay_while_a_pass_may_put_others_of_the_tenant() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    world.tick(FORGETTABLE - 1)
    assert TENANT in owners(world)
    assert sums(world, TENANT) is not None


def test_pass_leaves_out_deleted_tenants_at_once() -> None:
    world = ArchiveWorld()
    world.ended(1)
    kept = world.ended(2, tenant_id=OTHER)
    world.tick()
    world.leave(TENANT)
    left_behind = world.ended(3)
    world.open_row(4)
    world.tick(SEAL)
    assert world.ids() == ids_of(kept)
    assert world.is_sealed(), "an open execution of a deleted tenant keeps no hour open"
    manifest = world.manifest()
    assert manifest is not None
    assert manifest.file.forgotten == {SHARD: 1}
    assert left_behind.id in world.table.executions


def test_open_execution_of_a_deleted_tenant_leaves_the_statistics_of_all_tenants() -> None:
    world = ArchiveWorld()
    world.open_row(1)
    world.tick()
    whole = sums(world, None)
    assert whole is not None
    assert whole.unended == 1
    world.leave(TENANT)
    world.tick(SEAL)
    assert sums(world, None) == Sums()


def test_tenant_waits_until_its_last_hour_is_sealed() -> None:
    world = ArchiveWorld()
    world.ended(1)
    late = with_changes(world.open_row(2), tenant_id=OTHER)
    world.table.executions[late.id].execution = late
    world.tick()
    world.leave(TENANT)
    world.tick(FIRST_PASS + FORGET_AFTER_MS)
    assert sums(world, TENANT) is None
    world.tick(SEAL)
    assert world.deletions.forgetting() == [TENANT], "another tenant's execution has not ended"
    world.end(late)
    world.tick(SEAL + DAY_MS)
    world.tick(SEAL + DAY_MS + HOUR_MS)
    assert world.deletions.forgetting() == []
    assert world.ids() == ids_of(late)


def test_rows_do_not_come_back_when_a_late_record_opens_the_hour_again() -> None:
    world, kept = sealed_world()
    world.leave(TENANT)
    world.tick(FORGETTABLE)
    before = world.manifest()
    late = world.put_late(9)
    world.table.executions[late.id].execution = with_changes(late, tenant_id=OTHER)
    world.tick(FORGETTABLE + DAY_MS)
    world.tick(FORGETTABLE + 2 * DAY_MS)
    assert ids_of(kept, late) <= world.ids()
    assert owners(world) == {OTHER, THIRD}
    manifest = world.manifest()
    assert before is not None
    assert manifest is not None
    assert world.is_sealed()
    assert manifest.file.forgotten == before.file.forgotten == {SHARD: 2}
    assert sums(world, TENANT) is None


def test_rows_that_a_restore_brings_back_do_not_come_back_into_the_archive() -> None:
    world, kept = sealed_world()
    restored = dict(world.table.executions)
    world.leave(TENANT)
    world.tick(FORGETTABLE)
    world.table.executions |= restored
    late = world.put_late(9)
    world.table.executions[late.id].execution = with_changes(late, tenant_id=OTHER)
    world.tick(FORGETTABLE + DAY_MS)
    world.tick(FORGETTABLE + 2 * DAY_MS)
    assert str(late.id) in world.ids()
    assert str(kept.id) in world.ids()
    assert owners(world) == {OTHER, THIRD}
    assert world.is_sealed()
    assert sums(world, TENANT) is None


def test_late_record_counts_though_its_hour_was_opened_after_the_look_at_open_hours() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    late: list[Execution] = []

    def open_again() -> None:
        late.append(world.put_late(9))
        world.table.executions[late[0].id].execution = with_changes(late[0], tenant_id=OTHER)
        world.run_archive.plan.execute()
        world.clock.time_ms += 1_000

    world.steps.before("history.passed", open_again)
    world.tick(FORGETTABLE)
    world.tick(FORGETTABLE + DAY_MS)
    world.tick(FORGETTABLE + 2 * DAY_MS)
    assert str(late[0].id) in world.ids()
    other, third = sums(world, OTHER), sums(world, THIRD)
    assert other is not None
    assert third is not None
    other.merge(third)
    assert sums(world, None) == other


def test_file_that_another_run_replaces_meanwhile_is_done_again() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    key = UNIT.file_key(CELL)

    def replace_file() -> None:
        etag, content = world.archive_objects.objects[key]
        world.archive_objects.put(key, BytesIO(content), replaces=etag)

    world.steps.before("archive_objects.put", replace_file)
    report = world.tick(FORGETTABLE)
    assert (report.forgetting.overtaken, report.forgetting.rewritten) == (1, 0)
    assert TENANT in owners(world)
    assert world.deletions.forgetting() == [TENANT]
    world.tick(FORGETTABLE + 300_000)
    assert owners(world) == {OTHER, THIRD}
    assert world.is_sealed()
    assert world.deletions.forgetting() == []


def test_file_that_another_run_replaces_after_it_was_read_is_done_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    key, read, reads = UNIT.file_key(CELL), world.archive_objects.get, count()

    def read_and_replace(name: str, into: BinaryIO) -> str | None:
        found = read(name, into)
        if name == key and next(reads) == 0:
            etag, content = world.archive_objects.objects[key]
            world.archive_objects.put(key, BytesIO(content), replaces=etag)
        return found

    monkeypatch.setattr(world.archive_objects, "get", read_and_replace)
    report = world.tick(FORGETTABLE)
    assert (report.forgetting.overtaken, report.forgetting.rewritten) == (1, 0)
    assert TENANT in owners(world)


def test_manifest_that_another_run_replaces_meanwhile_is_done_again() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    key = UNIT.manifest_key(CELL)

    def replace_manifest() -> None:
        etag, content = world.archive_objects.objects[key]
        world.archive_objects.put(key, BytesIO(content), replaces=etag)

    world.steps.after("archive_objects.put", replace_manifest)
    assert world.tick(FORGETTABLE).forgetting.overtaken == 1
    world.tick(FORGETTABLE + 300_000)
    manifest = world.manifest()
    assert manifest is not None
    assert (manifest.file.tenants, manifest.file.forgotten) == ({OTHER: 1, THIRD: 1}, {SHARD: 2})
    assert world.is_sealed()


def test_file_whose_rows_are_all_forgotten_is_empty_and_counts_them() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.tick()
    world.tick(SEAL)
    world.clock.time_ms = GONE
    world.leave(TENANT)
    world.tick(FORGETTABLE)
    assert world.rows() == []
    assert world.is_sealed()
    assert sums(world, None) == Sums()


def test_file_that_is_not_what_its_manifest_says_stays_and_is_a_mismatch() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    key = UNIT.file_key(CELL)
    etag, content = world.archive_objects.objects[key]
    first, *others = content.splitlines(keepends=True)
    assert b'"acme"' in first
    world.archive_objects.objects[key] = (etag, first + b"".join(others[2:]))
    report = world.tick(FORGETTABLE)
    assert report.forgetting.damaged == [UNIT]
    assert report.mismatched == 1
    assert world.archive_objects.objects[key][0] == etag


@pytest.mark.parametrize("kind", ["file", "manifest"])
def test_damaged_object_stops_the_walk_and_is_a_mismatch(kind: str) -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    key = UNIT.file_key(CELL) if kind == "file" else UNIT.manifest_key(CELL)
    etag, _ = world.archive_objects.objects[key]
    world.archive_objects.objects[key] = (etag, b"no such thing")
    assert world.tick(FORGETTABLE).forgetting.damaged == [UNIT]
    assert world.deletions.forgetting() == [TENANT]


@pytest.mark.parametrize("kinds", [["manifest"], ["file", "manifest"], ["file"]], ids="-".join)
def test_tenant_is_not_forgotten_while_a_file_with_its_rows_is_gone(kinds: list[str]) -> None:
    """As in an empty bucket, whose objects are elsewhere."""
    world, _ = sealed_world()
    world.leave(TENANT)
    keys = [UNIT.file_key(CELL) if kind == "file" else UNIT.manifest_key(CELL) for kind in kinds]
    gone = {key: world.archive_objects.objects.pop(key) for key in keys}
    report = world.tick(FORGETTABLE)
    assert (report.forgetting.damaged, report.forgetting.forgotten) == ([UNIT], 0)
    assert world.deletions.forgetting() == [TENANT]
    world.archive_objects.objects |= gone
    world.tick(FORGETTABLE + 900_000)
    assert world.deletions.forgetting() == []
    assert TENANT not in owners(world)


def test_tenants_that_wait_together_have_their_rows_removed_by_one_put() -> None:
    world, kept = sealed_world()
    world.leave(TENANT)
    world.leave(THIRD)
    report = world.tick(FORGETTABLE)
    assert (report.forgetting.rewritten, report.forgetting.forgotten) == (1, 2)
    assert world.ids() == ids_of(kept)
    assert [world.forgetting(name).rewritten for name in (TENANT, THIRD)] == [1, 1]


def test_hours_that_are_done_are_not_looked_at_again() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    world.clock.time_ms = FORGETTABLE
    looks = iter([True] * 6)
    world.run_archive.execute(lambda: next(looks, False))
    done = world.forgetting(TENANT).hour - HOUR
    assert 0 < done < hour_of(GONE) + 1 - HOUR
    assert done % HOURS_AT_ONCE == 0
    world.steps.taken.clear()
    world.tick(FORGETTABLE + 900_000)
    left = hour_of(GONE) + 1 - HOUR - done
    assert world.steps.count("archive_objects.get") == left
    assert world.deletions.forgetting() == []


def test_run_without_time_removes_nothing() -> None:
    world, _ = sealed_world()
    world.leave(TENANT)
    world.clock.time_ms = FORGETTABLE
    world.run_archive.execute(lambda: False)
    assert sums(world, TENANT) is not None
    assert TENANT in owners(world)


def test_store_that_does_not_respond_leaves_the_rest_to_a_later_run() -> None:
    for call in ("history.forget", "deletions.replace", "archive_objects.put", "history.passed"):
        world, kept = sealed_world()
        world.leave(TENANT)
        world.steps.fail(call)
        report = world.tick(FORGETTABLE)
        assert report.unavailable + report.forgetting.unavailable == 1, call
        world.tick(FORGETTABLE + 300_000)
        assert owners(world) == {OTHER, THIRD}, call
        assert str(kept.id) in world.ids()
        assert world.deletions.forgetting() == []


@pytest.mark.exhaustive
def test_run_that_dies_at_any_call_loses_no_row_of_others_and_leaves_none_of_the_tenant() -> None:
    total = len(_forgotten_with_crash(None))
    assert total > 20
    for moment in range(2 * total):
        _forgotten_with_crash(moment)


def _forgotten_with_crash(moment: int | None) -> list[str]:
    world, kept = sealed_world()
    # Few hours may have rows, so that there are few calls.
    world.leave(TENANT, UNIT.end_ms)
    world.leave(THIRD, UNIT.end_ms)
    world.steps.taken.clear()
    world.steps.at_each = lambda number, _: die() if number == moment else None
    with suppress(Crash):
        world.tick(FORGETTABLE)
    taken = list(world.steps.taken)
    world.steps.calm()
    assert world.tick(FORGETTABLE + 300_000).mismatched == 0, moment
    assert world.ids() == ids_of(kept), moment
    assert world.is_sealed(), moment
    manifest = world.manifest()
    assert manifest is not None
    assert manifest.file.ever_archived == {SHARD: 4}, moment
    assert sums(world, None) == sums(world, OTHER), moment
    assert (sums(world, TENANT), sums(world, THIRD)) == (None, None), moment
    assert world.deletions.forgetting() == [], moment
    return taken


def waiting(name: str, hour: int, ended_at: int = 100 * HOUR_MS) -> TenantDeletion:
    return deletion(tenant_id=name, ended_at=ended_at, forgetting=Forgetting(hour=hour))


def names(group: list[TenantDeletion]) -> list[str]:
    return [each.tenant_id for each in group]


def test_tenants_at_the_same_hour_go_on_together_and_the_farthest_first() -> None:
    ahead, first, second = waiting("ahead", 65), waiting("first", 0), waiting("second", 10)
    group, hours = next_hours([first, ahead, second], 20, 70)
    assert (names(group), hours) == (["ahead"], range(65, 70))
    ahead = waiting("ahead", 70)
    group, hours = next_hours([first, ahead, second], 20, 70)
    assert (names(group), hours) == (["first", "second"], range(20, 20 + HOURS_AT_ONCE))


def test_hours_after_the_end_of_the_deletion_are_not_looked_at() -> None:
    early = waiting("early", 0, ended_at=22 * HOUR_MS + 1)
    assert next_hours([early], 20, 70) == ([early], range(20, 23))
    done = waiting("done", 23, ended_at=22 * HOUR_MS + 1)
    assert next_hours([done], 20, 70) == ([], range(0))
    assert next_hours([waiting("later", 0)], 70, 70) == ([], range(0))


def test_tenants_beyond_the_bound_wait() -> None:
    world, _ = sealed_world()
    for number in range(MOST_TENANTS):
        world.leave(f"t{number}")
    world.clock.time_ms += 1
    world.leave(TENANT)
    assert world.tick(FORGETTABLE + 1).forgetting.forgotten == MOST_TENANTS
    assert TENANT in owners(world)
    world.tick(FORGETTABLE + 300_000)
    assert TENANT not in owners(world)


def test_row_of_another_unit_is_never_touched() -> None:
    world, _ = sealed_world()
    other = ArchiveUnit(hour=HOUR, group=1)
    world.archive_objects.put(other.file_key(CELL), BytesIO(b"x"), replaces=None)
    world.leave(TENANT)
    world.tick(FORGETTABLE)
    assert world.archive_objects.objects[other.file_key(CELL)][1] == b"x"
    assert one_off(1).tenant_id == TENANT
