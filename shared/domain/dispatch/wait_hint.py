"""Why an execution that is due has not begun, as far as what all processes share tells it in this moment.

A hint, and no verdict: workers judge anew each time they look, and what waits looks again only after a while. What
nothing is known of stands in its queue, or is on its way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from shared.domain.dispatch.sweep import BACKED_UP_MS, YIELDS_AT_MOST_MS, LaneProgress
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.limits.circuit_breaker import Phase
from shared.domain.limits.scopes import ScopeState, WaitReason, destination_scope, is_limited, tenant_scope
from shared.domain.limits.slots import free_for
from shared.domain.tenancy.quota import UNLIMITED, Quotas

_NOBODY = ""


class WaitingFor(StrEnum):
    """What an execution may be told to wait for."""

    OVERLAP = "overlap"
    """Another run of its job has not ended."""
    BACKPRESSURE = WaitReason.BACKPRESSURE.value
    BREAKER_OPEN = WaitReason.BREAKER_OPEN.value
    SLOW = WaitReason.SLOW.value
    DESTINATION_CONCURRENCY = WaitReason.DESTINATION_CONCURRENCY.value
    DESTINATION_RATE = WaitReason.DESTINATION_RATE.value
    TENANT_CONCURRENCY = WaitReason.TENANT_CONCURRENCY.value
    TENANT_RATE = WaitReason.TENANT_RATE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitHint:
    """What an execution waits for, and until when at least, where that is known."""

    reason: WaitingFor
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleSnapshot:
    """What was found about scopes and lanes."""

    states: Mapping[str, ScopeState]
    hot_scopes: Mapping[str, int]
    """The scopes in which something waits or that are in trouble, each until when."""
    progress: Sequence[LaneProgress] = field(default_factory=list)
    """The reports of the lanes that it makes room for; there is one only of a lane that is or was behind."""


def has_not_begun(execution: Execution, now_ms: int) -> bool:
    """Whether its next attempt is due and has not begun."""
    awaits = execution.state in NOT_STARTED or execution.state is State.WAITING
    return awaits and now_ms >= execution.not_before


def scopes_of(execution: Execution) -> list[str]:
    """The scopes whose limits it is held to; the id of its destination is its tenant's own."""
    destination = [destination_scope(execution.call.destination)] if execution.call.destination else []
    return [*destination, tenant_scope(execution.tenant_id)]


def hint_of(execution: Execution, snapshot: ThrottleSnapshot, limits: Quotas, now_ms: int) -> WaitHint | None:
    """What keeps it from beginning, in the order in which workers ask; None where nothing is known to.

    A call to a slow destination is moved before they ask for the rest, which then keeps it on the slow path: that it is
    slow is told where its destination has no other reason.
    """
    if _makes_room(execution, snapshot, now_ms):
        return WaitHint(reason=WaitingFor.BACKPRESSURE)
    at_destination = (
        _at_destination(execution, snapshot, limits, now_ms) if execution.call.destination else None
    )
    return at_destination or _at_tenant(execution, snapshot, limits, now_ms)


def _makes_room(execution: Execution, snapshot: ThrottleSnapshot, now_ms: int) -> bool:
    may_wait = now_ms - execution.id.dispatch_at < YIELDS_AT_MOST_MS
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
    # A destination in trouble stands on the board whether anything waits or not.
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
    return is_limited(concurrency) and not free_for(_NOBODY, concurrency, state.leases, now_ms)
