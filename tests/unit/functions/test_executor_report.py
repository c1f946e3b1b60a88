"""A batch's outcome as metrics and log lines, without anything that a tenant sent."""

from dataclasses import replace

import pytest

from functions.executor.report import DEFERRED, emit, emit_limits
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.trace import Trace
from shared.domain.executions.states import State
from shared.domain.limits.scopes import Deferral, WaitReason
from shared.names import WHOLE_STAGE, Metric, QueueName
from shared.observability import JsonLines, metrics
from shared.ports.executions import WriteUnknown
from shared.usecases.attempts.batch_report import BatchReport, Delivery, SettledMessage, Verdict
from shared.usecases.attempts.make_attempt import AttemptResult
from shared.usecases.attempts.settle_refusal import Refusal, RefusalResult
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.limits.throttle_batch import DeferredKey
from tests.support.api.api_world import logged
from tests.support.api.emitted import emitted
from tests.support.builders import DUE_AT, in_state, one_off, with_changes
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World

SECRET = b"s3cr3t"
RUNNING = in_state(with_changes(one_off(), request=SECRET, name="s3cr3t"), State.RUNNING)


def attempt(end: AttemptEnd, lag_ms: int = 0) -> AttemptResult:
    return AttemptResult(
        execution=RUNNING,
        end=end,
        is_done=True,
        answer=CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=7, status=500, body=SECRET),
        started_at=DUE_AT + lag_ms,
    )


def told(report: BatchReport, queue: QueueName = QueueName.STANDARD) -> None:
    emit(report, queue)


def settled(verdict: Verdict, fault: str = "") -> SettledMessage:
    delivery = Delivery(message_id="m", sent_at=DUE_AT, receive_count=1, wakeup=None, error=fault)
    return SettledMessage(delivery=delivery, verdict=verdict)


def test_batch_that_succeeds_reports_four_metrics() -> None:
    """The sizing bills these for each lane, and the last one for all of them: see `BUSY_METRICS`."""
    told(BatchReport())
    assert emitted() == {}
    told(BatchReport(attempts=[attempt(AttemptEnd.SUCCEEDED)]))
    assert emitted().keys() == {
        Metric.CLAIMED,
        Metric.SUCCEEDED,
        Metric.START_LAG_MS,
        Metric.LATE_STARTS,
    }
    assert {Metric.LATE_STARTS} <= WHOLE_STAGE


def test_every_end_is_counted_where_it_belongs() -> None:
    ends = [AttemptEnd.SUCCEEDED] * 3 + [AttemptEnd.RETRIED] * 2 + [AttemptEnd.FAILED, AttemptEnd.FENCED]
    ends += [AttemptEnd.ASYNC_ACCEPTED, AttemptEnd.REPORTED, *[AttemptEnd.REFUNDED] * 4]
    told(
        BatchReport(
            attempts=[attempt(end) for end in ends],
            refusals=[RefusalResult(kind=Refusal.WORKER_LOST), RefusalResult(kind=Refusal.DROPPED)],
            settled=[settled(Verdict.RETURN, "unreadable"), settled(Verdict.DONE)],
            unreadable_messages=1,
        )
    )
    counts = emitted()
    counts.pop(Metric.START_LAG_MS)
    counts.pop(Metric.LATE_STARTS)
    assert counts == {
        Metric.CLAIMED: 13,
        Metric.SUCCEEDED: 3,
        Metric.RETRIED: 2,
        Metric.ATTEMPTS_REFUNDED: 4,
        Metric.FAILED: 2,
        Metric.ASYNC_ACCEPTED: 1,
        Metric.FENCED: 1,
        Metric.MESSAGES_RETURNED: 1,
        Metric.UNREADABLE_MESSAGES: 1,
    }


def test_every_start_lag_is_a_separate_measurement() -> None:
    told(BatchReport(attempts=[attempt(AttemptEnd.SUCCEEDED, lag) for lag in (0, 150, 2_000)]))
    assert emitted()[Metric.START_LAG_MS] == [0, 150, 2_000]


def started(lag_ms: int, end: AttemptEnd = AttemptEnd.SUCCEEDED, attempts: int = 1) -> AttemptResult:
    execution = in_state(one_off(), State.RUNNING, attempt=attempts)
    return replace(attempt(end, lag_ms), execution=execution)


def late_starts() -> list[float]:
    values = list(metrics.metric_set.get(Metric.LATE_STARTS, []))
    metrics.clear_metrics()
    return values


def test_first_attempt_tells_whether_it_started_late() -> None:
    told(BatchReport(attempts=[started(lag) for lag in (-40, 0, 5_000, 5_001)]))
    assert late_starts() == [0, 0, 0, 1]


def test_first_attempt_after_a_refund_is_late_since_its_execution_was_due() -> None:
    late = started(6_000)
    again = with_changes(late.execution, next_attempt_at=DUE_AT + 5_900)
    told(BatchReport(attempts=[started(6_000, AttemptEnd.REFUNDED), replace(late, execution=again)]))
    assert late_starts() == [1]


def test_run_that_is_caught_up_is_late_since_it_was_filed() -> None:
    """Its job was paused at its instant, as the tenant asked."""
    filed = with_changes(started(0).execution, created_at=DUE_AT + 3_600_000)
    lags = (3_600_000, 3_605_000, 3_605_001)
    told(BatchReport(attempts=[replace(started(lag), execution=filed) for lag in lags]))
    assert late_starts() == [0, 0, 1]


@pytest.mark.parametrize(
    ("report", "queue"),
    [
        (BatchReport(attempts=[started(60_000, attempts=2)]), QueueName.STANDARD),
        (BatchReport(attempts=[started(60_000, AttemptEnd.WITHDRAWN)]), QueueName.STANDARD),
        (BatchReport(attempts=[started(60_000)], waited={RUNNING.id}), QueueName.STANDARD),
        (BatchReport(attempts=[started(60_000)]), QueueName.SLOW_STANDARD),
    ],
    ids=["retry", "no call", "deferred", "slow destination"],
)
def test_start_that_a_tenant_delays_says_nothing_about_the_objective(
    report: BatchReport, queue: QueueName
) -> None:
    told(report, queue)
    assert late_starts() == []


def test_the_lag_of_what_had_to_wait_is_a_metric_of_its_own() -> None:
    """An alarm on the other one wakes somebody, and what a tenant's own limit delays is late as ordered."""
    other = replace(attempt(AttemptEnd.SUCCEEDED, 20), execution=in_state(one_off(2), State.RUNNING))
    late = attempt(AttemptEnd.SUCCEEDED, 60_000)
    told(BatchReport(attempts=[late, other], waited={late.execution.id}))
    counts = emitted()
    assert (counts[Metric.START_LAG_MS], counts[Metric.WAITED_LAG_MS]) == ([20], [60_000])


@pytest.mark.parametrize("skew_ms", [300_000, -2_000])
def test_clock_skew_is_measured_by_its_size_and_logged_with_its_direction(skew_ms: int) -> None:
    with logged() as records:
        told(BatchReport(clock_skew_ms=skew_ms))
    assert emitted()[Metric.CLOCK_SKEW_MS] == [abs(skew_ms)]
    assert [record.__dict__["skew_ms"] for record in records] == [skew_ms]


@pytest.mark.parametrize("end", [AttemptEnd.ASYNC_ACCEPTED, AttemptEnd.REPORTED])
def test_async_accepted_or_reported_attempt_is_not_logged(end: AttemptEnd) -> None:
    with logged() as records:
        told(BatchReport(attempts=[attempt(end)]))
    emitted()
    assert records == []


@pytest.mark.parametrize(
    "end", [AttemptEnd.RETRIED, AttemptEnd.FAILED, AttemptEnd.FENCED, AttemptEnd.UNRECORDED]
)
def test_unsuccessful_attempt_is_logged_by_ids_and_reasons_alone(end: AttemptEnd) -> None:
    with logged() as records:
        told(BatchReport(attempts=[attempt(end), attempt(AttemptEnd.SUCCEEDED)]))
    emitted()
    (record,) = records
    line = vars(record)
    assert (record.getMessage(), line["end"]) == ("attempt ended", end)
    assert (line["execution"], line["tenant"]) == (str(RUNNING.id), "acme")
    assert (line["attempt"], line["reason"], line["status"], line["duration_ms"]) == (
        1,
        "http_status",
        500,
        7,
    )
    assert (line["trace"], line["span"]) == (RUNNING.trace.id, RUNNING.span_id)
    assert "s3cr3t" not in repr(line)


def test_execution_that_is_lost_with_its_worker_is_logged_in_its_trace() -> None:
    with logged() as records:
        told(BatchReport(refusals=[RefusalResult(kind=Refusal.WORKER_LOST, lost=RUNNING)]))
    emitted()
    (line,) = map(vars, records)
    assert (line["message"], line["execution"], line["trace"]) == (
        "worker lost",
        str(RUNNING.id),
        RUNNING.trace.id,
    )


def test_poison_and_undecided_claims_are_logged_with_their_reasons() -> None:
    with logged() as records:
        unknown = {RUNNING.id: WriteUnknown("throttled")}
        told(BatchReport(settled=[settled(Verdict.RETURN, "not ours")], undecided=unknown))
    emitted()
    poison, undecided = map(vars, records)
    assert poison["fault"] == "not ours"
    assert (undecided["reason"], undecided["execution"]) == ("throttled", str(RUNNING.id))
    assert undecided["trace"] == RUNNING.trace.id


def test_undecided_claim_is_logged_in_the_trace_that_its_message_names() -> None:
    trace = Trace("0af7651916cd43dd8448eb211c80319c")
    message = delivery(with_changes(RUNNING, trace=trace))
    with logged() as records:
        told(
            BatchReport(
                settled=[SettledMessage(delivery=message, verdict=Verdict.RETURN)],
                undecided={RUNNING.id: WriteUnknown("ValueError", error=ValueError("s3cr3t"))},
            )
        )
    emitted()
    (record,) = records
    assert vars(record)["trace"] == trace.id
    assert "s3cr3t" not in JsonLines().format(record)


def test_every_wait_reason_has_a_metric_that_counts_deferrals() -> None:
    reasons = [*WaitReason, WaitReason.SLOW]
    told(
        BatchReport(
            deferred=[DeferredKey(deferral=Deferral(reason=r, wait_ms=1), is_done=True) for r in reasons]
        )
    )
    counts = {name: value for name, value in emitted().items() if name.startswith("Deferred")}
    assert counts == {DEFERRED[reason]: 1 for reason in WaitReason} | {Metric.DEFERRED_SLOW: 2}
    assert len(counts) == len(WaitReason)


def test_limit_metrics_of_a_process_are_emitted_once() -> None:
    world = World()
    world.run_attempts.gate.admit.limits.backoff.store_errors = 3
    world.run_attempts.gate.settle_limits.opened = 2
    emit_limits(world.run_attempts.gate)
    assert emitted() == {Metric.LIMIT_STORE_ERRORS: 3, Metric.BREAKER_OPENED: 2}
    emit_limits(world.run_attempts.gate)
    assert emitted() == {}
