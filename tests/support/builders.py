"""Values with sensible defaults, for tests that care about one or two of their fields."""

from dataclasses import replace
from typing import Any

from shared.domain.bucket import MINUTE_MS, ShardCounts
from shared.domain.dead_letters.redrive_task import RedriveTask, redrive_task_id
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.execution import TERMINAL, Execution, State
from shared.domain.ids import ExecutionId, encode_base32, one_off_job_id, recurring_job_id
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.schedules.schedule import Rate
from shared.domain.tenancy.tenant import (
    KEY_ID_BITS,
    ApiKey,
    Scope,
    SigningSecret,
    Tenant,
    TenantState,
    hash_secret,
)
from shared.names import Lane

BUCKET = 29_000_000
DUE_AT = BUCKET * MINUTE_MS + 12_345
"""19 February 2025, 21:20:12.345 UTC: when the built executions are due."""
TENANT = "acme"
ONE_SHARD = ShardCounts(normal=1, quarter=1, midnight=1)
EXPIRES_AT_S = DUE_AT // 1000 + 14 * 86_400
OWNER = "0123456789abcdef"


def execution_id(number: int = 1, *, dispatch_at: int = DUE_AT, shard: int = 0) -> ExecutionId:
    """An id; `number` tells those apart that are due at the same instant."""
    return ExecutionId(dispatch_at=dispatch_at, shard=shard, entropy=number)


def one_off(number: int = 1, *, due_at: int = DUE_AT, shard: int = 0, **overrides: Any) -> Execution:
    """The execution of a one-off job, as it is filed ahead of its time."""
    identity: ExecutionId = overrides.pop("id", execution_id(number, dispatch_at=due_at, shard=shard))
    fields: dict[str, Any] = {
        "tenant_id": TENANT,
        "job_id": one_off_job_id(identity),
        "revision": 1,
        "nominal_at": identity.dispatch_at,
        "created_at": identity.dispatch_at - 600_000,
        "lane": Lane.STANDARD,
        "request": b"sealed request",
        "fingerprint": bytes(16),
        "retry": RetryPolicy(),
        "timeout_ms": 30_000,
    }
    return Execution(id=identity, **(fields | overrides))


def job(number: int = 1, **overrides: Any) -> Job:
    """A job that runs every minute from DUE_AT on."""
    fields: dict[str, Any] = {
        "id": recurring_job_id(DUE_AT - 600_000, number),
        "tenant_id": TENANT,
        "revision": 1,
        "state": JobState.ACTIVE,
        "schedule": Rate(interval_ms=MINUTE_MS, anchor=DUE_AT),
        "counts": ONE_SHARD,
        "lane": Lane.STANDARD,
        "request": b"sealed request",
        "fingerprint": bytes(16),
        "retry": RetryPolicy(),
        "timeout_ms": 30_000,
        "created_at": DUE_AT - 600_000,
        "chain_from": DUE_AT,
    }
    return Job(**(fields | overrides))


def occurrence(of: Job | None = None, nominal_at: int = DUE_AT, **overrides: Any) -> Execution:
    """An execution of a recurring job."""
    plain = (of or job()).occurrence(nominal_at, created_at=nominal_at - 600_000)
    return replace(plain, **overrides)


def in_state(execution: Execution, state: State, **overrides: Any) -> Execution:
    """The execution as it may stand in a state: with the lease or the instant that the state asks for."""
    fields: dict[str, Any] = {"state": state}
    if state is State.RUNNING:
        fields |= {
            "attempt": 1,
            "owner": OWNER,
            "lease_until": execution.id.dispatch_at + execution.timeout_ms + 5_000,
        }
    elif state is State.WAITING:
        fields |= {"attempt": 1, "next_attempt_at": execution.id.dispatch_at + 60_000}
    elif state is State.MOVED:
        fields |= {"moved_to": execution_id(99, dispatch_at=execution.id.dispatch_at + 3_600_000)}
    return replace(execution, **(fields | overrides))


def in_every_state(**overrides: Any) -> list[Execution]:
    """One execution in each state, in the order of the states."""
    return [in_state(one_off(number, **overrides), state) for number, state in enumerate(State)]


def expiry_for(execution: Execution) -> int | None:
    """The expiry with which an execution is filed: that of an ended one, or none."""
    return EXPIRES_AT_S if execution.state in TERMINAL else None


def redrive_task(number: int = 1, **overrides: Any) -> RedriveTask:
    """A bulk redrive of everything, as it begins."""
    criteria = DeadLetterFilter(span=PositionRange(before=IndexPosition(at=DUE_AT)))
    fields: dict[str, Any] = {
        "id": redrive_task_id(DUE_AT, number),
        "tenant_id": TENANT,
        "criteria": criteria,
        "rate": 10,
        "created_at": DUE_AT,
        "next_due_at": DUE_AT,
        "position": criteria.span.after,
    }
    return RedriveTask(**(fields | overrides))


def signing_secret(number: int = 1, **overrides: Any) -> SigningSecret:
    """A sealed secret without an end."""
    fields: dict[str, Any] = {
        "id": f"sec_{number}",
        "sealed": b"sealed signing secret %d" % number,
        "created_at": DUE_AT - 86_400_000,
    }
    return SigningSecret(**(fields | overrides))


def tenant(**overrides: Any) -> Tenant:
    """An active tenant."""
    fields: dict[str, Any] = {
        "id": TENANT,
        "state": TenantState.ACTIVE,
        "data_key": b"wrapped data key",
        "signing_secrets": (signing_secret(),),
        "created_at": DUE_AT - 86_400_000,
    }
    return Tenant(**(fields | overrides))


def api_key(number: int = 1, *, secret: str = "s" * 32, **overrides: Any) -> ApiKey:
    """A key that may read and write."""
    fields: dict[str, Any] = {
        "id": encode_base32(number, KEY_ID_BITS // 5),
        "tenant_id": TENANT,
        "secret_hash": hash_secret(secret),
        "scopes": frozenset({Scope.READ, Scope.WRITE}),
        "created_at": DUE_AT - 86_400_000,
    }
    return ApiKey(**(fields | overrides))


def wakeup(number: int = 1, **overrides: Any) -> Wakeup:
    """A message for one execution, due when it is."""
    fields: dict[str, Any] = {
        "lane": Lane.STANDARD,
        "tenant_id": TENANT,
        "keys": (execution_id(number),),
        "not_before": DUE_AT,
    }
    return Wakeup(**(fields | overrides))
