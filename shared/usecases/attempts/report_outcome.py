"""Record the outcome that a receiver reports for an asynchronous attempt."""

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import (
    InvalidStateError,
    InvalidValueError,
    NotFoundError,
    PunctualError,
    UnavailableError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.attempts.check_token import CheckToken
from shared.usecases.attempts.settle_attempt import SettleAttempt
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.outcomes.finalize_execution import FinalizeExecution


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResult:
    """The outcome of an attempt. `end` is None if the outcome had already been recorded."""

    execution_id: str
    attempt: int
    succeeded: bool
    end: AttemptEnd | None


@dataclass(frozen=True, slots=True)
class ReportOutcome:
    """Records an outcome once; a repeated report gets the same answer as the first.

    A report may arrive before the call has ended; it then takes the place of the 202. Both methods raise
    NotFoundError for a token of another execution, InvalidStateError if the attempt ended otherwise or was
    taken over, and UnavailableError if the report must be repeated.
    """

    check_token: CheckToken
    settle: SettleAttempt
    store: ExecutionStore
    file: FileExecution
    finalize: FinalizeExecution
    wake_waiting: Callable[[Execution], None]
    clock: Clock

    def complete(self, execution_id: str, token: str, *, result: bytes = b"") -> ReportResult:
        """Record success: RUNNING → SUCCEEDED.

        `result` is JSON, and is dropped unless another task of the run needs it. InvalidValueError if one does, and
        there is none: the attempt goes on, and the report can be repeated with one.
        """
        return self._report(execution_id, token, Reason.OK, result)

    def fail(
        self, execution_id: str, token: str, *, text: bytes = b"", retryable: bool = True
    ) -> ReportResult:
        """Record a failure. If `retryable`, the retry policy applies as after a failed call."""
        reason = Reason.RECEIVER_FAILED if retryable else Reason.RECEIVER_GAVE_UP
        return self._report(execution_id, token, reason, text)

    def _report(self, execution_id: str, token: str, reason: Reason, text: bytes = b"") -> ReportResult:
        execution, presented = self.check_token.execute(execution_id, token)
        end = None
        if execution.hands_on and reason is Reason.OK and not text:
            raise InvalidValueError(
                "another task needs the result of this one: give any JSON value", path=("result",)
            )
        most = execution.task.max_result_bytes if execution.hands_on and execution.task is not None else None
        if reason is Reason.OK and most is not None and len(text) > most:
            raise InvalidValueError(
                f"the result of an item of this map has at most {most} bytes",
                path=("result",),
            )
        if presented.is_of_running(execution):
            end = self._settle(execution, reason, text)
            # A concurrent write was faster, perhaps this same report whose response was lost.
            execution = execution if end is not None else self._reread(execution)
        if end is None:
            self._settle_again(execution, presented.attempt, reason)
        return ReportResult(
            execution_id=str(execution.id),
            attempt=presented.attempt,
            succeeded=reason is Reason.OK,
            end=end,
        )

    def _settle(self, execution: Execution, reason: Reason, text: bytes) -> AttemptEnd | None:
        """How the report ended the attempt; None if the attempt had already ended."""
        claimed_at, now_ms = execution.claimed_at or 0, self.clock.now_ms()
        taken_s = max(0, now_ms - claimed_at) // 1000
        # Rounded to seconds, as long durations are stored; otherwise a repeated report would not equal the
        # stored outcome.
        answer = CallbackResponse(
            reason=reason, duration_ms=taken_s * 1000, status=HTTPStatus.ACCEPTED, body=text
        )
        settlement = self.settle.execute(execution, claimed_at, answer, ended_at=now_ms)
        if settlement.end in (AttemptEnd.FENCED, AttemptEnd.REPORTED):
            return None
        if not settlement.is_done:
            raise UnavailableError("the outcome, or what follows from it, may not have been recorded")
        if settlement.end is not AttemptEnd.RETRIED:
            self._wake_waiting(execution)
        return settlement.end

    def _settle_again(self, existing: Execution, attempt: int, reason: Reason) -> None:
        """Complete the steps that an earlier report may have missed by crashing after it recorded the
        outcome."""
        recorded = {outcome.attempt: outcome.reason for outcome in existing.progress.outcomes}
        if recorded.get(attempt) is not reason:
            raise InvalidStateError(f"attempt {attempt} is over: it was lost, or ended with another outcome")
        if existing.state.is_terminal:
            self.finalize.execute(existing)
            self._wake_waiting(existing)
        elif existing.state is State.WAITING and existing.attempt == attempt:
            self.file.wake_for_retry(existing, existing.not_before)

    def _reread(self, execution: Execution) -> Execution:
        existing = self.store.get(execution.id)
        if existing is None:
            raise NotFoundError("the execution has expired")
        return existing

    def _wake_waiting(self, ended: Execution) -> None:
        """Best effort: otherwise the sweeper wakes the run that waits for the lock."""
        with suppress(PunctualError):
            self.wake_waiting(ended)
