"""The call of one attempt: not before its time, and only under a lease that covers it."""

from dataclasses import dataclass

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.errors import PunctualError, UnavailableError, UnreadableItemError
from shared.domain.executions.execution import LEASE_MARGIN_MS, Execution
from shared.domain.ids import is_recurring_job_id
from shared.domain.jobs.job import GONE
from shared.ports.delivery import Sender
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Offload
from shared.usecases.attempts.compose_callback import ComposeCallback

READ_PAUSES_MS = (100, 400)
"""Before a store is asked again for what a call needs. The margin of the lease has room for it."""
RENEWAL_TRIES = 2
"""How often a lease is prolonged again when the store does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What came of a call that began, or would have, at `started_at`. `execution` has the lease that it was under."""

    execution: Execution
    started_at: int
    answer: CallbackResponse


@dataclass(frozen=True, slots=True)
class CallReceiver:
    """Calls at most once; where no call is made, the answer says why."""

    store: ExecutionStore
    jobs: JobStore
    compose: ComposeCallback
    sender: Sender
    clock: Clock
    offload: Offload

    async def execute(self, claimed: Execution) -> Called:
        """Wait for the time, by this worker's own clock, and call if the lease covers the whole timeout."""
        while (early_ms := claimed.not_before - self.clock.now_ms()) > 0:
            await self.clock.sleep_ms(early_ms)
        execution = claimed if self._is_covered(claimed) else await self._renewed(claimed)
        started_at = self.clock.now_ms()
        is_renewed = execution is not claimed
        answer = await self._call(execution, started_at, is_renewed=is_renewed)
        return Called(execution=execution, started_at=started_at, answer=answer)

    async def _call(self, execution: Execution, started_at: int, *, is_renewed: bool) -> CallbackResponse:
        if not self._is_covered(execution):
            return CallbackResponse(reason=Reason.LEASE_TOO_SHORT, duration_ms=0)
        callback = await self._prepared(execution, started_at, is_renewed=is_renewed)
        if isinstance(callback, CallbackResponse):
            return callback
        now_ms = self.clock.now_ms()
        if execution.gives_up_at is not None and now_ms > execution.gives_up_at:
            return CallbackResponse(reason=Reason.TOO_OLD, duration_ms=0)
        timeout_ms = min(execution.call.timeout_ms, (execution.progress.lease_until or 0) - now_ms)
        if timeout_ms <= 0:
            return CallbackResponse(reason=Reason.LEASE_TOO_SHORT, duration_ms=0)
        return await self.sender.send(callback, timeout_seconds=timeout_ms / 1000)

    async def _prepared(
        self, execution: Execution, started_at: int, *, is_renewed: bool
    ) -> Callback | CallbackResponse:
        """What is to be sent, or why nothing is. The attempt is counted: it is not given up at the first throttle."""
        for pause_ms in (*READ_PAUSES_MS, None):
            try:
                if await self._job_is_gone(execution, is_renewed=is_renewed):
                    return CallbackResponse(reason=Reason.STOPPED, duration_ms=0)
                return await self.offload(self.compose.execute, execution, started_at)
            except UnreadableItemError:
                break
            except UnavailableError:
                if pause_ms is not None:
                    await self.clock.sleep_ms(pause_ms)
        return CallbackResponse(reason=Reason.REQUEST_UNREADABLE, duration_ms=0)

    def _is_covered(self, execution: Execution) -> bool:
        lease_left_ms = (execution.progress.lease_until or 0) - self.clock.now_ms()
        return lease_left_ms >= execution.call.timeout_ms

    async def _renewed(self, claimed: Execution) -> Execution:
        """A worker that stood still has used up its lease, but no attempt: while nobody has taken it over it goes on.

        Granted on condition of the same attempt and owner, so it is as exclusive as the claim. Once only: then the
        attempt counts.
        """
        until = self.clock.now_ms() + claimed.call.timeout_ms + LEASE_MARGIN_MS
        renewed, stop_retries = claimed.progressed(lease_until=until), claimed.progress.stop_retries
        for _ in range(RENEWAL_TRIES):
            try:
                standing = await self.offload(self.store.extend_lease, claimed, lease_until=until)
            except UnavailableError:
                continue
            except PunctualError:
                break
            # A refusal that shows this very lease is a success whose answer was lost.
            is_granted = standing is None or standing.progressed(stop_retries=stop_retries) == renewed
            return renewed if is_granted else claimed
        return claimed

    async def _job_is_gone(self, execution: Execution, *, is_renewed: bool) -> bool:
        """Retries outlive the part of the history that a deletion stops one by one, so each asks for itself.

        So does a worker that stood still, and a run beside the schedule from its first attempt on: no tombstone
        could stand in its way. What tells of an end is sent all the same. Errors pass through: a deletion that was
        acknowledged must hold, so without an answer no call is made.
        """
        if execution.notification_of is not None:
            return False
        is_guarded = execution.recurrence is not None and execution.attempt == 1 and not is_renewed
        if is_guarded or not is_recurring_job_id(execution.job_id):
            return False
        job = await self.offload(self.jobs.get, execution.tenant_id, execution.job_id)
        return job is None or job.state in GONE
