"""Receivers report on attempts that went on after their calls."""

from dataclasses import dataclass

from functions.api.bodies import read_optional
from functions.api.models.callbacks import FailureIn, HeartbeatOut, NothingIn, ReportOut
from shared.bootstrap.use_cases import UseCases
from shared.domain.schedules.schedule import format_instant
from shared.names import Metric
from shared.observability import count
from shared.usecases.attempts.heartbeat_execution import HeartbeatExecution
from shared.usecases.attempts.report_outcome import Reported, ReportOutcome
from shared.usecases.attempts.settle_attempt import AttemptEnd

_COUNTED = {
    AttemptEnd.SUCCEEDED: Metric.SUCCEEDED,
    AttemptEnd.RETRIED: Metric.RETRIED,
    AttemptEnd.FAILED: Metric.FAILED,
}


@dataclass(frozen=True, slots=True)
class CallbackOperations:
    """One method an operation. A body that cannot be read is said to be so before the token is looked at."""

    heartbeat_execution: HeartbeatExecution
    report_outcome: ReportOutcome

    def heartbeat(self, execution_id: str, token: str, body: bytes) -> HeartbeatOut:
        """The attempt goes on."""
        read_optional(body, NothingIn)
        heard = self.heartbeat_execution.execute(execution_id, token)
        return HeartbeatOut(
            id=heard.execution_id,
            attempt=heard.attempt,
            lease_until=format_instant(heard.lease_until),
            deadline_at=format_instant(heard.deadline_at),
        )

    def complete(self, execution_id: str, token: str, body: bytes) -> ReportOut:
        """The attempt has succeeded."""
        read_optional(body, NothingIn)
        return _report_out(self.report_outcome.complete(execution_id, token))

    def fail(self, execution_id: str, token: str, body: bytes) -> ReportOut:
        """The attempt has failed."""
        asked = read_optional(body, FailureIn)
        reported = self.report_outcome.fail(
            execution_id, token, text=asked.reason.encode(), retryable=asked.retryable
        )
        return _report_out(reported)


def callback_operations(cases: UseCases) -> CallbackOperations:
    """The operations of a deployment."""
    return CallbackOperations(
        heartbeat_execution=cases.attempts.heartbeat_execution,
        report_outcome=cases.attempts.report_outcome,
    )


def _report_out(reported: Reported) -> ReportOut:
    """A repeated report changes nothing, and is not counted."""
    if reported.end is not None:
        count(_COUNTED[reported.end])
    return ReportOut(
        id=reported.execution_id,
        attempt=reported.attempt,
        outcome="succeeded" if reported.succeeded else "failed",
    )
