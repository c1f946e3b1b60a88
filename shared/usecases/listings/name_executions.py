"""The names that executions are shown with."""

from collections.abc import Mapping, Sequence

from shared.dataclass import dataclass
from shared.domain.errors import ServiceError
from shared.domain.ids import is_recurring_job_id
from shared.ports.jobs import JobNames
from shared.usecases.reading.shown import Shown


@dataclass(frozen=True, slots=True)
class NameExecutions:
    """One eventually consistent read for the jobs of a page; none if all executions are one-off jobs."""

    names: JobNames

    def execute(self, tenant_id: str, executions: Sequence[Shown]) -> Mapping[str, str]:
        """Names of recurring jobs by their ids, for at most 100 executions; none where the read fails."""
        job_ids = {each.job_id for each in executions if is_recurring_job_id(each.job_id)}
        try:
            return self.names.of(tenant_id, job_ids) if job_ids else {}
        except ServiceError:
            return {}
