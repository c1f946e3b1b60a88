"""Notify of the end of a run: its callbacks and its alerts, by the outbox of executions."""

from collections.abc import Callable
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_end import ended_run, is_notified
from shared.domain.workflows.workflow import Workflow
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class AnnounceRun:
    """The write that ends an epoch of a run chooses the ID of its notification; then the notification is filed.

    If the process crashes in between, the returned message, the sweeper or a redrive of the run files the same one.
    """

    choose: Callable[[Execution, State], ExecutionId | None]
    """The ID of the notification to store with an outcome; None if there is nothing to notify."""
    file: Callable[[Execution], None]
    """File the notifications that an outcome's record names."""
    read_tenant: ReadTenant

    def named(self, workflow: Workflow, run: Run) -> Run:
        """The run with the ID of its notification, if it has ended and its end is to be notified."""
        if not is_notified(run):
            return run
        ended = ended_run(workflow, run)
        return replace(run, notification=self.choose(ended, ended.state))

    def execute(self, workflow: Workflow, run: Run) -> None:
        """File what the record of an ended run names; no effect without a name. UnavailableError: call again."""
        tenant = self.read_tenant.execute(run.tenant_id) if run.notification is not None else None
        if tenant is not None:
            self.file(ended_run(workflow, run, index_shards=tenant.index_shards))
