"""Admission of guarded executions: the start deadline, and the overlap policy of a recurring job.

A guarded execution rejects every plain claim until it was admitted here. One item per job holds the run lock
and is changed by compare-and-swap only. A lock ends when its holder ends, so no release is needed, and a
crashed holder keeps the lock only while its execution is open.
"""

from dataclasses import replace
from enum import Enum, auto

from shared.dataclass import dataclass
from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.stages import WaitCause
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.schedules.overlap import OverlapPolicy
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import RunLock, RunLockStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution, wakeup_for
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.outcomes.notify_outcome import NotifyOutcome


class Admission(Enum):
    START = auto()
    HOLD = auto()
    """The execution waits for the run lock and gets a message when the lock is free; this message is not
    needed."""
    SKIPPED = auto()
    """The execution ended as skipped; the message is not needed."""
    RACE = auto()
    """A concurrent write won: try again shortly."""


@dataclass(frozen=True, slots=True)
class GuardStart:
    """Decides about an execution that has not started; safe to repeat."""

    store: ExecutionStore
    run_locks: RunLockStore
    file: FileExecution
    file_successor: FileSuccessor
    notify: NotifyOutcome
    clock: Clock
    retention: Retention

    def execute(self, execution: Execution) -> Admission:
        """Start, hold or skip the execution. Its chain continues in all three cases."""
        if execution.start_deadline_at is not None and self.clock.now_ms() > execution.start_deadline_at:
            return self.skip(execution, EndReason.LATE)
        rules = execution.recurrence
        if rules is None or rules.overlap_policy is OverlapPolicy.ALLOW:
            return Admission.START
        lock = self.run_locks.read(execution.tenant_id, execution.job_id)
        if lock.holder == execution.id:
            return Admission.START
        waiting = lock.waiting if lock.waiting and self._is_open(lock.waiting) else None
        if lock.holder is None or not self._is_open(lock.holder):
            return self._take(execution, lock, waiting)
        if rules.overlap_policy is OverlapPolicy.SKIP or waiting not in (None, execution.id):
            return self.skip(execution, EndReason.OVERLAP)
        return self._wait(execution, lock)

    def wake_waiting(self, ended: Execution) -> None:
        """Wake the run that waits for the lock of an ended execution. If this fails, the sweeper wakes it."""
        rules = ended.recurrence
        if rules is None or rules.overlap_policy is not OverlapPolicy.QUEUE_ONE:
            return
        waiting = self.run_locks.read(ended.tenant_id, ended.job_id).waiting
        execution = self.store.get(waiting) if waiting is not None else None
        if execution is not None and not execution.state.is_terminal:
            # The wait counts as a deferral: its start is late because the job asks for it.
            now_ms, since_at = self.clock.now_ms(), max(execution.not_before, execution.created_at)
            wait = WaitSoFar(visible_at=since_at, received_at=since_at).deferred(
                WaitCause.OVERLAP, max(0, now_ms - since_at)
            )
            self.file.send([replace(wakeup_for(execution), not_before=now_ms, waited=1, wait=wait)])

    def _take(self, execution: Execution, lock: RunLock, waiting: ExecutionId | None) -> Admission:
        """Take the free lock, unless another run is already waiting for it."""
        if waiting not in (None, execution.id):
            return self.skip(execution, EndReason.OVERLAP)
        is_mine = self._swap(execution, lock, RunLock(holder=execution.id))
        return Admission.START if is_mine else Admission.RACE

    def _wait(self, execution: Execution, lock: RunLock) -> Admission:
        if lock.waiting != execution.id and not self._swap(
            execution, lock, replace(lock, waiting=execution.id)
        ):
            return Admission.RACE
        # Without the successor, no later run would come due and be recorded as skipped while this run waits.
        self.file_successor.execute(execution)
        return Admission.HOLD

    def skip(self, execution: Execution, reason: EndReason) -> Admission:
        """End an execution that has not started, and continue its chain."""
        notification = self.notify.choose(execution, State.SKIPPED, reason=reason)
        existing = self.store.cancel(
            execution.id,
            Transition.SKIP,
            reason=reason,
            expires_at_s=self.retention.expires_at_s(self.clock.now_ms()),
            notification=notification,
        )
        if existing is not None and not existing.state.is_terminal:
            return Admission.RACE
        self.file_successor.execute(existing or execution)
        # An existing record names its own notification, or none.
        skipped = existing or execution.progressed(
            state=State.SKIPPED, end_reason=reason, notification=notification
        )
        try:
            self.notify.execute(skipped)
        except UnreadableItemError:
            # The message returns until the tenant can be read, or the sweeper reports it.
            return Admission.RACE
        return Admission.SKIPPED

    def _swap(self, execution: Execution, before: RunLock, after: RunLock) -> bool:
        return self.run_locks.swap(execution.tenant_id, execution.job_id, before, after)

    def _is_open(self, execution_id: ExecutionId) -> bool:
        existing = self.store.get(execution_id)
        return existing is not None and not existing.state.is_terminal
