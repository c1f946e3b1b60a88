"""All audit records of an interval, tenant by tenant."""

from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.audit_trail.segment import Period
from shared.domain.tenancy.audit import AuditRecord
from shared.domain.tenancy.tenant import OPERATOR
from shared.ports.tenancy import AuditLog, TenantStore

PAGE = 500


@dataclass(frozen=True, slots=True)
class ReadRecords:
    """By strong reads: a record that was acknowledged before the call is found.

    Every tenant has to be asked: the table has a partition for each, and an index by time would be read
    eventually, so that a record could be left out of its segment. An interval costs a query for each tenant, and
    one more for each 500 of them to list their ids.
    """

    log: AuditLog
    tenants: TenantStore

    def tenant_ids(self) -> Iterator[str]:
        """Every tenant once. Operators' commands write records before the operator's tenant exists."""
        yield OPERATOR
        after = None
        while found := self.tenants.ids(after=after, limit=PAGE):
            yield from (each for each in found if each != OPERATOR)
            after = found[-1]

    def of_tenant(self, tenant_id: str, period: Period) -> Iterator[AuditRecord]:
        """The newest first."""
        after = None
        while True:
            page = self.log.page(
                tenant_id, from_at=period.from_at, until_at=period.until_at, limit=PAGE, after=after
            )
            yield from page.records
            if page.next_after is None:
                return
            after = page.next_after

    def execute(self, period: Period) -> Iterator[AuditRecord]:
        for tenant_id in self.tenant_ids():
            yield from self.of_tenant(tenant_id, period)
