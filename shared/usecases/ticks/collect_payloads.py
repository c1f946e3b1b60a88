"""Set an expiry on the separately stored requests of recurring jobs that no definition names.

A request is stored before the definition that names it, so a crash or a refused change can leave it behind.
"""

from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.delivery.request import job_of_payload
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS, Retention
from shared.domain.jobs.job import ENDED
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock

MIN_AGE_MS = (IDEMPOTENCY_DAYS + 1) * DAY_SECONDS * 1000
"""A younger payload may still get its definition: a replay of a creation names the payload of the first try."""
PAGE = 100


@dataclass(frozen=True, slots=True)
class CollectPayloads:
    """Safe to repeat, and to stop at any point.

    The expiry is late enough for executions of earlier revisions: they extend it while they are open.
    """

    jobs: JobStore
    clock: Clock
    retention: Retention

    def execute(self, has_time: Callable[[], bool]) -> int:
        """The number of payloads that expire from now on. UnavailableError where the store does not respond."""
        now_ms, collected, after = self.clock.now_ms(), 0, None
        while has_time():
            found, after = self.jobs.unbounded_payloads(
                stored_before=now_ms - MIN_AGE_MS, after=after, limit=PAGE
            )
            for tenant_id, payload_id in found:
                if not self._is_named(tenant_id, payload_id):
                    expires_at_s = self.retention.payload_expires_at_s(now_ms)
                    self.jobs.expire_payload(tenant_id, payload_id, expires_at_s)
                    collected += 1
            if after is None:
                break
        return collected

    def _is_named(self, tenant_id: str, payload_id: str) -> bool:
        """Whether the job's definition or its pending change names the payload; unreadable jobs keep theirs."""
        try:
            job = self.jobs.get(tenant_id, job_of_payload(payload_id))
        except UnreadableItemError:
            return True
        if job is None or job.state in ENDED:
            return False
        pending = job.change.call.payload_id if job.change is not None else None
        return payload_id in (job.call.payload_id, pending)
