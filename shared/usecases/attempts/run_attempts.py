"""Process a batch of wake-up messages.

Claim first, then wait for the due time, then call; all calls of a batch run concurrently. A message is
reported as done only when everything it stood for is durable elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.dispatch.arrival import Arrival, WaitSoFar
from shared.domain.dispatch.sweep import LaneProgress
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import PunctualError, ServiceError, UnavailableError
from shared.domain.executions.execution import EARLY_MS, LEASE_MARGIN_MS, Execution
from shared.domain.executions.stages import WaitCause
from shared.domain.ids import ExecutionId
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, QueueName
from shared.ports.dispatch import LaneProgressStore, WakeupQueue
from shared.ports.executions import ClaimRejected, WriteUnknown
from shared.ports.runtime import Clock, Entropy, Offload
from shared.usecases.attempts.batch_report import BatchReport, Delivery, SettledMessage, Verdict
from shared.usecases.attempts.claim_keys import ClaimKeys, ClaimResult
from shared.usecases.attempts.due_clock import DueClock
from shared.usecases.attempts.guard_start import Admission, GuardStart
from shared.usecases.attempts.hold_suspended import HoldSuspended, without
from shared.usecases.attempts.make_attempt import AttemptResult, MakeAttempt
from shared.usecases.attempts.settle_refusal import RACE_WAIT_SECONDS, Refusal, RefusalResult, SettleRefusal
from shared.usecases.attempts.settlement import AttemptEnd
from shared.usecases.limits.apply_backpressure import ReceivedMessage
from shared.usecases.limits.throttle_batch import DeferredKey, ThrottleBatch

if TYPE_CHECKING:
    from shared.usecases.attempts.join_ends import JoinEnds

BACKLOG_MS = 5_000
"""A message received this long after it became visible shows that its lane is behind."""
REPORT_EVERY_MS = 15_000
UNSURE_WAIT_SECONDS = 15
"""Visibility delay of a message whose state in the store is unknown."""
THROTTLED_WAIT_SECONDS = 2
"""Shortest delay of a throttled key. The delay doubles up to `UNSURE_WAIT_SECONDS`, since a key waits about as
long as it is late already."""
NEWER_WAIT_SECONDS = 300
"""Delay of a key whose item only a newer release can decode: a deployment or a rollback takes minutes."""
POISON_RETURN_SECONDS = 1
"""Short, so that an unreadable message soon uses up its receives and reaches the dead-letter queue."""

LONGEST_ATTEMPT_MS = MAX_CALLBACK_TIMEOUT_SECONDS * 1000 + LEASE_MARGIN_MS
ENDS = (AttemptEnd.SUCCEEDED, AttemptEnd.FAILED, AttemptEnd.WITHDRAWN)
UNCLAIMED = RefusalResult(kind=Refusal.OUT_OF_TIME, is_done=False, wait_seconds=1)
"""A key that was not claimed because its call could outlast the function; another worker runs it."""
KeyResult = AttemptResult | RefusalResult | WriteUnknown | DeferredKey


@dataclass(slots=True)
class _Batch:
    deadline_at: int
    ends: JoinEnds | None = None
    """From the first attempt of a workflow's task on."""


@dataclass(slots=True)
class RunAttempts:
    lane: QueueName
    queue: WakeupQueue
    claim_keys: ClaimKeys
    hold_suspended: HoldSuspended
    gate: ThrottleBatch
    make_attempt: MakeAttempt
    settle_refusal: SettleRefusal
    guard_start: GuardStart
    progress: LaneProgressStore
    clock: Clock
    entropy: Entropy
    due_clock: DueClock
    offload: Offload
    join_ends: Callable[[], JoinEnds]
    """For the tasks of one batch."""
    _reported_at: int = 0

    async def execute(self, deliveries: Sequence[Delivery], deadline_at: int) -> BatchReport:
        """Settle every message of the batch. A fault of one message raises nothing, so the others are settled
        too. `deadline_at` is when the function is stopped, in UTC ms.
        """
        report = BatchReport(clock_skew_ms=self.due_clock.start_batch(deliveries))
        ready: list[tuple[Delivery, Wakeup]] = []
        for delivery in deliveries:
            if delivery.wakeup is None:
                report.unreadable_messages += 1
                report.settled.append(await self._settle_unread(delivery))
            elif (early_ms := delivery.wakeup.not_before - self.due_clock.now_ms()) > EARLY_MS:
                report.settled.append(_return(delivery, -(-early_ms // 1000)))
            else:
                ready.append((delivery, delivery.wakeup))
        results = await self._run_keys(ready, deadline_at)
        for delivery, wakeup in ready:
            report.settled.append(await self._settle(delivery, wakeup, results))
        report.attempts = [result for result in results.values() if isinstance(result, AttemptResult)]
        report.refusals = [result for result in results.values() if isinstance(result, RefusalResult)]
        report.undecided = {
            key: result for key, result in results.items() if isinstance(result, WriteUnknown)
        }
        report.deferred = [result for result in results.values() if isinstance(result, DeferredKey)]
        report.waited = {key for _, wakeup in ready if wakeup.waited for key in wakeup.keys}
        answers = [(each.execution.call.destination, each.answer) for each in report.attempts]
        await self.offload(self.gate.report, answers)
        return report

    async def _settle_unread(self, delivery: Delivery) -> SettledMessage:
        """Send a newer message again; return poison soon, so that it reaches the dead-letter queue."""
        newer = delivery.newer
        if newer is None:
            return _return(delivery, POISON_RETURN_SECONDS)
        if await self.offload(self.queue.resend, self.lane, newer):
            return SettledMessage(delivery=delivery, verdict=Verdict.DONE)
        return _return(delivery, newer.delay_seconds)

    async def _run_keys(
        self, ready: list[tuple[Delivery, Wakeup]], deadline_at: int
    ) -> dict[ExecutionId, KeyResult]:
        """Run each key once, even if several messages of the batch name it."""
        messages = [self._received(delivery, wakeup) for delivery, wakeup in ready]
        deferred = await self._defer(messages)
        arrivals = self._arrivals(messages, deferred)
        if not self._has_time(deadline_at):
            unclaimed: dict[ExecutionId, KeyResult] = dict.fromkeys(arrivals, UNCLAIMED)
            return unclaimed | deferred
        running: dict[ExecutionId, asyncio.Task[KeyResult]] = {}
        batch = _Batch(deadline_at)
        has_claimed = bool(deferred)
        try:
            async for key, result in self.claim_keys.execute(list(arrivals)):
                has_claimed |= isinstance(result, Execution)
                running[key] = asyncio.create_task(self._run_key(result, arrivals[key], batch))
            if has_claimed:
                # Beside the calls: a slow leases table must not use up their leases.
                await self._report_progress(ready, self.due_clock.now_ms())
        finally:
            # A call that outlives its batch would be frozen, and would go on in a later invocation.
            if running:
                await asyncio.wait(running.values())
        return {key: task.result() for key, task in running.items()} | deferred

    def _has_time(self, deadline_at: int) -> bool:
        """Whether the longest call ends before the function is stopped, which would lose the attempt."""
        return deadline_at - self.clock.now_ms() >= LONGEST_ATTEMPT_MS

    def _received(self, delivery: Delivery, wakeup: Wakeup) -> ReceivedMessage:
        visible_at = _visible_at(delivery, wakeup)
        wait = wakeup.wait or WaitSoFar(
            visible_at=visible_at, received_at=delivery.first_received_at or self.clock.now_ms()
        )
        return ReceivedMessage(
            wakeup=wakeup, visible_at=visible_at, receive_count=delivery.receive_count, wait=wait
        )

    async def _defer(self, messages: list[ReceivedMessage]) -> dict[ExecutionId, KeyResult]:
        """Keys that a suspension of their tenant, limits or backpressure keep from the claim, which would use up
        an attempt."""
        return await self.offload(self._deferred, messages) if messages else {}

    def _deferred(self, messages: list[ReceivedMessage]) -> dict[ExecutionId, KeyResult]:
        held: dict[ExecutionId, KeyResult] = {**self.hold_suspended.execute(messages)}
        rest = without(messages, held.keys())
        return held | self.gate.defer(rest) if rest else held

    def _arrivals(
        self, messages: list[ReceivedMessage], deferred: dict[ExecutionId, KeyResult]
    ) -> dict[ExecutionId, Arrival]:
        """How each key arrived that is not deferred: of several messages, by the one received most often."""
        arrivals: dict[ExecutionId, Arrival] = {}
        admitted_at = self.clock.now_ms()
        for message in messages:
            arrival = Arrival(wait=message.wait, receive_count=message.receive_count, admitted_at=admitted_at)
            for key in message.wakeup.keys:
                if key not in deferred:
                    other = arrivals.get(key)
                    if other is None or other.receive_count < arrival.receive_count:
                        arrivals[key] = arrival
        return arrivals

    async def _run_key(self, answer: ClaimResult, arrival: Arrival, batch: _Batch) -> KeyResult:
        try:
            if isinstance(answer, ClaimRejected) and answer.existing and answer.existing.awaits_admission:
                return await self._enter(answer.existing, arrival, batch)
            if isinstance(answer, Execution):
                return await self._attempt(answer, arrival, batch)
            if isinstance(answer, ClaimRejected):
                return await self.offload(self.settle_refusal.execute, answer.existing, arrival.receive_count)
        except UnavailableError as error:
            return WriteUnknown(str(error))
        except Exception as error:  # noqa: BLE001 - a bug in one key must not stop the other calls
            return WriteUnknown(type(error).__name__, is_permanent=True, error=error)
        return answer

    async def _enter(self, execution: Execution, arrival: Arrival, batch: _Batch) -> KeyResult:
        """Admit a guarded execution, which rejected a plain claim, and claim it if it may start."""
        admission = await self.offload(self.guard_start.execute, execution)
        if admission is Admission.RACE:
            return RefusalResult(kind=Refusal.UNSETTLED, is_done=False, wait_seconds=RACE_WAIT_SECONDS)
        if admission is not Admission.START:
            is_held = admission is Admission.HOLD
            return RefusalResult(kind=Refusal.HELD if is_held else Refusal.DROPPED)
        if not self._has_time(batch.deadline_at):
            return UNCLAIMED
        [(_, result)] = [each async for each in self.claim_keys.execute([execution.id], admitted=True)]
        if isinstance(result, Execution):
            return await self._attempt(result, arrival, batch)
        if isinstance(result, ClaimRejected):
            return await self.offload(self.settle_refusal.execute, result.existing, arrival.receive_count)
        return result

    async def _attempt(self, execution: Execution, arrival: Arrival, batch: _Batch) -> AttemptResult:
        attempt = self.make_attempt.execute(execution, batch.deadline_at, arrival)
        if execution.task is not None:
            batch.ends = batch.ends or self.join_ends()
            return await batch.ends.execute(execution.task.run, attempt)
        result = await attempt
        if execution.recurrence is not None and result.end in ENDS:
            with suppress(PunctualError):
                await self.offload(self.guard_start.wake_waiting, execution)
        return result

    async def _settle(
        self, delivery: Delivery, wakeup: Wakeup, results: dict[ExecutionId, KeyResult]
    ) -> SettledMessage:
        """A message is done when all its keys are done. Unfinished keys of a packed message are sent again
        one by one.

        A key that the store did not decide is sent again too: our throttling must not use up the receives of a
        message. Other faults use receives, so that the message reaches the dead-letter queue.
        """
        waits = {key: self._wait(results[key], key) for key in wakeup.keys if not _is_done(results[key])}
        if not waits:
            return SettledMessage(delivery=delivery, verdict=Verdict.DONE)
        is_replaced = len(wakeup.keys) > 1 or all(_costs_no_receive(results[key]) for key in waits)
        if is_replaced and await self.offload(self._send_again, delivery, wakeup, waits):
            return SettledMessage(delivery=delivery, verdict=Verdict.DONE)
        return _return(delivery, max(waits.values()))

    def _send_again(self, delivery: Delivery, wakeup: Wakeup, waits: dict[ExecutionId, int]) -> bool:
        wait = self._received(delivery, wakeup).wait.deferred(WaitCause.UNDECIDED, max(waits.values()) * 1000)
        return self.settle_refusal.send_again(replace(wakeup, wait=wait), waits)

    def _wait(self, result: KeyResult, key: ExecutionId) -> int:
        """The delay of an unfinished key in seconds."""
        if isinstance(result, WriteUnknown):
            if result.is_throttled:
                late_seconds = (self.clock.now_ms() - key.dispatch_at) // 1000
                longest = min(max(late_seconds, THROTTLED_WAIT_SECONDS), UNSURE_WAIT_SECONDS)
                # Half of the delay is jitter, so that throttled keys do not come back as one herd.
                return longest - int(self.entropy.draw() * (longest // 2 + 1))
            return NEWER_WAIT_SECONDS if result.is_newer else UNSURE_WAIT_SECONDS
        asked = result.wait_seconds if isinstance(result, RefusalResult | DeferredKey) else None
        return UNSURE_WAIT_SECONDS if asked is None else asked

    async def _report_progress(self, ready: list[tuple[Delivery, Wakeup]], now_ms: int) -> None:
        """Record how far the lane is behind, at most once every `REPORT_EVERY_MS`."""
        first = [
            _visible_at(delivery, wakeup)
            for delivery, wakeup in ready
            if delivery.receive_count == 1 and not wakeup.waited
        ]
        visible_at = min(first, default=now_ms)
        if now_ms - visible_at < BACKLOG_MS or now_ms - self._reported_at < REPORT_EVERY_MS:
            return
        self._reported_at = now_ms
        progress = LaneProgress(visible_at=visible_at, reported_at=now_ms)
        # Best effort: the batch is already claimed, so a failure here must not prevent its calls.
        with suppress(ServiceError):
            await self.offload(self.progress.report, self.lane, progress)


def _return(delivery: Delivery, visible_after_seconds: int) -> SettledMessage:
    return SettledMessage(
        delivery=delivery, verdict=Verdict.RETURN, visible_after_seconds=visible_after_seconds
    )


def _visible_at(delivery: Delivery, wakeup: Wakeup) -> int:
    return max(delivery.sent_at, wakeup.not_before)


def _costs_no_receive(result: KeyResult) -> bool:
    """Whether the key goes on in a fresh message: the store did not decide, or the time was too short."""
    if isinstance(result, WriteUnknown):
        return not result.is_permanent
    return isinstance(result, RefusalResult) and result.kind is Refusal.OUT_OF_TIME


def _is_done(result: KeyResult) -> bool:
    return not isinstance(result, WriteUnknown) and result.is_done
