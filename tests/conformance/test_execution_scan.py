"""ExecutionStore: scans of a shard, and pointers."""

from dataclasses import replace
from itertools import pairwise

import pytest

from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import State
from shared.domain.ids import DEFAULT_CELL, ExecutionId
from shared.names import Lane
from shared.ports.executions import PendingPage, ScanPage
from tests.support.builders import (
    BUCKET,
    DUE_AT,
    TENANT,
    execution_id,
    expiry_for,
    in_every_state,
    in_state,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

LATER = DUE_AT + 3_600_000
POINTER = RetryReminder(
    dispatch_at=LATER,
    target=execution_id(),
    claims=2,
    tenant_id=TENANT,
    lane=Lane.CRITICAL,
    created_at=DUE_AT,
)


def pages(lab: Lab, limit: int, bucket: int = BUCKET, shard: int = 0) -> list[ScanPage]:
    found = [lab.executions.scan(bucket, shard, after=None, limit=limit)]
    while found[-1].next_after is not None:
        found.append(lab.executions.scan(bucket, shard, after=found[-1].next_after, limit=limit))
    return found


def rows(lab: Lab, bucket: int = BUCKET, shard: int = 0) -> list[DueRow]:
    return [row for page in pages(lab, 100, bucket, shard) for row in page.rows]


def test_pages_show_every_row_once_in_order_of_time(lab: Lab) -> None:
    for number in (3, 0, 6, 1, 2, 7, 5, 4):
        lab.executions.put_if_absent(one_off(number, due_at=BUCKET * 60_000 + number * 8_569))
    for limit in (1, 3, 4, 7, 8, 9, 500):
        found = pages(lab, limit)
        assert all(len(page.rows) <= limit for page in found)
        seen = [row for page in found for row in page.rows]
        assert [row.id.entropy for row in seen] == list(range(8))
        assert all(earlier.sort_key < later.sort_key for earlier, later in pairwise(seen))


def test_a_page_goes_on_behind_any_row_that_it_showed(lab: Lab) -> None:
    for number in range(5):
        lab.executions.put_if_absent(one_off(number))
    seen = rows(lab)
    page = lab.executions.scan(BUCKET, 0, after=seen[1].sort_key, limit=100)
    assert page.rows == tuple(seen[2:])


def test_a_scan_sees_its_own_shard_of_its_own_bucket_alone(lab: Lab) -> None:
    places = [(DUE_AT, 0), (DUE_AT, 1), (DUE_AT, 10), (DUE_AT + 60_000, 0), (DUE_AT - 60_000, 0)]
    for number, (due_at, shard) in enumerate(places):
        lab.executions.put_if_absent(one_off(number, due_at=due_at, shard=shard))
    for number, (due_at, shard) in enumerate(places):
        assert [row.id.entropy for row in rows(lab, due_at // 60_000, shard)] == [number]


def test_an_empty_shard_has_one_empty_page(lab: Lab) -> None:
    assert lab.executions.scan(BUCKET, 0, after=None, limit=10) == ScanPage(
        rows=(), unreadable=(), next_after=None
    )


def test_a_row_says_all_that_watchers_and_sweepers_ask_whatever_its_state(lab: Lab) -> None:
    executions = in_every_state(lane=Lane.BULK)
    for execution in executions:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    for execution, row in zip(executions, rows(lab), strict=True):
        assert row == DueRow(
            id=execution.id,
            sort_key=row.sort_key,
            tenant_id=execution.tenant_id,
            lane=Lane.BULK,
            state=execution.state,
            created_at=execution.created_at,
            claims=execution.attempt,
            max_claims=execution.call.retry.max_attempts,
            stop_retries=False,
            claimable_from=execution.claimable_from,
            next_attempt_at=execution.progress.next_attempt_at,
        )
        assert row.wakes == execution.id
    assert all(len(page.rows) <= 2 for page in pages(lab, 2))


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.WAITING, State.RUNNING])
def test_a_row_says_when_the_last_attempt_began_that_was_answered(lab: Lab, state: State) -> None:
    outcomes = tuple(
        AttemptOutcome(attempt=n, started_at=DUE_AT + n, duration_ms=9, status=500, reason=Reason.HTTP_STATUS)
        for n in (1, 2, 3)
    )
    execution = in_state(one_off(), state, attempt=3, outcomes=outcomes)
    lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    assert [row.begun_at for row in rows(lab)] == [DUE_AT + 3]


@pytest.mark.parametrize("policy", [AsyncPolicy(), AsyncPolicy(deadline_seconds=60, heartbeat_seconds=10)])
def test_a_row_whose_receiver_works_on_says_when_it_was_claimed(lab: Lab, policy: AsyncPolicy) -> None:
    runs = in_state(one_off(async_policy=policy), State.RUNNING)
    lab.executions.put_if_absent(with_changes(runs, async_until=policy.deadline_at(DUE_AT + 7)))
    (row,) = rows(lab)
    assert (row.async_accepted, row.begun_at) == (True, DUE_AT + 7)


def test_a_row_says_that_retries_were_stopped(lab: Lab) -> None:
    lab.executions.put_if_absent(in_state(one_off(), State.RUNNING))
    lab.executions.stop_retries(one_off().id)
    assert rows(lab)[0].stop_retries


def test_rows_that_cannot_be_read_are_named_and_block_no_other(lab: Lab) -> None:
    for number in range(6):
        lab.executions.put_if_absent(one_off(number))
    lab.damage(execution_id(1))
    lab.make_newer(execution_id(4))
    for limit in (1, 2, 100):
        found = pages(lab, limit)
        assert [row.id.entropy for page in found for row in page.rows] == [0, 2, 3, 5]
        named = [name for page in found for name in page.unreadable]
        assert [str(execution_id(1)) in named[0], str(execution_id(4)) in named[1], len(named)] == [
            True,
            True,
            2,
        ]


def pending(lab: Lab, limit: int, bucket: int = BUCKET) -> list[PendingPage]:
    found = [lab.executions.scan_pending(bucket, 0, after=None, limit=limit)]
    while (after := found[-1].next_after) is not None:
        found.append(lab.executions.scan_pending(bucket, 0, after=after, limit=limit))
    return found


def test_pending_pages_show_the_rows_that_a_scan_shows_as_pending(lab: Lab) -> None:
    for execution in in_every_state(lane=Lane.BULK, destination="hooks"):
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    lab.executions.put_if_absent(one_off(40, tenant_id="other", lane=Lane.CRITICAL))
    lab.executions.put_reminder(replace(POINTER, dispatch_at=DUE_AT, destination="hooks"))
    expected = [
        PendingRow(row.wakes, row.id.dispatch_at, row.tenant_id, row.lane, row.destination)
        for row in rows(lab)
        if row.state is State.PENDING
    ]
    assert len(expected) == 3
    for limit in (1, 3, 100):
        found = pending(lab, limit)
        assert [row for page in found for row in page.rows] == expected
        assert [key for page in found for key in page.unreadable] == []
        assert len(found) == len(pages(lab, limit)), "a page examines as many rows as one of `scan`"


def test_pending_page_goes_on_behind_rows_that_are_not_pending(lab: Lab) -> None:
    for number, state in enumerate((State.RUNNING, State.SUCCEEDED, State.PENDING)):
        execution = in_state(one_off(number), state)
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    found = pending(lab, 2)
    assert [len(page.rows) for page in found] == [0, 1]
    assert [row.wakes for row in found[1].rows] == [execution_id(2)]


def test_pending_pages_name_rows_that_cannot_be_read_and_show_the_others(lab: Lab) -> None:
    for number in range(6):
        lab.executions.put_if_absent(one_off(number))
    lab.damage(execution_id(1))
    lab.make_newer(execution_id(4))
    for limit in (1, 2, 100):
        found = pending(lab, limit)
        assert [row.wakes.entropy for page in found for row in page.rows] == [0, 2, 3, 5]
        assert [key for page in found for key in page.unreadable] == [
            f"12345#{execution_id(number)}" for number in (1, 4)
        ]


def test_a_pointer_shows_where_it_stands_and_whom_it_wakes(lab: Lab) -> None:
    assert lab.executions.put_reminder(POINTER)
    (row,) = rows(lab, POINTER.location.bucket)
    assert row == DueRow(
        id=ExecutionId(cell=DEFAULT_CELL, dispatch_at=LATER, shard=0, entropy=POINTER.target.entropy),
        sort_key=row.sort_key,
        tenant_id=TENANT,
        lane=Lane.CRITICAL,
        state=State.PENDING,
        created_at=DUE_AT,
        claims=2,
        max_claims=2,
        stop_retries=False,
        claimable_from=None,
        next_attempt_at=None,
        reminder_target=execution_id(),
    )
    assert row.wakes == execution_id()


def test_whole_executions_are_read_page_by_page_without_pointers(lab: Lab) -> None:
    executions = in_every_state()
    for execution in executions:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    lab.executions.put_reminder(replace(POINTER, dispatch_at=DUE_AT))
    lab.damage(executions[3].id)
    lab.make_newer(executions[5].id)
    readable = [execution for number, execution in enumerate(executions) if number not in (3, 5)]
    for limit in (1, 4, 10, 100):
        found = [lab.executions.read_shard(BUCKET, 0, after=None, limit=limit)]
        while (after := found[-1].next_after) is not None:
            found.append(lab.executions.read_shard(BUCKET, 0, after=after, limit=limit))
        assert all(len(page.executions) + len(page.unreadable) <= limit for page in found)
        assert [each for page in found for each in page.executions] == readable
        named = [key.partition("#")[2] for page in found for key in page.unreadable]
        assert named == [str(executions[number].id) for number in (3, 5)]


def test_a_pointer_is_filed_once(lab: Lab) -> None:
    lab.executions.put_reminder(POINTER)
    before = lab.contents()
    assert not lab.executions.put_reminder(replace(POINTER, state=State.QUEUED, created_at=DUE_AT + 9))
    assert lab.contents() == before


def test_pointers_of_two_attempts_stand_beside_each_other_and_beside_executions(lab: Lab) -> None:
    assert lab.executions.put_reminder(POINTER)
    assert lab.executions.put_reminder(replace(POINTER, claims=3))
    assert lab.executions.put_if_absent(one_off(due_at=LATER)) is None
    seen = rows(lab, POINTER.location.bucket)
    assert sorted((row.claims, row.wakes) for row in seen) == sorted(
        [(0, execution_id(dispatch_at=LATER)), (2, execution_id()), (3, execution_id())],
        key=lambda entry: entry[0],
    )


def test_a_pointer_is_no_execution(lab: Lab) -> None:
    lab.executions.put_reminder(POINTER)
    assert lab.executions.get(POINTER.location) is None
    assert lab.executions.get(POINTER.target) is None
