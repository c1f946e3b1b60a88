"""The auditor: each record is in one segment, however often runs die, overlap, are missed, or records come late."""

from collections import Counter
from itertools import count

import pytest

from shared.domain.audit_trail.progress import DAY_MS, GRACE_MS, HOUR_MS, TrailProgress
from shared.domain.audit_trail.segment import NO_SEGMENT, Period, hash_of, read_segment
from shared.domain.errors import UnavailableError
from shared.domain.tenancy.tenant import OPERATOR
from shared.usecases.audit_trail import export_audit, read_records
from tests.support.usecases.audit_trail import OTHER, START_MS, TrailWorld, auditor, record
from tests.support.usecases.steps import Crash

FIRST_TICK = START_MS + GRACE_MS
NEXT_TICK = FIRST_TICK + HOUR_MS


@pytest.fixture
def world() -> TrailWorld:
    return TrailWorld()


def begun(world: TrailWorld) -> TrailWorld:
    """A trail with an empty first segment."""
    assert world.tick(FIRST_TICK).segments == 1
    return world


def test_records_of_all_tenants_are_exported_once_their_hour_is_closed(world: TrailWorld) -> None:
    begun(world)
    mine = record(1, START_MS + 1)
    other = record(2, START_MS + HOUR_MS - 1, tenant_id=OTHER)
    operators = record(3, START_MS, tenant_id=OPERATOR)
    next_hour = record(4, START_MS + HOUR_MS)
    world.append(mine, other, operators, next_hour)
    assert world.tick(NEXT_TICK - 1).segments == 0
    report = world.tick(NEXT_TICK)
    assert (report.segments, report.records, report.late, report.overdue_ms) == (1, 3, 0, 0)
    assert world.exported() == [operators, mine, other]


def test_first_segment_has_all_that_was_recorded_before(world: TrailWorld) -> None:
    old = [record(number, START_MS - number * 100 * DAY_MS) for number in (3, 2, 1)]
    world.append(*old)
    assert world.tick(FIRST_TICK).records == 3
    (first,) = world.segments()
    assert (first.period, first.closes) == (Period(from_at=0, until_at=START_MS), True)
    assert list(first.records) == old


def test_hour_without_records_has_a_segment_too(world: TrailWorld) -> None:
    begun(world)
    assert world.tick(NEXT_TICK).segments == 1
    assert [len(each.records) for each in world.segments()] == [0, 0]


def test_segment_has_the_hash_of_the_one_before(world: TrailWorld) -> None:
    begun(world).tick(NEXT_TICK + HOUR_MS)
    contents = world.fakes.trail_segments.contents()
    assert [each.number for each in world.segments()] == [0, 1, 2]
    assert [each.previous for each in world.segments()] == [NO_SEGMENT, *map(hash_of, contents[:-1])]


def test_days_of_standstill_are_caught_up_with_hour_by_hour(world: TrailWorld) -> None:
    begun(world)
    world.append(*(record(number, START_MS + number * HOUR_MS) for number in range(72)))
    report = world.tick(FIRST_TICK + 72 * HOUR_MS)
    assert (report.segments, report.records, report.overdue_ms) == (72, 72, 0)
    assert all(len(each.records) == 1 for each in world.segments()[1:])


def test_run_without_time_leaves_the_rest_to_the_next_and_says_how_old_it_is(world: TrailWorld) -> None:
    begun(world)
    world.fakes.clock.time_ms = FIRST_TICK + 5 * HOUR_MS
    left = iter([True] * 4 + [False] * 100)
    export = auditor(world.fakes, world.fakes.ports()).audit_trail.export
    report = export.execute(lambda: next(left))
    assert 0 < report.segments < 5
    assert report.overdue_ms == (4 - report.segments) * HOUR_MS
    assert world.tick(FIRST_TICK + 5 * HOUR_MS).segments == 5 - report.segments


@pytest.mark.parametrize("size", [1, 2, 3])
def test_busy_hour_has_several_segments_of_which_the_last_one_closes_it(
    world: TrailWorld, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_audit, "MOST_RECORDS", size)
    monkeypatch.setattr(read_records, "PAGE", 2)
    begun(world)
    records = [record(number, START_MS + number) for number in range(6)]
    world.append(*records)
    assert world.tick(NEXT_TICK).segments == 6 // size
    assert [each.closes for each in world.segments()] == [True, *[False] * (6 // size - 1), True]
    assert sorted(world.exported(), key=lambda each: each.at) == records


@pytest.mark.parametrize("days", [1, 7])
def test_late_record_gets_a_segment_of_its_own_and_nothing_is_rewritten(world: TrailWorld, days: int) -> None:
    begun(world)
    world.append(record(1, START_MS))
    world.tick(NEXT_TICK)
    world.tick(START_MS + days * DAY_MS)
    before = world.fakes.trail_segments.contents()
    late = record(2, START_MS + 5)
    world.append(late)
    report = world.tick(START_MS + HOUR_MS + days * DAY_MS)
    assert report.late == 1
    contents = world.fakes.trail_segments.contents()
    assert contents[: len(before)] == before
    (own,) = [each for each in world.segments() if late in each.records]
    assert (own.period, own.closes, own.records) == (
        Period(from_at=START_MS, until_at=START_MS + HOUR_MS),
        False,
        (late,),
    )
    assert world.tick(START_MS + 2 * HOUR_MS + days * DAY_MS).late == 0


def test_period_is_forgotten_after_the_last_late_pass(world: TrailWorld) -> None:
    begun(world).tick(START_MS + 8 * DAY_MS)
    for _ in range(2):
        world.tick(START_MS + 30 * DAY_MS)
    stored = world.fakes.trail_progress.stored
    assert stored is not None
    assert len(stored.periods) <= 7 * 24 + 1


def test_overlapping_run_writes_nothing_of_its_own(world: TrailWorld) -> None:
    """The second run begins while the first is about to write, and both have the same progress."""
    begun(world)
    world.append(record(1, START_MS))
    reports = []
    world.fakes.steps.before("trail_segments.put", lambda: reports.append(world.tick(NEXT_TICK)))
    report = world.tick(NEXT_TICK)
    assert (report.is_overtaken, report.segments) == (True, 0)
    assert reports[0].segments == 1
    assert world.exported() == [record(1, START_MS)]
    assert not world.tick(NEXT_TICK).is_overtaken


def test_segment_of_a_rival_that_died_before_it_was_noted_stays_in_the_chain(world: TrailWorld) -> None:
    """The rival writes the segment while this run has fewer records, and its progress is never stored."""
    begun(world)
    stored = world.fakes.trail_progress.stored
    world.append(record(1, START_MS))

    def write_and_die() -> None:
        world.append(record(2, START_MS + 1))
        world.tick(NEXT_TICK)
        world.fakes.trail_progress.stored = stored

    world.fakes.steps.before("trail_segments.put", write_and_die)
    report = world.tick(NEXT_TICK)
    assert (report.is_overtaken, report.segments) == (True, 0)
    world.tick(NEXT_TICK)
    assert world.exported() == [record(1, START_MS), record(2, START_MS + 1)]
    assert world.verify().findings == []


def test_lost_progress_is_made_up_from_the_segments(world: TrailWorld) -> None:
    begun(world)
    world.append(record(1, START_MS))
    world.tick(NEXT_TICK)
    known = world.fakes.trail_progress.stored
    world.fakes.trail_progress.stored = None
    assert world.tick(NEXT_TICK).segments == 0
    assert known is not None
    restored = world.fakes.trail_progress.stored
    assert restored is not None
    assert (restored.next_number, restored.last_hash, restored.through_at, restored.periods) == (
        known.next_number,
        known.last_hash,
        known.through_at,
        known.periods,
    )


def test_foreign_segment_is_reported_and_the_trail_goes_on_behind_it(world: TrailWorld) -> None:
    begun(world)
    world.fakes.trail_segments.put(1, b"forged")
    world.append(record(1, START_MS))
    report = world.tick(NEXT_TICK)
    assert [(each.number, each.reason) for each in report.faults] == [(1, "it cannot be read")]
    assert report.segments == 1
    following = read_segment(world.fakes.trail_segments.contents()[2])
    assert following.previous == hash_of(b"forged")
    assert world.tick(NEXT_TICK).faults == []


@pytest.mark.parametrize("content", [b"forged", None])
def test_last_segment_that_is_hidden_or_written_over_is_reported_by_each_run(
    world: TrailWorld, content: bytes | None
) -> None:
    begun(world)
    world.fakes.trail_segments.write_over(0, content)
    for _ in range(2):
        assert [each.number for each in world.tick(FIRST_TICK).faults] == [0]


def test_changed_segment_of_a_period_is_found_by_its_late_pass(world: TrailWorld) -> None:
    begun(world)
    world.append(record(1, START_MS))
    world.tick(NEXT_TICK)
    world.tick(NEXT_TICK + HOUR_MS)
    world.fakes.trail_segments.write_over(1, b"forged")
    report = world.tick(START_MS + HOUR_MS + DAY_MS)
    assert [each.number for each in report.faults] == [1]
    assert Counter(each.id for each in world.exported())["aud_0000000000000001"] == 2, "better twice than not"


def test_run_without_an_answer_tells_so_and_the_next_one_continues(world: TrailWorld) -> None:
    begun(world)
    world.append(record(1, START_MS))
    world.fakes.steps.fail("audit.page")
    report = world.tick(NEXT_TICK)
    assert (report.is_unavailable, report.segments) == (True, 0)
    assert world.tick(NEXT_TICK).records == 1
    world.fakes.steps.fail("trail_progress.load")
    with pytest.raises(UnavailableError):
        world.tick(NEXT_TICK)


def _life(dies_at: int, monkeypatch: pytest.MonkeyPatch) -> tuple[TrailWorld, bool]:
    """A trail whose run of the second day dies before or after a call, with the runs after it; and whether it died."""
    monkeypatch.setattr(export_audit, "MOST_RECORDS", 2)
    world = begun(TrailWorld())
    world.append(*(record(number, START_MS + number) for number in range(5)))
    world.tick(NEXT_TICK)
    world.append(record(5, START_MS + 5), record(6, START_MS + HOUR_MS))
    at, moments = START_MS + HOUR_MS + DAY_MS, count()

    def step(_moment: int, _name: str) -> None:
        if next(moments) == dies_at:
            raise Crash

    world.fakes.steps.at_each = step
    has_died = False
    try:
        world.tick(at)
    except Crash:
        has_died = True
    world.fakes.steps.calm()
    for hours in range(1, 3):
        world.tick(at + hours * HOUR_MS)
    return world, has_died


def test_run_that_dies_at_any_call_loses_nothing_and_doubles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for dies_at in count():
        world, has_died = _life(dies_at, monkeypatch)
        assert sorted(each.id for each in world.exported()) == [f"aud_{number:016d}" for number in range(7)]
        assert world.verify().findings == [], f"dies at moment {dies_at}"
        if not has_died:
            break
    assert dies_at > 100


def test_progress_begins_with_nothing() -> None:
    assert TrailProgress() == TrailProgress(
        version=0, next_number=0, last_hash=NO_SEGMENT, through_at=0, periods=()
    )
