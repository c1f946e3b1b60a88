"""The progress of the audit trail: which period is next, which is read again, and what a segment adds."""

from dataclasses import replace

from shared.domain.audit_trail.progress import (
    DAY_MS,
    GRACE_MS,
    HOUR_MS,
    MOST_PERIODS,
    PeriodProgress,
    TrailProgress,
)
from shared.domain.audit_trail.segment import NO_SEGMENT, Period, Segment, encode_segment, hash_of
from tests.support.usecases.audit_trail import START_MS

NOW = START_MS + 30 * DAY_MS
EVERYTHING = Period(from_at=0, until_at=START_MS)


def hour(number: int) -> Period:
    return Period(from_at=START_MS + number * HOUR_MS, until_at=START_MS + (number + 1) * HOUR_MS)


def segment(number: int, previous: str, period: Period, *, closes: bool = True) -> bytes:
    return encode_segment(
        Segment(number=number, previous=previous, period=period, closes=closes, lock_days=400, records=())
    )


FIRST = segment(0, NO_SEGMENT, EVERYTHING)
BEGUN = TrailProgress().after(FIRST, NOW)[0]


def test_first_period_is_everything_up_to_the_last_closed_hour() -> None:
    late = START_MS + GRACE_MS + 1
    assert TrailProgress().next_period(late) == EVERYTHING
    assert TrailProgress().next_period(START_MS + GRACE_MS - 1) == Period(
        from_at=0, until_at=START_MS - HOUR_MS
    )


def test_then_each_hour_follows_once_it_is_closed() -> None:
    assert BEGUN.through_at == START_MS
    assert BEGUN.next_period(START_MS + HOUR_MS + GRACE_MS - 1) is None
    assert BEGUN.next_period(START_MS + HOUR_MS + GRACE_MS) == hour(0)
    assert BEGUN.next_period(NOW) == hour(0)


def test_period_whose_export_has_begun_is_next() -> None:
    begun, fault = TrailProgress().after(segment(0, NO_SEGMENT, EVERYTHING, closes=False), NOW)
    assert fault is None
    assert (begun.through_at, begun.next_period(NOW + HOUR_MS)) == (0, EVERYTHING)


def test_segment_is_added_with_its_number_and_its_hash() -> None:
    assert (BEGUN.next_number, BEGUN.last_hash) == (1, hash_of(FIRST))
    assert BEGUN.periods == (PeriodProgress(period=EVERYTHING, segments=(0,), is_closed=True),)
    late = segment(1, BEGUN.last_hash, EVERYTHING, closes=False)
    again, fault = BEGUN.after(late, NOW)
    assert (fault, again.of(EVERYTHING).segments, again.through_at) == (None, (0, 1), START_MS)


def test_segment_that_does_not_fit_is_passed_with_its_hash_alone() -> None:
    strange = {
        b"x": "it cannot be read",
        segment(2, BEGUN.last_hash, hour(0)): "it says that it is segment 2",
        segment(1, NO_SEGMENT, hour(0)): "it has another hash of the segment before",
        segment(1, BEGUN.last_hash, hour(2)): "its period does not follow",
        segment(1, BEGUN.last_hash, Period(from_at=START_MS, until_at=NOW + 1)): "its period has not ended",
    }
    for content, reason in strange.items():
        after, fault = BEGUN.after(content, NOW)
        assert fault == reason
        assert after == replace(BEGUN, next_number=2, last_hash=hash_of(content))


def test_late_segment_of_a_settled_period_changes_no_period() -> None:
    settled = replace(BEGUN, periods=())
    after, fault = settled.after(segment(1, BEGUN.last_hash, EVERYTHING, closes=False), NOW)
    assert (fault, after.periods, after.through_at) == (None, (), START_MS)


def test_period_is_read_again_after_a_day_and_after_a_week() -> None:
    def due(progress: TrailProgress, days: int) -> list[Period]:
        return list(progress.due_again(START_MS + days * DAY_MS))

    assert (due(BEGUN, 0), due(BEGUN, 1)) == ([], [EVERYTHING])
    once = BEGUN.read_again(EVERYTHING)
    assert (due(once, 6), due(once, 7)) == ([], [EVERYTHING])
    assert once.read_again(EVERYTHING).periods == ()


def test_lateness_counts_from_the_end_of_the_grace() -> None:
    assert TrailProgress().overdue_ms(NOW) == 0
    assert BEGUN.overdue_ms(START_MS + HOUR_MS + GRACE_MS) == 0
    assert BEGUN.overdue_ms(START_MS + HOUR_MS + GRACE_MS + 7) == 7


def test_list_of_periods_is_bounded() -> None:
    progress = BEGUN
    for number in range(MOST_PERIODS + 5):
        content = segment(progress.next_number, progress.last_hash, hour(number))
        progress, fault = progress.after(content, NOW + 400 * DAY_MS)
        assert fault is None
    assert len(progress.periods) == MOST_PERIODS
    assert progress.periods[-1].period == hour(MOST_PERIODS + 4)
