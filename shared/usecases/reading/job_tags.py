"""The tags of the jobs of executions."""

from shared.domain.ids import is_recurring_job_id
from shared.ports.jobs import JobStore
from shared.usecases.reading.shown import Shown, tenant_of


class JobTags:
    """Each recurring job is read once, because its executions do not carry its tags."""

    def __init__(self, jobs: JobStore) -> None:
        self._jobs = jobs
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, shown: Shown) -> tuple[str, ...]:
        """The tags of the execution's job; none if the job is gone."""
        if not is_recurring_job_id(shown.job_id):
            return shown.tags
        if shown.job_id not in self._known:
            job = self._jobs.get(tenant_of(shown), shown.job_id)
            self._known[shown.job_id] = job.tags if job is not None else ()
        return self._known[shown.job_id]
