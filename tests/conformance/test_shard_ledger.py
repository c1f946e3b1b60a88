"""ShardLedger: who scans a shard, how far, and which shards still await sweeping."""

from dataclasses import replace

import pytest

from shared.domain.bucket import FIRST_SWEEP_MS, LEAST_COUNTS, ShardCounts, bucket_end_ms, bucket_start_ms
from shared.ports.dispatch import OpenShard, SweptMark, WatchLease
from tests.support.builders import BUCKET
from tests.support.conformance.labs import Lab

NOW = bucket_start_ms(BUCKET) - 120_000
NEXT_TICK = NOW + 60_000
"""A tick later: the lease of one that stalled or died has ended."""


def taken(lab: Lab, now_ms: int = NOW, shard: int = 0) -> WatchLease:
    lease = lab.ledger.take(BUCKET, shard, now_ms)
    assert lease is not None
    return lease


def opened(lab: Lab, shard: int = 0) -> OpenShard:
    return next(each for each in lab.ledger.open_before(BUCKET + 1) if each.shard == shard)


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


def test_passes_are_counted_and_the_last_resend_is_remembered(lab: Lab) -> None:
    taken(lab)
    assert lab.ledger.record_pass(opened(lab), next_pass_at=NOW + 1, last_resend_at=NOW)
    assert lab.ledger.record_pass(opened(lab), next_pass_at=NOW + 2, last_resend_at=None)
    shard = opened(lab)
    assert (shard.passes, shard.next_pass_at, shard.last_resend_at) == (2, NOW + 2, NOW)


def test_a_closed_shard_is_listed_no_more(lab: Lab) -> None:
    for shard in (0, 1):
        lab.ledger.finish(taken(lab, shard=shard))
    assert lab.ledger.close(opened(lab))
    assert [shard.shard for shard in lab.ledger.open_before(BUCKET + 1)] == [1]


def test_a_shard_that_was_closed_by_another_is_not_closed_again(lab: Lab) -> None:
    taken(lab)
    shard = opened(lab)
    lab.ledger.close(shard)
    assert not lab.ledger.close(shard)
    assert not lab.ledger.record_pass(shard, next_pass_at=NOW, last_resend_at=None)
    assert lab.ledger.open_before(BUCKET + 1) == []


def test_a_shard_that_was_reopened_meanwhile_is_not_closed(lab: Lab) -> None:
    lab.ledger.finish(taken(lab))
    seen = opened(lab)
    lab.ledger.reopen(BUCKET, 0, NOW + 1)
    assert not lab.ledger.record_pass(seen, next_pass_at=NOW + 9, last_resend_at=None)
    assert not lab.ledger.close(seen)
    assert lab.ledger.close(opened(lab))


def test_a_shard_that_a_watcher_took_meanwhile_is_not_closed(lab: Lab) -> None:
    lab.ledger.reopen(BUCKET, 0, NOW)
    seen = opened(lab)
    taken(lab)
    assert not lab.ledger.close(seen)


@pytest.mark.parametrize("was_open", [True, False])
def test_a_reopened_shard_is_swept_whatever_became_of_it(lab: Lab, *, was_open: bool) -> None:
    lab.ledger.finish(taken(lab))
    if not was_open:
        lab.ledger.close(opened(lab))
    lab.ledger.reopen(BUCKET, 0, NOW + 7)
    assert opened(lab).next_pass_at <= max(NOW + 7, bucket_end_ms(BUCKET) + FIRST_SWEEP_MS)
    assert opened(lab).scan_began_at == (NOW if was_open else None)


def test_a_shard_that_nobody_watched_is_opened_for_sweeping(lab: Lab) -> None:
    lab.ledger.reopen(BUCKET, 3, NOW + 7)
    shard = opened(lab, 3)
    assert (shard.passes, shard.next_pass_at, shard.scan_began_at) == (0, NOW + 7, None)


def test_reopening_an_open_shard_keeps_its_history(lab: Lab) -> None:
    lab.ledger.finish(taken(lab))
    lab.ledger.record_pass(opened(lab), next_pass_at=NOW + 5, last_resend_at=NOW + 4)
    before = opened(lab)
    lab.ledger.reopen(BUCKET, 0, NOW + 900)
    assert opened(lab) == replace(before, version=opened(lab).version)


def test_open_shards_come_oldest_first_and_only_those_before_the_bucket(lab: Lab) -> None:
    places = [(BUCKET, 10), (BUCKET - 1, 2), (9_999_999, 0), (BUCKET + 1, 0), (BUCKET, 9), (BUCKET - 1, 11)]
    for bucket, shard in places:
        lab.ledger.reopen(bucket, shard, NOW)
    listed = [(shard.bucket, shard.shard) for shard in lab.ledger.open_before(BUCKET + 1)]
    assert listed == sorted(place for place in places if place[0] <= BUCKET)


def test_every_open_shard_is_listed_however_many_there_are(lab: Lab) -> None:
    for shard in range(30):
        lab.ledger.reopen(BUCKET, shard, NOW)
    assert [shard.shard for shard in lab.ledger.open_before(BUCKET + 1)] == list(range(30))


def test_marks_never_move_back_and_know_nothing_of_each_other(lab: Lab) -> None:
    assert (lab.ledger.swept_through(), lab.mark.reconciled_through()) == (None, None)
    marks = []
    for bucket in (BUCKET, BUCKET - 5, BUCKET + 2, BUCKET + 1, BUCKET + 2):
        lab.ledger.note_swept_through(bucket)
        lab.mark.note_reconciled_through(bucket - 100)
        marks.append((swept_through(lab), lab.mark.reconciled_through()))
    expected = [BUCKET, BUCKET, BUCKET + 2, BUCKET + 2, BUCKET + 2]
    assert marks == [(bucket, bucket - 100) for bucket in expected]


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
    lab.mark.note_reconciled_through(BUCKET)
    assert lab.ledger.open_before(BUCKET * 2) == []
