"""Redrive a run: run again what has not succeeded, in the next epoch of the same run."""

from collections.abc import Callable, Sequence

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.domain.executions.retention import Retention
from shared.domain.workflows.run import Run, TaskReason, TaskState
from shared.domain.workflows.run_rules import execution_of, newly_chosen, redriven
from shared.domain.workflows.workflow import Workflow
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.ports.workflows import RunStore, RunUpdate, WorkflowStore
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.workflows.advance_run import AdvanceRun
from shared.usecases.workflows.find_run import FindRun
from shared.usecases.workflows.run_inputs import keep_input


@dataclass(frozen=True, slots=True)
class RedriveRun:
    """Redriving is idempotent: a repeated request with the same epoch finds the redrive of the first."""

    find: FindRun
    runs: RunStore
    workflows: WorkflowStore
    jobs: JobStore
    executions: ExecutionStore
    advance: AdvanceRun
    file: FileExecution
    clock: Clock
    retention: Retention

    def execute(
        self,
        tenant_id: str,
        run_id: str,
        *,
        epoch: int | None = None,
        admit: Callable[[int], None] | None = None,
    ) -> tuple[Run, Workflow]:
        """The run in its next epoch. `epoch` is the one that the client has seen.

        `admit` gets the most executions of the next epoch, and raises to refuse it. NotFoundError; InvalidStateError
        for a run that has not ended, that has succeeded, or whose requests are not kept any more. UnavailableError:
        repeat the request.
        """
        run, workflow = self.find.run(tenant_id, run_id)
        if epoch is not None and run.epoch == epoch + 1:
            return self.repeated(workflow, run), workflow
        if epoch is not None and run.epoch != epoch:
            raise InvalidStateError(f"the run is in epoch {run.epoch}")
        after = redriven(run, workflow.graph, self.clock.now_ms(), workflow.deadline_seconds)
        if admit is not None:
            admit(self.most_executions(workflow, after))
        update = self.begin(workflow, run, after)
        if not update.is_written:
            return self.repeated(workflow, update.run), workflow
        return self.go_on(workflow, run, update.run), workflow

    def begin(self, workflow: Workflow, run: Run, after: Run) -> RunUpdate:
        """Move an ended run to its next epoch, which `redriven` has made; nothing of that epoch is filed yet.

        InvalidStateError if what the epoch needs is not kept any more; NotFoundError. UnavailableError: the epoch may
        have begun. Once it has begun, the sweeper carries it on.
        """
        # Nothing may be left to run: a cancelled handler is skipped now, if nothing has failed.
        now_ms = self.clock.now_ms()
        expires_at_s = self.retention.expires_at_s(now_ms) if after.state.is_terminal else None
        after = self.advance.announce.named(workflow, after)
        # The next epoch forgets the name of the notification, so it must stand by then.
        self.advance.announce.execute(workflow, run)
        self._keep(workflow, run, after)
        # The run may lie in a bucket that was closed long ago.
        self.file.ensure_scanned(run.id)
        update = self.runs.update(run, after, expires_at_s=expires_at_s)
        self.file.ensure_scanned(run.id)
        return update

    def go_on(self, workflow: Workflow, before: Run, run: Run) -> Run:
        """The run after its first tasks were filed. `before` is the run at the end of the former epoch."""
        gone_on = self.advance.go_on(workflow, run, {}, missing=newly_chosen(before, run))
        self.advance.announce.execute(workflow, gone_on)
        return gone_on

    def repeated(self, workflow: Workflow, run: Run) -> Run:
        """The run after what an earlier try may have left undone."""
        self.file.ensure_scanned(run.id)
        return self.advance.heal(workflow, run)

    def most_executions(self, workflow: Workflow, run: Run) -> int:
        """Tasks that are chosen now or may be later, and the items of their maps."""
        left = [index for index, task in enumerate(run.tasks) if task is None or task.is_open]
        return self.executions_of(workflow, run, left)

    def executions_of(self, workflow: Workflow, run: Run, indexes: Sequence[int]) -> int:
        """The most executions of these tasks in the present epoch."""
        nodes = [workflow.graph.nodes[index] for index in indexes]
        return sum(
            1 if node.map is None else self.advance.maps().most_anew(run.id, node.key) for node in nodes
        )

    def _keep(self, workflow: Workflow, ended: Run, run: Run) -> None:
        """Definition, large requests and results must outlive the redrive."""
        expires_at_s = self.retention.reused_payload_expires_at_s(run.deadline_at)
        self.workflows.keep_revision(workflow.tenant_id, workflow.id, workflow.revision, expires_at_s)
        for call in workflow.calls:
            name = call.payload_id
            if name and not self.jobs.keep_payload(workflow.tenant_id, name, expires_at_s):
                raise InvalidStateError("the request of a task is not kept any more")
        if not keep_input(self.jobs, self.retention, run):
            raise InvalidStateError("the input of the run is not kept any more")
        needed, expires_at_s = workflow.graph.needed, self.retention.result_expires_at_s(run.deadline_at)
        for index, (node, task) in enumerate(zip(workflow.graph.nodes, run.tasks, strict=True)):
            if node.map is not None:
                self._keep_map(ended, index, node.key, expires_at_s)
                continue
            execution_id = execution_of(run, workflow.graph, index)
            if task is None or task.state is not TaskState.SUCCEEDED or node.key not in needed:
                continue
            if execution_id is None or not self.executions.keep_result(execution_id, expires_at_s):
                raise InvalidStateError(f"the result of task {node.key} is not kept any more")

    def _keep_map(self, ended: Run, index: int, key: str, expires_at_s: int) -> None:
        """The record of its items also has their results. A map without items may have a record of an earlier epoch."""
        task = ended.tasks[index]
        if task is not None and task.reason is TaskReason.RESULT_LOST:
            # Its items have succeeded and are not chosen again, so it would fail in the same way.
            raise InvalidStateError(f"a result that task {key} needs is not kept any more")
        is_kept = self.advance.maps().keep(ended.id, key, expires_at_s)
        if not is_kept and task is not None and task.has_execution:
            raise InvalidStateError(f"the items of task {key} are not kept any more")
