"""FILE: put executions where watchers find them, and send for those that no watcher will find in time.

Who calls this may acknowledge only after it returned: then each execution is durable, and either a scan of its
bucket is still to come, or a message for it is in its lane.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared.domain.bucket import bucket_end_ms, is_near, may_be_closed, next_sweep_ms
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.wakeup import MAX_DELAY_SECONDS, Wakeup, single_wakeup
from shared.domain.errors import IdentityConflictError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.ports.dispatch import ShardLedger, WakeupQueue
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock


@dataclass(frozen=True, slots=True)
class FileExecution:
    """Files executions and pointers; the same one may be filed any number of times."""

    store: ExecutionStore
    queue: WakeupQueue
    ledger: ShardLedger
    clock: Clock

    def execute(self, draft: Execution) -> Execution:
        """File one execution and return it as it stands.

        IdentityConflictError where something else stands under its id; UnavailableError where it may or may not
        be stored or sent: file it again, or leave it to the sweep.
        """
        filed = self.prepare(draft)
        existing = self.store.put_if_absent(filed)
        if existing is not None and existing.fingerprint != draft.fingerprint:
            raise IdentityConflictError(f"{draft.id} stands for another request")
        self.ensure_sent(existing or filed)
        return existing or filed

    def prepare(self, draft: Execution) -> Execution:
        """Before a write: let its bucket be swept, and say in the row whether its writer or a watcher sends for it."""
        self.reopen_if_closed(draft.id)
        return self.mark(draft)

    def mark(self, draft: Execution) -> Execution:
        """The row as it is put now, with who sends for it; its bucket must have been reopened if it was closed."""
        near = is_near(draft.id.bucket, self.clock.now_ms())
        return draft.progressed(state=State.QUEUED if near else State.PENDING)

    def ensure_sent(self, execution: Execution) -> None:
        """After a write returned: look at the clock again, and send where a scan may have passed already.

        What has begun has been sent for already; its retry has a message or a pointer of its own.
        """
        if execution.state.is_terminal:
            return
        self.reopen_if_closed(execution.id)
        if self.is_to_be_sent(execution):
            self.send([wakeup_for(execution)])

    def is_to_be_sent(self, execution: Execution) -> bool:
        """After a write returned: whether a scan of its bucket may have passed already, and it has not started."""
        return execution.state in NOT_STARTED and is_near(execution.id.bucket, self.clock.now_ms())

    def pointer(self, pointer: RetryReminder) -> None:
        """File a pointer to a retry that is too far off for the lanes."""
        self.reopen_if_closed(pointer.location)
        near = is_near(pointer.location.bucket, self.clock.now_ms())
        self.store.put_reminder(replace(pointer, state=State.QUEUED if near else State.PENDING))
        self.reopen_if_closed(pointer.location)
        if is_near(pointer.location.bucket, self.clock.now_ms()):
            self.send([wakeup_of_reminder(pointer)])

    def wake_for_retry(self, execution: Execution, next_attempt_at: int) -> None:
        """A retry within reach of the lanes' delay gets a message, a later one a pointer: never a chain of delays."""
        now_ms = self.clock.now_ms()
        if next_attempt_at - now_ms <= MAX_DELAY_SECONDS * 1000:
            self.send([replace(wakeup_for(execution), not_before=next_attempt_at)])
            return
        self.pointer(
            RetryReminder(
                dispatch_at=next_attempt_at,
                target=execution.id,
                attempt=execution.attempt,
                tenant_id=execution.tenant_id,
                lane=execution.lane,
                created_at=now_ms,
                destination=execution.call.destination,
            )
        )

    def send(self, wakeups: Sequence[Wakeup]) -> None:
        """Send messages; UnavailableError where one was not accepted."""
        if self.queue.send(wakeups, self.clock.now_ms()):
            raise UnavailableError("the lane did not accept the message")

    def reopen_if_closed(self, location: ExecutionId) -> None:
        """Put a bucket that may be closed back on the sweepers' list.

        Before a put, in case the writer dies after it; and again after it, however the first time went: while a
        writer stands still its bucket may end, or be swept empty and closed once more.
        """
        now_ms = self.clock.now_ms()
        if not may_be_closed(location.bucket, now_ms):
            return
        at_least_ms = bucket_end_ms(location.bucket)
        self.ledger.reopen(
            location.bucket, location.shard, max(at_least_ms, next_sweep_ms(location.bucket, now_ms))
        )


def wakeup_for(execution: Execution) -> Wakeup:
    """The message that wakes an execution at its next start."""
    return single_wakeup(
        execution.lane, execution.tenant_id, execution.id, execution.not_before, execution.call.destination
    )


def wakeup_of_reminder(pointer: RetryReminder) -> Wakeup:
    """The message that wakes an execution for a far-off retry."""
    return single_wakeup(
        pointer.lane, pointer.tenant_id, pointer.target, pointer.dispatch_at, pointer.destination
    )
