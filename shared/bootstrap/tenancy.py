"""Use cases about tenants: keys, secrets, quotas, usage, the audit trail."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import ApiSettings, QuotaSettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.tenancy.authenticate import Authenticate
    from shared.usecases.tenancy.check_quota import CheckQuota
    from shared.usecases.tenancy.create_tenant import CreateTenant
    from shared.usecases.tenancy.delete_tenant import DeleteTenant
    from shared.usecases.tenancy.manage_calendars import Calendars
    from shared.usecases.tenancy.manage_keys import Keyring
    from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets
    from shared.usecases.tenancy.manage_tenants import ChangeTenant, FindTenant, ListTenants
    from shared.usecases.tenancy.read_usage import ReadUsage
    from shared.usecases.tenancy.record_audit import RecordAudit
    from shared.usecases.tenancy.repeat_deletions import RepeatDeletions


@dataclass(frozen=True)
class TenancyUseCases:
    """For functions with ApiSettings; `check_quota` needs QuotaSettings alone."""

    core: CoreUseCases

    @cached_property
    def _settings(self) -> ApiSettings:
        return require(self.core.settings, ApiSettings)

    @cached_property
    def authenticate(self) -> Authenticate:
        from shared.usecases.tenancy.authenticate import Authenticate
        from shared.usecases.tenancy.limit_requests import LimitUnknown

        ports = self.core.ports
        return Authenticate(
            tenants=ports.tenants,
            read_tenant=self.core.read_tenant,
            limit=self.core.limit_requests,
            unknown=LimitUnknown(ports.clock),
            clock=ports.clock,
        )

    @cached_property
    def check_quota(self) -> CheckQuota:
        from shared.usecases.tenancy.check_quota import CheckQuota

        ports = self.core.ports
        return CheckQuota(
            spend=self.core.spend,
            recurring=ports.recurring_jobs,
            clock=ports.clock,
            defaults=require(self.core.settings, QuotaSettings).default_quotas,
            announce=self.core.file_limit_alert.execute,
            count_workflows=lambda *asked: ports.workflows.count(*asked),
        )

    @cached_property
    def create_tenant(self) -> CreateTenant:
        from shared.usecases.tenancy.create_tenant import CreateTenant

        ports = self.core.ports
        return CreateTenant(
            tenants=ports.tenants, vault=ports.vault, clock=ports.clock, entropy=ports.entropy
        )

    @cached_property
    def find_tenant(self) -> FindTenant:
        from shared.usecases.tenancy.manage_tenants import FindTenant

        return FindTenant(self.core.ports.tenants)

    @cached_property
    def delete_tenant(self) -> DeleteTenant:
        from shared.usecases.tenancy.delete_tenant import DeleteTenant

        ports = self.core.ports
        return DeleteTenant(tenants=ports.tenants, deletions=ports.tenant_deletions, clock=ports.clock)

    @cached_property
    def repeat_deletions(self) -> RepeatDeletions:
        """For the operators' command line."""
        from shared.usecases.tenancy.repeat_deletions import RepeatDeletions

        ports = self.core.ports
        return RepeatDeletions(
            tenants=ports.tenants,
            deletions=ports.tenant_deletions,
            log=ports.audit_log,
            change=self.change_tenant,
            delete=self.delete_tenant,
            clock=ports.clock,
        )

    @cached_property
    def list_tenants(self) -> ListTenants:
        from shared.usecases.tenancy.manage_tenants import ListTenants

        return ListTenants(self.core.ports.tenants)

    @cached_property
    def change_tenant(self) -> ChangeTenant:
        from shared.usecases.tenancy.manage_tenants import ChangeTenant

        ports = self.core.ports
        settings = self._settings
        return ChangeTenant(
            ports.tenants, ports.vault, settings.target_policy, ports.clock, settings.target_roles
        )

    @cached_property
    def keyring(self) -> Keyring:
        from shared.usecases.tenancy.manage_keys import Keyring

        ports = self.core.ports
        return Keyring(
            tenants=ports.tenants,
            clock=ports.clock,
            entropy=ports.entropy,
            defaults=self._settings.default_quotas,
        )

    @cached_property
    def signing_secrets(self) -> SigningSecrets:
        from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets

        ports = self.core.ports
        return SigningSecrets(
            tenants=ports.tenants, vault=ports.vault, clock=ports.clock, entropy=ports.entropy
        )

    @cached_property
    def calendars(self) -> Calendars:
        from shared.usecases.tenancy.manage_calendars import Calendars

        ports = self.core.ports
        return Calendars(store=ports.calendars, queries=ports.queries, clock=ports.clock)

    @cached_property
    def read_usage(self) -> ReadUsage:
        from shared.usecases.tenancy.read_usage import ReadUsage

        ports = self.core.ports
        return ReadUsage(
            tenants=ports.tenants,
            budgets=ports.budgets,
            recurring=ports.recurring_jobs,
            workflows=ports.workflows,
            clock=ports.clock,
            defaults=self._settings.default_quotas,
        )

    @cached_property
    def record_audit(self) -> RecordAudit:
        from shared.usecases.tenancy.record_audit import RecordAudit

        ports = self.core.ports
        return RecordAudit(
            log=ports.audit_log,
            clock=ports.clock,
            entropy=ports.entropy,
            retention_days=self._settings.audit_retention_days,
        )
