"""Triggers of tenants, in memory."""

from dataclasses import replace

from shared.domain.ids import ExecutionId
from shared.domain.triggers.trigger import Started, Trigger
from shared.ports.triggers import StartRecord
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
        if stored is not None and stored.version == trigger.version and stored.has_content_of(trigger):
            return stored.changed_at == trigger.changed_at
        if _identity(stored) != _identity(before):
            return False
        self._table.triggers[tenant_id, trigger.name] = replace(trigger, started=Started())
        return True

    def start(
        self, tenant_id: str, trigger: Trigger, run: ExecutionId, event: str, now_ms: int
    ) -> StartRecord:
        stored = self.get(tenant_id, trigger.name)
        if stored is None or _identity(stored) != _identity(trigger):
            return StartRecord(False, stored)
        if stored.started.run == run:
            return StartRecord(True, stored)
        is_overtaken = stored.debounce_seconds > 0 and stored.started.run != trigger.started.run
        if is_overtaken or stored.throttled_until(now_ms) is not None:
            return StartRecord(False, stored)
        after = stored.after_start(run, event, now_ms)
        self._table.triggers[tenant_id, trigger.name] = after
        return StartRecord(True, after)

    def delete(self, tenant_id: str, trigger: Trigger) -> bool:
        stored = self.get(tenant_id, trigger.name)
        if stored is not None and _identity(stored) != _identity(trigger):
            return False
        self._table.triggers.pop((tenant_id, trigger.name), None)
        return True


def _identity(trigger: Trigger | None) -> tuple[int, int] | None:
    return None if trigger is None else (trigger.version, trigger.changed_at)
