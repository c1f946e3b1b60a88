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
"""How often the successor is filed before it is left to the message, which is back some seconds later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """What became of one attempt. `is_done`: nothing about it is left to the message."""

    execution: Execution
    end: AttemptEnd
    is_done: bool
    answer: CallbackResponse
    started_at: int

    @property
    def lag_ms(self) -> int:
        """How long after its time the call began, by this worker's own clock."""
        return self.started_at - self.execution.not_before


@dataclass(frozen=True, slots=True)
class MakeAttempt:
    """Makes the call for an execution that this worker has just claimed."""

    call_receiver: CallReceiver
    settle_attempt: SettleAttempt
    file_successor: FileSuccessor
    offload: Offload

    async def execute(self, execution: Execution) -> AttemptResult:
        """File the successor while the call runs, and settle as soon as it ends; the message waits for both."""
        successor = asyncio.create_task(self._file_successor(execution))
        try:
            called = await self.call_receiver.execute(execution)
            # The outcome first: whatever becomes of the successor, the call was made.
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
        """False leaves it to the message, which comes back and is refused its claim: that files it again."""
        if execution.recurrence is None:
            return True
        for _ in range(SUCCESSOR_TRIES):
            try:
                await self.offload(self.file_successor.execute, execution)
            except PunctualError:
                continue
            return True
        return False
