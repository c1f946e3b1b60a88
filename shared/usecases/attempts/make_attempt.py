"""One attempt of one claimed execution: successor, call, outcome."""

import asyncio
from dataclasses import dataclass

from shared.domain.delivery.callback import CallbackResponse
from shared.domain.errors import PunctualError
from shared.domain.executions.execution import Execution
from shared.ports.runtime import Offload
from shared.usecases.attempts.call_receiver import CallReceiver
from shared.usecases.attempts.settle_attempt import AttemptEnd, SettleAttempt
from shared.usecases.filing.file_successor import FileSuccessor

SUCCESSOR_TRIES = 3
"""Tries to file the successor before the message is returned, which repeats the filing some seconds later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """The result of one attempt. `is_done`: the message is no longer needed for it."""

    execution: Execution
    end: AttemptEnd
    is_done: bool
    answer: CallbackResponse
    started_at: int

    @property
    def lag_ms(self) -> int:
        """Milliseconds between the due time and the start of the call, by this worker's clock."""
        return self.started_at - self.execution.not_before


@dataclass(frozen=True, slots=True)
class MakeAttempt:
    """Makes the call for an execution that this worker has just claimed."""

    call_receiver: CallReceiver
    settle_attempt: SettleAttempt
    file_successor: FileSuccessor
    offload: Offload

    async def execute(self, execution: Execution) -> AttemptResult:
        """File the successor while the call runs, and record the outcome as soon as the call ends.

        The message must not be deleted before both are durable.
        """
        successor = asyncio.create_task(self._file_successor(execution))
        try:
            called = await self.call_receiver.execute(execution)
            # Record the outcome before waiting for the successor: the call was made, whether or not the
            # successor is filed.
            settlement = await self.offload(
                self.settle_attempt.execute, called.execution, called.started_at, called.answer
            )
        finally:
            await asyncio.wait([successor])
        return AttemptResult(
            execution=called.execution,
            end=settlement.end,
            is_done=successor.result() and settlement.is_done,
            answer=called.answer,
            started_at=called.started_at,
        )

    async def _file_successor(self, execution: Execution) -> bool:
        """False keeps the message. Its next receive is refused the claim, and that path files the successor
        again."""
        if execution.recurrence is None:
            return True
        for _ in range(SUCCESSOR_TRIES):
            try:
                await self.offload(self.file_successor.execute, execution)
            except PunctualError:
                continue
            return True
        return False
