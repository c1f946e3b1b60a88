"""A batch's outcome as metrics, and as a log line for each attempt that did not succeed."""

from collections import Counter

from shared.bootstrap.reports import report_lost
from shared.domain.delivery.trace import own_trace
from shared.domain.limits.scopes import WaitReason
from shared.names import LATE_START_MS, Metric, QueueName
from shared.observability import count, logger, milliseconds, shares
from shared.usecases.attempts.batch_report import BatchReport
from shared.usecases.attempts.make_attempt import AttemptResult
from shared.usecases.attempts.settle_refusal import Refusal
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.limits.throttle_batch import ThrottleBatch

DEFERRED = {
    WaitReason.TENANT_CONCURRENCY: Metric.DEFERRED_TENANT_CONCURRENCY,
    WaitReason.TENANT_RATE: Metric.DEFERRED_TENANT_RATE,
    WaitReason.DESTINATION_CONCURRENCY: Metric.DEFERRED_DESTINATION_CONCURRENCY,
    WaitReason.DESTINATION_RATE: Metric.DEFERRED_DESTINATION_RATE,
    WaitReason.BREAKER_OPEN: Metric.DEFERRED_BREAKER_OPEN,
    WaitReason.SLOW: Metric.DEFERRED_SLOW,
    WaitReason.BACKPRESSURE: Metric.DEFERRED_BACKPRESSURE,
    WaitReason.LATE: Metric.DEFERRED_LATE,
    WaitReason.SUSPENDED: Metric.DEFERRED_SUSPENDED,
}
_WITHOUT_CALL = frozenset({AttemptEnd.REFUNDED, AttemptEnd.WITHDRAWN})
_NOT_LOGGED = frozenset({AttemptEnd.SUCCEEDED, AttemptEnd.ASYNC_ACCEPTED, AttemptEnd.REPORTED})


def emit(report: BatchReport, queue: QueueName) -> None:
    """Only ids, numbers and reason words are logged, never a tenant's data."""
    ends = Counter(attempt.end for attempt in report.attempts)
    lost = sum(refusal.kind is Refusal.WORKER_LOST for refusal in report.refusals)
    count(Metric.CLAIMED, len(report.attempts))
    count(Metric.SUCCEEDED, ends[AttemptEnd.SUCCEEDED])
    count(Metric.RETRIED, ends[AttemptEnd.RETRIED])
    count(Metric.ATTEMPTS_REFUNDED, ends[AttemptEnd.REFUNDED])
    count(Metric.FAILED, ends[AttemptEnd.FAILED] + lost)
    count(Metric.ASYNC_ACCEPTED, ends[AttemptEnd.ASYNC_ACCEPTED])
    count(Metric.FENCED, ends[AttemptEnd.FENCED])
    count(Metric.MESSAGES_RETURNED, len(report.returned()))
    count(Metric.UNREADABLE_MESSAGES, report.unreadable_messages)
    if report.clock_skew_ms:
        milliseconds(Metric.CLOCK_SKEW_MS, [abs(report.clock_skew_ms)])
        logger.warning("clock skew", extra={"skew_ms": report.clock_skew_ms})
    for reason, keys in Counter(key.deferral.reason for key in report.deferred).items():
        count(DEFERRED[reason], keys)
    lags = [(attempt.execution.id in report.waited, attempt.lag_ms) for attempt in report.attempts]
    milliseconds(Metric.START_LAG_MS, [lag_ms for has_waited, lag_ms in lags if not has_waited])
    milliseconds(Metric.WAITED_LAG_MS, [lag_ms for has_waited, lag_ms in lags if has_waited])
    if not queue.is_slow:
        shares(Metric.LATE_STARTS, _late_starts(report))
    for attempt in report.attempts:
        if attempt.end not in _NOT_LOGGED:
            _log(attempt)
    for settled in report.settled:
        if settled.delivery.wakeup is None:
            logger.error(
                "unreadable message",
                extra={"message_id": settled.delivery.message_id, "fault": settled.delivery.error},
            )
    for refusal in report.refusals:
        if refusal.lost is not None:
            report_lost(refusal.lost)
    _log_undecided(report)


def _log_undecided(report: BatchReport) -> None:
    wakeups = [settled.delivery.wakeup for settled in report.settled if settled.delivery.wakeup is not None]
    traces = {key: wakeup.trace_of(key) for wakeup in wakeups for key in wakeup.keys}
    for key, undecided in report.undecided.items():
        trace = traces.get(key) or own_trace(key)
        logger.warning(
            "claim undecided",
            exc_info=undecided.error,
            extra={"execution": str(key), "reason": undecided.reason, "trace": trace.id},
        )


def _late_starts(report: BatchReport) -> list[bool]:
    """Whether each first attempt started late, since the execution was due and filed.

    A run that is caught up after a pause is due before it is filed. A tenant's limit, an open circuit breaker, a
    slow destination or an earlier run of the job may delay a start for as long as it takes: such attempts are
    left out.
    """
    return [
        attempt.started_at - max(attempt.execution.due_at, attempt.execution.created_at) > LATE_START_MS
        for attempt in report.attempts
        if attempt.execution.attempt == 1
        and attempt.end not in _WITHOUT_CALL
        and attempt.execution.id not in report.waited
    ]


def emit_limits(gate: ThrottleBatch) -> None:
    """Count errors of the limit store and opened circuit breakers since the last call."""
    count(Metric.LIMIT_STORE_ERRORS, gate.take_store_errors())
    count(Metric.BREAKER_OPENED, gate.settle_limits.take_opened())


def _log(attempt: AttemptResult) -> None:
    execution = attempt.execution
    logger.warning(
        "attempt ended",
        extra={
            "end": attempt.end,
            "execution": str(execution.id),
            "tenant": execution.tenant_id,
            "attempt": execution.attempt,
            "reason": attempt.answer.reason.word,
            "status": attempt.answer.status,
            "duration_ms": attempt.answer.duration_ms,
            "trace": execution.trace.id,
            "span": execution.span_id,
        },
    )
