"""ReconcileProgressStore: segments move by compare-and-swap, and the mark of minutes never moves back."""

from dataclasses import replace

from shared.ports.dispatch import MinuteProgress, ReconcileCycle, SegmentProgress
from tests.support.conformance.labs import Lab

BEGUN = SegmentProgress(covered_at=1_000, checked_until=60_000)
CYCLE = ReconcileCycle(began_at=5_000, until_at=120_000, cursor="acme|job#job_1", unavailable=2)


def test_progress_is_empty_at_first(lab: Lab) -> None:
    assert lab.reconcile_progress.segments() == {}
    assert lab.reconcile_progress.minutes() is None


def test_segment_is_begun_once(lab: Lab) -> None:
    store = lab.reconcile_progress
    stored = store.move_segment(3, None, BEGUN)
    assert stored == replace(BEGUN, version=1)
    assert store.move_segment(3, None, replace(BEGUN, covered_at=2_000)) is None
    assert store.segments() == {3: stored}


def test_segment_moves_only_from_the_version_that_was_read(lab: Lab) -> None:
    store = lab.reconcile_progress
    stored = store.move_segment(0, None, BEGUN)
    assert stored is not None
    moved = store.move_segment(0, stored, replace(stored, cycle=CYCLE))
    assert moved == replace(BEGUN, cycle=CYCLE, version=2)
    assert store.move_segment(0, stored, replace(stored, covered_at=9_000)) is None
    done = store.move_segment(0, moved, SegmentProgress(covered_at=5_000, checked_until=120_000))
    assert done == SegmentProgress(covered_at=5_000, checked_until=120_000, version=3)
    assert store.segments() == {0: done}


def test_repeated_move_of_a_segment_succeeds_like_the_first(lab: Lab) -> None:
    """The SDK sends a request again if the response is lost."""
    store = lab.reconcile_progress
    stored = store.move_segment(0, None, BEGUN)
    assert stored is not None
    after = replace(stored, cycle=replace(CYCLE, cursor=None))
    moved = store.move_segment(0, stored, after)
    assert moved is not None
    assert store.move_segment(0, stored, after) == moved
    assert store.move_segment(0, None, BEGUN) is None


def test_every_segment_has_progress_of_its_own(lab: Lab) -> None:
    store = lab.reconcile_progress
    for segment in (0, 9, 10, 15):
        store.move_segment(segment, None, replace(BEGUN, covered_at=segment))
    assert {segment: each.covered_at for segment, each in store.segments().items()} == {
        0: 0,
        9: 9,
        10: 10,
        15: 15,
    }
    assert store.minutes() is None


def test_mark_of_minutes_never_moves_back(lab: Lab) -> None:
    store, marks = lab.reconcile_progress, []
    for through, level in ((100, 0), (95, 3), (102, 1), (102, 2), (101, 5)):
        store.note_minutes(MinuteProgress(through=through, sample_level=level))
        marks.append(store.minutes())
    assert [(each.through, each.sample_level) for each in marks if each is not None] == [
        (100, 0),
        (100, 0),
        (102, 1),
        (102, 2),
        (102, 2),
    ]
    assert store.segments() == {}
