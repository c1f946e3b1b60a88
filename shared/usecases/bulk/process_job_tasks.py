"""Process bulk operations on jobs: record a page, work on its jobs side by side, then move the cursor."""

from functools import partial

from shared.dataclass import dataclass
from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import JobTask, JobTaskState, Taken
from shared.domain.bulk.pages import BulkEntry, BulkPage
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, Retention
from shared.domain.jobs.job import HELD, Job
from shared.ports.bulk import BulkPages, JobTasks
from shared.ports.runtime import Clock, Spread
from shared.usecases.bulk.act_on_job import ActOnJob
from shared.usecases.bulk.lease_page import LeasePage
from shared.usecases.bulk.process_bulk_tasks import BulkReport, Rest, Step
from shared.usecases.bulk.take_back_job import TakeBackJob
from shared.usecases.listings.list_jobs import ListJobs
from shared.usecases.tenancy.read_tenant import ReadTenant

PAGE = 50
PAGE_WITH_URLS = 25
"""A record keeps the former URLs of each job, up to 7 KB, and an item has at most 400 KB."""
LOOKED_AT = 500
RECORDS_SPARE_DAYS = 30
"""The records of pages outlive their task by this much, less the time that the task takes."""


@dataclass(frozen=True, slots=True)
class ProcessJobTasks:
    """The worker of bulk operations on jobs.

    A page that is processed again has the jobs of its record. A job that cannot take the action has a refusal
    as its result, and delays no other job.
    """

    tasks: JobTasks
    pages: BulkPages
    read_tenant: ReadTenant
    list_jobs: ListJobs
    act: ActOnJob
    take_back: TakeBackJob
    clock: Clock
    spread: Spread
    retention: Retention

    def open(self) -> list[tuple[str, str]]:
        return self.tasks.open()

    def advance(self, tenant_id: str, task_id: str, report: BulkReport) -> Step:
        """Process one page, or end a pass that is done."""
        task, now_ms = self.tasks.get(tenant_id, task_id), self.clock.now_ms()
        if task is None or not task.is_open:
            return Rest.ENDED
        if task.state is JobTaskState.WAITING:
            return self._begin_deleting(task, now_ms)
        if task.is_pass_done:
            return self._end(task, report, now_ms)
        if task.next_due_at > now_ms:
            return task.next_due_at
        after = self.page(task)
        if after is None:
            return Rest.HELD
        report.changed += after.changed_since(task)
        return now_ms if after.is_pass_done else after.next_due_at

    def first_page(self, task: JobTask) -> JobTask | None:
        """Process a page at once; None if the tenant has an older task with work to do, or as for `page`."""
        for task_id in self.tasks.open_of(task.tenant_id):
            if task_id == task.id:
                return self.page(task)
            older = self.tasks.get(task.tenant_id, task_id)
            if older is not None and older.has_work:
                return None
        return None

    def page(self, task: JobTask) -> JobTask | None:
        """Process one page; None if another worker leases the task, or has moved it."""
        now_ms = self.clock.now_ms()
        is_first_pass = task.state is JobTaskState.RUNNING
        process = self._first_pass if is_first_pass else self._records
        worked = LeasePage(self.tasks).worked(task, now_ms, partial(process, now_ms=now_ms))
        if worked is None:
            return None
        leased, after = worked
        if self.tasks.replace(leased, after):
            return after
        if is_first_pass:
            self._count_cancelled(leased, after)
        return None

    def _count_cancelled(self, leased: JobTask, after: JobTask) -> None:
        """Count a page that was being worked on when its task was cancelled."""
        existing = self.tasks.get(leased.tenant_id, leased.id)
        is_next = existing is not None and existing.version == leased.version + 1
        if existing is not None and is_next and existing.state is JobTaskState.CANCELLED:
            expires_at_s = self.retention.expires_at_s(self.clock.now_ms())
            self.tasks.replace(existing, existing.after_cancel(after), expires_at_s)

    def _first_pass(self, task: JobTask, now_ms: int) -> JobTask:
        recorded = self.pages.get(task.tenant_id, task.id, task.page)
        if recorded is None:
            tenant = self.read_tenant.execute(task.tenant_id)
            if tenant is None:
                raise UnreadableItemError(f"{task.id} is of no tenant")
            found = self.list_jobs.execute(
                tenant,
                limit=min(_page_size(task), task.rate),
                criteria=task.criteria,
                position=task.position,
                at_most=LOOKED_AT,
            )
            if not found.jobs:
                return task.without_page(found.next_position)
            drafted = BulkPage(
                tenant_id=task.tenant_id,
                task_id=task.id,
                number=task.page,
                recorded_at=now_ms,
                entries=tuple(self._entry(task, job, now_ms) for job in found.jobs),
                next_position=found.next_position,
            )
            recorded = self.pages.begin(drafted, self._expires_at_s(task, now_ms))
        if not recorded.is_finished:
            results = self.spread(partial(self.act.execute, task), recorded.entries)
            finished = recorded.finished(results)
            recorded = self.pages.finish(finished, self._expires_at_s(task, now_ms))
        return task.after_page(recorded, now_ms)

    def _entry(self, task: JobTask, job: Execution | Job, now_ms: int) -> BulkEntry:
        is_trigger = task.verb is BulkAction.TRIGGER
        return BulkEntry(
            job_id=job.id if isinstance(job, Job) else job.job_id,
            revision=job.revision,
            was_held=job.state in HELD,
            pause_reason=job.pause_reason if isinstance(job, Job) else None,
            execution=self.act.trigger.choose(job.id, now_ms)
            if is_trigger and isinstance(job, Job)
            else None,
            former=task.patch.former(job.definition) if task.patch and isinstance(job, Job) else None,
        )

    def _records(self, task: JobTask, now_ms: int) -> JobTask:
        """A page of a deletion after the grace, or of an undo."""
        recorded = self.pages.get(task.tenant_id, task.id, task.page)
        if recorded is None:
            return task.after_record((), now_ms)
        if not recorded.is_finished:
            if not task.is_last_pass:
                return task.after_record((), now_ms)  # A worker may still be at it: the last pass undoes it.
            found = self.spread(partial(self.act.find_result, task), recorded.entries)
            recorded = self.pages.finish(recorded.finished(found), self._expires_at_s(task, now_ms))
        return task.after_record(self.spread(partial(self._take, task), recorded.entries), now_ms)

    def _take(self, task: JobTask, entry: BulkEntry) -> Taken:
        try:
            if task.state is JobTaskState.DELETING:
                return self.take_back.delete(task, entry)
            return self.take_back.undo(task, entry)
        except UnknownVersionError:
            raise
        except UnreadableItemError:
            return Taken.CHANGED_SINCE

    def _begin_deleting(self, task: JobTask, now_ms: int) -> Step:
        if now_ms < (task.deletes_at or 0):
            return Rest.ENDED
        return now_ms if self.tasks.replace(task, task.deleting()) else Rest.HELD

    def _end(self, task: JobTask, report: BulkReport, now_ms: int) -> Step:
        """End the pass. An undo walks over the records once more when no slow worker can be left."""
        if task.state is JobTaskState.UNDOING and not task.is_last_pass:
            if now_ms < task.settles_at:
                return Rest.ENDED
            return now_ms if self.tasks.replace(task, task.next_pass(now_ms)) else Rest.HELD
        after = task.ended(now_ms)
        expires_at_s = None if after.is_open else self.retention.expires_at_s(now_ms)
        if not self.tasks.replace(task, after, expires_at_s):
            return Rest.HELD
        report.ended += not after.is_open
        return Rest.ENDED

    def _expires_at_s(self, task: JobTask, now_ms: int) -> int:
        return self.retention.expires_at_s(now_ms + task.grace_ms) + RECORDS_SPARE_DAYS * DAY_SECONDS


def _page_size(task: JobTask) -> int:
    return PAGE_WITH_URLS if task.patch is not None and task.patch.has_urls else PAGE
