"""Export what is stored of a tenant, one document after another, in pages of bounded size."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from shared.dataclass import dataclass
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.listings.position import PositionRange
from shared.domain.tenancy.tenant import Tenant
from shared.ports.calendars import CalendarStore
from shared.ports.executions import ExecutionStore
from shared.ports.listings import Queries, TenantIndex
from shared.ports.runtime import Clock
from shared.ports.tenancy import TenantStore
from shared.ports.triggers import TriggerStore
from shared.usecases.listings.plain_values import plain
from shared.usecases.reading.read_executions import read_readable
from shared.usecases.reading.read_page import walk_index
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.account_documents import key_document, secret_document
from shared.usecases.tenancy.manage_tenants import FindTenant

PAGE = 100
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportTenant:
    """Definitions are read strongly, executions by an index that follows within seconds. A tenant that is suspended
    gives a consistent export."""

    tenants: TenantStore
    queries: Queries
    store: ExecutionStore
    calendars: CalendarStore
    triggers: TriggerStore
    open_request: OpenRequest
    clock: Clock

    def execute(self, tenant_id: str, describe: Callable[[Tenant], Mapping[str, Any]]) -> Iterator[Document]:
        """The tenant by `describe`, its keys and secrets without anything secret, its calendars and triggers, its
        definitions with their requests, and its executions, the oldest first. NotFoundError, UnavailableError."""
        tenant, now_ms = FindTenant(self.tenants).execute(tenant_id), self.clock.now_ms()
        yield {"kind": "tenant", **describe(tenant)}
        for key in self.tenants.get_keys(tenant.key_ids):
            yield {"kind": "key", **key_document(key, now_ms)}
        for secret in tenant.signing_secrets:
            yield {"kind": "signing_secret", **secret_document(secret, now_ms)}
        for calendar in self.calendars.all(tenant.id):
            yield {"kind": "calendar", **plain(calendar)}
        for trigger in self.triggers.all(tenant.id):
            yield {"kind": "trigger", **plain(trigger)}
        for job in self._definitions(tenant.id):
            yield {"kind": "job", **plain(job), "request": self._request(tenant, job)}
        for execution in self._executions(tenant):
            document = {"kind": "execution", **plain(execution), "last_body": _text(execution)}
            if execution.is_own_job:
                document["request"] = self._request(tenant, execution)
            yield document

    def _definitions(self, tenant_id: str) -> Iterator[Job]:
        page = self.queries.definitions(tenant_id, after=None, limit=PAGE)
        while True:
            yield from page.jobs
            if page.next_after is None:
                return
            page = self.queries.definitions(tenant_id, after=page.next_after, limit=PAGE)

    def _executions(self, tenant: Tenant) -> Iterator[Execution]:
        candidates = walk_index(
            self.queries,
            TenantIndex.DUE,
            tenant.id,
            tenant.index_shards,
            PositionRange(),
            newest_first=False,
        )
        while chunk := list(islice(candidates, PAGE)):
            found = read_readable(self.store, [each.position.id for each in chunk])
            yield from (found[each.position.id] for each in chunk if each.position.id in found)

    def _request(self, tenant: Tenant, owner: Execution | Job) -> Document | None:
        """None for a request that is lost for good."""
        try:
            request = self.open_request.described(tenant, owner)
        except UnreadableItemError:
            return None
        return {**plain(request), "body": request.body.decode(errors="replace")}


def _text(execution: Execution) -> str:
    return execution.progress.last_body.decode(errors="replace")
