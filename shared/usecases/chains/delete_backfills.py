"""Delete the backfills of a job that is being deleted."""

from collections.abc import Callable

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.domain.ids import backfilled_job
from shared.domain.jobs.job import CHANGING, Job, JobState
from shared.ports.jobs import JobStore
from shared.usecases.chains.mark_deleting import MarkDeleting

TRIES = 5
"""Tries to delete one backfill against concurrent changes."""


@dataclass(frozen=True, slots=True)
class DeleteBackfills:
    """Safe to repeat."""

    jobs: JobStore
    mark_deleting: MarkDeleting

    def execute(self, job: Job, settle: Callable[[Job], Job | None]) -> None:
        """Delete every backfill of a job in state DELETING; none can be added, because a new backfill
        requires an open job.

        `settle` completes a pending transition. UnavailableError if a backfill keeps being changed
        concurrently.
        """
        if backfilled_job(job.id) is not None:
            return
        for backfill_id in self.jobs.backfills(job.tenant_id, job.id):
            self._delete(job.tenant_id, backfill_id, settle)

    def _delete(self, tenant_id: str, backfill_id: str, settle: Callable[[Job], Job | None]) -> None:
        for _ in range(TRIES):
            backfill = self.jobs.get(tenant_id, backfill_id)
            if backfill is not None and backfill.state in CHANGING:
                backfill = settle(backfill) or self.jobs.get(tenant_id, backfill_id)
            if backfill is None or backfill.state is JobState.DELETED:
                return
            deleting = self.mark_deleting.execute(backfill) if backfill.state not in CHANGING else None
            if deleting is not None and settle(deleting) is not None:
                return
        raise UnavailableError("a backfill of the job is being changed by others")
