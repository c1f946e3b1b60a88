"""Alerts about the limits of a tenant: each limit is announced at most once in an hour of the clock.

The alert is an execution of its own, due with the next minute. Every process that meets the limit in the same minute
computes the same id.
"""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256

from shared.domain.bucket import HOURLY_MS, MINUTE_MS, ShardCounts
from shared.domain.delivery.alerts import Alert, AlertEvent, AlertTarget, AlertWindow, ReachedLimit
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.executions.execution import Execution
from shared.domain.executions.notification import NOTIFICATION_RETRY, NOTIFICATION_TIMEOUT_MS
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id, one_off_job_id
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Tenant
from shared.names import Lane

_FINGERPRINT_BYTES = 16


class Effect(StrEnum):
    """What a limit does that was reached. The values are those of the notification."""

    CREATIONS_REFUSED = "creations_refused"
    EXECUTIONS_WAIT = "executions_wait"


EFFECTS: Mapping[Quota, Effect] = {
    Quota.RECURRING_JOBS: Effect.CREATIONS_REFUSED,
    Quota.CREATES_PER_SECOND: Effect.CREATIONS_REFUSED,
    Quota.DUE_PER_MINUTE: Effect.CREATIONS_REFUSED,
    Quota.WORKFLOWS: Effect.CREATIONS_REFUSED,
    Quota.CONCURRENCY: Effect.EXECUTIONS_WAIT,
    Quota.CALLS_PER_SECOND: Effect.EXECUTIONS_WAIT,
}
"""The limits that are announced. The limits of a body or of tags concern one request, and those of a destination
protect its receiver."""


def limit_window(quota: Quota, now_ms: int) -> AlertWindow:
    """The hour in which one alert about the limit is admitted."""
    hour_ms = now_ms - now_ms % HOURLY_MS
    return AlertWindow(key=f"limit.{quota.value}", minute=hour_ms // MINUTE_MS)


def window_end_ms(now_ms: int) -> int:
    """When the next alert about a limit may be admitted."""
    return now_ms - now_ms % HOURLY_MS + HOURLY_MS


def limit_alert_id(
    tenant_id: str, quota: Quota, now_ms: int, counts: ShardCounts, *, cell: str
) -> ExecutionId:
    """A pure function of the minute and the other arguments. `counts` are those of the next minute."""
    entropy = int.from_bytes(_digest(tenant_id, quota, now_ms)[: ENTROPY_BITS // 8])
    return new_one_off_id(alert_due_at(now_ms), counts, entropy, cell=cell)


def alert_due_at(now_ms: int) -> int:
    return (now_ms // MINUTE_MS + 1) * MINUTE_MS


def limit_alert(
    tenant: Tenant, quota: Quota, identity: ExecutionId, to: AlertTarget, *, limit: int, now_ms: int
) -> Execution:
    """The alert to file. Nothing has ended: it is the notification of itself, and belongs to no job."""
    return Execution(
        id=identity,
        tenant_id=tenant.id,
        job_id=one_off_job_id(identity),
        revision=1,
        nominal_at=identity.dispatch_at,
        created_at=now_ms,
        call=CallSpec(
            lane=Lane.STANDARD,
            request=to.target.sealed_url,
            destination=to.target.destination,
            retry=NOTIFICATION_RETRY,
            timeout_ms=NOTIFICATION_TIMEOUT_MS,
        ),
        fingerprint=_digest(tenant.id, quota, now_ms)[-_FINGERPRINT_BYTES:],
        index_shard=identity.entropy % tenant.index_shards,
        notification_of=identity,
        alert=Alert(
            events=(AlertEvent.LIMIT_REACHED,),
            format=to.rules.format,
            limit=ReachedLimit(quota=quota.value, limit=limit, reached_at=now_ms),
        ),
    )


def _digest(tenant_id: str, quota: Quota, now_ms: int) -> bytes:
    return sha256(f"limit|{tenant_id}|{quota.value}|{now_ms // MINUTE_MS}".encode()).digest()
