"""Names of recurring jobs in memory: strongly consistent."""

from collections.abc import Collection, Mapping

from tests.support.fakes.table import FakeTable


class FakeJobNames:
    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def of(self, tenant_id: str, job_ids: Collection[str]) -> Mapping[str, str]:
        jobs = (self._table.jobs.get((tenant_id, job_id)) for job_id in job_ids)
        return {job.id: job.name for job in jobs if job is not None and job.name}
