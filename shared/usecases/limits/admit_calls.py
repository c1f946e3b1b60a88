"""Throttling: decide which executions of a batch may be claimed, by the limits of tenants and destinations.

It runs before the claim, because a claim counts an attempt. Executions that have waited come first, then
older ones. In a scope that deferred work a moment ago, new work waits once as well, so that it does not
overtake.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import PunctualError
from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import Phase
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
from shared.domain.tenancy.tenant import Tenant
from shared.names import QueueName
from shared.ports.runtime import Clock, Entropy, Spread
from shared.usecases.limits.limit_cache import ChangeResult, LimitCache
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.tenancy.spend_budget import SpendBudget

STAND_ASIDE_MS = 5_000
"""How long new work waits for older work after its scope deferred a call."""
NOTE_MARGIN_MS = 90_000
"""How much longer than the wait itself a scope stays in the index of hot scopes."""
MAX_SCOPES = 20_000

Deferred = dict[ExecutionId, Deferral]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeLimits:
    """The limits of one scope, and the reasons to report where they are reached."""

    scope: str
    budget_owner: str
    """The owner of the token bucket that `rate` is spent from."""
    budget: BudgetName
    concurrency: int
    rate: int
    concurrency_reason: WaitReason
    rate_reason: WaitReason


@dataclass(slots=True)
class AdmitCalls:
    limits: LimitCache
    spend: SpendBudget
    read_tenant: ReadTenant
    defaults: Quotas
    clock: Clock
    entropy: Entropy
    spread: Spread
    _refused: BoundedCache[str, tuple[int, WaitReason]] = field(
        default_factory=lambda: BoundedCache(MAX_SCOPES)
    )

    def execute(self, candidates: Sequence[Candidate], queue: QueueName) -> Deferred:
        """The candidates that have to wait; all others may be claimed."""
        batch = sorted(candidates, key=lambda call: (call.waited == 0, call.due_at))
        quotas = self._quotas({call.tenant_id for call in batch})
        destinations = {call.destination for call in batch if call.destination}
        hot_scopes = self.limits.hot_scopes.may_be_hot(map(destination_scope, destinations))
        self.limits.refresh([*self._scopes(batch, quotas, hot_scopes)])
        deferred: Deferred = {}
        for destination, group in _grouped(batch, lambda call: call.destination).items():
            scope, mine = destination_scope(destination), quotas[group[0].tenant_id]
            self.limits.hot_scopes.set_tenant([scope], group[0].tenant_id)
            if destination and (scope in hot_scopes or _limits_destinations(mine)):
                deferred |= self._at_destination(destination, group, mine, queue)
        # Slots and tokens of the tenant are taken only for calls that their destination admits.
        rest = [call for call in batch if call.key not in deferred]
        for tenant_id, group in _grouped(rest, lambda call: call.tenant_id).items():
            deferred |= self._at_tenant(tenant_id, group, quotas[tenant_id])
        self._note(batch, deferred)
        return deferred

    def _quotas(self, tenant_ids: Collection[str]) -> dict[str, Quotas]:
        """The quotas of each tenant. Tenants that are not cached are read side by side, since calls wait for it."""
        tenants = {tenant_id: self.read_tenant.cached(tenant_id) for tenant_id in tenant_ids}
        unknown = [tenant_id for tenant_id, tenant in tenants.items() if tenant is None]
        tenants |= dict(zip(unknown, self.spread(self._read, unknown), strict=True))
        return {
            tenant_id: self.defaults.overridden_by(tenant.quotas) if tenant is not None else self.defaults
            for tenant_id, tenant in tenants.items()
        }

    def _read(self, tenant_id: str) -> Tenant | None:
        try:
            return self.read_tenant.execute(tenant_id)
        except PunctualError:
            self.limits.backoff.record_error()
            return None

    def _scopes(
        self, batch: Sequence[Candidate], quotas: Mapping[str, Quotas], hot_scopes: Collection[str]
    ) -> Iterable[str]:
        """The scopes that may have a stored state: no other scope costs a read."""
        for call in batch:
            mine = quotas[call.tenant_id]
            if is_limited(mine.concurrency):
                yield tenant_scope(call.tenant_id)
            scope = destination_scope(call.destination)
            if call.destination and (scope in hot_scopes or is_limited(mine.destination_concurrency)):
                yield scope

    def _at_tenant(self, tenant_id: str, group: list[Candidate], quotas: Quotas) -> Deferred:
        limits = ScopeLimits(
            scope=tenant_scope(tenant_id),
            budget_owner=tenant_id,
            budget=BudgetName.CALLS,
            concurrency=quotas.concurrency,
            rate=quotas.calls_per_second,
            concurrency_reason=WaitReason.TENANT_CONCURRENCY,
            rate_reason=WaitReason.TENANT_RATE,
        )
        return self._within(limits, group)

    def _at_destination(
        self, destination: str, group: list[Candidate], quotas: Quotas, queue: QueueName
    ) -> Deferred:
        scope, now_ms = destination_scope(destination), self.clock.now_ms()
        circuit = self.limits.get(scope).circuit
        if circuit.phase(now_ms) is Phase.OPEN:
            wait = wait_for_breaker_ms(circuit.open_until, now_ms, self.entropy.draw())
            return self._wait(group, WaitReason.BREAKER_OPEN, at_least_ms=wait)
        if circuit.slow and not queue.is_slow:
            slow = Deferral(reason=WaitReason.SLOW, wait_ms=0, via=queue.slow_path)
            return {call.key: slow for call in group}
        if circuit.phase(now_ms) is Phase.HALF_OPEN:
            probes = 1 if self._may_probe(scope) else 0
            return self._wait(group[probes:], WaitReason.BREAKER_OPEN)
        adaptive = circuit.limit if circuit.limit is not None else UNLIMITED
        limits = ScopeLimits(
            scope=scope,
            budget_owner=f"{group[0].tenant_id}.{destination}",
            budget=BudgetName.DESTINATION_CALLS,
            concurrency=min(adaptive, quotas.destination_concurrency),
            rate=quotas.destination_calls_per_second,
            concurrency_reason=WaitReason.DESTINATION_CONCURRENCY,
            rate_reason=WaitReason.DESTINATION_RATE,
        )
        return self._within(limits, group)

    def _may_probe(self, scope: str) -> bool:
        """Whether this process makes the one probe; while the store is down, every process makes one."""
        now_ms, owner = self.clock.now_ms(), self.limits.owner

        def with_probe(state: ScopeState) -> ScopeState:
            if not state.circuit.may_probe(now_ms):
                return state
            return replace(state, circuit=state.circuit.probed_by(owner, now_ms))

        if self.limits.change(scope, with_probe) is ChangeResult.STORE_DOWN:
            return True
        circuit = self.limits.get(scope).circuit
        is_mine = circuit == circuit.probed_by(owner, now_ms)
        if is_mine:
            self.limits.probing.add(scope)
        return is_mine

    def _within(self, limits: ScopeLimits, group: list[Candidate]) -> Deferred:
        """Apply the concurrency and the rate of one scope."""
        refused_at, reason = self._refused.get(limits.scope, (0, limits.concurrency_reason))
        is_crowded = self.clock.now_ms() - refused_at < STAND_ASIDE_MS
        new = [call for call in group if is_crowded and not call.waited]
        rest = [call for call in group if not (is_crowded and not call.waited)]
        deferred = self._wait(new, reason)
        if is_limited(limits.concurrency):
            slots = self._lease_slots(limits.scope, limits.concurrency, len(rest))
            deferred |= self._refuse(limits.scope, rest[slots:], limits.concurrency_reason)
            rest = rest[:slots]
        if is_limited(limits.rate):
            tokens = self._spend_tokens(limits, len(rest))
            deferred |= self._refuse(limits.scope, rest[tokens:], limits.rate_reason)
        return deferred

    def _lease_slots(self, scope: str, limit: int, count: int) -> int:
        """How many of `count` calls may run at once, with slots that this process holds or leases now.

        Nothing is written where no slot is free. After too many conflicts, or where this scope alone does not
        respond, the slots that the process is certain to hold count.
        """
        if self.limits.own_slots(scope) >= count:
            return count
        granted = 0
        # Before the write: its response may be lost, and the slots have to be released all the same.
        self.limits.slot_limits[scope] = limit

        def with_lease(state: ScopeState) -> ScopeState:
            nonlocal granted
            granted = block(limit, count, self.limits.available_slots(scope, limit))
            return self.limits.with_slots(state, granted) if granted else state

        result = self.limits.change(scope, with_lease)
        if result is ChangeResult.STORE_DOWN:
            return count
        return min(count, granted if result is ChangeResult.APPLIED else self.limits.own_slots(scope))

    def _spend_tokens(self, limits: ScopeLimits, count: int) -> int:
        """How many of `count` calls may start in this second; a refused chunk is halved."""
        owner, rate = limits.budget_owner, limits.rate
        spent, chunk = 0, min(count, rate)
        while chunk and spent < count:
            if self.spend.per_second(owner, limits.budget, rate, chunk, read_first=True):
                spent += chunk
                chunk = min(chunk, count - spent)
            else:
                chunk //= 2
        return spent

    def _refuse(self, scope: str, group: list[Candidate], reason: WaitReason) -> Deferred:
        if group:
            self._refused[scope] = (self.clock.now_ms(), reason)
        return self._wait(group, reason)

    def _wait(self, group: list[Candidate], reason: WaitReason, *, at_least_ms: int = 0) -> Deferred:
        """Candidates that have waited equally come back together, so that a pack stays one message."""
        now_ms, deferrals = self.clock.now_ms(), dict[tuple[int, bool], Deferral]()
        for call in group:
            if (call.waited, call.resent) not in deferrals:
                wait = wait_ms(call.waited, call.late_ms(now_ms), self.entropy.draw())
                deferrals[call.waited, call.resent] = Deferral(reason=reason, wait_ms=max(at_least_ms, wait))
        return {call.key: deferrals[call.waited, call.resent] for call in group}

    def _note(self, batch: Sequence[Candidate], deferred: Deferred) -> None:
        until: dict[str, int] = {}
        for call in batch:
            deferral = deferred.get(call.key)
            if deferral is not None and deferral.reason is not WaitReason.SLOW:
                scope = _scope_of(call, deferral.reason)
                until[scope] = max(
                    until.get(scope, 0), self.clock.now_ms() + deferral.wait_ms + NOTE_MARGIN_MS
                )
        self.limits.hot_scopes.note(until)


def _scope_of(call: Candidate, reason: WaitReason) -> str:
    of_tenant = reason in (WaitReason.TENANT_CONCURRENCY, WaitReason.TENANT_RATE)
    return tenant_scope(call.tenant_id) if of_tenant else destination_scope(call.destination)


def _limits_destinations(quotas: Quotas) -> bool:
    return is_limited(quotas.destination_concurrency) or is_limited(quotas.destination_calls_per_second)


def _grouped(batch: Iterable[Candidate], name: Callable[[Candidate], str]) -> dict[str, list[Candidate]]:
    groups: dict[str, list[Candidate]] = {}
    for call in batch:
        groups.setdefault(name(call), []).append(call)
    return groups
