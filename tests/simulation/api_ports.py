"""The use cases behind the routes of the API, over the ports of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.attempts.check_token import CheckToken
from shared.usecases.attempts.heartbeat_execution import HeartbeatExecution
from shared.usecases.attempts.report_outcome import ReportOutcome
from shared.usecases.dead_letters.cancel_redrive import CancelRedrive
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.start_redrive import StartRedrive
from shared.usecases.dead_letters.undo_redrive import UndoRedrive
from shared.usecases.filing.file_batch import FileBatch
from shared.usecases.filing.record_dst_skips import RecordDstSkips
from shared.usecases.jobs.backfill_job import BackfillJob
from shared.usecases.jobs.cancel_job import CancelJob
from shared.usecases.jobs.create_job import CreateJob
from shared.usecases.jobs.create_jobs import CreateJobs
from shared.usecases.jobs.create_recurring import CreateRecurring
from shared.usecases.jobs.draft_job import DraftJob
from shared.usecases.jobs.revise_job import ReviseJob
from shared.usecases.jobs.trigger_job import TriggerJob
from shared.usecases.jobs.update_one_off import UpdateOneOff
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.listings.list_executions import ListExecutions
from shared.usecases.reading.find_execution import FindExecution
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.read_tenant import ReadTenant
from tests.simulation.calls import PortCalls
from tests.simulation.port_set import PortSet
from tests.support.fakes.budgets import generous

if TYPE_CHECKING:
    pass


class ApiPorts(PortSet):
    """What a request may ask for."""

    def create_job(self) -> CreateJob:
        """POST /v1/jobs."""
        world = self._world
        return CreateJob(
            DraftJob(self.jobs, world.vault, world.entropy, world.plan, TargetPolicy()),
            self.file,
            CreateRecurring(self.file, self.jobs, RecordDstSkips(self.store, self.clock, world.retention)),
            self.idempotency,
            generous(world.table, self.clock),
            self.clock,
        )

    def create_jobs(self) -> CreateJobs:
        """POST /v1/jobs/batch."""
        one = self.create_job()
        batches: Any = PortCalls(self._process, self._world.one_off_batches)
        file_batch = FileBatch(self.file, batches)
        return CreateJobs(
            one.draft, file_batch, one.create_recurring, self.idempotency, one.check_quota, self.clock
        )

    def cancel_job(self) -> CancelJob:
        """DELETE /v1/jobs/{id}."""
        world = self._world
        return CancelJob(
            self.find, self.store, self.finalize(), self.lifecycle().delete, self.clock, world.retention
        )

    def revise(self, tenant: Tenant, job: Execution | Job, new: NewJob) -> Execution | Job:
        """PATCH /v1/jobs/{id}, of the job as its client saw it."""
        world = self._world
        update_one_off = UpdateOneOff(
            self.one_offs, self.store, self.file, self.clock, world.entropy, world.plan, world.retention
        )
        revise_job = ReviseJob(
            self.jobs,
            self.lifecycle().update,
            update_one_off,
            world.vault,
            self.clock,
            world.entropy,
            policy=TargetPolicy(),
        )
        present = OpenRequest(self.jobs, world.vault, self.store).execute(tenant, job)
        return revise_job.execute(tenant, job, present, new, revision=job.revision)

    def version_of(self, tenant_id: str, job: Execution | Job) -> int:
        """The number in the body that a job shows."""
        return int(
            OpenRequest(self.jobs, self._world.vault, self.store)
            .execute(self._world.tenant(tenant_id), job)
            .body
        )

    def trigger_job(self) -> TriggerJob:
        """POST /v1/jobs/{id}/trigger."""
        world = self._world
        return TriggerJob(
            self.store,
            self.jobs,
            self.lifecycle().find_settled,
            self.idempotency,
            self.file,
            world.vault,
            self.clock,
            world.entropy,
            world.plan,
            world.retention,
        )

    def backfill_job(self) -> BackfillJob:
        """POST /v1/jobs/{id}/backfill."""
        world = self._world
        return BackfillJob(
            self.jobs,
            self.lifecycle().find_settled,
            self.lifecycle().resend_chain_head,
            self.idempotency,
            generous(world.table, self.clock),
            OpenRequest(self.jobs, world.vault, self.store),
            self.file,
            world.vault,
            self.clock,
            world.entropy,
            world.plan,
            world.retention,
        )

    def heartbeat(self) -> HeartbeatExecution:
        """POST /v1/executions/{id}/heartbeat."""
        return HeartbeatExecution(self._check_token(), self.store, self.clock)

    def report_outcome(self) -> ReportOutcome:
        """POST /v1/executions/{id}/complete and fail."""
        return ReportOutcome(
            self._check_token(),
            self._settle_attempt(),
            self.store,
            self.file,
            self.finalize(),
            self._guard_start().hand_over,
            self.clock,
        )

    def _check_token(self) -> CheckToken:
        return CheckToken(self.store, ReadTenant(self._world.tenants, self.clock), self._world.vault)

    def list_executions(self) -> ListExecutions:
        """GET /v1/jobs/{id}/executions."""
        return ListExecutions(self.find, self.store, WalkHistory(self.jobs, self.clock))

    def list_dead_letters(self) -> ListDeadLetters:
        """GET /v1/dead-letters."""
        return ListDeadLetters(self.store, self.jobs)

    def find_execution(self) -> FindExecution:
        """GET /v1/executions/{id}."""
        return FindExecution(self.store)

    def cancel_redrive(self) -> CancelRedrive:
        """DELETE /v1/executions/{id}."""
        return CancelRedrive(self.find_execution(), self.cancel_job())

    def start_redrive(self) -> StartRedrive:
        """POST /v1/dead-letters/redrive."""
        world = self._world
        return StartRedrive(
            self.redrives,
            self.list_dead_letters(),
            self.idempotency,
            world.vault,
            self.clock,
            world.entropy,
        )

    def undo_redrive(self) -> UndoRedrive:
        """DELETE /v1/redrives/{id}."""
        return UndoRedrive(self.redrives, self.start_redrive(), self.clock)
