"""The verification of the audit trail: a whole trail has no finding, and each way to change it has its own."""

from dataclasses import replace

import pytest

from shared.domain.audit_trail.progress import DAY_MS, GRACE_MS, HOUR_MS
from shared.domain.audit_trail.segment import Segment, encode_segment
from shared.domain.ids import recurring_job_id
from shared.usecases.audit_trail.verify_trail import LATE_MS
from tests.support.fakes.audit_trail import LOCK_DAYS
from tests.support.settings import AUDIT_DAYS
from tests.support.usecases.audit_trail import OTHER, START_MS, TrailWorld, record

FIRST_TICK = START_MS + GRACE_MS
HOURS = 4
NOW = FIRST_TICK + HOURS * HOUR_MS


@pytest.fixture
def world() -> TrailWorld:
    """A trail of five segments: the time before, and four hours with a record of each tenant."""
    made = TrailWorld()
    made.tick(FIRST_TICK)
    for hour in range(HOURS):
        at = START_MS + hour * HOUR_MS
        made.append(record(2 * hour, at), record(2 * hour + 1, at + 1, tenant_id=OTHER))
        made.tick(FIRST_TICK + (hour + 1) * HOUR_MS)
    return made


def findings(world: TrailWorld, from_at: int = 0) -> str:
    """All findings as one text."""
    return "\n".join(world.verify(from_at).findings)


def rewritten(world: TrailWorld, number: int, change: dict[str, object]) -> bytes:
    segment: Segment = world.segments()[number]
    return encode_segment(replace(segment, **change))  # type: ignore[arg-type]


def test_whole_trail_is_verified(world: TrailWorld) -> None:
    verdict = world.verify()
    assert (verdict.findings, verdict.late) == ([], 0)
    assert (verdict.segments, verdict.records) == (HOURS + 1, 2 * HOURS)
    assert verdict.through_at == START_MS + HOURS * HOUR_MS


def test_interval_reads_the_segments_that_can_have_its_records(world: TrailWorld) -> None:
    for hour in range(HOURS + 1, 73):
        world.tick(FIRST_TICK + hour * HOUR_MS)
    from_at = START_MS + 2 * DAY_MS
    verdict = world.verify(from_at)
    assert verdict.findings == []
    assert 24 <= verdict.segments <= 30
    verdict = world.verify(START_MS + HOUR_MS, START_MS + 2 * HOUR_MS)
    assert (verdict.findings, verdict.records) == ([], 2)


def test_trail_of_a_stage_without_records_is_verified() -> None:
    world = TrailWorld()
    world.tick(FIRST_TICK)
    assert world.verify().findings == []


def test_empty_bucket_is_no_verified_trail() -> None:
    assert TrailWorld().verify().findings == ["The bucket has no segment, so nothing is verified."]


@pytest.mark.parametrize("number", [0, 2])
def test_missing_segment_is_named(world: TrailWorld, number: int) -> None:
    world.fakes.trail_segments.destroy(number)
    expected = "The segments before 1 are missing." if number == 0 else "Segment 2 is missing."
    assert expected in findings(world)


def test_missing_last_segment_is_told_by_the_noted_progress(world: TrailWorld) -> None:
    world.fakes.trail_segments.destroy(HOURS)
    assert f"The bucket lacks 1 segments from number {HOURS} on, which were written." in findings(world)


def test_first_version_is_read_and_what_was_written_over_it_is_told(world: TrailWorld) -> None:
    world.fakes.trail_segments.write_over(2, b"forged")
    (finding,) = world.verify().findings
    assert finding.startswith("Segment 2 was written over at 2025-02-")


def test_deletion_mark_is_told_and_hides_nothing(world: TrailWorld) -> None:
    world.fakes.trail_segments.write_over(2, None)
    (finding,) = world.verify().findings
    assert finding.startswith("Segment 2 was hidden by a deletion at ")


def test_exchanged_segment_breaks_the_chain(world: TrailWorld) -> None:
    forged = rewritten(world, 2, {"records": ()})
    world.fakes.trail_segments.destroy(2)
    world.fakes.trail_segments.write_over(2, forged)
    told = findings(world)
    assert "Segment 3 was not written after the one that is before it now." in told
    world.fakes.clock.time_ms = NOW + LATE_MS
    assert "Record aud_0000000000000002 of acme, of " in findings(world)


def test_forged_record_differs_from_that_of_the_table(world: TrailWorld) -> None:
    forged = replace(world.segments()[2].records[0], operation="forged")
    content = rewritten(world, 2, {"records": (forged, world.segments()[2].records[1])})
    world.fakes.trail_segments.destroy(2)
    world.fakes.trail_segments.write_over(2, content)
    assert "in the table is not the one of the trail." in findings(world)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"number": 7}, "Segment 4 says that it is segment 7."),
        ({"previous": "0" * 64}, "Segment 4 was not written after the one that is before it now."),
        ({"lock_days": LOCK_DAYS + 1}, f", and not for {LOCK_DAYS + 1} days."),
    ],
)
def test_header_that_does_not_fit_is_told(world: TrailWorld, change: dict[str, object], told: str) -> None:
    content = rewritten(world, HOURS, change)
    world.fakes.trail_segments.destroy(HOURS)
    world.fakes.trail_segments.write_over(HOURS, content)
    assert told in findings(world)


def test_unreadable_segment_is_told(world: TrailWorld) -> None:
    world.fakes.trail_segments.destroy(HOURS)
    world.fakes.trail_segments.write_over(HOURS, b"no segment")
    assert f"Segment {HOURS} cannot be read." in findings(world)


def test_segment_without_a_lock_is_told(world: TrailWorld) -> None:
    world.fakes.trail_segments.lock_days = None
    world.tick(NOW + HOUR_MS)
    assert world.verify().findings == [f"Segment {HOURS + 1} is not locked."]


def test_foreign_object_is_told(world: TrailWorld) -> None:
    store = world.fakes.trail_segments
    (version, content) = store.objects[store.name_of(0)][0]
    store.objects["v1/test/notes"].append((replace(version, name="v1/test/notes", number=None), content))
    assert world.verify().findings == ["The bucket has an object v1/test/notes, which is no segment."]


def test_hour_that_no_segment_covers_is_told(world: TrailWorld) -> None:
    stored = world.fakes.trail_progress.stored
    assert stored is not None
    world.fakes.trail_progress.stored = replace(stored, through_at=stored.through_at + HOUR_MS)
    world.tick(NOW + 2 * HOUR_MS)
    assert "No segment covers the time from " in findings(world)


def test_record_that_the_table_has_lost_is_told_until_it_expires(world: TrailWorld) -> None:
    lost = record(0)
    del world.fakes.audit_log.records[next(iter(world.fakes.audit_log.records))]
    told = findings(world)
    assert (
        f"Record {lost.id} of acme, of 2025-02-19T21:00:00.000Z, is in the trail, and the table has lost it."
        in told
    )
    world.fakes.clock.time_ms = START_MS + AUDIT_DAYS * DAY_MS
    assert lost.id not in findings(world)


def test_record_that_no_segment_has_is_waited_for_and_then_told(world: TrailWorld) -> None:
    late = record(99, START_MS)
    world.append(late)
    verdict = world.verify()
    assert (verdict.findings, verdict.late) == ([], 1)
    world.fakes.clock.time_ms = START_MS + LATE_MS
    assert (
        f"Record {late.id} of acme, of 2025-02-19T21:00:00.000Z, is in the table, and no segment has it."
        in findings(world)
    )


def test_late_record_is_verified_once_a_late_pass_has_found_it(world: TrailWorld) -> None:
    world.append(record(99, START_MS))
    world.tick(START_MS + 2 * DAY_MS)
    verdict = world.verify()
    assert (verdict.findings, verdict.late, verdict.records) == ([], 0, 2 * HOURS + 1)


def test_trail_that_has_stopped_is_told(world: TrailWorld) -> None:
    world.fakes.clock.time_ms = NOW + 2 * DAY_MS
    assert f"The trail ends at 2025-02-20T0{(21 + HOURS) % 24}:00:00.000Z." in findings(world)


def test_unrecorded_change_of_a_job_is_told(world: TrailWorld) -> None:
    job = recurring_job_id(START_MS, 1, cell="0")
    at = START_MS + HOURS * HOUR_MS
    states = ((None, "a"), ("a", "b"), ("c", "d"))
    for number, (before, after) in enumerate(states):
        operation = "createJob" if before is None else "updateJob"
        change = record(50 + number, at + number * 600_000, target=job, operation=operation)
        world.append(replace(change, before=before, after=after))
    world.tick(NOW + HOUR_MS)
    (finding,) = world.verify().findings
    assert finding.startswith(
        f"Job {job} of acme has an unrecorded change before record aud_0000000000000052 of "
    )


def test_segments_whose_locks_have_ended_may_be_deleted(world: TrailWorld) -> None:
    world.tick(NOW + DAY_MS)
    world.fakes.clock.time_ms = NOW + (LOCK_DAYS + 2) * DAY_MS
    for number in (0, 1):
        world.fakes.trail_segments.destroy(number)
    world.fakes.trail_segments.write_over(2, None)
    told = [each for each in world.verify().findings if "egment" in each]
    assert told == []
