"""Start a bulk redrive: all dead letters of a range, at a limited rate. The task is stored here and processed
elsewhere."""

from collections.abc import Callable
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.dead_letters.redrive_task import RedriveTask, is_redrive_task_id, redrive_task_id
from shared.domain.dead_letters.run_letters import RunVerdict
from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.ports.bulk import RedriveTasks
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import IdempotencyRecord
from shared.ports.runtime import Clock, Spread
from shared.usecases.bulk.identify_task import IdentifyTask
from shared.usecases.dead_letters.follow_redrives import is_redriven
from shared.usecases.dead_letters.judge_run_letters import JudgeRunLetters
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.run_plan import belongs_to_run

COUNTED_AT_MOST = 1_000
"""Dead letters that a dry run examines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRedrive:
    """The dead letters to redrive, and the rate per second."""

    criteria: DeadLetterFilter
    rate: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedRedrive:
    """The stored task. `replayed`: an earlier request with the same key had created it."""

    task: RedriveTask
    replayed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RedrivePlan:
    """The dead letters that would be redriven. If not `is_complete`, there may be more."""

    matching: tuple[Execution, ...]
    is_complete: bool
    fresh: tuple[Execution, ...]
    """Those at which a redrive would be made, unless it is refused then: for each run of a workflow, the first of its
    dead letters."""
    already_redriven: int


@dataclass(frozen=True, slots=True)
class StartRedrive:
    """Allows one open task per tenant, so that two tasks never walk over the same dead letters."""

    tasks: RedriveTasks
    list_dead_letters: ListDeadLetters
    judge: Callable[[], JudgeRunLetters]
    """Made only for dead letters of workflows."""
    store: ExecutionStore
    spread: Spread
    identify: IdentifyTask
    clock: Clock

    def execute(self, tenant: Tenant, new: NewRedrive, key: str | None = None) -> StartedRedrive:
        """Create the task; repeats with the same idempotency key return the same task.

        Covers dead letters that were due before now. InvalidStateError while another task is open.
        """
        record, is_known = self.identify.execute(tenant, _canonical(new), redrive_task_id, key)
        if is_known:
            existing = self.tasks.get(tenant.id, record.id)
            if existing is not None:
                return StartedRedrive(task=existing, replayed=True)
        task = _task(tenant.id, new, record)
        opened = self.tasks.create(task)
        if opened is None:
            return StartedRedrive(task=task, replayed=is_known)
        if opened != task.id:
            raise InvalidStateError(f"redrive {opened} is still open")
        existing = self.tasks.get(tenant.id, task.id)
        if existing is None:
            raise UnavailableError("the redrive is on the list and nowhere else")
        return StartedRedrive(task=existing, replayed=is_known)

    def plan(self, tenant_id: str, criteria: DeadLetterFilter) -> RedrivePlan:
        """The dead letters that would be redriven now, oldest first. Nothing is written."""
        criteria = _before(criteria, self.clock.now_ms())
        page = self.list_dead_letters.page(
            tenant_id,
            criteria,
            limit=COUNTED_AT_MOST,
            newest_first=False,
            at_most=COUNTED_AT_MOST,
        )
        letters = self.judge().execute(criteria, page.items) if any(map(belongs_to_run, page.items)) else {}
        others = [index for index in range(len(page.items)) if index not in letters]
        known = self.spread(lambda index: is_redriven(self.store, page.items[index]), others)
        redriven = dict(zip(others, known, strict=True))
        verdicts = {index: letter.verdict for index, letter in letters.items()}
        verdicts |= {index: RunVerdict.SKIP if redriven[index] else RunVerdict.REDRIVE for index in others}
        fresh = [each for index, each in enumerate(page.items) if verdicts[index] is RunVerdict.REDRIVE]
        skipped = [each for each in verdicts.values() if each is RunVerdict.SKIP]
        return RedrivePlan(
            matching=page.items,
            is_complete=page.last is None,
            fresh=tuple(fresh),
            already_redriven=len(skipped),
        )

    def find(self, tenant_id: str, task_id: str) -> RedriveTask:
        """A task of this tenant; NotFoundError."""
        task = self.tasks.get(tenant_id, task_id) if is_redrive_task_id(task_id) else None
        if task is None:
            raise NotFoundError("no such redrive")
        return task


def _task(tenant_id: str, new: NewRedrive, record: IdempotencyRecord[str]) -> RedriveTask:
    criteria = _before(new.criteria, record.created_at)
    return RedriveTask(
        id=record.id,
        tenant_id=tenant_id,
        criteria=criteria,
        rate=new.rate,
        created_at=record.created_at,
        next_due_at=record.created_at,
        position=criteria.span.after,
    )


def _before(criteria: DeadLetterFilter, now_ms: int) -> DeadLetterFilter:
    """Limit the filter to the past. Otherwise the task would redrive its own redrives if they fail."""
    span = PositionRange(
        after=criteria.span.after, before=min(criteria.span.before, IndexPosition(at=now_ms))
    )
    return replace(criteria, span=span)


def _canonical(new: NewRedrive) -> bytes:
    """Canonical form of a request, for its fingerprint."""
    criteria = new.criteria
    fields = (
        criteria.job_id,
        criteria.tag,
        criteria.reason,
        criteria.status,
        criteria.lane.value if criteria.lane else None,
        criteria.span.after.at,
        criteria.span.before.at,
        new.rate,
    )
    return "|".join(("redrive", *map(str, fields))).encode()
