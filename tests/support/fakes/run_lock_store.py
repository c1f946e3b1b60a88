"""Run locks of jobs in memory."""

from shared.ports.jobs import RunLock


class FakeRunLockStore:
    """Each compare-and-swap is atomic."""

    def __init__(self) -> None:
        self.run_locks: dict[tuple[str, str], RunLock] = {}

    def read(self, tenant_id: str, job_id: str) -> RunLock:
        return self.run_locks.get((tenant_id, job_id), RunLock())

    def swap(self, tenant_id: str, job_id: str, before: RunLock, after: RunLock) -> bool:
        if self.read(tenant_id, job_id) != before:
            return False
        self.run_locks[tenant_id, job_id] = after
        return True
