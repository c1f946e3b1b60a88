"""Handle messages in a lane's dead-letter queue. The message is dead; its jobs are not."""

from collections.abc import Sequence
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.dead_letters.parked_message import park
from shared.domain.dispatch.newer_message import NewerMessage
from shared.domain.dispatch.wakeup import MAX_DELAY_SECONDS, Wakeup
from shared.domain.errors import (
    PunctualError,
    ServiceError,
    UnavailableError,
    UnknownVersionError,
    UnreadableItemError,
)
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.names import QueueName
from shared.ports.dead_letters import ParkedMessageStore
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution, wakeup_for
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.give_up_lost import GiveUpLost

RESCHEDULE_SECONDS = 60
"""Pause before another round of receives, so that a temporary fault can pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadMessage:
    """A message from a dead-letter queue with its original body; `error` says why the body cannot be read.

    `newer` is set if a newer release can read the body.
    """

    message_id: str
    lane: QueueName
    body: str
    wakeup: Wakeup | None
    error: str = ""
    newer: NewerMessage | None = None


@dataclass(slots=True)
class DeadMessageReport:
    """Counts of a batch; `returned` holds the IDs of messages that must stay in the queue."""

    rescheduled: int = 0
    parked: int = 0
    failed: int = 0
    lost: list[Execution] = field(default_factory=list)
    """Of the failed executions, those whose last attempts were lost with their workers."""
    returned: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HandleDeadMessages:
    """Reads each key again: reschedules executions with attempts left, fails the others, parks unclear
    messages.

    Messages and items of a newer release are sent again, with a delay, until that release receives them.
    """

    store: ExecutionStore
    file: FileExecution
    file_successor: FileSuccessor
    parked_messages: ParkedMessageStore
    clock: Clock
    retention: Retention
    give_up: GiveUpLost
    finalize: FinalizeExecution

    def execute(self, messages: Sequence[DeadMessage]) -> DeadMessageReport:
        """Settle each message; messages whose items cannot be read for now are returned."""
        report = DeadMessageReport()
        for message in messages:
            try:
                self._handle(message, report)
            except ServiceError:
                report.returned.append(message.message_id)
        return report

    def _handle(self, message: DeadMessage, report: DeadMessageReport) -> None:
        if message.newer is not None:
            self._resend(message.lane, message.newer, report)
            return
        if message.wakeup is None:
            self._park(message, message.error, report)
            return
        for single in message.wakeup.singles():
            (key,) = single.keys
            try:
                reason = self._handle_key(key, report)
            except UnavailableError:
                raise
            except UnknownVersionError:
                self._send_later(single, report)
                continue
            except PunctualError as error:
                # For example, another item under the successor's key: this needs an operator.
                reason = str(error)
            if reason:
                self._park(message, f"{key}: {reason}", report)

    def _handle_key(self, key: ExecutionId, report: DeadMessageReport) -> str:
        """Settle one key. A non-empty result is the reason to park it unchanged."""
        try:
            execution = self.store.get(key)
        except UnknownVersionError:
            raise
        except UnreadableItemError:
            report.failed += self.store.mark_unreadable(key, self._expires_at_s())
            return "the item is broken"
        if execution is None or execution.state is State.MOVED:
            return ""
        if execution.state is State.RUNNING:
            return self._running(execution, report)
        if not execution.state.is_terminal:
            self._reschedule(execution, report)
        if execution.state not in NOT_STARTED:
            # The message may have failed because of the successor, and a retry may be hours away.
            self.file_successor.execute(execution)
        if execution.state.is_terminal:
            self.finalize.execute(execution)
        return ""

    def _running(self, execution: Execution, report: DeadMessageReport) -> str:
        now_ms = self.clock.now_ms()
        if not execution.lease_expired(now_ms):
            return self._running_on(execution)
        if execution.has_attempts_left:
            self._reschedule(execution, report)
            return ""
        if self.give_up.execute(execution):
            report.failed += 1
            report.lost.append(execution)
        return ""

    def _running_on(self, execution: Execution) -> str:
        """After the call has ended, only the successor may still depend on this message."""
        if execution.progress.async_until is None:
            return "another worker's lease is live"
        self.file_successor.execute(execution)
        return ""

    def _reschedule(self, execution: Execution, report: DeadMessageReport) -> None:
        at = max(self.clock.now_ms() + RESCHEDULE_SECONDS * 1000, execution.not_before)
        if execution.state is State.WAITING:
            self.file.wake_for_retry(execution, at)
        else:
            self.file.send([replace(wakeup_for(execution), not_before=at)])
        report.rescheduled += 1

    def _resend(self, lane: QueueName, newer: NewerMessage, report: DeadMessageReport) -> None:
        if not self.file.queue.resend(lane, newer):
            raise UnavailableError("the lane did not accept the message")
        report.rescheduled += 1

    def _send_later(self, single: Wakeup, report: DeadMessageReport) -> None:
        """An item of a newer release: send its wake-up again as late as the queue allows."""
        at = self.clock.now_ms() + MAX_DELAY_SECONDS * 1000
        self.file.send([replace(single, not_before=at)])
        report.rescheduled += 1

    def _park(self, message: DeadMessage, reason: str, report: DeadMessageReport) -> None:
        report.parked += 1
        now_ms = self.clock.now_ms()
        self.parked_messages.park(park(message.message_id, message.lane, message.body, reason, now_ms))

    def _expires_at_s(self) -> int:
        return self.retention.expires_at_s(self.clock.now_ms())
