"""Limits at work."""

from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState
from shared.domain.limits.slots import SlotLease
from tests.support.builders import DUE_AT

FULL = ScopeState(
    circuit=Circuit(
        failures=9,
        trips=3,
        open_until=DUE_AT,
        prober="abcdefgh",
        probe_until=DUE_AT + 1,
        limit=7,
        limited_at=DUE_AT - 5,
        slow=True,
    ),
    leases=(SlotLease(owner="a", slots=1, until=DUE_AT), SlotLease(owner="b", slots=22, until=DUE_AT + 9)),
)
