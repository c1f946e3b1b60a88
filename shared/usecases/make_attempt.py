"""One attempt of one claimed execution: successor, call, completion."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from shared.domain.delivery import Answer, Reason
from shared.domain.errors import PunctualError, UnavailableError, UnreadableItemError
from shared.domain.execution import AttemptOutcome, EndReason, Execution, Transition
from shared.domain.ids import is_recurring_job_id
from shared.domain.job import GONE
from shared.domain.retention import Retention
from shared.domain.retry import is_retryable
from shared.ports.executions import ExecutionStore, Finish
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Entropy, Offload
from shared.ports.sender import Sender
from shared.usecases.compose_callback import ComposeCallback
from shared.usecases.file_execution import FileExecution
from shared.usecases.file_successor import FileSuccessor

SUCCESSOR_TRIES = 3
"""How often the successor is filed before it is left to the message, which is back some seconds later."""
FINISH_TRIES = 3
"""How often the outcome is written again when the store does not answer; each write is conditional."""


class AttemptEnd(StrEnum):
    """How an attempt ended, as counted."""

    SUCCEEDED = "succeeded"
    RETRIED = "retried"
    FAILED = "failed"
    FENCED = "fenced"
    UNRECORDED = "unrecorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """What became of one attempt. `is_done`: nothing about it is left to the message."""

    execution: Execution
    end: AttemptEnd
    is_done: bool
    answer: Answer
    started_at: int

    @property
    def lag_ms(self) -> int:
        """How long after its time the call began, by this worker's own clock."""
        return self.started_at - self.execution.starts_at


@dataclass(frozen=True, slots=True)
class MakeAttempt:
    """Makes the call for an execution that this worker has just claimed."""

    store: ExecutionStore
    jobs: JobStore
    file: FileExecution
    file_successor: FileSuccessor
    compose: ComposeCallback
    sender: Sender
    clock: Clock
    entropy: Entropy
    offload: Offload
    retention: Retention

    async def __call__(self, execution: Execution) -> AttemptResult:
        """File the successor while the call runs, then record the outcome on condition of one's own claim."""
        successor = asyncio.create_task(self._file_successor(execution))
        try:
            started_at, answer = await self._call(execution)
        finally:
            await asyncio.wait([successor])
        # The outcome first: whatever became of the successor, the call was made.
        end, is_settled = await self._complete(execution, started_at, answer)
        return AttemptResult(
            execution=execution,
            end=end,
            is_done=successor.result() and is_settled,
            answer=answer,
            started_at=started_at,
        )

    async def _file_successor(self, execution: Execution) -> bool:
        """False leaves it to the message, which comes back and is refused its claim: that files it again."""
        if execution.recurrence is None:
            return True
        for _ in range(SUCCESSOR_TRIES):
            try:
                await self.offload(self.file_successor, execution)
            except PunctualError:
                continue
            return True
        return False

    async def _call(self, execution: Execution) -> tuple[int, Answer]:
        """Wait for the time, by this worker's own clock, and call if the lease covers the whole timeout."""
        while (early_ms := execution.starts_at - self.clock.now_ms()) > 0:
            await self.clock.sleep_ms(early_ms)
        started_at = self.clock.now_ms()
        lease_left_ms = (execution.lease_until or 0) - started_at
        if lease_left_ms < execution.timeout_ms:
            return started_at, Answer(reason=Reason.LEASE_TOO_SHORT, duration_ms=0)
        try:
            if await self._job_is_gone(execution):
                return started_at, Answer(reason=Reason.STOPPED, duration_ms=0)
            callback = await self.offload(self.compose, execution, started_at)
        except (UnavailableError, UnreadableItemError):
            return started_at, Answer(reason=Reason.REQUEST_UNREADABLE, duration_ms=0)
        timeout_ms = min(execution.timeout_ms, (execution.lease_until or 0) - self.clock.now_ms())
        if timeout_ms <= 0:
            return started_at, Answer(reason=Reason.LEASE_TOO_SHORT, duration_ms=0)
        return started_at, await self.sender.send(callback, timeout_seconds=timeout_ms / 1000)

    async def _job_is_gone(self, execution: Execution) -> bool:
        """Retries outlive the part of the history that a deletion stops one by one, so each asks for itself.

        So does a run beside the schedule from its first attempt on: no tombstone could stand in its way. Errors
        pass through: a deletion that was acknowledged must hold, so without an answer no call is made.
        """
        is_guarded = execution.recurrence is not None and execution.attempt == 1
        if is_guarded or not is_recurring_job_id(execution.job_id):
            return False
        job = await self.offload(self.jobs.get, execution.tenant_id, execution.job_id)
        return job is None or job.state in GONE

    async def _complete(
        self, execution: Execution, started_at: int, answer: Answer
    ) -> tuple[AttemptEnd, bool]:
        outcome = AttemptOutcome(
            attempt=execution.attempt,
            started_at=started_at,
            duration_ms=answer.duration_ms,
            status=answer.status,
            reason=answer.reason,
        )
        finish = self._decide(execution, outcome, answer)
        for _ in range(FINISH_TRIES):
            try:
                return await self._record(execution, finish)
            except (UnavailableError, UnreadableItemError):
                continue
        return AttemptEnd.UNRECORDED, False

    def _decide(self, execution: Execution, outcome: AttemptOutcome, answer: Answer) -> Finish:
        """Which transition this outcome makes, as far as the claim told."""
        outcomes = (*execution.outcomes, outcome)
        now_ms = self.clock.now_ms()
        if answer.succeeded:
            expires_at_s = self.retention.expires_at_s(now_ms)
            return Finish(transition=Transition.SUCCEED, outcomes=outcomes, expires_at_s=expires_at_s)
        if is_retryable(answer) and execution.has_attempts_left:
            delay_ms = execution.retry.delay_ms(
                execution.attempt, self.entropy.draw(), answer.retry_after_seconds
            )
            return Finish(
                transition=Transition.RETRY,
                outcomes=outcomes,
                last_body=answer.body,
                next_attempt_at=now_ms + delay_ms,
            )
        return self._failure(outcomes, answer.body, _end_reason(answer))

    def _failure(self, outcomes: tuple[AttemptOutcome, ...], body: bytes, reason: EndReason) -> Finish:
        return Finish(
            transition=Transition.FAIL,
            outcomes=outcomes,
            last_body=body,
            end_reason=reason,
            expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
        )

    async def _record(self, execution: Execution, finish: Finish) -> tuple[AttemptEnd, bool]:
        """Write the outcome; the flag says whether nothing is left to the message."""
        standing = await self._finish(execution, finish)
        if standing is not None and _was_stopped(execution, standing):
            finish = self._failure(finish.outcomes, finish.last_body, EndReason.STOPPED)
            standing = await self._finish(execution, finish)
        if standing is not None:
            return AttemptEnd.FENCED, True
        if finish.next_attempt_at is not None:
            return AttemptEnd.RETRIED, await self._wake_for_retry(execution, finish.next_attempt_at)
        if execution.payload_apart and execution.recurrence is None:
            await self._expire_payload(execution, execution.payload_apart, finish)
        return _END[finish.transition], True

    async def _finish(self, execution: Execution, finish: Finish) -> Execution | None:
        """A refusal that shows this very outcome is a success whose answer was lost."""
        standing = await self.offload(self.store.finish, execution, finish)
        if standing is not None and standing.attempt == execution.attempt:
            is_own = standing.state is finish.transition.target and standing.outcomes == finish.outcomes
            return None if is_own else standing
        return standing

    async def _wake_for_retry(self, execution: Execution, next_attempt_at: int) -> bool:
        try:
            await self.offload(self.file.wake_for_retry, execution, next_attempt_at)
        except UnavailableError:
            return False
        return True

    async def _expire_payload(self, execution: Execution, payload_id: str, finish: Finish) -> None:
        """Best effort: a payload that stays behind costs storage, never a job."""
        with suppress(UnavailableError):
            await self.offload(
                self.jobs.expire_payload,
                execution.tenant_id,
                payload_id,
                finish.expires_at_s or 0,
            )


_END = {Transition.SUCCEED: AttemptEnd.SUCCEEDED, Transition.FAIL: AttemptEnd.FAILED}


def _end_reason(answer: Answer) -> EndReason:
    if answer.reason is Reason.STOPPED:
        return EndReason.JOB_DELETED
    return EndReason.ATTEMPTS_USED_UP if is_retryable(answer) else EndReason.NOT_RETRYABLE


def _was_stopped(execution: Execution, standing: Execution) -> bool:
    """Whether a retry was refused only because retries were stopped while the call ran."""
    return (
        standing.stop_retries and standing.owner == execution.owner and standing.attempt == execution.attempt
    )
