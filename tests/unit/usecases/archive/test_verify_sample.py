"""A sealed file is compared again: with its manifest, and with the statistics that were computed from it."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest

from shared.domain.archive.manifest import encode_manifest
from shared.domain.archive.statistics import Sums, UnitSums
from shared.usecases.archive.run_archive import SAMPLED_WITHIN_MS
from shared.usecases.archive.verify_sample import Part, SampleMismatch
from tests.support.builders import TENANT
from tests.support.usecases.archive import CELL, DAY_MS, HOUR, HOUR_MS, SEAL, UNIT, ArchiveWorld

OTHER = "globex"
LATER = SEAL + DAY_MS


def sealed_world() -> ArchiveWorld:
    """One sealed unit, which is the only one that a sample finds."""
    world = ArchiveWorld()
    world.ended(1)
    world.ended(2, tenant_id=OTHER)
    world.tick()
    world.tick(SEAL)
    assert world.is_sealed()
    setattr(world.entropy, "draw", lambda: 0.0)  # noqa: B010 - the first hour is the one with a file
    return world


def sample(world: ArchiveWorld) -> SampleMismatch | None:
    world.clock.time_ms = LATER
    return world.cases.archive.run.verify_sample.execute(HOUR + 1)


def put_object(world: ArchiveWorld, key: str, content: bytes) -> None:
    etag, _ = world.archive_objects.objects[key]
    world.archive_objects.put(key, BytesIO(content), replaces=etag)


def damage_file(world: ArchiveWorld) -> None:
    put_object(world, UNIT.file_key(CELL), b"no such thing")


def drop_row(world: ArchiveWorld) -> None:
    _, content = world.archive_objects.objects[UNIT.file_key(CELL)]
    put_object(world, UNIT.file_key(CELL), content.splitlines(keepends=True)[0])


def remove_file(world: ArchiveWorld) -> None:
    del world.archive_objects.objects[UNIT.file_key(CELL)]


def damage_manifest(world: ArchiveWorld) -> None:
    put_object(world, UNIT.manifest_key(CELL), b"{}")


def remove_manifest(world: ArchiveWorld) -> None:
    del world.archive_objects.objects[UNIT.manifest_key(CELL)]


def empty_manifest(world: ArchiveWorld) -> None:
    manifest = world.manifest()
    assert manifest is not None
    put_object(world, UNIT.manifest_key(CELL), encode_manifest(replace(manifest, etag=None)))


def drop_sums(world: ArchiveWorld) -> None:
    del world.history.stored[OTHER, UNIT]


def change_sums(world: ArchiveWorld) -> None:
    stored = world.history.stored[TENANT, UNIT]
    other = Sums()
    other.merge(stored.sums.sums)
    other.attempts += 1
    stored.sums = UnitSums(unit=UNIT, tenant_id=TENANT, sums=other)


def change_whole(world: ArchiveWorld) -> None:
    world.history.stored[None, UNIT].sums = UnitSums(unit=UNIT, tenant_id=None, sums=Sums())


def test_sealed_file_is_what_it_was() -> None:
    assert sample(sealed_world()) is None


@pytest.mark.parametrize(
    ("change", "part", "tenant_id"),
    [
        (damage_file, Part.FILE, None),
        (drop_row, Part.FILE, None),
        (remove_file, Part.FILE, None),
        (empty_manifest, Part.FILE, None),
        (damage_manifest, Part.MANIFEST, None),
        (remove_manifest, Part.MANIFEST, None),
        (drop_sums, Part.STATISTICS, OTHER),
        (change_sums, Part.STATISTICS, TENANT),
        (change_whole, Part.STATISTICS, None),
    ],
)
def test_change_after_the_seal_is_a_mismatch(
    change: Callable[[ArchiveWorld], None], part: Part, tenant_id: str | None
) -> None:
    world = sealed_world()
    change(world)
    assert sample(world) == SampleMismatch(unit=UNIT, part=part, tenant_id=tenant_id)
    report = world.tick(LATER)
    assert (report.sample is not None, report.mismatched) == (True, 1)


def test_file_is_compared_by_one_tick_of_an_hour() -> None:
    for minute, is_compared in ((0, True), (4, True), (5, False), (59, False)):
        world = sealed_world()
        drop_row(world)
        report = world.tick(LATER + minute * 60_000)
        assert (report.sample is not None) == is_compared, minute
    assert SAMPLED_WITHIN_MS < HOUR_MS


def test_hour_without_a_file_and_without_statistics_is_nothing_to_find() -> None:
    world = sealed_world()
    for key in list(world.archive_objects.objects):
        del world.archive_objects.objects[key]
    world.history.stored.clear()
    assert sample(world) is None


def test_hours_that_are_open_or_have_expired_are_not_compared() -> None:
    world = sealed_world()
    drop_row(world)
    assert world.cases.archive.run.verify_sample.execute(HOUR) is None
    world.clock.time_ms = UNIT.end_ms + 400 * DAY_MS
    assert world.cases.archive.run.verify_sample.execute(HOUR + 1) is None


def test_file_that_is_just_being_replaced_is_no_mismatch() -> None:
    opened, forgotten = sealed_world(), sealed_world()
    for world in (opened, forgotten):
        drop_row(world)
    opened.archive_units.open(UNIT, next_pass_at=LATER, sealable_from=LATER)
    assert sample(opened) is None
    forgotten.leave(OTHER)
    assert sample(forgotten) is None


def test_manifest_that_is_replaced_meanwhile_is_no_mismatch() -> None:
    world = sealed_world()
    drop_row(world)
    _, content = world.archive_objects.objects[UNIT.manifest_key(CELL)]
    world.steps.after(
        "archive_units.listed", lambda: put_object(world, UNIT.manifest_key(CELL), content + b" ")
    )
    assert sample(world) is None


def test_service_that_does_not_respond_is_no_mismatch() -> None:
    world = sealed_world()
    world.steps.fail("history.of_unit")
    report = world.tick(LATER)
    assert (report.sample, report.unavailable) == (None, 1)
