"""Redrive the runs of a page of dead letters. A page that is processed again finds the epochs that it has begun."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.bucket import MINUTE_MS
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.dead_letters.run_letters import RunVerdict
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.budget import BudgetName
from shared.domain.tenancy.quota import Quotas
from shared.domain.workflows.run import BulkRedrive
from shared.domain.workflows.run_rules import newly_chosen, redriven
from shared.ports.runtime import Clock, Spread
from shared.usecases.dead_letters.judge_run_letters import JudgeRunLetters, RunLetter
from shared.usecases.dead_letters.redrive_outcome import Outcome, unless_refused
from shared.usecases.dead_letters.run_plan import RunPlan
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget
from shared.usecases.workflows.read_revision import ReadRevision
from shared.usecases.workflows.redrive_run import RedriveRun

MAX_PAID = 2_000
"""Runs of the last pages, of all tenants."""


@dataclass(frozen=True, slots=True)
class RedriveRuns:
    judge: JudgeRunLetters
    read_revision: ReadRevision
    redrive: RedriveRun
    read_tenant: ReadTenant
    spend: SpendBudget
    defaults: Quotas
    clock: Clock
    spread: Spread
    _paid: BoundedCache[tuple[str, ExecutionId, int], int] = field(
        default_factory=lambda: BoundedCache(MAX_PAID)
    )
    """By bulk redrive, run and epoch: the minute from which the executions of the next epoch were taken. A page that is
    processed again takes them once."""

    def prepare(self, task: RedriveTask, dead: Sequence[Execution]) -> dict[int, RunPlan | Outcome]:
        """By the position of the dead letter: the run to redrive, or the outcome. Nothing is written.

        ServiceError or UnknownVersionError: process the page again.
        """
        letters = self.judge.execute(task.criteria, dead, task.id)
        limit = self._quotas(task.tenant_id).due_per_minute

        def plan(index: int) -> RunPlan | Outcome:
            planned = unless_refused(lambda: self._plan(letters[index]))
            is_too_large = isinstance(planned, RunPlan) and planned.most > limit
            return Outcome.REFUSED if is_too_large else planned

        indexes = list(letters)
        return dict(zip(indexes, self.spread(plan, indexes), strict=True))

    def room_at(self, task: RedriveTask, plan: RunPlan, due_at: int, until: int) -> int:
        """The first instant, from `due_at` on, in whose minute the tenant has room for the run, of which it takes its
        part. An instant behind `until` if there is none by then: nothing is taken."""
        limit = self._quotas(task.tenant_id).due_per_minute
        place = task.id, plan.run.id, plan.run.epoch
        paid = self._paid.get(place, -1)
        if paid >= due_at // MINUTE_MS:
            return max(due_at, paid * MINUTE_MS)
        while due_at <= until and not self.spend.in_minute(
            task.tenant_id, BudgetName.DUE, due_at // MINUTE_MS, limit, plan.most
        ):
            due_at = (due_at // MINUTE_MS + 1) * MINUTE_MS
        if due_at <= until:
            self._paid[place] = due_at // MINUTE_MS
        return due_at

    def execute(self, task: RedriveTask, dead: Execution, plan: RunPlan, due_at: int) -> Outcome:
        """Begin the next epoch of a run, whose first tasks are due at an instant. Errors as for `prepare`."""
        return unless_refused(lambda: self._redriven(task, dead, plan, due_at))

    def _plan(self, letter: RunLetter) -> RunPlan | Outcome:
        run = letter.run
        if letter.verdict is RunVerdict.SKIP:
            return Outcome.SKIPPED
        workflow = self.read_revision.execute(run) if run is not None else None
        if letter.verdict is RunVerdict.OWN and workflow is None:
            return Outcome.REDRIVEN
        if letter.verdict is RunVerdict.REFUSE or run is None or workflow is None:
            return Outcome.REFUSED
        if letter.verdict is RunVerdict.OWN:
            width = self.redrive.executions_of(workflow, run, run.open_tasks())
            return RunPlan(workflow=workflow, run=run, is_begun=True, width=width)
        after = redriven(run, workflow.graph, self.clock.now_ms(), workflow.deadline_seconds)
        return RunPlan(
            workflow=workflow,
            run=run,
            is_begun=False,
            width=self.redrive.executions_of(workflow, run, newly_chosen(run, after)),
            most=self.redrive.most_executions(workflow, after),
        )

    def _redriven(self, task: RedriveTask, dead: Execution, plan: RunPlan, due_at: int) -> Outcome:
        workflow, before = plan.workflow, plan.run
        if plan.is_begun:
            with suppress(PunctualError):  # As below.
                self.redrive.repeated(workflow, before)
            return Outcome.REDRIVEN
        own = BulkRedrive(task=task.id, dead_letter=dead.id)
        after = redriven(before, workflow.graph, due_at, workflow.deadline_seconds, own)
        if after.state.is_terminal:
            # Nothing is left to run, so the epoch ends now.
            after = redriven(before, workflow.graph, self.clock.now_ms(), workflow.deadline_seconds, own)
        update = self.redrive.begin(workflow, before, after)
        if update.run.bulk_redrive != own:
            return Outcome.SKIPPED  # Another request was faster.
        # The epoch has begun, and the sweeper carries it on: a run that cannot go on now delays no others.
        with suppress(PunctualError):
            self.redrive.go_on(workflow, before, update.run)
        return Outcome.REDRIVEN

    def _quotas(self, tenant_id: str) -> Quotas:
        tenant = self.read_tenant.execute(tenant_id)
        if tenant is None:
            raise UnavailableError("the tenant is gone")
        return self.defaults.overridden_by(tenant.quotas)
