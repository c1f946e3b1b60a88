"""COMPLETE and FAIL: the receiver of a call reports what came of the work that it began."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import InvalidStateError, NotFoundError, PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.attempts.check_token import CheckToken
from shared.usecases.attempts.settle_attempt import AttemptEnd, SettleAttempt
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.outcomes.finalize_execution import FinalizeExecution


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """The outcome of an attempt. `end` is None where it had been recorded before."""

    execution_id: str
    attempt: int
    succeeded: bool
    end: AttemptEnd | None


@dataclass(frozen=True, slots=True)
class ReportOutcome:
    """An outcome counts once; the same report may be repeated, and is answered alike each time.

    A report is also good before the call has ended: work may be done sooner than its worker has heard the answer.
    Errors of both: NotFoundError for a token that is none of this execution's; InvalidStateError where the attempt
    ended otherwise, or was taken over; UnavailableError where the same report has to be sent again.
    """

    check_token: CheckToken
    settle: SettleAttempt
    store: ExecutionStore
    file: FileExecution
    finalize: FinalizeExecution
    hand_over: Callable[[Execution], None]
    clock: Clock

    def complete(self, execution_id: str, token: str) -> Reported:
        """The work is done: RUNNING → SUCCEEDED."""
        return self._report(execution_id, token, Reason.OK)

    def fail(self, execution_id: str, token: str, *, text: bytes = b"", retryable: bool = True) -> Reported:
        """The work has failed, like a call that fails: it is tried again as its policy says, if `retryable`."""
        reason = Reason.RECEIVER_FAILED if retryable else Reason.RECEIVER_GAVE_UP
        return self._report(execution_id, token, reason, text)

    def _report(self, execution_id: str, token: str, reason: Reason, text: bytes = b"") -> Reported:
        execution, presented = self.check_token.execute(execution_id, token)
        end = None
        if presented.is_of_running(execution):
            end = self._settle(execution, reason, text)
            # A rival may have been faster, this very report with a lost answer among them.
            execution = execution if end is not None else self._reread(execution)
        if end is None:
            self._settle_again(execution, presented.attempt, reason)
        return Reported(
            execution_id=str(execution.id),
            attempt=presented.attempt,
            succeeded=reason is Reason.OK,
            end=end,
        )

    def _settle(self, execution: Execution, reason: Reason, text: bytes) -> AttemptEnd | None:
        """How the attempt ended by this report; None where it had ended already."""
        claimed_at = execution.claimed_at or 0
        taken_s = max(0, self.clock.now_ms() - claimed_at) // 1000
        # To the second: that is how exactly a long one is stored, and compared with what stands there.
        answer = CallbackResponse(
            reason=reason, duration_ms=taken_s * 1000, status=HTTPStatus.ACCEPTED, body=text
        )
        settlement = self.settle.execute(execution, claimed_at, answer)
        if settlement.end in (AttemptEnd.FENCED, AttemptEnd.REPORTED):
            return None
        if not settlement.is_done:
            raise UnavailableError("the outcome, or what follows from it, may not have been recorded")
        if settlement.end is not AttemptEnd.RETRIED:
            self._hand_over(execution)
        return settlement.end

    def _settle_again(self, standing: Execution, attempt: int, reason: Reason) -> None:
        """Where an earlier report died after its outcome was recorded, do what was left undone."""
        recorded = {outcome.attempt: outcome.reason for outcome in standing.progress.outcomes}
        if recorded.get(attempt) is not reason:
            raise InvalidStateError(f"attempt {attempt} is over: it was lost, or ended with another outcome")
        if standing.state.is_terminal:
            self.finalize.execute(standing)
            self._hand_over(standing)
        elif standing.state is State.WAITING and standing.attempt == attempt:
            self.file.wake_for_retry(standing, standing.not_before)

    def _reread(self, execution: Execution) -> Execution:
        standing = self.store.get(execution.id)
        if standing is None:
            raise NotFoundError("the execution has expired")
        return standing

    def _hand_over(self, ended: Execution) -> None:
        """Best effort: a sweep wakes what waits for the turn of an execution that has ended."""
        with suppress(PunctualError):
            self.hand_over(ended)
