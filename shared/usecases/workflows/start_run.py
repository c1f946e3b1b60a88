"""Start a run of a workflow by request."""

from collections.abc import Callable
from typing import Any

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.request import Request, encode_request
from shared.domain.errors import IdempotencyKeyReusedError, IdentityConflictError, InvalidValueError
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.run import Run
from shared.domain.workflows.workflow import Workflow, new_run
from shared.ports.delivery import Vault
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore
from shared.ports.runtime import Clock, Entropy
from shared.ports.workflows import RunStore
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.workflows.advance_run import AdvanceRun
from shared.usecases.workflows.find_run import FindRun
from shared.usecases.workflows.run_inputs import RunInputs


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedRun:
    """`replayed`: an earlier request with the same key had started the run."""

    run: Run
    workflow: Workflow
    replayed: bool


@dataclass(frozen=True, slots=True)
class StartRun:
    """The run is put with its first tasks chosen; then they are filed; then the request is acknowledged.

    If the process crashes in between, the sweeper finds the run, and files the same executions.
    """

    find: FindRun
    runs: RunStore
    advance: AdvanceRun
    inputs: RunInputs
    file: FileExecution
    idempotency: IdempotencyStore
    vault: Vault
    clock: Clock
    entropy: Entropy
    plan: ShardPlan
    cell: str

    def execute(
        self,
        tenant: Tenant,
        workflow_id: str,
        key: str | None = None,
        *,
        text: bytes = b"",
        admit: Callable[[int], None] | None = None,
    ) -> StartedRun:
        """Repeats with the same idempotency key return the same run. `text` is its input; empty for none.

        `admit` gets the most executions of a run, and raises to refuse a new run, which then uses up no key.
        InvalidValueError for an input that no task takes. NotFoundError without such a workflow. UnavailableError: the
        run may or may not stand; repeat the request.
        """
        workflow = self.find.present(tenant.id, workflow_id)
        record, replayed = self._identify(tenant, workflow, key, text, admit)
        counts = self.plan.counts_at(bucket_of(record.due_at))
        draft = new_run(workflow, record.id, counts, record.fingerprint, record.created_at)
        # A run that stands has the input of the first request, and another one is not stored.
        standing = self.runs.get(draft.id) if text and replayed else None
        if text and standing is None and workflow.graph.takes_input:
            # Stored first, so that no run names an input that is missing.
            draft = self.inputs.store(draft, workflow.id, self._sealed(tenant, workflow, text))
        self.file.ensure_scanned(draft.id)
        existing = standing or self.runs.put_if_absent(draft)
        if existing is not None and existing.fingerprint != draft.fingerprint:
            raise IdentityConflictError("the id stands for another run")
        # As for an execution: the writer may have stood still until the bucket was swept and closed.
        self.file.ensure_scanned(draft.id)
        run = existing or draft
        if existing is None:
            self.advance.file_tasks.execute(workflow, run, run.open_tasks())
            return StartedRun(run=run, workflow=workflow, replayed=replayed)
        followed = self.advance.read_revision.execute(run) or workflow
        healed = self.advance.heal(followed, run)
        return StartedRun(run=healed, workflow=followed, replayed=replayed)

    def _sealed(self, tenant: Tenant, workflow: Workflow, text: bytes) -> bytes:
        """As the request of a job that starts the workflow."""
        request = Request(workflow_id=workflow.id, body=text)
        return self.vault.seal(tenant, workflow.id, encode_request(request))

    def _identify(
        self,
        tenant: Tenant,
        workflow: Workflow,
        key: str | None,
        text: bytes,
        admit: Callable[[int], None] | None,
    ) -> tuple[IdempotencyRecord[ExecutionId], bool]:
        now_ms = self.clock.now_ms()
        asked = f"run|{workflow.id}".encode() + (b"|" + text if text else b"")
        fingerprint = self.vault.fingerprint(tenant, asked)
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is not None:
            return _replayed(known, fingerprint), True
        if text and not workflow.graph.takes_input:
            raise InvalidValueError(
                'no task of the workflow takes an input: leave it out, or give a task "input": true',
                path=("input",),
            )
        if admit is not None:
            admit(workflow.graph.most_executions)
        counts = self.plan.counts_at(bucket_of(now_ms))
        chosen = IdempotencyRecord(
            fingerprint=fingerprint,
            id=new_one_off_id(now_ms, counts, self.entropy.bits(ENTROPY_BITS), cell=self.cell),
            created_at=now_ms,
            due_at=now_ms,
            expires_at=now_ms + IDEMPOTENCY_DAYS * DAY_SECONDS * 1000,
        )
        if key is None:
            return chosen, False
        record = self.idempotency.claim(tenant.id, key, chosen, now_ms)
        return _replayed(record, fingerprint), record != chosen


def _replayed(record: IdempotencyRecord[Any], fingerprint: bytes) -> IdempotencyRecord[ExecutionId]:
    """The record of the request; IdempotencyKeyReusedError for that of another request."""
    if record.fingerprint != fingerprint:
        raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request")
    return record
