"""A pass over a unit: what has ended is merged into the file, and a sealed file lacks nothing."""

from io import BytesIO
from typing import Any

import pytest

from shared.domain.archive.schedule import QUIET_MS
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import TERMINAL, EndReason, State
from shared.usecases.archive.archive_unit import PassEnd
from tests.support.builders import DUE_AT, TENANT, execution_id
from tests.support.fakes.table import Damage
from tests.support.usecases.archive import (
    CELL,
    DAY_MS,
    FIRST_PASS,
    SEAL,
    UNIT,
    ArchiveWorld,
    ids_of,
)


def next_pass_at(world: ArchiveWorld) -> int:
    return world.archive_units.units[UNIT].state.next_pass_at


def test_first_pass_archives_what_has_ended_and_nothing_else() -> None:
    world = ArchiveWorld()
    ended = [world.ended(number, state) for number, state in enumerate(sorted(TERMINAL), 1)]
    world.open_row(9)
    report = world.tick()
    assert world.ids() == ids_of(*ended)
    assert not world.is_sealed()
    assert [(each.end, each.unended) for each in report.passes] == [(PassEnd.OPEN, 1)]


def test_unit_with_an_open_row_is_passed_daily_and_one_without_on_day_twelve() -> None:
    world = ArchiveWorld()
    late = world.open_row(1)
    world.tick()
    assert next_pass_at(world) == FIRST_PASS + DAY_MS
    world.end(late)
    world.tick(FIRST_PASS + DAY_MS)
    assert next_pass_at(world) == SEAL
    assert world.ids() == ids_of(late)


def test_unit_is_sealed_on_day_twelve_and_not_before() -> None:
    world = ArchiveWorld()
    ended = world.ended()
    world.tick()
    world.tick(SEAL - 1)
    assert not world.is_sealed()
    world.tick(SEAL)
    assert world.is_sealed()
    assert world.ids() == ids_of(ended)
    assert UNIT not in world.archive_units.units


def test_row_that_has_expired_stays_in_the_file() -> None:
    world = ArchiveWorld()
    expired, late = world.ended(1), world.open_row(2)
    world.tick()
    del world.table.executions[expired.id]
    world.end(late)
    for day in range(1, 14):
        world.tick(FIRST_PASS + day * DAY_MS)
    assert world.ids() == ids_of(expired, late)
    assert world.is_sealed()


@pytest.mark.parametrize("has_come_back", [False, True])
def test_file_that_is_gone_although_its_manifest_counts_rows_is_never_written_without_them(
    has_come_back: bool,
) -> None:
    world = ArchiveWorld()
    expired, late = world.ended(1), world.open_row(2)
    world.tick()
    del world.table.executions[expired.id]
    world.end(late)
    key = UNIT.file_key(CELL)
    file = world.archive_objects.objects.pop(key)
    report = world.tick(FIRST_PASS + DAY_MS)
    assert (report.damaged, report.mismatched) == ([UNIT], 1)
    assert key not in world.archive_objects.objects
    if has_come_back:
        world.archive_objects.objects[key] = file
    else:
        # The way out for operators who have no version of the file any more.
        del world.archive_objects.objects[UNIT.manifest_key(CELL)]
    for day in range(2, 14):
        world.tick(FIRST_PASS + day * DAY_MS)
    assert world.is_sealed()
    assert world.ids() == (ids_of(expired, late) if has_come_back else ids_of(late))


def test_row_of_the_table_replaces_that_of_the_file() -> None:
    world = ArchiveWorld()
    moved = world.ended(1, State.MOVED)
    world.open_row(2)
    world.tick()
    row = world.table.executions[moved.id]
    target = execution_id(77, dispatch_at=DUE_AT + DAY_MS)
    row.execution = row.execution.progressed(moved_to=target)
    world.tick(FIRST_PASS + DAY_MS)
    (archived,) = world.rows()
    assert archived["moved_to"] == str(target)


def test_unit_that_is_passed_by_another_archiver_meanwhile_keeps_the_file_of_the_other() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.open_row(2)
    world.tick()
    key = UNIT.file_key(CELL)

    def replace_file() -> None:
        etag, content = world.archive_objects.objects[key]
        world.archive_objects.put(key, BytesIO(content), replaces=etag)

    world.steps.before("archive_objects.put", replace_file)
    world.clock.time_ms = FIRST_PASS + DAY_MS
    report = world.tick()
    assert [each.end for each in report.passes] == [PassEnd.OVERTAKEN]
    assert world.archive_objects.objects[key][0] == '"3"'


def test_archiver_that_stood_still_after_its_file_does_not_replace_a_later_manifest() -> None:
    world = ArchiveWorld(SEAL)
    world.ended(1)
    later: list[str] = []

    def other_seals() -> None:
        world.clock.time_ms += 960_000
        world.archive_units.units[UNIT].leased_until = -1
        state = world.archive_units.listed()[0]
        lease = world.archive_units.take(state, world.clock.now_ms())
        assert lease is not None
        later.append(world.cases.archive.pass_unit.execute(lease).end.name)

    world.steps.after("archive_objects.put", other_seals)
    report = world.tick()
    assert later == ["SEALED"]
    assert [each.end for each in report.passes] == [PassEnd.OVERTAKEN]
    assert world.is_sealed()


@pytest.mark.parametrize("step", ["archive_objects.put", "store.read_shard"])
def test_late_record_during_the_sealing_pass_keeps_the_unit_open_and_is_archived_later(step: str) -> None:
    world = ArchiveWorld()
    ended = world.ended(1)
    world.tick()
    world.clock.time_ms = SEAL
    late: list[Any] = []
    # The record is put behind the read of its shard.
    world.steps.after(step, lambda: late.append(world.put_late(2)))
    world.tick()
    assert not world.is_sealed()
    world.tick(SEAL + 1 + QUIET_MS)
    assert world.is_sealed()
    assert world.ids() == ids_of(ended, *late)


def test_row_that_was_reopened_meanwhile_keeps_the_unit_open() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.tick()
    world.clock.time_ms = SEAL
    bucket = UNIT.buckets.start
    world.steps.before(
        "archive_objects.put",
        lambda: world.ledger.reopen(bucket, 0, next_pass_at=SEAL, open_until=SEAL + 60_000),
    )
    world.tick()
    assert not world.is_sealed()


def test_open_row_keeps_the_unit_open_although_the_ledger_lists_nothing() -> None:
    world = ArchiveWorld(SEAL)
    late = world.open_row(1)
    world.tick()
    assert world.ledger.rows == {}
    assert not world.is_sealed()
    world.end(late)
    world.tick(SEAL + DAY_MS)
    assert world.is_sealed()
    assert world.ids() == ids_of(late)


def test_unreadable_row_keeps_the_unit_open_and_is_reported() -> None:
    world = ArchiveWorld(SEAL)
    broken, fine = world.ended(1), world.ended(2)
    world.table.executions[broken.id].damage = Damage.NEWER
    (result,) = world.tick().passes
    assert len(result.unreadable) == 1
    assert not world.is_sealed()
    assert world.ids() == ids_of(fine)


def test_unit_whose_writer_may_still_put_waits_until_the_writer_is_gone() -> None:
    """A writer may die between its put and its second count."""
    world = ArchiveWorld()
    world.ended(1)
    world.tick()
    world.clock.time_ms = SEAL
    world.late_puts.count(UNIT.hour, SEAL)
    world.tick()
    assert not world.is_sealed()
    assert next_pass_at(world) == SEAL + QUIET_MS
    world.tick(SEAL + QUIET_MS)
    assert world.is_sealed()


def test_file_that_reads_back_otherwise_is_a_mismatch_and_not_sealed() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.tick()
    key = UNIT.file_key(CELL)

    def lose_rows() -> None:
        etag, _ = world.archive_objects.objects[key]
        world.archive_objects.objects[key] = (etag, b"")

    world.clock.time_ms = SEAL
    world.steps.after("archive_objects.put", lose_rows)
    report = world.tick()
    assert [each.end for each in report.passes] == [PassEnd.MISMATCH]
    assert report.mismatched == 1
    assert not world.is_sealed()


def test_damaged_file_is_reported_and_left_as_it_is() -> None:
    world = ArchiveWorld(SEAL)
    world.ended(1)
    world.archive_objects.objects[UNIT.file_key(CELL)] = ('"damaged"', b"{")
    report = world.tick()
    assert report.damaged == [UNIT]
    assert world.archive_objects.objects[UNIT.file_key(CELL)] == ('"damaged"', b"{")


def test_unit_without_rows_has_a_manifest_once_it_is_sealed_and_no_file() -> None:
    world = ArchiveWorld()
    world.tick()
    assert world.archive_objects.objects == {}
    world.tick(SEAL)
    assert set(world.archive_objects.objects) == {UNIT.manifest_key(CELL)}
    assert world.is_sealed()


def test_body_of_the_last_failed_response_is_sealed_for_its_tenant() -> None:
    world = ArchiveWorld()
    outcome = AttemptOutcome(
        attempt=1, started_at=DUE_AT, duration_ms=5, status=500, reason=Reason.HTTP_STATUS
    )
    failed = world.ended(
        1,
        State.FAILED,
        attempt=1,
        last_body=b"no such invoice",
        outcomes=(outcome,),
        end_reason=EndReason.ATTEMPTS_USED_UP,
    )
    world.ended(2, State.FAILED, attempt=1, last_body=b"of a tenant that is gone", tenant_id="gone")
    world.tick()
    archived = {row["tenant"]: row for row in world.rows()}
    sealed = bytes.fromhex(archived[TENANT]["body"])
    assert world.vault.unseal(world.tenant, str(failed.id), sealed) == b"no such invoice"
    assert archived["gone"]["body"] is None
