"""Store executions where watchers find them, and send wake-ups for those that no watcher will find in time.

Callers acknowledge only after filing has returned. Then each execution is durable, and either a scan of its
bucket is still to come, or its message is in the lane.
"""

from collections.abc import Sequence
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import bucket_of, is_near
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.wakeup import MAX_DELAY_SECONDS, Wakeup, single_wakeup
from shared.domain.errors import IdentityConflictError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.ports.dispatch import WakeupQueue
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.usecases.filing.open_shards import OpenShards
from shared.usecases.filing.scanned_shards import ScannedShards


@dataclass(frozen=True, slots=True)
class FileExecution:
    """Files executions and retry reminders; safe to repeat."""

    store: ExecutionStore
    queue: WakeupQueue
    scanned: ScannedShards
    open_shards: OpenShards
    clock: Clock

    def execute(self, draft: Execution) -> Execution:
        """File one execution and return the stored item.

        IdentityConflictError if the ID belongs to another request. UnavailableError if the item may or may
        not be stored or sent: file it again, or leave it to the sweeper.
        """
        filed = self.prepare(draft)
        existing = self.store.put_if_absent(filed)
        if existing is not None and existing.fingerprint != draft.fingerprint:
            raise IdentityConflictError(f"{draft.id} stands for another request")
        self.ensure_sent(existing or filed)
        return existing or filed

    def prepare(self, draft: Execution) -> Execution:
        """Before the write: make sure that the shard is scanned, and mark whether the writer or a watcher
        sends."""
        self.ensure_scanned(draft.id)
        return self.mark(draft)

    def mark(self, draft: Execution) -> Execution:
        """The row to put now, marked with who sends its wake-up. Its shard must be scanned."""
        if draft.is_postponable:
            return draft
        state = State.QUEUED if is_near(draft.id.bucket, self.clock.now_ms()) else State.PENDING
        return draft if draft.state is state else draft.progressed(state=state)

    def ensure_sent(self, execution: Execution) -> None:
        """After the write: read the clock again, and send a wake-up if a scan may already have passed the
        row.

        Without the second clock read, a slow write could land behind the scan and wait for the sweeper. A
        started execution needs no wake-up: its retry has a message or a retry reminder.
        """
        if execution.state.is_terminal:
            return
        self.ensure_scanned(execution.id)
        if execution.is_postponable:
            # No watcher sends it, because its due time may change. The message follows each change by itself.
            self.wake_for_retry(execution, execution.not_before)
        elif self.needs_wakeup(execution):
            self.send([wakeup_for(execution)])

    def needs_wakeup(self, execution: Execution) -> bool:
        """After the write: whether the execution has not started and a scan of its bucket may already have
        passed."""
        return execution.state in NOT_STARTED and is_near(execution.id.bucket, self.clock.now_ms())

    def file_reminder(self, reminder: RetryReminder) -> None:
        """File a reminder of a retry that is beyond the queue's maximum delay."""
        self.ensure_scanned(reminder.location)
        near = is_near(reminder.location.bucket, self.clock.now_ms())
        self.store.put_reminder(replace(reminder, state=State.QUEUED if near else State.PENDING))
        self.ensure_scanned(reminder.location)
        if is_near(reminder.location.bucket, self.clock.now_ms()):
            self.send([wakeup_of_reminder(reminder)])

    def wake_for_retry(self, execution: Execution, next_attempt_at: int) -> None:
        """Send a delayed message for a retry within the queue's maximum delay; file a retry reminder for a
        later one."""
        now_ms = self.clock.now_ms()
        if next_attempt_at - now_ms <= MAX_DELAY_SECONDS * 1000:
            self.send([replace(wakeup_for(execution), not_before=next_attempt_at)])
            return
        bucket = bucket_of(next_attempt_at)
        self.file_reminder(
            RetryReminder(
                dispatch_at=next_attempt_at,
                shard=execution.id.entropy % self.scanned.plan.counts_at(bucket).of(bucket),
                target=execution.id,
                claims=execution.progress.claims,
                tenant_id=execution.tenant_id,
                lane=execution.lane,
                created_at=now_ms,
                destination=execution.call.destination,
                trace=execution.call.trace,
            )
        )

    def send(self, wakeups: Sequence[Wakeup]) -> None:
        """Send messages; UnavailableError if any message was not accepted."""
        if self.queue.send(wakeups, self.clock.now_ms()):
            raise UnavailableError("the lane did not accept the message")

    def ensure_scanned(self, location: ExecutionId) -> None:
        """Record the shard if no scan includes it yet, and put a bucket that may be closed back on the list
        of open buckets.

        Call it before the put, because the writer may crash after the put. Call it again after the put: while
        a writer is stalled, its bucket may end, or be swept while empty and closed again. UnavailableError:
        a row in this shard might never be found.
        """
        self.scanned.ensure(location, self.clock.now_ms())
        self.open_shards.ensure(location, self.clock.now_ms())


def wakeup_for(execution: Execution) -> Wakeup:
    return single_wakeup(
        execution.lane,
        execution.tenant_id,
        execution.id,
        execution.not_before,
        execution.call.destination,
        execution.call.trace,
    )


def wakeup_of_reminder(reminder: RetryReminder) -> Wakeup:
    return single_wakeup(
        reminder.lane,
        reminder.tenant_id,
        reminder.target,
        reminder.dispatch_at,
        reminder.destination,
        reminder.trace,
    )
