"""The pace of heartbeats, and when an attempt is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctual.receivers._lease import MIN_BEAT_SECONDS, AttemptLease

answers = st.lists(st.tuples(st.booleans(), st.floats(0, 5)), max_size=60)


def test_first_heartbeat_is_due_at_once_and_the_others_every_third_of_the_lease() -> None:
    lease = AttemptLease(next_beat_at=100.0)
    assert lease.why_lost(100) is None
    lease.extended(100, 60)
    assert lease.next_beat_at == 120
    lease.extended(121, 3_600)
    assert lease.next_beat_at == 1_321
    assert lease.ends_at == 3_721


def test_attempt_is_lost_when_its_lease_has_ended_without_an_answer() -> None:
    lease = AttemptLease(next_beat_at=0.0)
    lease.extended(0, 60)
    assert lease.why_lost(60) is None
    assert "no heartbeat was answered" in str(lease.why_lost(60.1))
    lease.extended(61, 60)
    assert lease.why_lost(62) is None


def test_attempt_that_the_api_has_ended_is_lost_at_once() -> None:
    lease = AttemptLease(next_beat_at=0.0)
    lease.extended(0, 60)
    lease.refused("attempt 1 is over")
    assert lease.why_lost(1) == "attempt 1 is over"


def test_lease_that_has_ended_by_the_answer_does_not_make_heartbeats_race() -> None:
    lease = AttemptLease(next_beat_at=0.0)
    lease.extended(10, -5)
    assert lease.next_beat_at == 10 + MIN_BEAT_SECONDS
    assert lease.why_lost(10) is not None


def test_unanswered_heartbeats_are_repeated_less_and_less_often() -> None:
    lease = AttemptLease(next_beat_at=0.0)
    lease.extended(0, 600)
    pauses = []
    now = 200.0
    for _ in range(6):
        lease.unanswered(now, 0, random=0)
        pauses.append(lease.next_beat_at - now)
    assert pauses == [1, 2, 4, 8, 16, 32]
    lease.unanswered(now, retry_after_seconds=90, random=0)
    assert lease.next_beat_at == now + 90
    lease.extended(now, 600)
    lease.unanswered(now, 0, random=0)
    assert lease.next_beat_at == now + 1


@given(steps=answers, lease_seconds=st.floats(10, 3_600), random=st.floats(0, 1))
def test_heartbeats_never_race_and_come_before_the_lease_ends(
    steps: list[tuple[bool, float]], lease_seconds: float, random: float
) -> None:
    lease = AttemptLease(next_beat_at=0.0)
    now = 0.0
    for is_answered, took in steps:
        if is_answered:
            lease.extended(now, lease_seconds)
            assert lease.ends_at is not None
            assert now < lease.next_beat_at < lease.ends_at
        else:
            lease.unanswered(now + took, 0, random)
            assert lease.next_beat_at >= now + took + MIN_BEAT_SECONDS / 2
            if lease.ends_at is not None and lease.ends_at - now - took > 3 * MIN_BEAT_SECONDS:
                assert lease.next_beat_at < lease.ends_at
        now = lease.next_beat_at


@pytest.mark.parametrize("failures", [1, 50, 5_000])
def test_any_number_of_failures_is_counted(failures: int) -> None:
    lease = AttemptLease(next_beat_at=0.0)
    for _ in range(failures):
        lease.unanswered(0, 0, 0.5)
    assert 0.5 <= lease.next_beat_at <= 1
