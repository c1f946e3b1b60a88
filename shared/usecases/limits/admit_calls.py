"""ADMIT: which executions of a batch may be claimed now, by the limits of their tenants and of their destinations.

Asked before the claim, since a claim counts an attempt. Whoever has waited comes before whoever has not, and the
older before the younger; where somebody had to wait just now, what is new waits once as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shared.domain.errors import PunctualError
from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import Circuit, Phase
from shared.domain.limits.scopes import (
    Candidate,
    Deferral,
    ScopeState,
    WaitReason,
    destination_scope,
    is_limited,
    tenant_scope,
    wait_for_breaker_ms,
    wait_ms,
)
from shared.domain.limits.slots import block
from shared.domain.tenancy.budget import BudgetName
from shared.domain.tenancy.quota import UNLIMITED, Quotas
from shared.names import QueueName
from shared.ports.runtime import Clock, Entropy
from shared.usecases.limits.limit_cache import LimitStates
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget

STAND_ASIDE_MS = 5_000
"""For so long after somebody had to wait in a scope, what has not waited yet lets the others go first."""
NOTED_MS = 90_000
"""The board says so much longer that something waits than it is asked to wait."""
MAX_SCOPES = 10_000

Deferred = dict[ExecutionId, Deferral]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeLimits:
    """The limits of one scope, and how they are called."""

    scope: str
    owner: str
    """Whose budget of calls per second it is."""
    budget: BudgetName
    concurrency: int
    rate: int
    concurrency_reason: WaitReason
    rate_reason: WaitReason


@dataclass(slots=True)
class AdmitCalls:
    """Belongs to one process."""

    states: LimitStates
    spend: SpendBudget
    read_tenant: ReadTenant
    defaults: Quotas
    clock: Clock
    entropy: Entropy
    _refused: dict[str, tuple[int, WaitReason]] = field(default_factory=dict)

    def execute(self, candidates: Sequence[Candidate], queue: QueueName) -> Deferred:
        """Those that have to wait; all others may be claimed. Raises nothing."""
        batch = sorted(candidates, key=lambda one: (one.waited == 0, one.key.dispatch_at))
        limits = {tenant_id: self._limits_of(tenant_id) for tenant_id in {one.tenant_id for one in batch}}
        hot_scopes = self.states.hot_scopes()
        self.states.refresh([*self._scopes(batch, limits, hot_scopes)])
        deferred: Deferred = {}
        for destination, group in _by_destination(batch).items():
            self.states.belong([destination_scope(destination)], group[0].tenant_id)
            if destination and (
                destination_scope(destination) in hot_scopes or _limits_destinations(limits, group)
            ):
                deferred |= self._at_destination(destination, group, limits[group[0].tenant_id], queue)
        for tenant_id, group in _by_tenant([one for one in batch if one.key not in deferred]).items():
            deferred |= self._at_tenant(tenant_id, group, limits[tenant_id])
        self._note(batch, deferred)
        return deferred

    def _limits_of(self, tenant_id: str) -> Quotas:
        try:
            tenant = self.read_tenant.execute(tenant_id)
        except PunctualError:
            self.states.unanswered += 1
            tenant = None
        return self.defaults.overridden_by(tenant.quotas) if tenant is not None else self.defaults

    def _scopes(
        self, batch: Sequence[Candidate], limits: Mapping[str, Quotas], hot_scopes: Mapping[str, int]
    ) -> Iterable[str]:
        """Those of which there may be a state: of all others nothing is read."""
        for one in batch:
            mine = limits[one.tenant_id]
            if is_limited(mine.concurrency):
                yield tenant_scope(one.tenant_id)
            scope = destination_scope(one.destination)
            if one.destination and (scope in hot_scopes or is_limited(mine.destination_concurrency)):
                yield scope

    def _at_tenant(self, tenant_id: str, group: list[Candidate], limits: Quotas) -> Deferred:
        bounds = ScopeLimits(
            scope=tenant_scope(tenant_id),
            owner=tenant_id,
            budget=BudgetName.CALLS,
            concurrency=limits.concurrency,
            rate=limits.calls_per_second,
            concurrency_reason=WaitReason.TENANT_CONCURRENCY,
            rate_reason=WaitReason.TENANT_RATE,
        )
        return self._within(bounds, group)

    def _at_destination(
        self, destination: str, group: list[Candidate], limits: Quotas, queue: QueueName
    ) -> Deferred:
        scope, now_ms = destination_scope(destination), self.clock.now_ms()
        circuit = self.states.of(scope).circuit
        if circuit.phase(now_ms) is Phase.OPEN:
            wait = wait_for_breaker_ms(circuit.open_until, now_ms, self.entropy.draw())
            return _all(group, Deferral(reason=WaitReason.BREAKER_OPEN, wait_ms=wait))
        if circuit.slow and not queue.is_slow:
            return _all(group, Deferral(reason=WaitReason.SLOW, wait_ms=0, via=queue.slow_path))
        if circuit.phase(now_ms) is Phase.HALF_OPEN:
            probes = 1 if self._probes(scope) else 0
            return self._wait(group[probes:], WaitReason.BREAKER_OPEN)
        limit = circuit.limit if circuit.limit is not None else UNLIMITED
        bounds = ScopeLimits(
            scope=scope,
            owner=f"{group[0].tenant_id}.{destination}",
            budget=BudgetName.DESTINATION_CALLS,
            concurrency=min(limit, limits.destination_concurrency),
            rate=limits.destination_calls_per_second,
            concurrency_reason=WaitReason.DESTINATION_CONCURRENCY,
            rate_reason=WaitReason.DESTINATION_RATE,
        )
        return self._within(bounds, group)

    def _probes(self, scope: str) -> bool:
        """Whether this process makes the one call that probes; where the store does not answer, each makes one."""
        now_ms, owner = self.clock.now_ms(), self.states.owner

        def probed(state: ScopeState) -> ScopeState:
            if not state.circuit.may_probe(now_ms):
                return state
            return _with_circuit(state, state.circuit.probed_by(owner, now_ms))

        if self.states.change(scope, probed) is None:
            return True
        circuit = self.states.of(scope).circuit
        is_mine = circuit == circuit.probed_by(owner, now_ms)
        if is_mine:
            self.states.probing.add(scope)
        return is_mine

    def _within(self, bounds: ScopeLimits, group: list[Candidate]) -> Deferred:
        """Keep to the concurrency and to the rate of one scope."""
        refused_at, reason = self._refused.get(bounds.scope, (0, bounds.concurrency_reason))
        is_crowded = self.clock.now_ms() - refused_at < STAND_ASIDE_MS
        fresh = [one for one in group if is_crowded and not one.waited]
        rest = [one for one in group if not (is_crowded and not one.waited)]
        deferred = self._wait(fresh, reason)
        if is_limited(bounds.concurrency):
            room = self._slots(bounds.scope, bounds.concurrency, len(rest))
            deferred |= self._refuse(bounds.scope, rest[room:], bounds.concurrency_reason)
            rest = rest[:room]
        if is_limited(bounds.rate):
            paid = self._tokens(bounds, len(rest))
            deferred |= self._refuse(bounds.scope, rest[paid:], bounds.rate_reason)
        return deferred

    def _slots(self, scope: str, limit: int, wanted: int) -> int:
        """How many calls may be made at once: what this process holds, or could lease where that is not enough.

        Nothing is written where there is nothing to be had. Where others were faster too often, or the scope does not
        answer while others do, what this process holds counts.
        """
        if self.states.held(scope) >= wanted:
            return wanted
        granted = 0
        self.states.slots_of[scope] = limit

        def leased(state: ScopeState) -> ScopeState:
            nonlocal granted
            granted = block(limit, wanted, self.states.free(scope, limit))
            return self.states.with_slots(state, granted) if granted else state

        is_changed = self.states.change(scope, leased)
        if is_changed is None:
            return wanted
        return min(wanted, granted if is_changed else self.states.held(scope))

    def _tokens(self, bounds: ScopeLimits, wanted: int) -> int:
        """How many calls may begin in this second."""
        paid, chunk = 0, min(wanted, bounds.rate)
        while chunk and paid < wanted:
            if self.spend.per_second(bounds.owner, bounds.budget, bounds.rate, chunk, looks_first=True):
                paid += chunk
                chunk = min(chunk, wanted - paid)
            else:
                chunk //= 2
        return paid

    def _refuse(self, scope: str, group: list[Candidate], reason: WaitReason) -> Deferred:
        if group:
            if len(self._refused) >= MAX_SCOPES:
                self._refused.clear()
            self._refused[scope] = (self.clock.now_ms(), reason)
        return self._wait(group, reason)

    def _wait(self, group: list[Candidate], reason: WaitReason) -> Deferred:
        """Those that have waited as often as each other come back together, so that a pack stays one message."""
        now_ms, due_at = self.clock.now_ms(), dict[int, int]()
        for one in group:
            due_at[one.waited] = max(due_at.get(one.waited, 0), one.key.dispatch_at)
        waits = {waited: wait_ms(waited, now_ms - at, self.entropy.draw()) for waited, at in due_at.items()}
        return {one.key: Deferral(reason=reason, wait_ms=waits[one.waited]) for one in group}

    def _note(self, batch: Sequence[Candidate], deferred: Deferred) -> None:
        until: dict[str, int] = {}
        for one in batch:
            deferral = deferred.get(one.key)
            if deferral is not None and deferral.reason is not WaitReason.SLOW:
                scope = _scope_of(one, deferral.reason)
                until[scope] = max(until.get(scope, 0), self.clock.now_ms() + deferral.wait_ms + NOTED_MS)
        self.states.note(until)


def _scope_of(one: Candidate, reason: WaitReason) -> str:
    of_tenant = reason in (WaitReason.TENANT_CONCURRENCY, WaitReason.TENANT_RATE)
    return tenant_scope(one.tenant_id) if of_tenant else destination_scope(one.destination)


def _with_circuit(state: ScopeState, circuit: Circuit) -> ScopeState:
    return ScopeState(version=state.version, circuit=circuit, leases=state.leases)


def _all(group: Iterable[Candidate], deferral: Deferral) -> Deferred:
    return {one.key: deferral for one in group}


def _limits_destinations(limits: Mapping[str, Quotas], group: list[Candidate]) -> bool:
    mine = limits[group[0].tenant_id]
    return is_limited(mine.destination_concurrency) or is_limited(mine.destination_calls_per_second)


def _by_destination(batch: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    groups: dict[str, list[Candidate]] = {}
    for one in batch:
        groups.setdefault(one.destination, []).append(one)
    return groups


def _by_tenant(batch: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    groups: dict[str, list[Candidate]] = {}
    for one in batch:
        groups.setdefault(one.tenant_id, []).append(one)
    return groups
