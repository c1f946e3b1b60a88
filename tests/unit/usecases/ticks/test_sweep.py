"""SWEEP: whatever is late, stuck or forgotten in an ended bucket is sent for again, until nothing is unfinished."""

import pytest

from shared.domain.executions.states import State
from tests.support.builders import BUCKET, DUE_AT
from tests.support.usecases.sweeps import END, FIRST_PASS, SCAN, SECOND_PASS, put, scanned, swept, unscanned


def test_the_first_pass_comes_ten_seconds_after_the_end() -> None:
    world = unscanned()
    put(world)
    assert swept(world, FIRST_PASS - 1).resent == 0
    assert swept(world, FIRST_PASS).resent == 1


def test_the_first_pass_leaves_alone_what_the_scan_has_sent() -> None:
    world = scanned()
    put(world)
    swept(world, FIRST_PASS)
    assert world.sent() == []


def test_later_sweep_pass_resends_a_queued_row() -> None:
    world = scanned()
    row = put(world)
    swept(world, FIRST_PASS)
    swept(world, SECOND_PASS)
    assert world.sent() == [row.id]


@pytest.mark.parametrize(
    ("state", "created_at"), [(State.QUEUED, SCAN - 600_000), (State.PENDING, SCAN - 5_000)]
)
def test_the_first_pass_sends_for_what_the_scan_may_not_have_seen(state: State, created_at: int) -> None:
    world = scanned()
    row = put(world, state, created_at=created_at)
    swept(world, FIRST_PASS)
    assert world.sent() == [row.id]


def test_every_row_is_sent_at_once_where_no_scan_was_finished() -> None:
    world = unscanned()
    world.ledger.take(BUCKET, 0, SCAN)
    rows = [put(world, number=number) for number in range(3)]
    swept(world, FIRST_PASS)
    assert world.sent() == [row.id for row in rows]


def test_messages_of_a_sweep_are_packed_and_due_at_once() -> None:
    world = unscanned()
    for number in range(12):
        put(world, number=number)
    swept(world, FIRST_PASS)
    assert sorted(len(message.wakeup.keys) for message in world.queue.messages) == [2, 10]
    assert {message.visible_at for message in world.queue.messages} == {FIRST_PASS}


@pytest.mark.parametrize(
    ("state", "fields", "is_sent"),
    [
        (State.WAITING, {"next_attempt_at": FIRST_PASS - 5_000}, True),
        (State.WAITING, {"next_attempt_at": FIRST_PASS - 4_999}, False),
        (State.RUNNING, {"lease_until": FIRST_PASS - 1}, True),
        (State.RUNNING, {"lease_until": FIRST_PASS}, False),
        (State.SUCCEEDED, {}, False),
        (State.FAILED, {}, False),
        (State.CANCELLED, {}, False),
        (State.SKIPPED, {}, False),
    ],
)
def test_due_retries_and_dead_leases_are_sent_for_and_nothing_else(
    state: State, fields: dict[str, int], is_sent: bool
) -> None:
    world = scanned()
    put(world, state, **fields)
    swept(world, FIRST_PASS)
    assert bool(world.sent()) is is_sent


def test_a_retry_is_sent_for_at_its_own_time_and_not_at_its_buckets() -> None:
    world = scanned()
    put(world, State.WAITING, next_attempt_at=FIRST_PASS - 6_000)
    swept(world, FIRST_PASS)
    assert world.queue.messages[0].wakeup.not_before == FIRST_PASS - 6_000


def test_every_page_of_a_shard_is_swept() -> None:
    world = unscanned()
    for number in range(501):
        put(world, number=number)
    assert swept(world, FIRST_PASS).resent == 501


def test_the_age_of_the_oldest_unclaimed_execution_is_reported() -> None:
    world = scanned()
    put(world)
    put(world, State.RUNNING, number=2, lease_until=END)
    assert swept(world, SECOND_PASS).oldest_unclaimed_ms == SECOND_PASS - DUE_AT
