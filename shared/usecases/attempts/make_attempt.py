"""One attempt of one claimed execution: successor, call, outcome."""

import asyncio
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse
from shared.domain.dispatch.arrival import Arrival
from shared.domain.errors import PunctualError
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import AttemptStages
from shared.ports.runtime import Clock, Entropy, Offload
from shared.usecases.attempts.call_receiver import CallReceiver, ReceiverCall
from shared.usecases.attempts.settle_attempt import SettleAttempt
from shared.usecases.attempts.settlement import AttemptEnd, Settlement
from shared.usecases.filing.file_successor import FileSuccessor

RECORD_PAUSE_MS = 100
MAX_RECORD_PAUSE_MS = 2_000
"""First and longest pause before the outcome is written again."""
RECORD_MARGIN_MS = 2_000
"""No outcome is written again this close to the end of the function, which must still return its batch."""
NOTE_WAIT_SECONDS = 0.2
"""How long the outcome of a failed call waits for the successor, which a quick call precedes by milliseconds."""
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
    untold: Execution | None = None
    """A task that has ended, and whose run has to be told of it."""

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
    clock: Clock
    entropy: Entropy
    offload: Offload

    async def execute(self, execution: Execution, deadline_at: int, arrival: Arrival) -> AttemptResult:
        """File the successor while the call runs, and record the outcome when the call ends.

        The message must not be deleted before both are durable. `deadline_at` is when the function is
        stopped, in UTC ms.
        """
        if execution.recurrence is None or execution.progress.successor_sent:
            return await self._attempt(execution, deadline_at, arrival, None)
        successor = asyncio.create_task(self._file_successor(execution))
        try:
            # Record the outcome before waiting any longer for the successor: the call was made, whether or not
            # the successor is filed.
            result = await self._attempt(execution, deadline_at, arrival, successor)
        finally:
            await asyncio.wait([successor])
        return result if successor.result() else replace(result, is_done=False)

    async def _attempt(
        self,
        execution: Execution,
        deadline_at: int,
        arrival: Arrival,
        successor: asyncio.Task[bool] | None,
    ) -> AttemptResult:
        claimed_at = self.clock.now_ms()
        called = await self.call_receiver.execute(execution, deadline_at)
        if successor is not None and not called.answer.succeeded:
            # The outcome notes that the successor was sent: without the note, each retry sends it another message.
            await asyncio.wait([successor], timeout=NOTE_WAIT_SECONDS)
        stages = arrival.stages(execution.not_before, claimed_at, called.started_at, called.answer)
        settlement = await self._settle(called, stages, deadline_at, successor)
        return AttemptResult(
            execution=called.execution,
            end=settlement.end,
            is_done=settlement.is_done,
            answer=called.answer,
            started_at=called.started_at,
            untold=settlement.untold,
        )

    async def _settle(
        self,
        called: ReceiverCall,
        stages: AttemptStages,
        deadline_at: int,
        successor: asyncio.Task[bool] | None,
    ) -> Settlement:
        """Repeat while the store does not respond and the lease lasts: a lost outcome would repeat the call."""
        lease_until = called.execution.progress.lease_until or 0
        until = min(lease_until, deadline_at - RECORD_MARGIN_MS)
        pause_ms = RECORD_PAUSE_MS
        while True:
            settlement = await self.offload(
                self.settle_attempt.execute,
                called.execution,
                called.started_at,
                called.answer,
                called.withdrawn,
                ended_at=called.ended_at,
                stages=stages,
                successor_sent=_was_sent(successor),
            )
            jittered_ms = int(pause_ms * (1 + self.entropy.draw()) / 2)
            if settlement.end is not AttemptEnd.UNRECORDED or self.clock.now_ms() + jittered_ms > until:
                return settlement
            await self.clock.sleep_ms(jittered_ms)
            pause_ms = min(2 * pause_ms, MAX_RECORD_PAUSE_MS)

    async def _file_successor(self, execution: Execution) -> bool:
        """False keeps the message. Its next receive is refused the claim, and that path files the successor
        again."""
        for _ in range(SUCCESSOR_TRIES):
            try:
                await self.offload(self.file_successor.execute, execution)
            except PunctualError:
                continue
            return True
        return False


def _was_sent(successor: asyncio.Task[bool] | None) -> bool:
    """A fault of the filing is raised after the outcome is recorded."""
    return successor is not None and successor.done() and successor.exception() is None and successor.result()
