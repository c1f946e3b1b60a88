"""Suspensions: when they take effect, and how long an execution waits for their end."""

import pytest

from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.executions.execution import LEASE_MARGIN_MS
from shared.domain.tenancy.suspension import (
    EFFECTIVE_AFTER_MS,
    KNOWN_FOR_MS,
    MAX_CHECK_MS,
    MAX_SUSPENSIONS,
    MAX_WRITE_MS,
    MIN_CHECK_MS,
    Suspension,
    known_at,
    resumed,
    suspended,
    suspension_at,
)

NOW = 1_740_000_000_000
MINUTE = 60_000
DAY = 86_400_000


def test_suspension_takes_effect_when_no_worker_calls_by_an_older_copy() -> None:
    (suspension,) = suspended((), NOW)
    assert suspension == Suspension(from_at=NOW + 60_000)
    assert EFFECTIVE_AFTER_MS >= KNOWN_FOR_MS + LEASE_MARGIN_MS + MAX_WRITE_MS


def test_suspension_covers_its_first_instant_and_not_its_last() -> None:
    span = Suspension(from_at=NOW, until_at=NOW + 10)
    assert [span.covers(NOW + offset) for offset in (-1, 0, 9, 10)] == [False, True, True, False]
    assert [span.is_over(NOW + offset) for offset in (9, 10)] == [False, True]
    assert Suspension(from_at=NOW).covers(NOW + 10 * DAY)
    assert not Suspension(from_at=NOW).is_over(NOW + 10 * DAY)


def test_second_suspension_changes_nothing() -> None:
    first = suspended((), NOW)
    assert suspended(first, NOW + DAY) == first


def test_resumption_without_a_suspension_changes_nothing() -> None:
    assert resumed((), NOW) == ()
    ended = resumed(suspended((), NOW), NOW + DAY)
    assert resumed(ended, NOW + 2 * DAY) == ended


@pytest.mark.parametrize("lasted_ms", [-59_000, 0, MINUTE, 10 * MINUTE, DAY])
def test_every_waiting_execution_is_looked_at_before_the_end(lasted_ms: int) -> None:
    opened = suspended((), NOW)
    resumed_at = opened[0].from_at + lasted_ms
    ended = resumed(opened, resumed_at)
    until_at = ended[-1].until_at
    assert until_at is not None
    assert until_at >= max(resumed_at + 60_000, ended[-1].from_at)
    assert until_at <= resumed_at + KNOWN_FOR_MS + MAX_CHECK_MS + MAX_WRITE_MS
    for known_ms in range(0, KNOWN_FOR_MS + 1, 1_000):
        # A worker that does not know the end yet lets the execution wait for the longest time now.
        looked_at = resumed_at + known_ms
        assert looked_at + opened[0].wait_ms(looked_at) <= until_at


def test_execution_waits_for_a_known_end_to_the_millisecond() -> None:
    span = Suspension(from_at=NOW, until_at=NOW + 12_345)
    assert (span.wait_ms(NOW), span.wait_ms(NOW + 12_345), span.wait_ms(NOW + DAY)) == (12_345, 0, 0)


def test_looks_become_fewer_and_never_cease() -> None:
    waits = [Suspension(from_at=NOW).wait_ms(NOW + lasted) for lasted in (-MINUTE, 0, 4 * MINUTE, DAY)]
    assert waits == [MIN_CHECK_MS, MIN_CHECK_MS, 30_000, MAX_CHECK_MS]


def test_tenant_is_not_suspended_again_while_its_resumption_is_ahead() -> None:
    ended = resumed(suspended((), NOW), NOW + DAY)
    until_at = ended[-1].until_at or 0
    with pytest.raises(InvalidStateError):
        suspended(ended, until_at - 1)
    assert suspended(ended, until_at) == (*ended, Suspension(from_at=until_at + 60_000))


def test_latest_suspensions_are_kept() -> None:
    spans: tuple[Suspension, ...] = ()
    for day in range(MAX_SUSPENSIONS + 5):
        spans = resumed(suspended(spans, NOW + day * DAY), NOW + day * DAY + MINUTE)
    assert len(spans) == MAX_SUSPENSIONS
    assert suspension_at(spans, NOW + MINUTE) is None
    assert suspension_at(spans, NOW + 24 * DAY + MINUTE) == spans[-1]
    assert suspension_at(spans, NOW + 5 * DAY + MINUTE) == spans[0]


def test_repeated_suspension_is_acknowledged_for_the_time_when_all_workers_know_it() -> None:
    spans = suspended((), NOW)
    assert known_at((), NOW) is None
    assert known_at(spans, NOW + MAX_WRITE_MS) == NOW + 60_000
    assert known_at(spans, NOW + MAX_WRITE_MS + 1) == NOW + MAX_WRITE_MS + 60_001
    assert known_at(spans, NOW + 119_999) == NOW + 179_999
    assert known_at(spans, NOW + 120_000) == NOW + 60_000
    assert known_at(resumed(spans, NOW + DAY), NOW + DAY) == resumed(spans, NOW + DAY)[-1].until_at


def test_suspension_does_not_end_before_it_begins() -> None:
    with pytest.raises(InvalidValueError):
        Suspension(from_at=NOW, until_at=NOW - 1)
    assert not Suspension(from_at=NOW, until_at=NOW).covers(NOW)
