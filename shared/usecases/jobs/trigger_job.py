"""Trigger a recurring job: one extra run now, outside its schedule."""

from shared.dataclass import dataclass
from shared.domain.errors import IdempotencyKeyReusedError, InvalidStateError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.ids import ExecutionId, backfilled_job
from shared.domain.jobs.job import Job
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore
from shared.ports.runtime import Clock
from shared.usecases.chains.change_job import FindSettled
from shared.usecases.jobs.file_trigger import FileTrigger, require_open


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerResult:
    """The execution. `replayed`: an earlier request with the same key had filed it."""

    execution: Execution
    replayed: bool


@dataclass(frozen=True, slots=True)
class TriggerJob:
    """Leaves the job's chain and any pause unchanged."""

    find_settled: FindSettled
    file_trigger: FileTrigger
    idempotency: IdempotencyStore
    vault: Vault
    clock: Clock

    def execute(
        self, tenant: Tenant, job_id: str, key: str | None = None, *, revision: int | None = None
    ) -> TriggerResult:
        """File the execution; repeats with the same idempotency key return the same execution.

        InvalidStateError if the job is a backfill, or neither active nor paused. NotFoundError if there is
        none. PreconditionFailedError if the job is not at `revision`; a repeat gets its execution even then.
        """
        if backfilled_job(job_id) is not None:
            self.find_settled.execute(tenant.id, job_id)
            raise InvalidStateError("a backfill runs for the instants of its range alone; trigger its job")
        job = self.find_settled.execute(tenant.id, job_id)
        record, replayed = self._identify(tenant, job, key, revision)
        filed = self.file_trigger.execute(job, record.id, may_exist=replayed, revision=revision)
        return TriggerResult(execution=filed, replayed=replayed)

    def _identify(
        self, tenant: Tenant, job: Job, key: str | None, revision: int | None
    ) -> tuple[IdempotencyRecord[ExecutionId], bool]:
        now_ms = self.clock.now_ms()
        fingerprint = self.vault.fingerprint(tenant, f"trigger|{job.id}".encode())
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is None:  # Check before the claim, so that a refused request does not use up its key.
            require_open(job, revision)
        chosen = known or self._choose(job, fingerprint, now_ms)
        record = chosen
        if key is not None and known is None:
            record = self.idempotency.claim(tenant.id, key, chosen, now_ms)
        if record.fingerprint != fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request")
        return record, known is not None or record != chosen

    def _choose(self, job: Job, fingerprint: bytes, now_ms: int) -> IdempotencyRecord[ExecutionId]:
        return IdempotencyRecord(
            fingerprint=fingerprint,
            id=self.file_trigger.choose(job.id, now_ms),
            created_at=now_ms,
            due_at=now_ms,
            expires_at=now_ms + IDEMPOTENCY_DAYS * DAY_SECONDS * 1000,
        )
