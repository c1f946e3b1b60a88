"""Deletions of tenants, and the rows that they delete, in memory."""

from collections.abc import Mapping

from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.run_input import input_payload_id
from tests.support.fakes.table import FakeTable
from tests.support.fakes.tenant_store import FakeTenantStore

PAGE = 100


class FakeTenantDeletions:
    """Each write is atomic. `waiting` and `gone` have the ends of deletions, by tenant."""

    def __init__(self, tenants: FakeTenantStore) -> None:
        self.records: dict[str, TenantDeletion] = {}
        self.waiting: dict[str, int] = {}
        self.gone: dict[str, int] = {}
        self._tenants = tenants

    def begin(self, before: Tenant, after: Tenant, deletion: TenantDeletion) -> bool:
        if deletion.tenant_id in self.records or not self._tenants.replace(before, after):
            return False
        self.records[deletion.tenant_id] = deletion
        return True

    def get(self, tenant_id: str) -> TenantDeletion | None:
        return self.records.get(tenant_id)

    def open(self) -> list[str]:
        return sorted(name for name, record in self.records.items() if record.ended_at is None)

    def replace(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        existing = self.records.get(before.tenant_id)
        if existing is None or existing.version != before.version:
            return False
        self.records[after.tenant_id] = after
        return True

    def finish(self, before: TenantDeletion, ended: TenantDeletion, tenant: Tenant | None) -> bool:
        if tenant is not None:
            existing = self._tenants.tenants.get(tenant.id)
            if existing is None or existing.revision != tenant.revision:
                return False
        if not self.replace(before, ended):
            return False
        if tenant is not None:
            for key_id in tenant.key_ids:
                self._tenants.keys.pop(key_id, None)
            del self._tenants.tenants[tenant.id]
            self._tenants.taken.add(tenant.id)
        self.waiting[ended.tenant_id] = ended.ended_at or 0
        return True

    def repeat(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        return self.replace(before, after)

    def ended_between(self, from_at: int, until_at: int) -> list[str]:
        entries = {*self.waiting.items(), *self.gone.items()}
        found = sorted((at, name) for name, at in entries if from_at <= at < until_at)
        return list(dict.fromkeys(name for _, name in found))

    def forgetting(self) -> list[str]:
        return sorted(self.waiting, key=lambda name: (self.waiting[name], name))

    def end_forgetting(self, before: TenantDeletion, after: TenantDeletion) -> bool:
        if not self.replace(before, after):
            return False
        self.gone[after.tenant_id] = self.waiting.pop(after.tenant_id)
        return True

    def forgotten(self) -> list[str]:
        return sorted(self.gone, key=lambda name: (self.gone[name], name))


class FakeTenantRecords:
    """Deletes at most `PAGE` rows at once."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def delete_definitions(self, tenant_id: str) -> Mapping[str, int]:
        table = self._table
        jobs = [key for key in table.jobs if key[0] == tenant_id][:PAGE]
        requests = [(tenant_id, name) for key in jobs if (name := table.jobs[key].call.payload_id)]
        rows = [
            *(*table.past_chains, *table.extras),
            *(*table.calendars, *table.calendar_marks, *table.workflows, *table.triggers, *table.revisions),
        ]
        records = [] if jobs else [key for key in rows if key[0] == tenant_id][:PAGE]
        for key in jobs:
            del table.jobs[key]
        for record in records:
            table.past_chains.pop(record, None)  # type: ignore[arg-type]
            table.extras.pop(record, None)  # type: ignore[arg-type]
            table.calendars.pop(record, None)  # type: ignore[arg-type]
            table.calendar_marks.pop(record, None)  # type: ignore[arg-type]
            table.triggers.pop(record, None)  # type: ignore[arg-type]
            table.workflows.pop(record, None)  # type: ignore[arg-type]
            revision = table.revisions.pop(record, None)  # type: ignore[arg-type]
            calls = revision.calls if revision is not None else ()
            requests += [(tenant_id, call.payload_id) for call in calls if call.payload_id]
        return _counted(jobs=len(jobs), records=len(records), requests=self._delete_payloads(requests))

    def delete_executions(self, tenant_id: str, index_shards: int) -> Mapping[str, int]:
        rows = (row.execution for row in self._table.executions.values())
        found = [
            execution
            for execution in rows
            if execution.tenant_id == tenant_id and execution.index_shard < index_shards
        ][:PAGE]
        if not found:
            runs = [key for key, item in self._table.runs.items() if item.run.tenant_id == tenant_id][:PAGE]
            inputs = [
                (tenant_id, input_payload_id(run.id, run.input_id))
                for key in runs
                if (run := self._table.runs.pop(key).run).input_id is not None
            ]
            maps = [key for key, row in self._table.maps.items() if row.items.tenant_id == tenant_id][:PAGE]
            for map_key in maps:
                del self._table.maps[map_key]
            return _counted(executions=len(runs) + len(maps), requests=self._delete_payloads(inputs))
        requests = [(tenant_id, name) for each in found if (name := each.call.payload_id)]
        for execution in found:
            del self._table.executions[execution.id]
        return _counted(executions=len(found), requests=self._delete_payloads(requests))

    def _delete_payloads(self, keys: list[tuple[str, str]]) -> int:
        return sum(self._table.payloads.pop(key, None) is not None for key in dict.fromkeys(keys))


def _counted(**counts: int) -> Mapping[str, int]:
    return {kind: count for kind, count in counts.items() if count}
