"""The production ports of deletions of tenants."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.table_access import TableAccess

if TYPE_CHECKING:
    from shared.ports.tenancy import TenantDeletions, TenantRecords


class DeletionPorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def tenant_deletions(self) -> TenantDeletions:
        from shared.adapters.dynamodb.tenancy.tenant_deletions import DynamoTenantDeletions

        return DynamoTenantDeletions(self._dynamodb, self._settings.tenants_table)

    @cached_property
    def tenant_records(self) -> TenantRecords:
        from shared.adapters.dynamodb.tenancy.tenant_records import DynamoTenantRecords

        return DynamoTenantRecords(
            self._dynamodb, self._executions, self._jobs, self._leases, self._region, self._backoff
        )
