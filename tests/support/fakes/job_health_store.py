"""The health of jobs, in memory."""

from shared.domain.executions.job_health import JobHealth


class FakeJobHealthStore:
    """Counts nothing and expires nothing."""

    def __init__(self) -> None:
        self.health: dict[tuple[str, str], JobHealth] = {}
        self.expires_at_s: dict[tuple[str, str], int] = {}

    def read(self, tenant_id: str, job_id: str) -> JobHealth:
        return self.health.get((tenant_id, job_id), JobHealth())

    def swap(
        self, tenant_id: str, job_id: str, before: JobHealth, after: JobHealth, expires_at_s: int
    ) -> bool:
        if self.read(tenant_id, job_id).version != before.version:
            return False
        self.health[tenant_id, job_id] = after
        self.expires_at_s[tenant_id, job_id] = expires_at_s
        return True
