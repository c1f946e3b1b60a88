"""The use cases that look after tenants and their limits: the API's and the operator's commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from shared.adapters.dynamodb.jobs.recurring_jobs import DynamoRecurringJobs
from shared.adapters.dynamodb.limits.throttle_status import DynamoThrottleStatus
from shared.adapters.dynamodb.tenancy.audit_log import DynamoAuditLog
from shared.adapters.dynamodb.tenancy.budget_store import DynamoBudgetStore
from shared.bootstrap.callbacks import CallbackParts
from shared.settings import ApiSettings
from shared.usecases.limits.explain_wait import ExplainWait
from shared.usecases.tenancy.check_quota import CheckQuota
from shared.usecases.tenancy.manage_keys import Keyring
from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets
from shared.usecases.tenancy.read_usage import ReadUsage
from shared.usecases.tenancy.record_audit import RecordAudit
from shared.usecases.tenancy.spend_budget import SpendBudget


@dataclass(frozen=True)
class ApiParts(CallbackParts):
    """What handles requests and secrets, and what limits and records them."""

    settings: ApiSettings

    @cached_property
    def budgets(self) -> DynamoBudgetStore:
        """Budgets."""
        return DynamoBudgetStore(self.core.dynamodb, self.settings.leases_table)

    @cached_property
    def recurring_jobs(self) -> DynamoRecurringJobs:
        """The number of recurring jobs."""
        return DynamoRecurringJobs(self.core.dynamodb, self.settings.jobs_table)

    @cached_property
    def check_quota(self) -> CheckQuota:
        """Quotas and rates: one for each process, since it remembers what it leased."""
        return CheckQuota(
            spend=SpendBudget(budgets=self.budgets, clock=self.core.clock),
            recurring=self.recurring_jobs,
            clock=self.core.clock,
            defaults=self.settings.default_quotas,
        )

    @cached_property
    def audit_log(self) -> DynamoAuditLog:
        """Records of changes."""
        return DynamoAuditLog(self.core.dynamodb, self.settings.audit_table)


def api_parts_from(environment: Mapping[str, str]) -> ApiParts:
    """The parts of the API."""
    return ApiParts(ApiSettings.from_env(environment))


def keyring(parts: ApiParts) -> Keyring:
    """API keys."""
    return Keyring(
        tenants=parts.tenants,
        clock=parts.core.clock,
        entropy=parts.core.entropy,
        defaults=parts.settings.default_quotas,
    )


def signing_secrets(parts: ApiParts) -> SigningSecrets:
    """Signing secrets."""
    return SigningSecrets(
        tenants=parts.tenants, vault=parts.vault, clock=parts.core.clock, entropy=parts.core.entropy
    )


def record_audit(parts: ApiParts) -> RecordAudit:
    """The log of changes."""
    return RecordAudit(
        log=parts.audit_log,
        clock=parts.core.clock,
        entropy=parts.core.entropy,
        retention_days=parts.settings.audit_retention_days,
    )


def read_usage(parts: ApiParts) -> ReadUsage:
    """GET /v1/usage."""
    return ReadUsage(
        tenants=parts.tenants,
        budgets=parts.budgets,
        recurring=parts.recurring_jobs,
        clock=parts.core.clock,
        defaults=parts.settings.default_quotas,
    )


def explain_wait(parts: ApiParts) -> ExplainWait:
    """What an execution waits for: one for each process, since it remembers that there was no answer."""
    core, settings = parts.core, parts.settings
    return ExplainWait(
        throttle_status=DynamoThrottleStatus(core.dynamodb, settings.leases_table, settings.region),
        run_locks=core.run_locks,
        defaults=settings.default_quotas,
        clock=core.clock,
    )
