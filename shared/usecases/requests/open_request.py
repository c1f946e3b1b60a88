"""Unseal the request of an execution or a job."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import Alert, AlertWindow
from shared.domain.delivery.outcome_callbacks import OUTCOME_CONTEXT
from shared.domain.delivery.request import Request, decode_request
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.alert_window import MAX_SUMMARIZED, summarize
from shared.domain.executions.console_links import ConsoleLinks
from shared.domain.executions.execution import EndedRun, Execution
from shared.domain.executions.notification import NotifiedJob
from shared.domain.executions.notification_request import limit_request, notification_request, summary_request
from shared.domain.ids import ExecutionId, is_recurring_job_id
from shared.domain.jobs.job import Job
from shared.domain.tenancy.tenant import Tenant
from shared.ports.alerts import AlertWindows
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.usecases.requests.seal_request import open_alerts, open_callback_target

if TYPE_CHECKING:
    from shared.domain.workflows.run import Run
    from shared.domain.workflows.workflow import Workflow


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Reads a request from the item or, if large, from its payload item. Requests of notifications are
    rebuilt."""

    jobs: JobStore
    vault: Vault
    store: ExecutionStore
    alert_windows: AlertWindows
    links: ConsoleLinks
    read_revision: "Callable[[Run], Workflow | None]"

    def execute(self, tenant: Tenant, owner: Execution | Job, apart: bytes | None = None) -> Request:
        """The request; `apart` is its sealed form, if it stands apart and was read before.

        UnreadableItemError if it is lost for good, UnavailableError if it cannot be read for now.
        """
        if isinstance(owner, Execution) and owner.notification_of is not None:
            return self._notification(tenant, owner, owner.notification_of)
        job_id = owner.job_id if isinstance(owner, Execution) else owner.id
        sealed = apart or owner.call.request
        if owner.call.payload_id and not apart:
            sealed = self.jobs.get_payload(owner.tenant_id, owner.call.payload_id)
        return decode_request(self.vault.unseal(tenant, job_id, sealed))

    def described(self, tenant: Tenant, owner: Execution | Job) -> Request:
        """The request as its job describes it now. The URLs of its notifications are those of the call, which a bulk
        operation changes alone: the sealed request may have former ones."""
        request, call = self.execute(tenant, owner), owner.call
        return replace(
            request,
            on_success=open_callback_target(self.vault, tenant, call.callbacks.on_success),
            on_failure=open_callback_target(self.vault, tenant, call.callbacks.on_failure),
            alerts=open_alerts(self.vault, tenant, call.alerts),
        )

    def _notification(self, tenant: Tenant, owner: Execution, ended_id: ExecutionId) -> Request:
        """Rebuild the request from the stored URL and the ended execution, which never changes and outlives
        the notification."""
        url = self.vault.unseal(tenant, OUTCOME_CONTEXT, owner.call.request).decode()
        if owner.alert is not None and owner.alert.limit is not None:
            return limit_request(url, owner.alert.limit, owner.alert.format, self.links)
        if owner.alert is not None and owner.alert.window is not None:
            return self._summary(tenant, url, owner.alert, owner.alert.window)
        if owner.ended_run is not None:
            return self._of_run(url, owner, owner.ended_run)
        ended = self.store.get(ended_id)
        if ended is None:
            raise UnreadableItemError("the execution that it tells of is not kept any more")
        return notification_request(url, ended, self._notified_job(tenant, ended), owner.alert, self.links)

    def _of_run(self, url: str, notification: Execution, ended: EndedRun) -> Request:
        # Imported late: few notifications are of runs.
        from shared.domain.workflows.run_end import opened
        from shared.domain.workflows.run_notification import run_notification_request

        run = opened(notification, ended)
        workflow = self.read_revision(run)
        if workflow is None:
            raise UnreadableItemError("the workflow of the run is not kept any more")
        return run_notification_request(url, run, workflow, notification.alert, self.links)

    def _summary(self, tenant: Tenant, url: str, alert: Alert, window: AlertWindow) -> Request:
        suppressed = self.alert_windows.suppressed(tenant.id, window, at_most=MAX_SUMMARIZED + 1)
        return summary_request(url, summarize(window, suppressed), alert.format, self.links)

    def _notified_job(self, tenant: Tenant, ended: Execution) -> NotifiedJob:
        """Name, tags and host of the job. A run of a schedule has no name, so its definition is read.

        What is lost for good is left out: the notification is sent all the same. UnavailableError.
        """
        described: Execution | Job | None = ended
        try:
            if is_recurring_job_id(ended.job_id):
                described = self.jobs.get(ended.tenant_id, ended.job_id)
        except UnreadableItemError:
            described = None
        return NotifiedJob(
            name=described.name if described is not None else None,
            tags=described.tags if described is not None else (),
            host=self._host(tenant, ended),
        )

    def _host(self, tenant: Tenant, ended: Execution) -> str | None:
        try:
            return urlsplit(self.execute(tenant, ended).url).hostname
        except UnreadableItemError:
            return None
