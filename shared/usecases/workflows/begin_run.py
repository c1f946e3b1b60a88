"""Begin the run of an execution whose job starts a workflow, in place of a call.

The run has an ID that follows from that of the execution, and lies in the same shard. It is put with its first tasks
chosen; then they are filed. So a repeated beginning finds the same run. An execution ends without a run only
behind a *tombstone*: a run that has ended as cancelled, which a slow worker then finds in place of its own.
"""

from dataclasses import replace
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan, bucket_of
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import EndReason
from shared.domain.tenancy.suspension import KNOWN_FOR_MS
from shared.domain.workflows.identities import run_of
from shared.domain.workflows.run import Parent, Run, RunState
from shared.domain.workflows.run_input import LOST_INPUT
from shared.domain.workflows.workflow import Workflow, new_run
from shared.ports.runtime import Clock
from shared.ports.workflows import RunStore, WorkflowStore
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.workflows.advance_run import AdvanceRun
from shared.usecases.workflows.run_inputs import RunInputs

MARGIN_MS = 300_000
"""How long after the deadline of its run an execution is looked at again, unless the run has ended it before."""
GONE = CallbackResponse(reason=Reason.WORKFLOW_GONE, duration_ms=0)
SUSPENDED_NOW = CallbackResponse(reason=Reason.LEASE_TOO_SHORT, duration_ms=0)
"""The claim is refunded: the run begins after the suspension."""


@dataclass(frozen=True, slots=True)
class BeginRun:
    """Safe to repeat, and to run in any number of processes at once."""

    workflows: WorkflowStore
    runs: RunStore
    advance: AdvanceRun
    inputs: RunInputs
    file: FileExecution
    read_tenant: ReadTenant
    clock: Clock
    plan: ShardPlan
    retention: Retention

    def execute(
        self, execution: Execution, now_ms: int, sealed: bytes | None = None
    ) -> CallbackResponse | EndReason:
        """What the attempt of a claimed execution has come to: accepted, while its run is open.

        `sealed` is its request where that stands apart and was read before. UnreadableItemError if the tenant or the
        input is gone. UnavailableError: the run may or may not stand, so repeat it.
        """
        tenant = self.read_tenant.execute(execution.tenant_id, KNOWN_FOR_MS)
        if tenant is None:
            raise UnreadableItemError("the tenant of this execution is gone")
        if execution.attempt == 1 and execution.is_missed(tenant.suspensions, now_ms):
            return self.withdraw(execution, EndReason.SUSPENDED)
        suspended_from = tenant.suspended_from(now_ms)
        if suspended_from is not None and now_ms >= suspended_from:
            return SUSPENDED_NOW
        workflow = self._revision(execution, is_present=True)
        if workflow is None:
            return self._ended_without(execution) or GONE
        draft = self._draft(execution, workflow, RunState.RUNNING)
        standing = None
        if _hands_on_input(execution, workflow):
            # A run that stands has its input, which is not stored again.
            standing = self.runs.get(draft.id) if execution.progress.claims > 1 else None
            try:
                draft = draft if standing else self.inputs.of_execution(draft, execution, sealed)
            except UnreadableItemError:
                # Without its input, no run may begin later.
                ended = self._ended_without(execution)
                if ended is None:
                    raise
                return ended
        return outcome_of(self._begun(workflow, draft, standing))

    def withdraw(self, execution: Execution, reason: EndReason) -> CallbackResponse | EndReason:
        """End a claimed execution without a run; a run that stands already takes precedence.

        After a deletion of the job, a run that stands is left to the deletion, which cancels it.
        """
        return self._ended_without(execution) or reason

    def block(self, execution: Execution) -> Run | None:
        """Keep the run from beginning. The run that stands; None if none does, and none can begin."""
        workflow = self._revision(execution, is_present=False)
        if workflow is None:
            return self.runs.get(run_of(execution.id))
        tombstone = self._draft(execution, workflow, RunState.CANCELLING)
        if _hands_on_input(execution, workflow):
            standing = self.runs.get(tombstone.id)
            if standing is not None:
                return standing
            try:
                # A redrive of this run gets the input of the run that did not begin.
                tombstone = self.inputs.of_execution(tombstone, execution, None)
            except UnreadableItemError:
                # Its redrive is refused.
                tombstone = replace(tombstone, input_id=LOST_INPUT)
        expires_at_s = self.retention.record_expires_at_s(execution.id.dispatch_at, self.clock.now_ms())
        return self.runs.put_if_absent(tombstone, expires_at_s=expires_at_s)

    def _ended_without(self, execution: Execution) -> CallbackResponse | EndReason | None:
        standing = self.block(execution)
        return None if standing is None else outcome_of(self.healed(standing))

    def _begun(self, workflow: Workflow, draft: Run, standing: Run | None) -> Run:
        # The shard may have had its last scan: without another one, no sweep would find the run.
        self.file.ensure_scanned(draft.id)
        existing = standing or self.runs.put_if_absent(draft)
        self.file.ensure_scanned(draft.id)
        if existing is None:
            self.advance.file_tasks.execute(workflow, draft, draft.open_tasks())
            return draft
        return self.healed(existing)

    def healed(self, standing: Run) -> Run:
        """The put of a run may have been the last step of its process."""
        workflow = self.advance.read_revision.execute(standing)
        return standing if workflow is None else self.advance.heal(workflow, standing)

    def _draft(self, execution: Execution, workflow: Workflow, state: RunState) -> Run:
        now_ms = self.clock.now_ms()
        return new_run(
            workflow,
            run_of(execution.id),
            self.plan.counts_at(bucket_of(now_ms)),
            sha256(f"run|{execution.id}".encode()).digest()[:16],
            now_ms,
            parent=Parent(execution=execution.id, job_id=execution.job_id),
            state=state,
        )

    def _revision(self, execution: Execution, *, is_present: bool) -> Workflow | None:
        """The latest revision of the workflow; None if it is gone. `is_present`: also if it was deleted."""
        workflow_id = execution.call.workflow_id or ""
        head = self.workflows.head(execution.tenant_id, workflow_id)
        if head is None or (is_present and head.is_deleted):
            return None
        return self.advance.read_revision.of(execution.tenant_id, workflow_id, head.revision)


def _hands_on_input(execution: Execution, workflow: Workflow) -> bool:
    """Whether a task takes the input of the run that this execution begins: only then it is read and stored."""
    return execution.call.has_input and workflow.graph.takes_input


def outcome_of(run: Run) -> CallbackResponse | EndReason:
    """What the run means for the attempt of the execution that started it."""
    if run.state is RunState.CANCELLED:
        return EndReason.CANCELLED
    # In seconds, as long durations are stored: otherwise a repeated outcome would not equal the stored one.
    duration_ms = ((run.ended_at or run.created_at) - run.created_at) // 1000 * 1000
    if run.state is RunState.FAILED:
        return CallbackResponse(reason=Reason.RUN_FAILED, duration_ms=duration_ms)
    if run.state is RunState.TIMED_OUT:
        return CallbackResponse(reason=Reason.RUN_TIMED_OUT, duration_ms=duration_ms)
    is_open = run.state is not RunState.SUCCEEDED
    return CallbackResponse(
        reason=Reason.OK,
        duration_ms=duration_ms,
        async_accepted=is_open,
        open_until=run.deadline_at + MARGIN_MS if is_open else None,
    )
