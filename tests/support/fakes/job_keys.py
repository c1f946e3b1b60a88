"""The ids that are assigned to keys, in memory."""

from shared.domain.jobs.job_key import KeyedId
from tests.support.fakes.table import FakeTable


class FakeJobKeys:
    """Each call is one step."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def find(self, tenant_id: str, key: str) -> KeyedId | None:
        return self._table.keyed_ids.get((tenant_id, key))

    def assign(self, tenant_id: str, key: str, before: KeyedId | None, after: KeyedId) -> bool:
        standing = self.find(tenant_id, key)
        if standing == after:
            return True
        if (standing and standing.job_id) != (before and before.job_id):
            return False
        self._table.keyed_ids[tenant_id, key] = after
        self._table.key_expires_at_s.pop((tenant_id, key), None)
        return True
