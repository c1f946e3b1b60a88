"""Lanes and hot scopes, as responses."""

from typing import Literal

from functions.api.models import instant_out
from functions.api.resources.lanes.models import HotScopeOut, LaneStatusOut
from shared.domain.limits.circuit_breaker import Circuit, Phase
from shared.domain.limits.scopes import tenant_scope
from shared.domain.limits.slots import live
from shared.domain.schedules.schedule import format_instant
from shared.usecases.listings.list_lanes import HotScope, LaneStatus

_PHASES: dict[Phase, Literal["closed", "open", "half_open"]] = {
    Phase.CLOSED: "closed",
    Phase.OPEN: "open",
    Phase.HALF_OPEN: "half_open",
}


def lane_out(status: LaneStatus) -> LaneStatusOut:
    return LaneStatusOut(visible_messages=status.visible, behind_since=instant_out(status.behind_since))


def hot_scope_out(hot: HotScope, now_ms: int) -> HotScopeOut:
    state, of_tenants = hot.state, tenant_scope("")
    circuit = None if state is None else state.circuit
    phase = None if circuit is None else circuit.phase(now_ms)
    return HotScopeOut(
        kind="tenant" if hot.scope.startswith(of_tenants) else "destination",
        id=hot.scope.partition("#")[2],
        until=format_instant(hot.until),
        reason="unknown" if circuit is None else _reason(circuit, now_ms),
        breaker=None if phase is None else _PHASES[phase],
        open_until=instant_out(circuit.open_until) if circuit is not None and phase is Phase.OPEN else None,
        concurrency_limit=None if circuit is None else circuit.limit,
        running=None if state is None else sum(lease.slots for lease in live(state.leases, now_ms)),
    )


def _reason(
    circuit: Circuit, now_ms: int
) -> Literal["breaker_open", "destination_concurrency", "slow", "quota"]:
    """In the order of the workers' checks, as `waiting_for` of an execution."""
    if circuit.phase(now_ms) is not Phase.CLOSED:
        return "breaker_open"
    if circuit.limit is not None:
        return "destination_concurrency"
    return "slow" if circuit.slow else "quota"
