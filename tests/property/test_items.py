"""Executions and pointers as items: nothing is lost or changed on the way there and back."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.adapters.dynamodb.codec.attributes import encode_all
from shared.adapters.dynamodb.codec.due_rows import PENDING_ROW_ATTRIBUTES, read_due_row, read_pending_row
from shared.adapters.dynamodb.codec.execution_fields import TRACE, pack_outcomes, unpack_outcomes
from shared.adapters.dynamodb.codec.items import execution_item, read_execution, reminder_item
from shared.adapters.dynamodb.codec.keys import execution_key
from shared.domain.dead_letters.redrive_task import redrive_task_id
from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.destination import DESTINATION
from shared.domain.delivery.signing import SECRET_NAME
from shared.domain.delivery.trace import Trace, own_trace
from shared.domain.dispatch.pending_row import PendingRow
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import EARLY_MS, Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.redrive import RedrivenBy, RedriveOf
from shared.domain.executions.stages import STORED, AttemptStages, WaitCause, following
from shared.domain.executions.states import REDRIVABLE, EndReason, State
from shared.domain.ids import DEFAULT_CELL, ExecutionId, one_off_job_id, recurring_job_id
from shared.domain.schedules.recurrence import Recurrence
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Attr, Lane
from tests.support.builders import one_off
from tests.support.property.item_strategies import (
    CALLBACKS,
    COUNTS,
    INSTANTS,
    NUMBERS,
    POLICIES,
    SCHEDULES,
    SUBSCRIPTIONS,
    TENANTS,
)

REGION = "us-east-1"
OUTCOME_BYTES = 13
IDS = st.builds(
    ExecutionId,
    cell=st.sampled_from("09az"),
    dispatch_at=INSTANTS,
    shard=st.integers(0, 32_767),
    entropy=st.integers(0, (1 << 80) - 1),
)
SECONDS = (1 << 23) - 1
DURATIONS = st.integers(0, SECONDS) | st.integers(SECONDS // 1000 + 1, SECONDS).map(lambda s: s * 1000)
"""To the millisecond below two hours, to the second above."""
OUTCOMES = st.builds(
    AttemptOutcome,
    attempt=st.integers(1, 20),
    started_at=INSTANTS,
    duration_ms=DURATIONS,
    status=st.none() | st.integers(100, 999),
    reason=st.sampled_from(Reason),
)
ASYNC_POLICIES = st.builds(
    AsyncPolicy, deadline_seconds=st.integers(60, 43_200), heartbeat_seconds=st.integers(10, 3_600)
)
MISSED = st.builds(SkippedRange, count=NUMBERS, first_at=INSTANTS, last_at=INSTANTS, resumed_at=INSTANTS)
ATTEMPT_STAGES = st.builds(
    AttemptStages,
    st.binary(min_size=len(STORED), max_size=len(STORED)),
    st.none() | st.sampled_from(WaitCause),
)
STAGES = st.builds(
    lambda first, attempt, latest: following(following(None, 1, first), attempt, latest),
    ATTEMPT_STAGES,
    st.integers(1, 20),
    ATTEMPT_STAGES,
)
TRACES = st.none() | st.builds(
    Trace, st.from_regex(r"(?!0{32})[0-9a-f]{32}", fullmatch=True), is_sampled=st.booleans()
)


@st.composite
def executions(draw: st.DrawFn) -> Execution:
    """Every execution that transitions can make, and many that they cannot."""
    identity = draw(IDS)
    state = draw(st.sampled_from(State))
    retry = draw(POLICIES)
    attempt = draw(st.integers(0, retry.max_attempts))
    refunded = draw(st.just(0) | st.integers(1, 3_000))
    timing: dict[str, Any] = {"next_attempt_at": draw(st.none() | INSTANTS)}
    if state is State.RUNNING:
        timing |= {"owner": draw(st.text(min_size=1, max_size=16)), "lease_until": draw(INSTANTS)}
        timing["async_until"] = draw(st.none() | INSTANTS)
    if state is State.MOVED:
        timing["moved_to"] = draw(IDS)
    if state is State.WAITING:
        timing["next_attempt_at"] = draw(INSTANTS)
    return Execution(
        id=identity,
        tenant_id=draw(TENANTS),
        job_id=draw(st.just(one_off_job_id(identity)) | st.builds(recurring_job_id, INSTANTS, NUMBERS)),
        revision=draw(NUMBERS),
        nominal_at=draw(st.just(identity.dispatch_at) | INSTANTS),
        created_at=draw(INSTANTS),
        call=CallSpec(
            lane=draw(st.sampled_from(Lane)),
            request=draw(st.binary(max_size=64)),
            payload_id=draw(st.none() | st.text(min_size=1, max_size=64)),
            destination=draw(st.just("") | st.from_regex(DESTINATION, fullmatch=True)),
            callbacks=draw(CALLBACKS),
            alerts=draw(SUBSCRIPTIONS),
            retry=retry,
            timeout_ms=draw(st.integers(1, 60_000)),
            async_policy=draw(ASYNC_POLICIES),
            signing_secret=draw(st.none() | st.from_regex(SECRET_NAME, fullmatch=True)),
            depth=draw(st.integers(0, 8)),
            trace=draw(TRACES),
        ),
        fingerprint=draw(st.binary(min_size=16, max_size=16)),
        progress=Progress(
            state=state,
            claims=attempt + refunded,
            refunded=refunded,
            refunded_since=draw(INSTANTS) if refunded else None,
            outcomes=tuple(draw(st.lists(OUTCOMES, max_size=20))),
            last_body=draw(st.binary(max_size=256)),
            end_reason=draw(st.none() | st.sampled_from(EndReason)),
            ends_chain=draw(st.booleans()),
            stop_retries=draw(st.booleans()),
            missed=draw(st.none() | MISSED),
            stages=draw(st.none() | STAGES),
            lane=draw(st.none() | st.sampled_from(Lane)),
            **_marks(draw, state),
            **timing,
        ),
        index_shard=draw(st.integers(0, 1_000)),
        name=draw(st.none() | st.text(max_size=128)),
        **_ties(draw),
    )


def _ties(draw: st.DrawFn) -> dict[str, Any]:
    """The chain of the execution; or the dead letter that it redrives, or the outcome that it delivers."""
    recurrence = draw(st.none() | st.builds(Recurrence, schedule=SCHEDULES, counts=COUNTS))
    if recurrence is not None:
        return {"recurrence": recurrence}
    redrive_of = draw(st.none() | st.builds(RedriveOf, original=IDS, number=NUMBERS))
    return {"redrive_of": redrive_of, "notification_of": draw(st.none() | IDS)}


def _marks(draw: st.DrawFn, state: State) -> dict[str, Any]:
    """The notification and the redrive of an execution that has ended, where its state allows them."""
    marks: dict[str, Any] = {}
    if state in (State.SUCCEEDED, State.FAILED):
        marks["notification"] = draw(st.none() | IDS)
    if state in REDRIVABLE:
        task = st.none() | st.builds(redrive_task_id, INSTANTS, NUMBERS)
        marks["redriven_by"] = draw(st.none() | st.builds(RedrivenBy, execution=IDS, task=task))
    return marks


@settings(deadline=None)
@given(execution=executions())
def test_an_execution_survives_its_item(execution: Execution) -> None:
    assert read_execution(execution_item(execution, REGION)) == execution


@settings(deadline=None)
@given(execution=executions(), expires_at_s=st.none() | NUMBERS)
def test_the_expiry_is_no_part_of_the_execution(execution: Execution, expires_at_s: int | None) -> None:
    item = execution_item(execution, REGION, expires_at_s)
    assert (Attr.TTL in item) == (expires_at_s is not None)
    assert read_execution(item) == execution


@settings(deadline=None)
@given(execution=executions())
def test_ended_execution_has_no_time_to_claim(execution: Execution) -> None:
    claimable_from = execution_item(execution, REGION).get("ca")
    assert (claimable_from is None) == execution.state.is_terminal
    if execution.state is State.WAITING and execution.progress.next_attempt_at is not None:
        assert claimable_from == {"N": str(execution.progress.next_attempt_at - EARLY_MS)}


@settings(deadline=None)
@given(execution=executions())
def test_a_row_of_a_scan_agrees_with_the_execution(execution: Execution) -> None:
    row = read_due_row(execution_item(execution, REGION), execution.id.bucket, execution.id.shard)
    assert (row.id, row.wakes, row.tenant_id) == (execution.id, execution.id, execution.tenant_id)
    assert (row.lane, row.state, row.created_at) == (execution.lane, execution.state, execution.created_at)
    refunded = execution.progress.refunded
    assert row.claims == execution.attempt + refunded
    assert row.max_claims == execution.call.retry.max_attempts + refunded
    assert row.notification == execution.progress.notification
    assert (row.stop_retries, row.claimable_from) == (
        execution.progress.stop_retries,
        execution.claimable_from,
    )
    assert row.next_attempt_at == execution.progress.next_attempt_at
    assert row.async_accepted is (execution.progress.async_until is not None)


def pending_row_of(row: DueRow) -> PendingRow | None:
    if row.state is not State.PENDING:
        return None
    return PendingRow(row.wakes, row.id.dispatch_at, row.tenant_id, row.lane, row.destination, row.trace)


@settings(deadline=None)
@given(execution=executions())
def test_watcher_reads_of_a_row_what_a_sweeper_reads(execution: Execution) -> None:
    item, bucket = execution_item(execution, REGION), execution.id.bucket
    assert read_pending_row(item, bucket) == pending_row_of(read_due_row(item, bucket, execution.id.shard))


VALUES = st.one_of(
    st.text(max_size=12).map(lambda text: {"S": text}),
    st.integers(-1, 99).map(lambda number: {"N": str(number)}),
    st.just({"NULL": True}),
)


@settings(deadline=None)
@given(changes=st.dictionaries(st.sampled_from(PENDING_ROW_ATTRIBUTES), st.none() | VALUES, min_size=1))
def test_damaged_row_is_unreadable_to_a_watcher_or_read(changes: dict[str, Any]) -> None:
    item = {key: value for key, value in (execution_item(one_off(), REGION) | changes).items() if value}
    with suppress(UnreadableItemError):
        read_pending_row(item, one_off().id.bucket)


@settings(deadline=None)
@given(
    bucket=st.integers(0, 10**9), offsets=st.tuples(*[st.integers(0, 59_999)] * 2), entropy=st.integers(0, 9)
)
def test_rows_of_a_bucket_sort_by_time(bucket: int, offsets: tuple[int, int], entropy: int) -> None:
    earlier, later = (
        ExecutionId(cell=DEFAULT_CELL, dispatch_at=bucket * 60_000 + offset, shard=0, entropy=entropy)
        for offset in sorted(offsets)
    )
    (first_pk, first_sk), (second_pk, second_sk) = (execution_key(REGION, each) for each in (earlier, later))
    assert first_pk == second_pk
    assert (first_sk < second_sk) == (earlier.dispatch_at < later.dispatch_at)


@settings(deadline=None)
@given(target=IDS, dispatch_at=INSTANTS, attempt=st.integers(1, 20), lane=st.sampled_from(Lane))
def test_a_pointer_survives_its_row(target: ExecutionId, dispatch_at: int, attempt: int, lane: Lane) -> None:
    pointer = RetryReminder(
        dispatch_at=dispatch_at, target=target, claims=attempt, tenant_id="acme", lane=lane, created_at=7
    )
    location = pointer.location
    item = reminder_item(pointer, REGION)
    row = read_due_row(item, location.bucket, location.shard)
    assert read_pending_row(item, location.bucket) == pending_row_of(row)
    assert (row.id, row.wakes, row.claims, row.lane) == (location, target, attempt, lane)
    assert (row.state, row.created_at, row.tenant_id) == (State.PENDING, 7, "acme")


@settings(deadline=None)
@given(outcomes=st.lists(OUTCOMES, max_size=20).map(tuple))
def test_outcomes_take_thirteen_bytes_each(outcomes: tuple[AttemptOutcome, ...]) -> None:
    packed = pack_outcomes(outcomes)
    assert len(packed) == OUTCOME_BYTES * len(outcomes)
    assert unpack_outcomes(packed) == outcomes


@settings(deadline=None)
@given(outcome=OUTCOMES, excess_ms=st.integers(1, 1 << 40))
def test_a_duration_beyond_its_field_is_cut_to_the_longest(outcome: AttemptOutcome, excess_ms: int) -> None:
    longest_ms = SECONDS * 1000
    long = AttemptOutcome(
        attempt=outcome.attempt,
        started_at=outcome.started_at,
        duration_ms=longest_ms + excess_ms,
        status=outcome.status,
        reason=outcome.reason,
    )
    assert unpack_outcomes(pack_outcomes((long,)))[0].duration_ms == longest_ms


@settings(deadline=None)
@given(outcome=OUTCOMES, duration_ms=st.integers(0, SECONDS * 1000))
def test_a_duration_loses_less_than_a_second_and_none_below_two_hours(
    outcome: AttemptOutcome, duration_ms: int
) -> None:
    (stored,) = unpack_outcomes(pack_outcomes((replace(outcome, duration_ms=duration_ms),)))
    assert 0 <= duration_ms - stored.duration_ms < (1_000 if duration_ms > SECONDS else 1)


def test_a_policy_without_table_and_age_is_written_as_it_always_was() -> None:
    item = execution_item(one_off(), REGION)
    assert (item["mx"], item["rt"], "rp" in item) == ({"N": "5"}, {"S": "10/2/3600"}, False)


@pytest.mark.parametrize(
    "extras", ["60", ";x", "60,;", "60;", "0;", ";0", "1,2,3,4,5;", "60,600,60,6;-1", "a,b,c,d;"]
)
def test_extras_that_make_no_policy_are_unreadable(extras: str) -> None:
    item = execution_item(one_off(), REGION) | {"rp": {"S": extras}}
    with pytest.raises(UnreadableItemError):
        read_execution(item)


@given(execution=executions(), stored=st.binary(max_size=40) | st.text(max_size=40) | st.none())
def test_item_without_a_trace_or_with_one_of_another_form_is_read_with_its_own_trace(
    execution: Execution, stored: bytes | str | None
) -> None:
    """Items of releases before and after this one."""
    item = execution_item(execution, "eu") | encode_all({TRACE: stored})
    if stored is None:
        item.pop(TRACE, None)
    if not isinstance(stored, bytes) or len(stored) != 17:
        read = read_execution(item)
        assert read == replace(execution, call=replace(execution.call, trace=None))
        assert read.trace == own_trace(execution.id)
