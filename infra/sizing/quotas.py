"""The quotas of the account that a planned stage uses."""

from dataclasses import dataclass
from math import ceil

from infra.capacity import HEAD_ROOM, peak
from infra.provisioned import Provisioned
from infra.sizing import figures
from infra.sizing.plan import Plan, rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A quota of the account and region, by its name in Service Quotas."""

    service: str
    name: str
    default: int
    needed: int

    @property
    def must_be_raised(self) -> bool:
        return self.needed > self.default


def quotas(plan: Plan) -> list[Quota]:
    """Each quota that the stage uses, whether or not the default suffices."""
    stage, traffic = plan.stage, plan.traffic
    busiest = peak(stage.jobs_per_second, stage.due_in_one_minute)
    requests = traffic.one_offs_per_second / traffic.jobs_per_request
    writes = max(stage.warm.executions.writes, stage.warm.by_tenant.writes)
    tenant_reads = (traffic.jobs_per_second + requests) / HEAD_ROOM
    reads = max(stage.warm.executions.reads, ceil(tenant_reads))
    return [
        Quota(
            service="Lambda", name="Concurrent executions", default=1_000, needed=stage.account_concurrency
        ),
        Quota(
            service="DynamoDB",
            name="Table-level write throughput limit",
            default=int(figures.TABLE_QUOTA.value),
            needed=rounded(writes, 10_000) if writes > figures.TABLE_QUOTA.value else writes,
        ),
        Quota(
            service="DynamoDB",
            name="Table-level read throughput limit",
            default=int(figures.TABLE_QUOTA.value),
            needed=rounded(reads, 10_000) if reads > figures.TABLE_QUOTA.value else reads,
        ),
        Quota(
            service="API Gateway",
            name="Throttle rate",
            default=int(figures.GATEWAY_REQUESTS.value),
            needed=stage.api_rate_limit,
        ),
        Quota(
            service="KMS",
            name="Cryptographic operations (symmetric) request rate",
            default=int(figures.KMS_REQUESTS.value),
            needed=rounded(_decrypts(plan, busiest + requests) / HEAD_ROOM, 1_000),
        ),
    ]


def provisioned_quotas(units: Provisioned) -> list[Quota]:
    """What autoscaling needs to reach the maximum units: of the largest table or index, and of all together."""
    return [
        Quota(
            service="DynamoDB", name=f"{level}-level {kind} throughput limit", default=default, needed=needed
        )
        for kind, most in (
            ("write", [each.writes.maximum for each in units.by_name.values()]),
            ("read", [each.reads.maximum for each in units.by_name.values()]),
        )
        for level, default, needed in (
            ("Table", int(figures.TABLE_QUOTA.value), max(most)),
            ("Account", int(figures.ACCOUNT_QUOTA.value), sum(most)),
        )
    ]


def _decrypts(plan: Plan, messages_and_requests: float) -> float:
    """In the first second after a deployment: each process unwraps the key of each tenant that it meets."""
    reserved = plan.stage.reserved
    processes = plan.stage.lane_concurrency.total + (reserved.api if reserved is not None else 0)
    return min(messages_and_requests, plan.traffic.tenants * processes)
