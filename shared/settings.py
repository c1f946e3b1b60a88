"""Settings of a function, read from its environment and validated at start.

No schema library is imported: building its models would take longer than the start of a tick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Self

from shared.dataclass import dataclass
from shared.domain.bucket import ShardPlan
from shared.domain.errors import InvalidValueError, PunctualError
from shared.domain.executions.retention import Retention
from shared.names import QueueName, Transport
from shared.setting_values import VARIABLES

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from shared.domain.delivery.target_policy import TargetPolicy
    from shared.domain.tenancy.quota import Quotas


class SettingsError(PunctualError):
    """Variables are missing or invalid; `faults` has a sentence for each of them, by name."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        sentences = (f"{variable} {fault}" for variable, fault in faults.items())
        super().__init__("\n".join(["the environment of this function is not complete:", *sentences]))
        self.faults = dict(faults)


@dataclass(frozen=True, kw_only=True)
class FunctionSettings:
    """Settings of every function."""

    stage: str
    region: str
    transport: Transport = Transport.HTTP

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Self:
        """Read the variables. SettingsError names all missing and invalid variables, and what to set."""
        values: dict[str, Any] = {}
        faults: dict[str, str] = {}
        for field in fields(cls):
            variable, read, expected = VARIABLES[field.name]
            if variable not in environment:
                if field.default is MISSING:
                    faults[variable] = f"is missing: set {expected}"
                continue
            try:
                values[field.name] = read(environment[variable])
            except InvalidValueError as error:
                faults[variable] = f"is invalid ({error}): set {expected}"
            except (AttributeError, KeyError, TypeError, ValueError):
                faults[variable] = f"is invalid: set {expected}"
        if faults:
            raise SettingsError(faults)
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class Settings(FunctionSettings):
    """Settings of functions that read and write jobs."""

    cell: str
    executions_table: str
    jobs_table: str
    tenants_table: str
    leases_table: str
    lane_queue_urls: Mapping[QueueName, str]
    shard_plan: ShardPlan
    retention: Retention
    archive_days: int
    """0: nothing is archived."""


@dataclass(frozen=True, kw_only=True)
class ProberSettings(FunctionSettings):
    """Settings of the canary's prober: the API as clients call it, and the receiver of the canary's jobs."""

    api_url: str
    receiver_url: str


@dataclass(frozen=True, kw_only=True)
class VaultSettings(Settings):
    """Settings of functions that seal or open tenants' data."""

    kms_key_id: str


@dataclass(frozen=True, kw_only=True)
class HistorySettings(Settings):
    """Settings of functions that write or read statistics."""

    history_table: str


@dataclass(frozen=True, kw_only=True)
class ReadingSettings(HistorySettings):
    """Settings of functions that read archived executions through the reader, and the results of searches."""

    archive_reader: str | None = None
    """The function that reads the archive, with its alias; None in a stage without an archive."""
    archive_bucket: str | None = None


@dataclass(frozen=True, kw_only=True)
class DefaultQuotaSettings(Settings):
    """The quotas of tenants without their own."""

    default_quotas: Quotas


@dataclass(frozen=True, kw_only=True)
class RedriverSettings(ReadingSettings, DefaultQuotaSettings):
    """Settings of the redriver, which redrives runs of workflows within the tenants' quotas."""


@dataclass(frozen=True, kw_only=True)
class ArchiveReaderSettings(FunctionSettings):
    """Settings of the reader of the archive: its bucket."""

    archive_bucket: str


@dataclass(frozen=True, kw_only=True)
class ArchiverSettings(VaultSettings, HistorySettings):
    """Settings of the archiver: its bucket."""

    archive_bucket: str


@dataclass(frozen=True, kw_only=True)
class CallbackSettings(VaultSettings):
    """Settings of functions that accept or send callbacks."""

    dial_exceptions: tuple[IPv4Network | IPv6Network, ...]
    api_hosts: frozenset[str]
    console_origin: str | None = None
    """Where notifications lead people to. None: their texts have no links."""
    token_issuer: str | None = None
    """Who issues identity tokens: the URL of the API, under which their keys are found."""
    token_keys: tuple[int, ...] = ()
    """The numbers of the keys of identity tokens, of which the first signs. None: calls have no such tokens."""

    @property
    def target_policy(self) -> TargetPolicy:
        from shared.domain.delivery.target_policy import TargetPolicy

        return TargetPolicy(
            exceptions=self.dial_exceptions,
            own_hosts=self.api_hosts,
            issues_tokens=bool(self.token_keys and self.token_issuer),
        )


@dataclass(frozen=True, kw_only=True)
class QuotaSettings(CallbackSettings, DefaultQuotaSettings):
    """Settings of functions that enforce the tenants' quotas, and of what roles executors may assume for them."""

    target_roles: str | None = None
    """A pattern; None for no role."""


@dataclass(frozen=True, kw_only=True)
class EventReceiverSettings(QuotaSettings):
    """Settings of the receiver of events from the event bus: its queue, and the dead-letter queue of that."""

    events_queue_url: str
    dead_events_queue_url: str


@dataclass(frozen=True, kw_only=True)
class AuditSettings(Settings):
    """Settings of whatever reads or writes audit records."""

    audit_table: str
    audit_bucket: str | None = None
    """None for a stage without an audit trail."""


@dataclass(frozen=True, kw_only=True)
class AuditorSettings(AuditSettings):
    """For how long the bucket locks what the auditor writes."""

    audit_lock_days: int


@dataclass(frozen=True, kw_only=True)
class ApiSettings(QuotaSettings, ReadingSettings, AuditSettings):
    """Settings of the API and of the operators' command line."""

    audit_retention_days: int
    audit_one_offs: bool


@dataclass(frozen=True, kw_only=True)
class ExecutorSettings(QuotaSettings):
    """Settings of an executor: its queue."""

    lane: QueueName


@dataclass(frozen=True, kw_only=True)
class DeadLetterSettings(Settings):
    """Settings of the dead-message handler: the dead-letter queue of each queue."""

    dead_letter_arns: Mapping[QueueName, str]


@dataclass(frozen=True, kw_only=True)
class ReconcilerSettings(Settings):
    """Settings of the reconciler: the API's log group."""

    api_log_group: str
