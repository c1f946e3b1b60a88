"""The progress of the audit trail: each version is stored once, by the process that has read the one before."""

from dataclasses import replace

from shared.domain.audit_trail.progress import HOUR_MS, PeriodProgress, TrailProgress
from shared.domain.audit_trail.segment import Period
from tests.support.conformance.labs import Lab

FIRST = Period(from_at=0, until_at=HOUR_MS)
SECOND = Period(from_at=HOUR_MS, until_at=2 * HOUR_MS)
PROGRESS = TrailProgress(
    next_number=4,
    last_hash="ab" * 32,
    through_at=HOUR_MS,
    periods=(
        PeriodProgress(period=FIRST, segments=(0, 2, 3), is_closed=True, late_passes=1),
        PeriodProgress(period=SECOND),
    ),
)


def test_progress_is_none_at_first(lab: Lab) -> None:
    assert lab.trail_progress.load() is None


def test_progress_is_read_as_it_was_saved(lab: Lab) -> None:
    saved = lab.trail_progress.save(PROGRESS)
    assert saved == replace(PROGRESS, version=1)
    assert lab.trail_progress.load() == saved


def test_progress_that_another_process_has_changed_is_not_saved(lab: Lab) -> None:
    first = lab.trail_progress.save(TrailProgress())
    assert first is not None
    second = lab.trail_progress.save(replace(first, next_number=1))
    assert second is not None
    assert lab.trail_progress.save(replace(first, next_number=9)) is None
    assert lab.trail_progress.save(TrailProgress(next_number=9)) is None
    assert lab.trail_progress.load() == second
