"""Read workflows and runs as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import Alerts
from shared.domain.delivery.request import Request, decode_request
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.new_workflow import RunCallbacks
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.workflow import Workflow
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.workflows import MapStore, RunStore
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.requests.seal_request import open_alerts, open_callback_target
from shared.usecases.workflows.find_run import FindRun

if TYPE_CHECKING:
    from shared.domain.workflows.map_items import MapItems


@dataclass(frozen=True, slots=True)
class DescribedRun:
    """A run, the revision that it follows, the executions of its tasks, and the items of its maps."""

    run: Run
    workflow: Workflow
    executions: Mapping[ExecutionId, Execution]
    """By ID. That of a chosen task is missing before it is filed, and once its record has expired."""
    notification: Execution | None = None
    """Of the end of the run, if it is stored."""
    maps: Mapping[str, MapItems] = field(default_factory=dict)
    """By the key of the task. A map whose array has not been counted is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedWorkflow:
    """A revision of a workflow with what it stores sealed."""

    workflow: Workflow
    requests: Sequence[Request]
    """Those of the tasks, in their order."""
    callbacks: RunCallbacks
    alerts: Alerts | None


@dataclass(frozen=True, slots=True)
class RunPage:
    runs: Sequence[Run]
    """Latest first."""
    next_before: ExecutionId | None
    """None on the last page."""


@dataclass(frozen=True, slots=True)
class ReadRuns:
    find: FindRun
    runs: RunStore
    maps: MapStore
    executions: ExecutionStore
    jobs: JobStore
    vault: Vault

    def describe(self, tenant_id: str, run_id: str) -> DescribedRun:
        """Strong reads: one more for all executions, one for a notification, and one for each map. NotFoundError."""
        run, workflow = self.find.run(tenant_id, run_id)
        ids = [execution_of(run, workflow.graph, index) for index in range(len(run.tasks))]
        executions = self.executions.get_many([each for each in ids if each is not None])
        named = run.notification
        notification = read_readable(self.executions, [named]).get(named) if named is not None else None
        maps = {node.key: self.maps.get(run.id, node.key) for node in workflow.graph.nodes if node.map}
        return DescribedRun(
            run=run,
            workflow=workflow,
            executions=executions,
            notification=notification,
            maps={key: items for key, items in maps.items() if items is not None},
        )

    def page(self, tenant_id: str, workflow_id: str, *, before: ExecutionId | None, limit: int) -> RunPage:
        """The runs of a workflow, which may be deleted. The list may lag, and its runs are never stale. Expired
        and unreadable runs are left out, so a page may be short.

        NotFoundError without such a workflow.
        """
        self.find.stored_head(tenant_id, workflow_id)
        ids = self.runs.page(tenant_id, workflow_id, before=before, limit=limit)
        found = self._readable(ids)
        runs = [found[run_id] for run_id in ids if run_id in found]
        return RunPage(runs=runs, next_before=ids[-1] if len(ids) == limit else None)

    def _readable(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Run]:
        """One strong read; only if an item is broken or of a newer version, one for each run."""
        try:
            return self.runs.get_many(ids)
        except UnreadableItemError:
            found: dict[ExecutionId, Run] = {}
        for run_id in ids:
            with suppress(UnreadableItemError):
                run = self.runs.get(run_id)
                found |= {run_id: run} if run is not None else {}
        return found

    def opened(self, tenant: Tenant, workflow: Workflow) -> OpenedWorkflow:
        """Requests and URLs, decrypted. One read for each request that is too large for its revision."""
        on_success, on_failure = (
            open_callback_target(self.vault, tenant, target)
            for target in (workflow.callbacks.on_success, workflow.callbacks.on_failure)
        )
        return OpenedWorkflow(
            workflow=workflow,
            requests=[
                decode_request(
                    self.vault.unseal(
                        tenant,
                        workflow.id,
                        self.jobs.get_payload(tenant.id, call.payload_id)
                        if call.payload_id
                        else call.request,
                    )
                )
                for call in workflow.calls
            ],
            callbacks=RunCallbacks(on_success=on_success, on_failure=on_failure),
            alerts=open_alerts(self.vault, tenant, workflow.alerts),
        )
