"""Start a bulk operation on jobs. The task is stored here, and processed elsewhere."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bulk.actions import Refusal, is_unchanged_by, refusal_of
from shared.domain.bulk.job_task import JobTask, NewJobTask, is_job_task_id, job_task_id
from shared.domain.bulk.members import CALLBACKS, Member, Values
from shared.domain.delivery.request import check_alerts, check_callback_target
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import HELD, Job
from shared.domain.listings.filters import JobFilter
from shared.domain.listings.position import JobPosition
from shared.domain.tenancy.tenant import Tenant
from shared.ports.bulk import JobTasks
from shared.ports.delivery import Vault
from shared.ports.jobs import IdempotencyRecord
from shared.ports.runtime import Clock
from shared.usecases.bulk.identify_task import IdentifyTask, create_once
from shared.usecases.bulk.sign_plan import SignPlan, canonical
from shared.usecases.listings.list_jobs import ListJobs
from shared.usecases.requests.seal_request import seal_alerts, seal_callback_target
from shared.usecases.tenancy.read_tenant import ReadTenant

FREE_OF_PLAN = 100
"""An operation on more jobs needs the plan of a dry run."""
COUNTED_AT_MOST = 10_000
EXAMPLES = 20
MAX_OPEN = 20
"""Open operations of a tenant, with deletions that wait for their grace to end."""
_CHUNK = 500


@dataclass(slots=True, kw_only=True)
class Extent:
    """The jobs that match now. If not `is_complete`, there may be more."""

    count: int = 0
    unchanged: int = 0
    paused: int = 0
    refused: Counter[Refusal] = field(default_factory=Counter)
    examples: list[Execution | Job] = field(default_factory=list)
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    extent: Extent
    token: str
    """An operation on this many jobs may show it for some minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedJobTask:
    """The stored task. `replayed`: an earlier request with the same key had created it."""

    task: JobTask
    replayed: bool


@dataclass(frozen=True, slots=True)
class StartJobTask:
    tasks: JobTasks
    list_jobs: ListJobs
    identify: IdentifyTask
    sign_plan: SignPlan
    read_tenant: ReadTenant
    vault: Vault
    policy: TargetPolicy
    clock: Clock

    def plan(self, tenant: Tenant, new: NewJobTask) -> Plan:
        """The jobs that match now, and the plan that allows the operation. Nothing is written.

        InvalidValueError for a patch that no job can have.
        """
        sealed = self._sealed(tenant, new)
        extent = self._extent(tenant, sealed, self.clock.now_ms(), COUNTED_AT_MOST)
        return Plan(extent=extent, token=self.sign_plan.execute(tenant, new, extent.count))

    def execute(
        self, tenant: Tenant, new: NewJobTask, plan: str | None = None, key: str | None = None
    ) -> StartedJobTask:
        """Create the task; repeats with the same idempotency key return the same task.

        Covers jobs that were created until now. InvalidStateError without a plan that is needed, if more jobs
        match than the plan has shown, and if too many operations are open. InvalidValueError as for `plan`.
        """
        sealed = self._sealed(tenant, new)
        record, is_known = self.identify.execute(tenant, _canonical(new), job_task_id, key)
        if is_known and (existing := self.tasks.get(tenant.id, record.id)) is not None:
            return StartedJobTask(task=existing, replayed=True)
        if len(self.tasks.open_of(tenant.id)) >= MAX_OPEN:
            raise InvalidStateError(
                f"{MAX_OPEN} bulk operations are open: wait for one to end, or cancel one"
            )
        task = _task(tenant.id, sealed, record, self._checked_extent(tenant, new, sealed, plan))
        return StartedJobTask(task=create_once(self.tasks, task), replayed=is_known)

    def find(self, tenant_id: str, task_id: str) -> JobTask:
        """A task of this tenant; NotFoundError."""
        task = self.tasks.get(tenant_id, task_id) if is_job_task_id(task_id) else None
        if task is None:
            raise NotFoundError("no such bulk operation")
        return task

    def latest(self, tenant_id: str, before: str | None, limit: int) -> tuple[list[JobTask], str | None]:
        """The tenant's tasks, newest first, and the id before which the next page begins."""
        return self.tasks.latest(tenant_id, before=before, limit=limit)

    def _sealed(self, tenant: Tenant, new: NewJobTask) -> NewJobTask:
        """The operation with a patch that was checked like the change of one job, and whose URLs are sealed."""
        if new.patch is None:
            return new
        values = dict(new.patch.values)
        try:
            self._check(tenant, values)
        except InvalidValueError as error:
            error.path = ("patch", *error.path)
            raise
        for member in CALLBACKS.keys() & values.keys():
            values[member] = seal_callback_target(self.vault, tenant, values[member])
        if Member.ALERTS in values:
            values[Member.ALERTS] = seal_alerts(self.vault, tenant, values[Member.ALERTS])
        return replace(new, patch=replace(new.patch, values=values))

    def _check(self, tenant: Tenant, values: Values) -> None:
        for member in CALLBACKS:
            check_callback_target(member.value, values.get(member), self.policy)
        check_alerts(values.get(Member.ALERTS), self.policy)
        name = values.get(Member.SIGNING_SECRET)
        if name is not None:
            self.read_tenant.with_secrets(tenant, (name,)).check_secret_name(name)

    def _checked_extent(
        self, tenant: Tenant, new: NewJobTask, sealed: NewJobTask, plan: str | None
    ) -> Extent:
        now_ms = self.clock.now_ms()
        if plan is None:
            extent = self._extent(tenant, sealed, now_ms, FREE_OF_PLAN + 1)
            if extent.count > FREE_OF_PLAN:
                raise InvalidStateError(
                    f"more than {FREE_OF_PLAN} jobs match: send the request with dry_run, and then within 10 "
                    "minutes with the plan of the answer"
                )
            return extent
        planned = self.sign_plan.planned(tenant, new, plan)
        extent = self._extent(tenant, sealed, now_ms, COUNTED_AT_MOST)
        if extent.count > planned:
            raise InvalidStateError(
                f"{extent.count} jobs match, and the plan has shown {planned}: send the request with dry_run again"
            )
        return extent

    def _extent(self, tenant: Tenant, new: NewJobTask, now_ms: int, at_most: int) -> Extent:
        extent, criteria = Extent(), _before(new.criteria, now_ms)
        for job in self._matching(tenant, criteria):
            if extent.count == at_most:
                extent.is_complete = False
                return extent
            _count(extent, new, job)
        return extent

    def _matching(self, tenant: Tenant, criteria: JobFilter) -> Iterator[Execution | Job]:
        position: JobPosition | None = JobPosition()
        while position is not None:
            page = self.list_jobs.execute(
                tenant, limit=_CHUNK, criteria=criteria, position=position, at_most=_CHUNK
            )
            yield from page.jobs
            position = page.next_position


def _count(extent: Extent, new: NewJobTask, job: Execution | Job) -> None:
    extent.count += 1
    extent.paused += job.state in HELD
    refusal = refusal_of(new.action, job, new.patch)
    if refusal is not None:
        extent.refused[refusal] += 1
        return
    is_unchanged = is_unchanged_by(new.action, job, new.patch)
    extent.unchanged += is_unchanged
    if not is_unchanged and len(extent.examples) < EXAMPLES:
        extent.examples.append(job)


def _task(tenant_id: str, new: NewJobTask, record: IdempotencyRecord[str], extent: Extent) -> JobTask:
    return JobTask(
        id=record.id,
        tenant_id=tenant_id,
        criteria=_before(new.criteria, record.created_at),
        action=new.action,
        reason=new.reason,
        patch=new.patch,
        grace_ms=new.grace_ms,
        rate=new.rate,
        total=extent.count,
        is_total=extent.is_complete,
        created_at=record.created_at,
        next_due_at=record.created_at,
    )


def _before(criteria: JobFilter, now_ms: int) -> JobFilter:
    """Limit the filter to the past: no job is changed that the client cannot have seen."""
    before = now_ms + 1 if criteria.created_before is None else min(criteria.created_before, now_ms + 1)
    return replace(criteria, created_before=before)


def _canonical(new: NewJobTask) -> bytes:
    return b"%s|%d" % (canonical(new), new.rate)
