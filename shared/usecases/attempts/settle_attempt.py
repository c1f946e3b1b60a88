"""Record the result of an attempt: an outcome, a retry, or an asynchronous attempt that continues."""

from collections.abc import Callable
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import CallKind
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.retry import is_retryable, refund_delay_ms
from shared.domain.errors import ServiceError, UnreadableItemError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.stages import AttemptStages, Stages, following
from shared.domain.executions.states import EndReason, State, Transition
from shared.ports.executions import ExecutionStore, Finish
from shared.ports.runtime import Clock, Entropy
from shared.usecases.attempts.settlement import AttemptEnd, Settlement, is_same_claim, overtaken
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.notify_outcome import NotifyOutcome

FINISH_TRIES = 3
"""Tries to write the outcome while the store does not respond. Every write is conditional, so repeats are
safe."""


@dataclass(frozen=True, slots=True)
class SettleAttempt:
    """Writes under the fencing token (number of claims and owner token); settling the same answer again is
    safe."""

    store: ExecutionStore
    file: FileExecution
    finalize: FinalizeExecution
    notify: NotifyOutcome
    hand_on: Callable[[Execution, CallbackResponse], tuple[CallbackResponse, bytes]]
    """Reads and seals the result of a task that another task needs."""
    clock: Clock
    entropy: Entropy
    retention: Retention
    joins_ends: bool = False
    """The caller tells the run of an ended task: a batch may have several ends for it."""

    def execute(
        self,
        execution: Execution,
        started_at: int,
        answer: CallbackResponse,
        withdrawn: EndReason | None = None,
        *,
        ended_at: int,
        stages: AttemptStages | None = None,
        successor_sent: bool = False,
    ) -> Settlement:
        """Record the result of the attempt that `execution` was claimed for.

        The outcome is written first; notification and retry message follow. The wait for a retry begins at
        `ended_at`: the time that Punctual takes to record the outcome makes no retry too late. `stages` are
        unknown to a report, and so is `successor_sent`: whether the next run is filed and its message sent.
        """
        result = b""
        if execution.hands_on and answer.succeeded and not answer.async_accepted:
            try:
                answer, result = self.hand_on(execution, answer)
            except (ServiceError, UnreadableItemError):
                return Settlement(end=AttemptEnd.UNRECORDED, is_done=False)
        outcome = AttemptOutcome(
            attempt=execution.attempt,
            started_at=started_at,
            duration_ms=answer.duration_ms,
            status=answer.status,
            reason=answer.reason,
        )
        finish: Finish | None = None
        if withdrawn is not None:
            finish = self._withdrawal(execution, started_at, withdrawn)
        elif not answer.async_accepted or execution.notification_of is not None:
            finish = replace(self._decide(execution, outcome, answer, ended_at), result=result)
        known = following(execution.progress.stages, execution.attempt, stages) if stages else None
        if finish is not None:
            finish = replace(finish, stages=known, successor_sent=successor_sent)
        for _ in range(FINISH_TRIES):
            try:
                if finish is None:
                    return self._extend_lease(execution, answer, known, successor_sent=successor_sent)
                return self._record(execution, finish, outcome)
            except (ServiceError, UnreadableItemError):
                continue
        return Settlement(end=AttemptEnd.UNRECORDED, is_done=False)

    def _decide(
        self, execution: Execution, outcome: AttemptOutcome, answer: CallbackResponse, ended_at: int
    ) -> Finish:
        """The transition that this outcome calls for, judged by the claimed item."""
        outcomes = (*execution.progress.outcomes, outcome)
        now_ms = self.clock.now_ms()
        if answer.succeeded:
            expires_at_s = (
                self.retention.result_expires_at_s if execution.hands_on else self.retention.expires_at_s
            )
            return Finish(
                transition=Transition.SUCCEED,
                outcomes=outcomes,
                expires_at_s=expires_at_s(now_ms),
                notification=self.notify.choose(execution, State.SUCCEEDED, outcomes),
            )
        if answer.refunds:
            return self._refund(execution, outcome)
        if not is_retryable(answer) or not execution.has_attempts_left:
            return self._failure(execution, outcomes, answer.body, _end_reason(execution, answer))
        next_attempt_at = max(now_ms, ended_at + self._delay_ms(execution, answer))
        if next_attempt_at > _latest_at(execution, outcome.started_at):
            return self._failure(execution, outcomes, answer.body, EndReason.TOO_OLD)
        return Finish(
            transition=Transition.RETRY,
            outcomes=outcomes,
            last_body=answer.body,
            next_attempt_at=next_attempt_at,
        )

    def _refund(self, execution: Execution, outcome: AttemptOutcome) -> Finish:
        """Another claim after a backoff, or the end of an execution that is too old for another."""
        delay_ms = refund_delay_ms(execution.progress.refunded, self.entropy.draw())
        # The claim may have come before the due time, by a clock that was ahead.
        next_attempt_at = max(self.clock.now_ms() + delay_ms, execution.not_before)
        # Nothing ends without a look at the run, which may stand: the next claim asks it.
        is_workflow = execution.call.kind is CallKind.WORKFLOW
        start_by = None if is_workflow else execution.start_deadline_at
        # The guard checked the start deadline before the claim; the first attempt must not begin after it.
        if start_by is not None and execution.attempt == 1 and next_attempt_at > start_by:
            return self._withdrawal(execution, outcome.started_at, EndReason.LATE)
        if next_attempt_at > _latest_at(execution, outcome.started_at) and not is_workflow:
            outcomes = (*execution.progress.outcomes, outcome)
            return self._failure(execution, outcomes, b"", EndReason.TOO_OLD)
        return Finish(
            transition=Transition.REFUND,
            outcomes=execution.progress.outcomes,
            next_attempt_at=next_attempt_at,
            refunded_since=_refunded_since(execution, outcome.started_at),
        )

    def _withdrawal(self, execution: Execution, started_at: int, reason: EndReason) -> Finish:
        """The end of an execution that was claimed and never called; the claim is refunded."""
        is_skipped, outcomes = reason in _SKIPPED, execution.progress.outcomes
        return Finish(
            transition=Transition.EXPIRE if is_skipped else Transition.WITHDRAW,
            outcomes=outcomes,
            end_reason=reason,
            expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            notification=(
                self.notify.choose(execution, State.SKIPPED, outcomes, reason) if is_skipped else None
            ),
            refunded_since=_refunded_since(execution, started_at),
        )

    def _delay_ms(self, execution: Execution, answer: CallbackResponse) -> int:
        retry = execution.call.retry
        return retry.delay_ms(execution.attempt, self.entropy.draw(), answer.retry_after_seconds)

    def _failure(
        self, execution: Execution, outcomes: tuple[AttemptOutcome, ...], body: bytes, reason: EndReason
    ) -> Finish:
        return Finish(
            transition=Transition.FAIL,
            outcomes=outcomes,
            last_body=body,
            end_reason=reason,
            expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            notification=self.notify.choose(execution, State.FAILED, outcomes, reason),
        )

    def _record(self, execution: Execution, finish: Finish, outcome: AttemptOutcome) -> Settlement:
        existing = self.store.finish(execution, finish)
        if existing is not None and _was_stopped(execution, existing):
            outcomes = (*execution.progress.outcomes, outcome)
            stopped = self._failure(execution, outcomes, finish.last_body, EndReason.STOPPED)
            finish = replace(stopped, stages=finish.stages, successor_sent=finish.successor_sent)
            existing = self.store.finish(execution, finish)
        if existing is not None and not _is_recorded(execution, finish, existing):
            return overtaken(execution, existing)
        if finish.next_attempt_at is not None:
            is_woken = self._wake_for_retry(execution, finish.next_attempt_at)
            return Settlement(end=_END[finish.transition], is_done=is_woken)
        is_followed = finish.notification is not None or execution.task is not None
        if existing is None and finish.transition is Transition.SUCCEED and not is_followed:
            return Settlement(end=AttemptEnd.SUCCEEDED)
        # An existing record names its own notification, which must be filed instead of the one in `finish`.
        ended = existing or _ended(execution, finish)
        untold = ended if self.joins_ends and ended.task is not None else None
        return Settlement(end=_END[finish.transition], is_done=self._is_finalized(ended), untold=untold)

    def _wake_for_retry(self, execution: Execution, next_attempt_at: int) -> bool:
        try:
            self.file.wake_for_retry(execution, next_attempt_at)
        except ServiceError:
            return False
        return True

    def _is_finalized(self, ended: Execution) -> bool:
        try:
            self.finalize.execute(ended, tells_run=not self.joins_ends)
        except (ServiceError, UnreadableItemError):
            return False
        return True

    def _extend_lease(
        self, execution: Execution, answer: CallbackResponse, stages: Stages | None, *, successor_sent: bool
    ) -> Settlement:
        """Extend the lease of an accepted asynchronous attempt. A lease that a heartbeat extended further is
        kept."""
        deadline_at = execution.attempt_deadline_at or 0
        policy = execution.call.async_policy
        renewed_until = answer.open_until or policy.lease_until(self.clock.now_ms(), deadline_at)
        lease_until = max(execution.progress.lease_until or 0, renewed_until)
        existing = self.store.extend_lease(
            execution,
            lease_until=lease_until,
            async_until=deadline_at,
            stages=stages,
            successor_sent=successor_sent,
        )
        if existing is None or (
            is_same_claim(execution, existing) and existing.progress.async_until is not None
        ):
            return Settlement(end=AttemptEnd.ASYNC_ACCEPTED)
        return overtaken(execution, existing)


_SKIPPED = frozenset({EndReason.LATE, EndReason.SUSPENDED})
"""End reasons of withdrawn executions that did not run on purpose; the others are cancelled."""
_FINAL = {
    Reason.STOPPED: EndReason.JOB_DELETED,
    Reason.TOO_OLD: EndReason.TOO_OLD,
    Reason.RESULT_INVALID: EndReason.RESULT_INVALID,
}
"""End reasons of executions that the result of their last attempt decides."""
_END = {
    Transition.SUCCEED: AttemptEnd.SUCCEEDED,
    Transition.FAIL: AttemptEnd.FAILED,
    Transition.RETRY: AttemptEnd.RETRIED,
    Transition.REFUND: AttemptEnd.REFUNDED,
    Transition.EXPIRE: AttemptEnd.WITHDRAWN,
    Transition.WITHDRAW: AttemptEnd.WITHDRAWN,
}


def _refunded_since(execution: Execution, started_at: int) -> int:
    return execution.progress.refunded_since or started_at


def _latest_at(execution: Execution, started_at: int) -> int:
    """The last instant for which another attempt may be scheduled."""
    tried_since = execution.progress.tried_since
    began_at = started_at if tried_since is None else tried_since
    return execution.call.retry.latest_retry_at(execution.aged_from, began_at)


def _ended(execution: Execution, finish: Finish) -> Execution:
    return execution.progressed(
        state=finish.transition.target,
        owner=None,
        lease_until=None,
        async_until=None,
        outcomes=finish.outcomes,
        end_reason=finish.end_reason,
        notification=finish.notification,
    )


def _is_recorded(execution: Execution, finish: Finish, existing: Execution) -> bool:
    """Whether a rejected write shows exactly this outcome: the write succeeded and its response was lost."""
    is_refund = finish.refunded_since is not None
    return (
        existing.progress.claims == execution.progress.claims
        and existing.progress.refunded == execution.progress.refunded + is_refund
        and existing.state is finish.transition.target
        and existing.progress.outcomes == finish.outcomes
    )


def _end_reason(execution: Execution, answer: CallbackResponse) -> EndReason:
    if answer.reason in _FINAL:
        return _FINAL[answer.reason]
    if not is_retryable(answer):
        return EndReason.NOT_RETRYABLE
    return EndReason.STOPPED if execution.progress.stop_retries else EndReason.ATTEMPTS_USED_UP


def _was_stopped(execution: Execution, existing: Execution) -> bool:
    """Whether a retry was rejected only because retries were stopped during the call."""
    return existing.progress.stop_retries and is_same_claim(execution, existing)
