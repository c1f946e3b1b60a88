"""Triggers of tenants, in memory."""

from shared.domain.triggers.trigger import Trigger
from tests.support.fakes.table import FakeTable


class FakeTriggerStore:
    """Each call is one step."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def get(self, tenant_id: str, name: str) -> Trigger | None:
        return self._table.triggers.get((tenant_id, name))

    def all(self, tenant_id: str) -> list[Trigger]:
        stored = sorted(self._table.triggers.items(), key=lambda each: each[0])
        return [trigger for (owner, _), trigger in stored if owner == tenant_id]

    def put(self, tenant_id: str, trigger: Trigger, before: Trigger | None) -> bool:
        stored = self.get(tenant_id, trigger.name)
        if stored != trigger and _identity(stored) != _identity(before):
            return False
        self._table.triggers[tenant_id, trigger.name] = trigger
        return True

    def delete(self, tenant_id: str, trigger: Trigger) -> bool:
        stored = self.get(tenant_id, trigger.name)
        if stored is not None and _identity(stored) != _identity(trigger):
            return False
        self._table.triggers.pop((tenant_id, trigger.name), None)
        return True


def _identity(trigger: Trigger | None) -> tuple[int, int] | None:
    return None if trigger is None else (trigger.version, trigger.changed_at)
