"""Values with sensible defaults, for tests that care about one or two of their fields."""

from dataclasses import fields, replace
from typing import Any, TypeVar

from shared.domain.archive.reading import RowFilter
from shared.domain.archive.search_task import SearchFilter, SearchTask, search_task_id
from shared.domain.bucket import MINUTE_MS, ShardCounts
from shared.domain.bulk.actions import BulkAction
from shared.domain.bulk.job_task import JobTask, job_task_id
from shared.domain.dead_letters.redrive_task import RedriveTask, redrive_task_id
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import TERMINAL, State
from shared.domain.ids import DEFAULT_CELL, ExecutionId, encode_base32, one_off_job_id, recurring_job_id
from shared.domain.jobs.job import Definition, Job, JobState
from shared.domain.listings.filters import DeadLetterFilter, JobFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.schedules.schedule import Rate
from shared.domain.tenancy.deletion import TenantDeletion
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
CALL = CallSpec(lane=Lane.STANDARD, request=b"sealed request", retry=RetryPolicy(), timeout_ms=30_000)


V = TypeVar("V", Execution, Job, Definition)
_PARTS = ("definition", "call", "progress")


def with_changes(value: V, **changes: Any) -> V:
    """`value` with changes by flat names, such as `state` or `retry`: each goes to the part that has the field."""
    own = {field.name for field in fields(value)}
    if "progress" in own and "attempt" in changes:
        # Without refunds, which name both numbers, the number of the attempt is that of its claim.
        changes.setdefault("claims", changes.pop("attempt"))
    for part in _PARTS:
        if part in own:
            names = _names_in(getattr(value, part)) & changes.keys() - own
            if names:
                inner = changes.get(part, getattr(value, part))
                changes[part] = with_changes(inner, **{name: changes.pop(name) for name in names})
    return replace(value, **changes)


def _names_in(part: Any) -> set[str]:
    nested = _names_in(part.call) if isinstance(part, Definition) else set()
    return {field.name for field in fields(part)} | nested


def execution_id(number: int = 1, *, dispatch_at: int = DUE_AT, shard: int = 0) -> ExecutionId:
    """An id; `number` tells those apart that are due at the same instant."""
    return ExecutionId(cell=DEFAULT_CELL, dispatch_at=dispatch_at, shard=shard, entropy=number)


def one_off(number: int = 1, *, due_at: int = DUE_AT, shard: int = 0, **overrides: Any) -> Execution:
    """The execution of a one-off job, as it is filed ahead of its time."""
    identity: ExecutionId = overrides.pop("id", execution_id(number, dispatch_at=due_at, shard=shard))
    plain = Execution(
        id=identity,
        tenant_id=TENANT,
        job_id=one_off_job_id(identity),
        revision=1,
        nominal_at=identity.dispatch_at,
        created_at=identity.dispatch_at - 600_000,
        call=CALL,
        fingerprint=bytes(16),
    )
    return with_changes(plain, **overrides)


def job(number: int = 1, **overrides: Any) -> Job:
    """A job that runs every minute from DUE_AT on."""
    plain = Job(
        id=recurring_job_id(DUE_AT - 600_000, number, cell=DEFAULT_CELL),
        tenant_id=TENANT,
        revision=1,
        state=JobState.ACTIVE,
        definition=Definition(schedule=Rate(interval_ms=MINUTE_MS, anchor=DUE_AT), call=CALL),
        counts=ONE_SHARD,
        fingerprint=bytes(16),
        created_at=DUE_AT - 600_000,
        chain_from=DUE_AT,
    )
    return with_changes(plain, **overrides)


def occurrence(of: Job | None = None, nominal_at: int = DUE_AT, **overrides: Any) -> Execution:
    """An execution of a recurring job."""
    plain = (of or job()).occurrence(nominal_at, created_at=nominal_at - 600_000)
    return with_changes(plain, **overrides)


def in_state(execution: Execution, state: State, **overrides: Any) -> Execution:
    """The execution in another state, with the lease or the instant that the state requires."""
    fields: dict[str, Any] = {"state": state}
    if state is State.RUNNING:
        fields |= {
            "attempt": 1,
            "owner": OWNER,
            "lease_until": execution.id.dispatch_at + execution.call.timeout_ms + 5_000,
        }
    elif state is State.WAITING:
        fields |= {"attempt": 1, "next_attempt_at": execution.id.dispatch_at + 60_000}
    elif state is State.MOVED:
        fields |= {"moved_to": execution_id(99, dispatch_at=execution.id.dispatch_at + 3_600_000)}
    return with_changes(execution, **(fields | overrides))


def in_every_state(**overrides: Any) -> list[Execution]:
    """One execution in each state, in the order of the states."""
    return [in_state(one_off(number, **overrides), state) for number, state in enumerate(State)]


def expiry_for(execution: Execution) -> int | None:
    """The expiry with which an execution is filed: that of an ended one, or none."""
    return EXPIRES_AT_S if execution.state in TERMINAL else None


def redrive_task(number: int = 1, **overrides: Any) -> RedriveTask:
    """A new bulk redrive of all dead letters."""
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


def job_task(number: int = 1, **overrides: Any) -> JobTask:
    """A new bulk operation that pauses all recurring jobs."""
    fields: dict[str, Any] = {
        "id": job_task_id(DUE_AT, number),
        "tenant_id": TENANT,
        "criteria": JobFilter(created_before=DUE_AT, recurs=True, is_live=True),
        "action": BulkAction.PAUSE,
        "rate": 10,
        "total": 3,
        "created_at": DUE_AT,
        "next_due_at": DUE_AT,
    }
    return JobTask(**(fields | overrides))


def search_task(number: int = 1, **overrides: Any) -> SearchTask:
    """A new search of the day before, without a filter."""
    criteria = SearchFilter(rows=RowFilter(), from_at=DUE_AT - 86_400_000, until_at=DUE_AT)
    fields: dict[str, Any] = {
        "id": search_task_id(DUE_AT, number),
        "tenant_id": TENANT,
        "criteria": criteria,
        "created_at": DUE_AT,
        "position": IndexPosition(at=DUE_AT),
    }
    return SearchTask(**(fields | overrides))


def signing_secret(number: int = 1, **overrides: Any) -> SigningSecret:
    """A sealed secret without an expiry."""
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


def deletion(**overrides: Any) -> TenantDeletion:
    """A deletion that was asked for and has not begun."""
    fields: dict[str, Any] = {
        "tenant_id": TENANT,
        "asked_at": DUE_AT,
        "asked_by": "ticket 7",
        "next_at": DUE_AT + 3_600_000,
    }
    return TenantDeletion(**(fields | overrides))


def api_key(number: int = 1, *, secret: str = "s" * 32, **overrides: Any) -> ApiKey:
    """A key with the scopes read and write."""
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
