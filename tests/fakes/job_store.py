"""Definitions of recurring jobs in memory, with their transactions."""

from dataclasses import replace

from shared.domain.errors import UnreadableItemError
from shared.domain.execution import Execution
from shared.domain.job import Job, JobState
from tests.fakes.table import FakeTable


class FakeJobStore:
    """Each transaction happens whole or not at all."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def create(self, job: Job, first: Execution) -> Job | None:
        """See the port."""
        key = (job.tenant_id, job.id)
        if key in self._table.jobs:
            return self._table.jobs[key]
        if first.id in self._table.executions:
            raise UnreadableItemError(f"an execution of {job.id} stands without its definition")
        self._table.insert(first, None)
        self._table.jobs[key] = job
        return None

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        """See the port."""
        return self._table.jobs.get((tenant_id, job_id))

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        """See the port."""
        key = (target.tenant_id, target.job_id)
        job = self._table.jobs.get(key)
        if job is None or job.state is not JobState.ACTIVE or job.revision != target.revision:
            return False
        is_filed = skipped.id in self._table.executions or target.id in self._table.executions
        if is_filed or job.chain_from >= target.nominal_at:
            return False
        self._table.insert(skipped, expires_at_s)
        self._table.insert(target, None)
        self._table.jobs[key] = replace(job, chain_from=target.nominal_at)
        return True

    def active(self, *, after: str | None, limit: int) -> tuple[list[Job], str | None]:
        """See the port."""
        keys = {"|".join(key): key for key in self._table.jobs}
        page = [text for text in sorted(keys) if after is None or text > after][:limit]
        jobs = [self._table.jobs[keys[text]] for text in page]
        active = [job for job in jobs if job.state is JobState.ACTIVE]
        return active, page[-1] if len(page) == limit else None

    def file_if_active(self, execution: Execution) -> bool:
        """See the port."""
        job = self._table.jobs.get((execution.tenant_id, execution.job_id))
        if job is None or job.state is not JobState.ACTIVE or job.revision != execution.revision:
            return False
        if execution.id in self._table.executions:
            return False
        self._table.insert(execution, None)
        return True

    def begin_delete(self, tenant_id: str, job_id: str) -> Job | None:
        """See the port."""
        job = self._table.jobs.get((tenant_id, job_id))
        if job is not None and job.state is JobState.ACTIVE:
            job = self._table.jobs[tenant_id, job_id] = replace(job, state=JobState.DELETING)
        return job

    def end_delete(self, job: Job, expires_at_s: int) -> None:
        """See the port."""
        key = (job.tenant_id, job.id)
        standing = self._table.jobs.get(key)
        if standing is not None and standing.state is JobState.DELETING:
            self._table.jobs[key] = replace(standing, state=JobState.DELETED)
            self._table.job_expires_at_s[key] = expires_at_s
        if job.payload_apart:
            self.expire_payload(job.tenant_id, job.id, expires_at_s)

    def put_payload(self, tenant_id: str, job_id: str, sealed: bytes) -> None:
        """See the port."""
        self._table.payloads[tenant_id, job_id] = sealed
        self._table.payload_expires_at_s.pop((tenant_id, job_id), None)

    def get_payload(self, tenant_id: str, job_id: str) -> bytes:
        """See the port."""
        if (tenant_id, job_id) not in self._table.payloads:
            raise UnreadableItemError(f"the request of {job_id} is missing")
        return self._table.payloads[tenant_id, job_id]

    def expire_payload(self, tenant_id: str, job_id: str, expires_at_s: int) -> None:
        """See the port."""
        if (tenant_id, job_id) in self._table.payloads:
            self._table.payload_expires_at_s[tenant_id, job_id] = expires_at_s
