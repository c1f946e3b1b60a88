"""Why an execution that is due has not started, judged by the shared state of limits and lanes.

It is a hint: workers decide anew each time, and a deferred execution comes back only after a while. An
execution without a hint is in its queue, or its message is on its way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import BACKED_UP_MS, MAX_YIELD_MS, LaneProgress
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.limits.circuit_breaker import Phase
from shared.domain.limits.scopes import ScopeState, WaitReason, destination_scope, is_limited, tenant_scope
from shared.domain.limits.slots import free_for
from shared.domain.tenancy.quota import UNLIMITED, Quotas

_NO_OWNER = ""


class WaitingFor(StrEnum):
    """The API's values of `waiting_for`."""

    OVERLAP = "overlap"
    """Another run of the same job has not ended."""
    BACKPRESSURE = WaitReason.BACKPRESSURE.value
    BREAKER_OPEN = WaitReason.BREAKER_OPEN.value
    SLOW = WaitReason.SLOW.value
    DESTINATION_CONCURRENCY = WaitReason.DESTINATION_CONCURRENCY.value
    DESTINATION_RATE = WaitReason.DESTINATION_RATE.value
    TENANT_CONCURRENCY = WaitReason.TENANT_CONCURRENCY.value
    TENANT_RATE = WaitReason.TENANT_RATE.value
    SUSPENDED = WaitReason.SUSPENDED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitHint:
    """What an execution waits for, and the earliest end of the wait where it is known."""

    reason: WaitingFor
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleSnapshot:
    """The stored state of some scopes and lanes."""

    states: Mapping[str, ScopeState]
    hot_scopes: Mapping[str, int]
    """The scopes in which work waits or that are in trouble, each with the instant until when."""
    progress: Sequence[LaneProgress] = field(default_factory=list)
    """The reports of the lanes that bulk work yields to; a lane that was never behind has none."""


def is_due_and_unstarted(execution: Execution, now_ms: int) -> bool:
    """Whether the next attempt is due and has not started."""
    is_open = execution.state in NOT_STARTED or execution.state is State.WAITING
    return is_open and now_ms >= execution.not_before


def scopes_of(execution: Execution) -> list[str]:
    """The scopes whose limits apply to the execution."""
    destination = [destination_scope(execution.call.destination)] if execution.call.destination else []
    return [*destination, tenant_scope(execution.tenant_id)]


def wait_hint(
    execution: Execution, snapshot: ThrottleSnapshot, limits: Quotas, now_ms: int
) -> WaitHint | None:
    """The first reason in the order of the workers' checks; None where no reason is known.

    Workers move a call to a slow destination before the other checks, which then apply on the slow path. So
    `slow` is the reason only where the destination has no other one.
    """
    if _yields(execution, snapshot, now_ms):
        return WaitHint(reason=WaitingFor.BACKPRESSURE)
    at_destination = (
        _at_destination(execution, snapshot, limits, now_ms) if execution.call.destination else None
    )
    return at_destination or _at_tenant(execution, snapshot, limits, now_ms)


def _yields(execution: Execution, snapshot: ThrottleSnapshot, now_ms: int) -> bool:
    may_wait = now_ms - execution.not_before < MAX_YIELD_MS
    return may_wait and any(now_ms - report.reported_at < BACKED_UP_MS for report in snapshot.progress)


def _at_destination(
    execution: Execution, snapshot: ThrottleSnapshot, limits: Quotas, now_ms: int
) -> WaitHint | None:
    scope = destination_scope(execution.call.destination)
    state = snapshot.states.get(scope, ScopeState())
    circuit = state.circuit
    match circuit.phase(now_ms):
        case Phase.OPEN:
            return WaitHint(reason=WaitingFor.BREAKER_OPEN, until=circuit.open_until)
        case Phase.HALF_OPEN:
            return WaitHint(reason=WaitingFor.BREAKER_OPEN)
    adaptive = circuit.limit if circuit.limit is not None else UNLIMITED
    concurrency = min(adaptive, limits.destination_concurrency)
    # A destination in trouble is hot whether or not an execution waits for it: only a healthy one is crowded.
    is_crowded = circuit.is_healthy and now_ms < snapshot.hot_scopes.get(scope, 0)
    if circuit.limit is not None or _is_full(state, concurrency, now_ms):
        return WaitHint(reason=WaitingFor.DESTINATION_CONCURRENCY)
    if circuit.slow:
        return WaitHint(reason=WaitingFor.SLOW)
    if is_crowded and is_limited(limits.destination_calls_per_second):
        return WaitHint(reason=WaitingFor.DESTINATION_RATE)
    if is_crowded and is_limited(concurrency):
        return WaitHint(reason=WaitingFor.DESTINATION_CONCURRENCY)
    return None


def _at_tenant(
    execution: Execution, snapshot: ThrottleSnapshot, limits: Quotas, now_ms: int
) -> WaitHint | None:
    scope = tenant_scope(execution.tenant_id)
    if _is_full(snapshot.states.get(scope, ScopeState()), limits.concurrency, now_ms):
        return WaitHint(reason=WaitingFor.TENANT_CONCURRENCY)
    if now_ms >= snapshot.hot_scopes.get(scope, 0):
        return None
    if is_limited(limits.calls_per_second):
        return WaitHint(reason=WaitingFor.TENANT_RATE)
    return WaitHint(reason=WaitingFor.TENANT_CONCURRENCY) if is_limited(limits.concurrency) else None


def _is_full(state: ScopeState, concurrency: int, now_ms: int) -> bool:
    return is_limited(concurrency) and not free_for(_NO_OWNER, concurrency, state.leases, now_ms)
