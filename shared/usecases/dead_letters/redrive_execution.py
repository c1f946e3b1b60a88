"""REDRIVE a dead letter: run its request once more, in an execution of its own. What failed stays failed."""

from dataclasses import dataclass

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
class Redriven:
    """The redrive as it stands; `replayed`: an earlier request had chosen it."""

    execution: Execution
    replayed: bool


@dataclass(frozen=True, slots=True)
class RedriveExecution:
    """However often and by however many it is asked for, one redrive is open at a time, and none follows a success.

    Which execution is the redrive of another is written into the record of that other before it is filed. Whoever dies
    in between has acknowledged nothing; the next one to ask files the very execution that was chosen.
    """

    find: FindExecution
    store: ExecutionStore
    jobs: JobStore
    file: FileExecution
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def execute(self, tenant_id: str, execution_id: str) -> Redriven:
        """The redrive of a failed execution, due now; NotFoundError, InvalidStateError where it cannot have one."""
        failed = self.find.execute(tenant_id, execution_id)
        if failed.state is not State.FAILED:
            raise InvalidStateError(f"only a failed execution can be redriven; this one is {failed.state}")
        return self.after(failed, self.clock.now_ms())

    def after(self, failed: Execution, due_at: int, task: str | None = None) -> Redriven:
        """The latest redrive of a dead letter, if it is open or has succeeded; otherwise one more, due at an instant.

        InvalidStateError where the job was deleted, where the request is not kept any more, and after too many.
        """
        self._check_job(failed)
        last = failed
        while True:
            chosen, is_new = self._choose(last, due_at, task)
            standing = None if is_new else self.store.get(chosen)
            if standing is None:
                return Redriven(execution=self.make_sure(last, chosen), replayed=not is_new)
            if standing.state not in REDRIVABLE:
                self.file.ensure_sent(standing)
                return Redriven(execution=standing, replayed=True)
            last = standing

    def make_sure(self, last: Execution, chosen: ExecutionId) -> Execution:
        """File the redrive that was chosen, if it does not stand there yet; as it stands then."""
        self._check_kept(chosen)
        self._keep_request(last, chosen.dispatch_at)
        draft = redriven(last, chosen, created_at=self.clock.now_ms())
        self._note(draft)
        return self.file.execute(draft)

    def never(self, last: Execution, chosen: ExecutionId) -> Execution:
        """Let a redrive that was chosen never be, unless it stands there: whoever files it then finds it cancelled."""
        self._check_kept(chosen)
        now_ms = self.clock.now_ms()
        draft = redriven(last, chosen, created_at=now_ms)
        self._note(draft)
        ended = draft.progressed(state=State.CANCELLED, end_reason=EndReason.CANCELLED)
        expires_at_s = self.retention.expires_at_s(now_ms)
        return self.store.put_if_absent(ended, expires_at_s=expires_at_s) or ended

    def _check_kept(self, chosen: ExecutionId) -> None:
        """It may have run, and its record may have gone; so may that of the execution before it."""
        if chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= self.clock.now_ms():
            raise NotFoundError("no such execution")

    def _note(self, draft: Execution) -> None:
        """A notification is no part of its job's history, and does not end with its job; nor do its redrives."""
        if draft.notification_of is None:
            self.jobs.note_beside(draft, self._outlives_s(draft.id.dispatch_at))

    def _choose(self, last: Execution, due_at: int, task: str | None) -> tuple[ExecutionId, bool]:
        """The redrive that comes after an execution, and whether it was chosen here and now."""
        if last.progress.redriven_by is not None:
            return last.progress.redriven_by.execution, False
        following = next_redrive(last)
        if following.number > MAX_REDRIVES:
            raise InvalidStateError(f"it was redriven {MAX_REDRIVES} times")
        self._keep_request(last, due_at)
        chosen = redrive_id(following, due_at, self.plan.counts_at(bucket_of(due_at)))
        standing = self.store.mark_redriven(last.id, RedrivenBy(execution=chosen, task=task))
        if standing is None:
            return chosen, True
        if standing.progress.redriven_by is None:
            raise InvalidStateError(f"only a failed execution can be redriven; this one is {standing.state}")
        return standing.progress.redriven_by.execution, False

    def _check_job(self, failed: Execution) -> None:
        """A deletion holds, whatever failed before it; but what had ended by then is told of."""
        if is_recurring_job_id(failed.job_id) and failed.notification_of is None:
            job = self.jobs.get(failed.tenant_id, failed.job_id)
            if job is None or job.state in GONE:
                raise InvalidStateError("its job was deleted")

    def _keep_request(self, last: Execution, due_at: int) -> None:
        """A large request goes with the execution that used it last: it has to outlast the redrive."""
        if last.notification_of is not None and not self._is_readable(last.notification_of):
            raise InvalidStateError("the execution that it tells of is not kept any more")
        name = last.call.payload_id
        if name and not self.jobs.keep_payload(last.tenant_id, name, self._outlives_s(due_at)):
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
