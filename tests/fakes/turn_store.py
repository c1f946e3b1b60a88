"""The turns of jobs in memory."""

from shared.ports.jobs import Turn


class FakeTurnStore:
    """Each swap happens whole or not at all."""

    def __init__(self) -> None:
        self.turns: dict[tuple[str, str], Turn] = {}

    def read(self, tenant_id: str, job_id: str) -> Turn:
        """See the port."""
        return self.turns.get((tenant_id, job_id), Turn())

    def swap(self, tenant_id: str, job_id: str, before: Turn, after: Turn) -> bool:
        """See the port."""
        if self.read(tenant_id, job_id) != before:
            return False
        self.turns[tenant_id, job_id] = after
        return True
