"""ShardLedger: who scans a shard, how far, and which shards still await sweeping."""

from dataclasses import replace

import pytest

from shared.domain.bucket import (
    FIRST_SWEEP_MS,
    LEAST_COUNTS,
    ShardCounts,
    ShardRange,
    bucket_end_ms,
    bucket_start_ms,
)
from shared.names import LEDGER_PARTITIONS
from shared.ports.dispatch import OpenShard, PassLease, PassProgress, SweptMark, WatchLease
from tests.support.builders import BUCKET
from tests.support.conformance.labs import Lab

NOW = bucket_start_ms(BUCKET) - 120_000
NEXT_TICK = NOW + 60_000
"""A tick later: the lease of one that stalled or died has ended."""
LATER = bucket_end_ms(BUCKET) + FIRST_SWEEP_MS
PROGRESS = PassProgress(
    cursor="00010#exe_1",
    version=1,
    began_at=LATER,
    unfinished=3,
    open_rows=("00001#exe_1", "00002#exe_2"),
    next_actionable_at=None,
    resent=2,
    failed=1,
)


def taken(lab: Lab, now_ms: int = NOW, shard: int = 0) -> WatchLease:
    lease = lab.ledger.take(BUCKET, shard, now_ms)
    assert lease is not None
    return lease


def opened(lab: Lab, shard: int = 0) -> OpenShard:
    part = ShardRange(index=shard % LEDGER_PARTITIONS, of=LEDGER_PARTITIONS)
    return next(each for each in lab.ledger.open_before(BUCKET + 1, part) if each.shard == shard)


def test_a_shard_is_taken_from_its_beginning(lab: Lab) -> None:
    lease = taken(lab)
    assert lease == WatchLease(bucket=BUCKET, shard=0, fence=lease.fence, cursor=None, scan_began_at=NOW)


def test_a_live_lease_keeps_others_out(lab: Lab) -> None:
    taken(lab)
    assert lab.ledger.take(BUCKET, 0, NOW) is None
    assert lab.ledger.take(BUCKET, 0, NOW + 50_000) is None


def test_a_lease_ends_before_the_next_tick(lab: Lab) -> None:
    first = taken(lab)
    assert taken(lab, NEXT_TICK).fence > first.fence


def test_the_cursor_and_the_beginning_of_the_scan_outlive_their_watcher(lab: Lab) -> None:
    assert lab.ledger.advance(taken(lab), "00010#exe")
    second = taken(lab, NEXT_TICK)
    assert (second.cursor, second.scan_began_at) == ("00010#exe", NOW)
    assert lab.ledger.advance(second, "00020#exe")
    third = taken(lab, NEXT_TICK + 60_000)
    assert (third.cursor, third.scan_began_at) == ("00020#exe", NOW)


def test_a_watcher_that_lost_its_lease_moves_nothing(lab: Lab) -> None:
    stalled = taken(lab)
    holder = taken(lab, NEXT_TICK)
    lab.ledger.advance(holder, "00010#exe")
    assert not lab.ledger.advance(stalled, "00099#exe")
    assert not lab.ledger.finish(stalled)
    assert opened(lab).scan_began_at is None
    assert taken(lab, NEXT_TICK + 60_000).cursor == "00010#exe"


def test_a_finished_shard_is_not_taken_again(lab: Lab) -> None:
    assert lab.ledger.finish(taken(lab))
    for now_ms in (NOW, NEXT_TICK, NOW + 86_400_000):
        assert lab.ledger.take(BUCKET, 0, now_ms) is None


def test_a_shard_is_finished_again_by_a_watcher_that_lost_the_answer(lab: Lab) -> None:
    lease = taken(lab)
    assert lab.ledger.finish(lease)
    assert lab.ledger.finish(lease)


def test_a_lease_of_nothing_moves_nothing(lab: Lab) -> None:
    lease = WatchLease(bucket=BUCKET, shard=0, fence=1, cursor=None, scan_began_at=NOW)
    assert not lab.ledger.advance(lease, "00010#exe")
    assert not lab.ledger.finish(lease)
    assert lab.ledger.open_before(BUCKET + 1) == []


def test_a_shard_that_is_taken_awaits_its_first_sweep_after_the_end_of_its_bucket(lab: Lab) -> None:
    taken(lab)
    shard = opened(lab)
    assert shard == OpenShard(
        bucket=BUCKET,
        shard=0,
        version=shard.version,
        scan_began_at=None,
        passes=0,
        next_pass_at=bucket_end_ms(BUCKET) + FIRST_SWEEP_MS,
        last_resend_at=None,
    )


def test_the_sweeper_is_told_when_a_finished_scan_began(lab: Lab) -> None:
    taken(lab)
    lab.ledger.finish(taken(lab, NEXT_TICK))
    assert opened(lab).scan_began_at == NOW


def leased(lab: Lab, now_ms: int = LATER, shard: int = 0) -> PassLease:
    lease = lab.ledger.take_pass(opened(lab, shard), now_ms)
    assert lease is not None
    return lease


def reopened(lab: Lab, open_until: int = LATER) -> None:
    lab.ledger.reopen(BUCKET, 0, next_pass_at=NOW + 7, open_until=open_until)


def test_passes_are_counted_and_the_last_resend_is_remembered(lab: Lab) -> None:
    taken(lab)
    assert lab.ledger.record_pass(leased(lab), next_pass_at=NOW + 1, last_resend_at=NOW)
    assert lab.ledger.record_pass(leased(lab), next_pass_at=NOW + 2)
    shard = opened(lab)
    assert (shard.passes, shard.next_pass_at, shard.last_resend_at) == (2, NOW + 2, NOW)


def test_shard_is_leased_to_one_sweeper_until_its_lease_ends_or_its_pass_is_recorded(lab: Lab) -> None:
    taken(lab)
    first, shard = leased(lab), opened(lab)
    assert lab.ledger.take_pass(shard, LATER + 49_999) is None
    second = lab.ledger.take_pass(shard, LATER + 50_000)
    assert second is not None
    assert second.fence > first.fence
    assert lab.ledger.record_pass(second, next_pass_at=LATER)
    assert lab.ledger.take_pass(shard, LATER) is not None


def test_shard_that_is_not_due_is_not_leased(lab: Lab) -> None:
    lab.ledger.list_shard(BUCKET, 0, LATER)
    assert lab.ledger.take_pass(opened(lab), LATER - 1) is None
    assert lab.ledger.take_pass(opened(lab), LATER) is not None


def test_sweeper_that_lost_its_lease_records_nothing(lab: Lab) -> None:
    taken(lab)
    stalled = leased(lab)
    leased(lab, LATER + 50_000)
    before = opened(lab)
    assert not lab.ledger.record_pass(stalled, next_pass_at=LATER, last_resend_at=LATER, open_rows=())
    assert not lab.ledger.suspend_pass(stalled, PROGRESS)
    assert not lab.ledger.close(stalled)
    assert opened(lab) == before


def test_closed_shard_is_not_leased(lab: Lab) -> None:
    taken(lab)
    shard = opened(lab)
    assert lab.ledger.close(leased(lab))
    assert lab.ledger.take_pass(shard, LATER * 2) is None
    assert lab.ledger.open_before(BUCKET + 1) == []


@pytest.mark.parametrize("open_rows", [(), ("00010#exe_1",), tuple(f"{n:05d}#exe_{n}" for n in range(256))])
def test_open_rows_and_the_next_full_scan_are_remembered(lab: Lab, open_rows: tuple[str, ...]) -> None:
    taken(lab)
    assert lab.ledger.record_pass(
        leased(lab), next_pass_at=LATER, full_scan_at=LATER + 5, open_rows=open_rows
    )
    shard = opened(lab)
    assert (shard.open_rows, shard.full_scan_at) == (open_rows, LATER + 5)
    assert lab.ledger.record_pass(leased(lab), next_pass_at=LATER, open_rows=open_rows[:1])
    shard = opened(lab)
    assert (shard.open_rows, shard.full_scan_at) == (open_rows[:1], None)
    assert lab.ledger.record_pass(leased(lab), next_pass_at=LATER)
    assert opened(lab).open_rows is None


def test_reopening_discards_the_open_rows(lab: Lab) -> None:
    taken(lab)
    lab.ledger.record_pass(leased(lab), next_pass_at=LATER, open_rows=("00010#exe_1",))
    reopened(lab)
    assert opened(lab).open_rows is None


def test_open_rows_of_a_pass_during_which_the_shard_was_reopened_are_not_kept_but_the_pass_is(
    lab: Lab,
) -> None:
    taken(lab)
    lease = leased(lab)
    reopened(lab)
    assert lab.ledger.record_pass(lease, next_pass_at=LATER + 1, last_resend_at=LATER, open_rows=("00010#e",))
    shard = opened(lab)
    assert (shard.passes, shard.next_pass_at, shard.last_resend_at) == (1, LATER + 1, LATER)
    assert shard.open_rows is None


def test_suspended_pass_goes_on_with_its_progress_and_is_forgotten_when_it_is_recorded(lab: Lab) -> None:
    taken(lab)
    lease = leased(lab)
    progress = replace(PROGRESS, version=lease.version)
    assert lab.ledger.suspend_pass(lease, progress)
    lab.ledger.list_shard(BUCKET, 0, NOW)
    again = leased(lab)
    assert again.shard.progress == progress
    assert again.version == lease.version != again.shard.version
    assert not lab.ledger.close(again)
    assert lab.ledger.record_pass(again, next_pass_at=LATER)
    assert opened(lab).progress is None


def test_pass_without_progress_is_begun_anew(lab: Lab) -> None:
    taken(lab)
    lab.ledger.suspend_pass(leased(lab), PROGRESS)
    assert lab.ledger.suspend_pass(leased(lab), None)
    assert leased(lab).shard.progress is None


def test_a_closed_shard_is_listed_no_more(lab: Lab) -> None:
    for shard in (0, 1):
        lab.ledger.finish(taken(lab, shard=shard))
    assert lab.ledger.close(leased(lab))
    assert [shard.shard for shard in lab.ledger.open_before(BUCKET + 1)] == [1]


def test_shard_that_was_closed_and_opened_again_is_not_closed_by_a_lease_from_before(lab: Lab) -> None:
    """Versions are not used twice: the row that stands there now was filed after the pass of the stale lease."""
    lab.ledger.list_shard(BUCKET, 0, NOW)
    stale = leased(lab)
    assert lab.ledger.close(leased(lab, LATER + 50_000))
    reopened(lab)
    new = leased(lab, LATER + 100_000)
    assert new.version != stale.version
    assert not lab.ledger.close(stale)
    assert not lab.ledger.close(replace(stale, fence=new.fence))
    assert lab.ledger.close(new)


def test_a_shard_that_was_reopened_meanwhile_is_not_closed(lab: Lab) -> None:
    lab.ledger.finish(taken(lab))
    lease = leased(lab)
    reopened(lab)
    assert not lab.ledger.close(lease)
    assert lab.ledger.close(leased(lab, LATER + 50_000))


def test_a_shard_that_a_watcher_took_meanwhile_is_not_closed(lab: Lab) -> None:
    lab.ledger.list_shard(BUCKET, 0, NOW)
    lease = leased(lab)
    taken(lab)
    assert not lab.ledger.close(lease)


def test_guarantee_of_a_reopening_is_read_by_all_and_only_grows(lab: Lab) -> None:
    assert lab.ledger.open_until(BUCKET, 0) is None
    taken(lab)
    assert lab.ledger.open_until(BUCKET, 0) is None
    for until, expected in ((LATER, LATER), (LATER - 5, LATER), (LATER + 5, LATER + 5)):
        before = opened(lab).version
        reopened(lab, until)
        assert lab.ledger.open_until(BUCKET, 0) == opened(lab).open_until == expected
        assert opened(lab).version > before
    lab.ledger.close(leased(lab))
    assert lab.ledger.open_until(BUCKET, 0) is None


@pytest.mark.parametrize("of", [1, 3, LEDGER_PARTITIONS])
def test_open_shard_belongs_to_one_part_of_the_ledger(lab: Lab, of: int) -> None:
    for shard in range(20):
        lab.ledger.list_shard(BUCKET, shard, NOW)
    parts = [ShardRange(index=index, of=of) for index in range(of)]
    listed = [row.shard for part in parts for row in lab.ledger.open_before(BUCKET + 1, part)]
    assert sorted(listed) == list(range(20))


@pytest.mark.parametrize("was_open", [True, False])
def test_a_reopened_shard_is_swept_whatever_became_of_it(lab: Lab, *, was_open: bool) -> None:
    lab.ledger.finish(taken(lab))
    if not was_open:
        lab.ledger.close(leased(lab))
    lab.ledger.list_shard(BUCKET, 0, NOW + 7)
    assert opened(lab).next_pass_at <= max(NOW + 7, bucket_end_ms(BUCKET) + FIRST_SWEEP_MS)
    assert opened(lab).scan_began_at == (NOW if was_open else None)


def test_a_shard_that_nobody_watched_is_opened_for_sweeping(lab: Lab) -> None:
    lab.ledger.list_shard(BUCKET, 3, NOW + 7)
    shard = opened(lab, 3)
    assert (shard.passes, shard.next_pass_at, shard.scan_began_at) == (0, NOW + 7, None)


def test_shard_that_a_late_put_listed_is_swept_when_its_bucket_is(lab: Lab) -> None:
    reopened(lab)
    before = opened(lab)
    lab.ledger.list_shard(BUCKET, 0, NOW)
    after = opened(lab)
    assert after == replace(before, next_pass_at=NOW, version=after.version)
    assert after.version > before.version


def test_shard_that_was_swept_keeps_its_schedule_when_it_is_listed_again(lab: Lab) -> None:
    taken(lab)
    lab.ledger.record_pass(leased(lab), next_pass_at=LATER)
    before = opened(lab)
    lab.ledger.list_shard(BUCKET, 0, NOW)
    after = opened(lab)
    assert after == replace(before, version=after.version)
    assert after.version > before.version


def test_reopening_an_open_shard_keeps_its_history(lab: Lab) -> None:
    lab.ledger.finish(taken(lab))
    lab.ledger.record_pass(leased(lab), next_pass_at=NOW + 5, last_resend_at=NOW + 4)
    before = opened(lab)
    lab.ledger.list_shard(BUCKET, 0, NOW + 900)
    assert opened(lab) == replace(before, version=opened(lab).version)


def test_open_shards_come_oldest_first_and_only_those_before_the_bucket(lab: Lab) -> None:
    places = [(BUCKET, 10), (BUCKET - 1, 2), (9_999_999, 0), (BUCKET + 1, 0), (BUCKET, 9), (BUCKET - 1, 11)]
    for bucket, shard in places:
        lab.ledger.list_shard(bucket, shard, NOW)
    listed = [(shard.bucket, shard.shard) for shard in lab.ledger.open_before(BUCKET + 1)]
    assert listed == sorted(place for place in places if place[0] <= BUCKET)


def test_every_open_shard_is_listed_however_many_there_are(lab: Lab) -> None:
    for shard in range(30):
        lab.ledger.list_shard(BUCKET, shard, NOW)
    assert [shard.shard for shard in lab.ledger.open_before(BUCKET + 1)] == list(range(30))


def test_mark_of_the_sweeper_never_moves_back(lab: Lab) -> None:
    assert lab.ledger.swept_through() is None
    marks = []
    for bucket in (BUCKET, BUCKET - 5, BUCKET + 2, BUCKET + 1, BUCKET + 2):
        lab.ledger.note_swept_through(bucket)
        marks.append(swept_through(lab))
    assert marks == [BUCKET, BUCKET, BUCKET + 2, BUCKET + 2, BUCKET + 2]


def swept_through(lab: Lab) -> int:
    mark = lab.ledger.swept_through()
    assert mark is not None
    return mark.bucket


def test_mark_of_the_sweeper_keeps_the_shard_counts_of_its_last_move(lab: Lab) -> None:
    few = ShardCounts(normal=2, quarter=3, midnight=4)
    many = ShardCounts(normal=64, quarter=256, midnight=1024)
    lab.ledger.note_swept_through(BUCKET)
    assert lab.ledger.swept_through() == SweptMark(bucket=BUCKET, recorded=LEAST_COUNTS)
    lab.ledger.note_swept_through(BUCKET + 1, many)
    lab.ledger.note_swept_through(BUCKET + 1, few)
    assert lab.ledger.swept_through() == SweptMark(bucket=BUCKET + 1, recorded=many)


def test_a_mark_is_no_shard(lab: Lab) -> None:
    lab.ledger.note_swept_through(BUCKET)
    assert lab.ledger.open_before(BUCKET * 2) == []
