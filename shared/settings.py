"""Settings of a function, read from its environment and validated at start."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, Self

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from shared.domain.bucket import ShardCounts, ShardEpoch, ShardPlan, bucket_of
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError
from shared.domain.executions.retention import Retention
from shared.domain.ids import CELL
from shared.domain.schedules.schedule import parse_instant
from shared.domain.tenancy.quota import Quota, Quotas
from shared.names import Env, QueueName, Transport

Text = Annotated[str, Field(min_length=1)]
_HOST = re.compile(r"(?:https?://)?(?P<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?::[0-9]+)?/?")


class _Epoch(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: Annotated[str, Field(alias="from")]
    normal: int
    quarter: int
    midnight: int


def _json(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str) else value


def _plan(value: Any) -> ShardPlan:
    """Parse a JSON list of epochs; a ShardPlan passes unchanged."""
    if isinstance(value, ShardPlan):
        return value
    epochs = [_Epoch.model_validate(epoch) for epoch in _json(value)]
    return ShardPlan(
        tuple(
            ShardEpoch(
                from_bucket=bucket_of(parse_instant(epoch.from_.replace("Z", ":00Z"), None)),
                counts=ShardCounts(normal=epoch.normal, quarter=epoch.quarter, midnight=epoch.midnight),
            )
            for epoch in epochs
        )
    )


def _every_queue(urls: dict[QueueName, str]) -> dict[QueueName, str]:
    missing = [name.value for name in QueueName if not urls.get(name)]
    if missing:
        raise InvalidValueError(f"no queue for {', '.join(missing)}")
    return urls


def _quotas(value: Any) -> Any:
    """Parse a JSON object with a limit for each quota; a misspelt name would otherwise be ignored."""
    limits = _json(value)
    if isinstance(limits, dict) and limits.keys() != set(Quota):
        raise InvalidValueError(f"a limit is needed for each of {', '.join(Quota)}, and for nothing else")
    return limits


def _networks(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())


def _hosts(value: Any) -> Any:
    """Parse comma-separated host names or URLs; a misspelt host would otherwise not be blocked."""
    if not isinstance(value, str):
        return value
    matches = [_HOST.fullmatch(part.strip()) for part in value.split(",") if part.strip()]
    if None in matches:
        raise InvalidValueError("each must be a host name, or a URL without a path")
    return frozenset(match["host"].lower() for match in matches if match)


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    stage: Text
    region: Text
    cell: Annotated[str, Field(pattern=CELL)]
    executions_table: Text
    jobs_table: Text
    tenants_table: Text
    leases_table: Text
    lane_queue_urls: Annotated[dict[QueueName, str], BeforeValidator(_json), AfterValidator(_every_queue)]
    shard_plan: Annotated[ShardPlan, BeforeValidator(_plan)]
    retention: Annotated[Retention, BeforeValidator(lambda days: Retention(int(days)))]
    transport: Transport = Transport.HTTP

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Self:
        """Read the variables; pydantic's ValidationError lists all missing and invalid variables."""
        return cls.model_validate(
            {
                name: environment[variable]
                for name, variable in _VARIABLES.items()
                if variable in environment and name in cls.model_fields
            }
        )


class CallbackSettings(Settings):
    """Settings of functions that accept or send callbacks."""

    kms_key_id: Text
    dial_exceptions: Annotated[tuple[IPv4Network | IPv6Network, ...], BeforeValidator(_networks)]
    api_hosts: Annotated[frozenset[str], BeforeValidator(_hosts), Field(min_length=1)]

    @property
    def target_policy(self) -> TargetPolicy:
        return TargetPolicy(exceptions=self.dial_exceptions, own_hosts=self.api_hosts)


class QuotaSettings(CallbackSettings):
    """Settings of functions that enforce the tenants' quotas."""

    default_quotas: Annotated[Quotas, BeforeValidator(_quotas), AfterValidator(Quotas.checked)]


class ApiSettings(QuotaSettings):
    """Settings of the API and of the operators' command line."""

    audit_table: Text
    audit_retention_days: Annotated[int, Field(ge=1)]
    audit_one_offs: bool


class ExecutorSettings(QuotaSettings):
    lane: QueueName


class DeadLetterSettings(Settings):
    """Settings of the dead-message handler: the dead-letter queue of each queue."""

    dead_letter_arns: Annotated[dict[QueueName, str], BeforeValidator(_json), AfterValidator(_every_queue)]


class ReconcilerSettings(Settings):
    """Settings of the reconciler: the API's log group."""

    api_log_group: Text


_VARIABLES = {
    "stage": Env.STAGE,
    "region": Env.REGION,
    "cell": Env.CELL,
    "executions_table": Env.EXECUTIONS_TABLE,
    "jobs_table": Env.JOBS_TABLE,
    "tenants_table": Env.TENANTS_TABLE,
    "leases_table": Env.LEASES_TABLE,
    "lane_queue_urls": Env.LANE_QUEUE_URLS,
    "shard_plan": Env.SHARD_PLAN,
    "retention": Env.RETENTION_DAYS,
    "audit_table": Env.AUDIT_TABLE,
    "audit_retention_days": Env.AUDIT_RETENTION_DAYS,
    "audit_one_offs": Env.AUDIT_ONE_OFFS,
    "default_quotas": Env.DEFAULT_QUOTAS,
    "kms_key_id": Env.KMS_KEY_ID,
    "dial_exceptions": Env.DIAL_EXCEPTIONS,
    "api_hosts": Env.API_HOSTS,
    "lane": Env.LANE,
    "dead_letter_arns": Env.DEAD_LETTER_ARNS,
    "api_log_group": Env.API_LOG_GROUP,
    "transport": Env.TRANSPORT,
}
