"""The call of one attempt: never early, and only while the lease covers the whole timeout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import CallKind
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.errors import (
    PunctualError,
    ServiceError,
    SigningSecretGoneError,
    TargetRoleGoneError,
    UnavailableError,
    UnreadableItemError,
)
from shared.domain.executions.execution import LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import EndReason
from shared.domain.ids import is_recurring_job_id
from shared.domain.jobs.job import GONE, HELD
from shared.ports.delivery import Sender, SignedSender, TargetSender
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Offload
from shared.usecases.attempts.compose_callback import ComposeCallback
from shared.usecases.attempts.due_clock import DueClock

if TYPE_CHECKING:
    from shared.domain.delivery.aws_target import TargetCall
    from shared.domain.delivery.sigv4_auth import SignedCall

READ_PAUSES_MS = (100, 400)
"""Pauses before the worker reads the job and the request again. `LEASE_MARGIN_MS` covers both pauses."""
RENEWAL_TRIES = 2
"""Maximum number of lease extension requests while the store does not respond."""
TOO_SHORT = CallbackResponse(reason=Reason.LEASE_TOO_SHORT, duration_ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverCall:
    """The result of the call. `execution` carries the lease that covered the call."""

    execution: Execution
    started_at: int
    """When the call began. Without a call: when its preparation began."""
    ended_at: int
    """When the receiver had answered, or no call was made."""
    answer: CallbackResponse
    withdrawn: EndReason | None = None
    """Why an execution gets no call at all: it was refunded before its first call, or its tenant is suspended."""


@dataclass(frozen=True, slots=True)
class CallReceiver:
    """Makes at most one call. If no call is made, the answer gives the reason."""

    store: ExecutionStore
    jobs: JobStore
    compose: ComposeCallback
    begin_run: Callable[[Execution, int, bytes | None], CallbackResponse | EndReason]
    """In place of a call, for an execution that starts a workflow."""
    withdraw_run: Callable[[Execution, EndReason], CallbackResponse | EndReason]
    """Before such an execution ends without a run: one may stand, or another worker may begin it."""
    sender: Sender
    targets: Callable[[], TargetSender]
    """Asked at the first call of a target, so that HTTP requests load nothing of it."""
    signed: Callable[[], SignedSender]
    """Likewise, for HTTP requests that a role signs for AWS."""
    clock: Clock
    due_clock: DueClock
    offload: Offload

    async def execute(self, claimed: Execution, deadline_at: int) -> ReceiverCall:
        """Wait until the execution is due by `due_clock`, then call if lease and function outlast the
        timeout. `deadline_at` is when the function is stopped, in UTC ms."""
        ahead = await self._read_ahead(claimed)
        while (early_ms := claimed.not_before - self.due_clock.now_ms()) > 0:
            if early_ms > LEASE_MARGIN_MS:
                # The clock was wrong at the claim or has stepped back. Such a wait may outlast the function.
                now_ms = self.clock.now_ms()
                return ReceiverCall(execution=claimed, started_at=now_ms, ended_at=now_ms, answer=TOO_SHORT)
            await self.due_clock.sleep_ms(early_ms)
        execution = claimed if self._is_covered(claimed) else await self._renewed(claimed)
        started_at = self.clock.now_ms()
        is_renewed = execution is not claimed
        started_at, answer = await self._call(
            execution, started_at, deadline_at, ahead, is_renewed=is_renewed
        )
        withdrawn = answer if isinstance(answer, EndReason) else None
        uncalled = CallbackResponse(reason=Reason.STOPPED, duration_ms=0)
        return ReceiverCall(
            execution=execution,
            started_at=started_at,
            ended_at=self.clock.now_ms(),
            answer=uncalled if isinstance(answer, EndReason) else answer,
            withdrawn=withdrawn,
        )

    async def _read_ahead(self, claimed: Execution) -> list[bytes]:
        """The sealed request, where it stands apart and there is time left for it; else it is read when due.

        A list that is emptied, so that the request is not kept while its receiver answers.
        """
        payload_id = claimed.call.payload_id
        if payload_id is None or claimed.not_before <= self.due_clock.now_ms():
            return []
        try:
            return [await self.offload(self.jobs.get_payload, claimed.tenant_id, payload_id)]
        except PunctualError:
            return []

    async def _call(
        self,
        execution: Execution,
        started_at: int,
        deadline_at: int,
        ahead: list[bytes],
        *,
        is_renewed: bool,
    ) -> tuple[int, CallbackResponse | EndReason]:
        """When the call began, and its result; without a call, when its preparation began, and why."""
        if not self._is_covered(execution):
            return started_at, TOO_SHORT
        call = await self._prepared(execution, started_at, ahead, is_renewed=is_renewed)
        if isinstance(call, CallbackResponse | EndReason):
            return started_at, call
        now_ms = self.clock.now_ms()
        if call.not_from is not None and self.due_clock.now_ms() >= call.not_from:
            # The gate before the claim did not know of the suspension, or the worker was stalled since.
            return started_at, TOO_SHORT
        if execution.gives_up_at is not None and self.due_clock.now_ms() > execution.gives_up_at:
            return started_at, CallbackResponse(reason=Reason.TOO_OLD, duration_ms=0)
        # A slow preparation must not shorten the customer's timeout, nor may the function end during the call.
        if not self._is_covered(execution) or deadline_at - now_ms < execution.call.timeout_ms:
            return started_at, TOO_SHORT
        timeout_seconds = execution.call.timeout_ms / 1000
        if isinstance(call, Callback):
            return now_ms, await self.sender.send(call, timeout_seconds=timeout_seconds)
        # Imported late: plain HTTP requests need none of it.
        from shared.domain.delivery.sigv4_auth import SignedCall

        if isinstance(call, SignedCall):
            return now_ms, await self.signed().send(call, timeout_seconds=timeout_seconds)
        return now_ms, await self.targets().send(call, timeout_seconds=timeout_seconds)

    async def _prepared(
        self, execution: Execution, started_at: int, ahead: list[bytes], *, is_renewed: bool
    ) -> Callback | TargetCall | SignedCall | CallbackResponse | EndReason:
        """The signed callback or the message to the target, or the reason why no call is made.

        A throttled read is repeated at once, because a refunded attempt starts a second late or more.
        """
        is_workflow = execution.call.kind is CallKind.WORKFLOW
        prepare = self.begin_run if is_workflow else self.compose.execute
        for pause_ms in (*READ_PAUSES_MS, None):
            try:
                withdrawn = await self._withdrawal(execution, is_renewed=is_renewed)
                if withdrawn is not None and is_workflow:
                    return await self.offload(self.withdraw_run, execution, withdrawn)
                if withdrawn is EndReason.JOB_DELETED:
                    return CallbackResponse(reason=Reason.STOPPED, duration_ms=0)
                if withdrawn is not None:
                    return withdrawn
                sealed = ahead.pop() if ahead else None
                return await self.offload(prepare, execution, started_at, sealed)
            except SigningSecretGoneError:
                return CallbackResponse(reason=Reason.SIGNING_SECRET_GONE, duration_ms=0)
            except TargetRoleGoneError:
                return CallbackResponse(reason=Reason.ROLE_REFUSED, duration_ms=0)
            except UnreadableItemError:
                return CallbackResponse(reason=Reason.REQUEST_UNREADABLE, duration_ms=0)
            except ServiceError:
                if pause_ms is not None:
                    await self.clock.sleep_ms(pause_ms)
        return CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=0)

    def _is_covered(self, execution: Execution) -> bool:
        lease_left_ms = (execution.progress.lease_until or 0) - self.clock.now_ms()
        return lease_left_ms >= execution.call.timeout_ms

    async def _renewed(self, claimed: Execution) -> Execution:
        """Extend the lease of a worker that was stalled before its call.

        The write requires the same claim and owner token, so it is as exclusive as the claim. A worker
        extends its lease once; after a second stall the attempt is refunded.
        """
        until = self.clock.now_ms() + claimed.call.timeout_ms + LEASE_MARGIN_MS
        renewed, stop_retries = claimed.progressed(lease_until=until), claimed.progress.stop_retries
        for _ in range(RENEWAL_TRIES):
            try:
                existing = await self.offload(self.store.extend_lease, claimed, lease_until=until)
            except UnavailableError:
                continue
            except PunctualError:
                break
            # A rejection that shows exactly this lease means that the write succeeded and its response was
            # lost.
            is_granted = existing is None or existing.progressed(stop_retries=stop_retries) == renewed
            return renewed if is_granted else claimed
        return claimed

    async def _withdrawal(self, execution: Execution, *, is_renewed: bool) -> EndReason | None:
        """Why no call is made although the execution is claimed: its job was deleted, or a refunded run came
        too late for its first call, or its job was paused before it.

        A deletion stops only recent executions itself, so each retry checks the job. A worker that was
        stalled checks too. So does a run outside the schedule, even at its first attempt, because no
        tombstone can block it. Notifications are sent even after a deletion. Errors propagate: an
        acknowledged deletion must hold, so no call is made unless the job was read.
        """
        if execution.notification_of is not None:
            return None
        is_refunded = execution.attempt == 1 and execution.progress.refunded > 0
        start_by = execution.start_deadline_at
        # The guard checked the start deadline before the first claim, which may be long ago.
        if is_refunded and start_by is not None and self.clock.now_ms() > start_by:
            return EndReason.LATE
        is_guarded = execution.recurrence is not None and execution.progress.claims == 1 and not is_renewed
        if is_guarded or not is_recurring_job_id(execution.job_id):
            return None
        job = await self.offload(self.jobs.get, execution.tenant_id, execution.job_id)
        if job is None or job.state in GONE:
            return EndReason.JOB_DELETED
        is_silent = is_refunded and execution.recurrence is not None and job.state in HELD
        return EndReason.JOB_PAUSED if is_silent else None
