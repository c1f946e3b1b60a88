"""Update a one-off job that has not started: in place, or by a move to another time."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of, is_near
from shared.domain.errors import InvalidStateError, PreconditionFailedError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ENTROPY_BITS, new_one_off_id
from shared.ports.executions import ExecutionStore, OneOffStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock, Entropy
from shared.usecases.filing.file_execution import FileExecution


@dataclass(frozen=True, slots=True)
class UpdateOneOff:
    """The job keeps its ID. A new time gives its execution a new ID."""

    one_offs: OneOffStore
    jobs: JobStore
    store: ExecutionStore
    file: FileExecution
    clock: Clock
    entropy: Entropy
    plan: ShardPlan
    retention: Retention

    def execute(self, before: Execution, changed: Execution, *, due_at: int, jitter_ms: int) -> Execution:
        """The job after the update; `changed` is `before` with other contents at the present time.

        InvalidStateError if an attempt has begun or the job has ended, PreconditionFailedError if the job was
        changed since it was read.
        """
        self.require_not_started(before)
        after = replace(changed, revision=before.revision + 1)
        if due_at == before.nominal_at and not jitter_ms:
            is_done = self._edit(before, after)
        else:
            after = self._elsewhere(after, due_at, jitter_ms)
            is_done = self._move(before, after)
        if not is_done:
            self.require_not_started(self.store.get(before.id) or before)
            raise PreconditionFailedError("another request changed the job meanwhile")
        return after

    def require_not_started(self, existing: Execution) -> None:
        """InvalidStateError if an attempt has begun or the job has ended."""
        if existing.state not in NOT_STARTED | {State.MOVED}:
            raise InvalidStateError(f"too late: the job is {existing.state}")

    def _edit(self, before: Execution, after: Execution) -> bool:
        """Edit in place, then send: an earlier request may have crashed between its move to this time and its
        message."""
        if not self.one_offs.edit(before, after):
            return False
        self.file.ensure_sent(after)
        return True

    def _elsewhere(self, after: Execution, due_at: int, jitter_ms: int) -> Execution:
        now_ms = self.clock.now_ms()
        entropy = self.entropy.bits(ENTROPY_BITS)
        dispatch_at = due_at + (entropy % jitter_ms if jitter_ms else 0)
        counts = self.plan.counts_at(bucket_of(dispatch_at))
        location = new_one_off_id(dispatch_at, counts, entropy, cell=after.id.cell)
        deadline_at = after.start_deadline_at
        if deadline_at is not None:
            deadline_at += dispatch_at - after.id.dispatch_at
        return replace(
            after,
            id=location,
            nominal_at=due_at,
            created_at=now_ms,
            job_created_at=after.job_created_at or after.created_at,
            start_deadline_at=deadline_at,
        ).progressed(state=State.QUEUED if is_near(location.bucket, now_ms) else State.PENDING)

    def _keep_payload(self, after: Execution) -> None:
        """A large request has to outlive the new time. Extend it first: the process may crash after the move."""
        name = after.call.payload_id
        expires_at_s = self.retention.reused_payload_expires_at_s(after.id.dispatch_at)
        if name and not self.jobs.keep_payload(after.tenant_id, name, expires_at_s):
            raise InvalidStateError("its request is not kept any more")

    def _move(self, before: Execution, after: Execution) -> bool:
        self._keep_payload(after)
        self.file.ensure_scanned(after.id)
        # The former time may be the later one: the archive reads the forwarding record after it.
        latest_at = max(before.id.dispatch_at, after.id.dispatch_at, self.clock.now_ms())
        expires_at_s = self.retention.outlives_records_s(latest_at)
        if not self.one_offs.move(before, after, expires_at_s):
            return False
        self.file.ensure_sent(after)
        return True
