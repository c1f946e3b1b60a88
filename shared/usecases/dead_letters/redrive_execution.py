"""Redrive a dead letter: run its request again in a new execution. The dead letter stays failed."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.dead_letters.new_redrive import next_redrive, redriven
from shared.domain.errors import InvalidStateError, NotFoundError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import MAX_REDRIVES, RedrivenBy, redrive_id
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.domain.executions.states import REDRIVABLE, EndReason, State
from shared.domain.ids import ExecutionId, is_recurring_job_id
from shared.domain.jobs.job import GONE
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.reading.find_execution import FindExecution


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveResult:
    """The stored redrive. `replayed`: an earlier request had chosen it."""

    execution: Execution
    replayed: bool


@dataclass(frozen=True, slots=True)
class RedriveExecution:
    """Keeps at most one redrive of a dead letter open, whatever the number of requests; none follows a
    success.

    The redrive's ID is stored in the dead letter before the redrive is filed. If the process crashes in
    between, nothing was acknowledged, and the next request files the same execution.
    """

    find: FindExecution
    store: ExecutionStore
    jobs: JobStore
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def execute(self, tenant_id: str, execution_id: str) -> RedriveResult:
        """The redrive of a failed execution, due now.

        NotFoundError; InvalidStateError if the execution cannot be redriven.
        """
        failed = self.find.execute(tenant_id, execution_id)
        if failed.state is not State.FAILED:
            raise InvalidStateError(f"only a failed execution can be redriven; this one is {failed.state}")
        return self.after(failed, self.clock.now_ms())

    def after(self, failed: Execution, due_at: int, task: str | None = None) -> RedriveResult:
        """The latest redrive of a dead letter if it is open or has succeeded; otherwise a new redrive, due at
        an instant.

        InvalidStateError if the job was deleted, if the request has expired, and after `MAX_REDRIVES`.
        """
        self._check_job(failed, {})
        last = failed
        while True:
            chosen, is_new = self._choose(last, due_at, task)
            existing = None if is_new else self.store.get(chosen)
            if existing is None:
                return RedriveResult(execution=self.ensure_filed(last, chosen), replayed=not is_new)
            if existing.state not in REDRIVABLE:
                self.file.ensure_sent(existing)
                return RedriveResult(execution=existing, replayed=True)
            last = existing

    def ensure_filed(self, last: Execution, chosen: ExecutionId) -> Execution:
        """The redrive that was chosen, filed unless it already exists."""
        self._check_not_expired(chosen)
        self._keep_request(last, chosen.dispatch_at)
        draft = self.draft(last, chosen)
        self._add_to_history(draft)
        return self.file.execute(draft)

    def prepare(self, last: Execution, due_at: int, deleted: dict[str, bool]) -> None:
        """Before an execution is marked with a redrive that is due by an instant: make sure that its request
        outlives the redrive.

        InvalidStateError if the job was deleted, if the request has expired, and after `MAX_REDRIVES`.
        `deleted` remembers the jobs of one page: whether each of them was deleted.
        """
        self._check_job(last, deleted)
        self._check_number(last)
        self._keep_request(last, due_at)

    def may_redrive(self, last: Execution) -> bool:
        """Whether neither its job nor its number forbids the redrive of an execution. Nothing is written."""
        try:
            self._check_job(last, {})
            self._check_number(last)
        except InvalidStateError:
            return False
        return True

    def next_id(self, last: Execution, due_at: int) -> ExecutionId:
        """The ID of the redrive that follows an execution, due at an instant."""
        return redrive_id(next_redrive(last), due_at, self.plan.counts_at(bucket_of(due_at)))

    def draft(self, last: Execution, chosen: ExecutionId) -> Execution:
        """The redrive to file."""
        return redriven(last, chosen, created_at=self.clock.now_ms())

    def history_notes(self, drafts: Sequence[Execution]) -> list[tuple[Execution, int]]:
        """The drafts that belong to the history of their job, each with the expiry of its record.

        A notification has no part in the history, nor have its redrives.
        """
        return [
            (draft, self._outlives_s(draft.id.dispatch_at))
            for draft in drafts
            if draft.notification_of is None
        ]

    def file_cancelled(self, last: Execution, chosen: ExecutionId) -> Execution:
        """Write a chosen redrive as cancelled unless it exists, so that a late worker cannot file it."""
        self._check_not_expired(chosen)
        draft = self.draft(last, chosen)
        self._add_to_history(draft)
        ended = draft.progressed(state=State.CANCELLED, end_reason=EndReason.CANCELLED)
        expires_at_s = self.retention.record_expires_at_s(chosen.dispatch_at, draft.created_at)
        return self.store.put_if_absent(ended, expires_at_s=expires_at_s) or ended

    def _check_not_expired(self, chosen: ExecutionId) -> None:
        """Refuse a redrive whose record may have expired: it may have run, and filing it again would repeat
        the call."""
        if chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= self.clock.now_ms():
            raise NotFoundError("no such execution")

    def _add_to_history(self, draft: Execution) -> None:
        for note in self.history_notes([draft]):
            self.jobs.note_beside(*note)

    def _choose(self, last: Execution, due_at: int, task: str | None) -> tuple[ExecutionId, bool]:
        """The redrive that follows an execution, and whether this call chose it."""
        if last.progress.redriven_by is not None:
            return last.progress.redriven_by.execution, False
        self._check_number(last)
        self._keep_request(last, due_at)
        chosen = self.next_id(last, due_at)
        existing = self.store.mark_redriven(last.id, RedrivenBy(execution=chosen, task=task))
        if existing is None:
            return chosen, True
        if existing.progress.redriven_by is None:
            raise InvalidStateError(f"only a failed execution can be redriven; this one is {existing.state}")
        return existing.progress.redriven_by.execution, False

    def _check_number(self, last: Execution) -> None:
        if next_redrive(last).number > MAX_REDRIVES:
            raise InvalidStateError(f"it was redriven {MAX_REDRIVES} times")

    def _check_job(self, failed: Execution, deleted: dict[str, bool]) -> None:
        """An acknowledged deletion allows no redrive of the job; a notification may still be redriven."""
        if failed.task is not None:
            raise InvalidStateError("the task of a workflow is redriven with its run")
        if not is_recurring_job_id(failed.job_id) or failed.notification_of is not None:
            return
        if failed.job_id not in deleted:
            job = self.jobs.get(failed.tenant_id, failed.job_id)
            deleted[failed.job_id] = job is None or job.state in GONE
        if deleted[failed.job_id]:
            raise InvalidStateError("its job was deleted")

    def _keep_request(self, last: Execution, due_at: int) -> None:
        """Extend the expiry of a large request, which must outlive the redrive."""
        if last.notification_of is not None and not self._is_readable(last.notification_of):
            raise InvalidStateError("the execution that it tells of is not kept any more")
        name = last.call.payload_id
        expires_at_s = self.retention.reused_payload_expires_at_s(max(due_at, self.clock.now_ms()))
        if name and not self.jobs.keep_payload(last.tenant_id, name, expires_at_s):
            raise InvalidStateError("its request is not kept any more")

    def _is_readable(self, execution_id: ExecutionId) -> bool:
        try:
            return self.store.get(execution_id) is not None
        except UnknownVersionError:
            raise
        except UnreadableItemError:
            return False

    def _outlives_s(self, due_at: int) -> int:
        return self.retention.outlives_records_s(max(due_at, self.clock.now_ms()))
