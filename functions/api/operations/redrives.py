"""Bulk redrives: planned, started, shown and undone."""

from contextlib import suppress
from dataclasses import dataclass

from functions.api.bodies import read_body
from functions.api.faults import in_body
from functions.api.idempotency import check_key
from functions.api.models.redrives import RedriveIn, RedriveOut, RedrivePlanOut
from functions.api.redrive_views import plan_out, redrive_out
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.errors import PunctualError, ScheduleError
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives
from shared.usecases.dead_letters.start_redrive import StartRedrive
from shared.usecases.dead_letters.undo_redrive import UndoRedrive


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBulkRedrive:
    """The bulk redrive. `replayed`: it was made before, under the same key."""

    redrive: RedriveOut
    replayed: bool
    redriven: int
    """How many executions this request has filed."""


@dataclass(frozen=True, slots=True)
class RedriveOperations:
    """One method an operation. The first page is worked off at once; the sweeper does the rest."""

    start_redrive: StartRedrive
    undo_redrive: UndoRedrive
    work_off: ProcessBulkRedrives

    def start(self, tenant: Tenant, body: bytes, key: str | None) -> MadeBulkRedrive | RedrivePlanOut:
        """The bulk redrive; where the body asks for a dry run, what it would redrive."""
        asked = read_body(body, RedriveIn)
        check_key(key)
        try:
            new = asked.new_redrive()
        except ScheduleError as fault:
            raise in_body(fault) from fault
        if asked.dry_run:
            return plan_out(self.start_redrive.plan(tenant.id, new.criteria))
        made = self.start_redrive.execute(tenant, new, key)
        task = made.task if made.replayed else self._first_page(made.task)
        redriven = task.counts.redriven - made.task.counts.redriven
        return MadeBulkRedrive(redrive=redrive_out(task), replayed=made.replayed, redriven=redriven)

    def get(self, tenant: Tenant, redrive_id: str) -> RedriveOut:
        """One bulk redrive."""
        return redrive_out(self.start_redrive.find(tenant.id, redrive_id))

    def undo(self, tenant: Tenant, redrive_id: str) -> RedriveOut:
        """The bulk redrive, whose undoing has begun."""
        task = self.undo_redrive.execute(tenant.id, redrive_id)
        return redrive_out(self._first_page(task) if task.is_open else task)

    def _first_page(self, task: RedriveTask) -> RedriveTask:
        """The task is durable: what goes wrong here is made good by the next run of the sweeper."""
        with suppress(PunctualError):
            return self.work_off.page(task) or task
        return task
