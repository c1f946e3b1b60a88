"""Set an expiry on a large request of a recurring job or a workflow that no definition names.

A request is stored before the definition that names it, so a crash or a refused change can leave it behind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from zlib import crc32

from shared.dataclass import dataclass
from shared.domain.delivery.request import job_of_payload
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS, Retention
from shared.domain.jobs.job import ENDED
from shared.ports.jobs import JobStore, LargeRequest
from shared.ports.runtime import Clock

if TYPE_CHECKING:
    from shared.domain.workflows.workflow import WorkflowHead

WORKFLOW_PREFIX = "wfl_"
HOUR_MS = 3_600_000
HOURS = 24
MIN_AGE_MS = (IDEMPOTENCY_DAYS + 1) * DAY_SECONDS * 1000
"""A younger payload may still get its definition: a replay of a creation names the payload of the first try."""


@dataclass(frozen=True, slots=True)
class CollectPayloads:
    """Safe to repeat. Each request has an hour of the day: a look costs a read, and a cycle takes minutes.

    The expiry is late enough for executions of earlier revisions: they extend it while they are open.
    """

    jobs: JobStore
    workflow_head: Callable[[str, str], WorkflowHead | None]
    clock: Clock
    retention: Retention

    def execute(self, request: LargeRequest) -> bool:
        """Whether the request expires from now on. UnavailableError where the store does not respond."""
        now_ms = self.clock.now_ms()
        if request.stored_at >= now_ms - MIN_AGE_MS or not _is_its_hour(request, now_ms):
            return False
        if self._is_named(request):
            return False
        expires_at_s = self.retention.payload_expires_at_s(now_ms)
        self.jobs.expire_payload(request.tenant_id, request.payload_id, expires_at_s)
        return True

    def _is_named(self, request: LargeRequest) -> bool:
        """Whether the job's definition or its pending change names the request; unreadable jobs keep theirs."""
        owner = job_of_payload(request.payload_id)
        if owner.startswith(WORKFLOW_PREFIX):
            return self._is_of_workflow(request, owner)
        try:
            job = self.jobs.get(request.tenant_id, owner)
        except UnreadableItemError:
            return True
        if job is None or job.state in ENDED:
            return False
        pending = job.change.call.payload_id if job.change is not None else None
        return request.payload_id in (job.call.payload_id, pending)

    def _is_of_workflow(self, request: LargeRequest, workflow_id: str) -> bool:
        """Whether the present revision of the workflow has the request. Runs of a former revision end long before the
        request expires."""
        try:
            head = self.workflow_head(request.tenant_id, workflow_id)
        except UnreadableItemError:
            return True
        if head is None or head.is_deleted:
            return False
        return request.payload_id.startswith(f"{workflow_id}.{head.revision}.")


def _is_its_hour(request: LargeRequest, now_ms: int) -> bool:
    return crc32(request.payload_id.encode()) % HOURS == now_ms // HOUR_MS % HOURS
