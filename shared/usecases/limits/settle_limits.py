"""End of a batch: report the responses of destinations to their circuit breakers, and release leased slots.

Both go into one write for each scope. A healthy destination is never written about.
"""

from collections.abc import Iterable
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.delivery.callback import CallbackResponse
from shared.domain.limits.circuit_breaker import Circuit, Phase, Tally
from shared.domain.limits.scopes import ScopeState, destination_scope
from shared.domain.limits.slots import is_large
from shared.ports.runtime import Clock
from shared.usecases.limits.limit_cache import TRIES, ChangeResult, LimitCache

HOLD_MS = 2_000
"""A batch this soon after the last makes another likely: slots are kept for it, at most this long."""
RELEASE_TRIES = 10
"""Tries of a process that may be frozen after its batch: unreleased slots wait for the lease to end."""
REPORT_MS = 2_000
"""The least time between two writes of a process that only report responses; a probe is reported at once."""
MIN_FAILURES = 3
"""Failures without a success that are reported: a single failure may be chance."""
TROUBLE_MS = 600_000
"""How long a destination in trouble stays in the index of hot scopes after the last report."""
MAX_TALLIES = 1_000
RESET_AFTER = 8
"""A tally with this many responses and nothing to report starts anew."""


@dataclass(slots=True)
class SettleLimits:
    limits: LimitCache
    clock: Clock
    opened: int = 0
    """Breakers that this process opened since `take_opened`."""
    _tallies: BoundedCache[str, Tally] = field(default_factory=lambda: BoundedCache(MAX_TALLIES))
    _unreported: set[str] = field(default_factory=set)
    """Scopes with a tally that is worth reporting, and that were written about too recently."""
    _ended_at: int = 0
    _expects_more: bool = False

    def begin(self) -> None:
        self._expects_more = self.clock.now_ms() - self._ended_at < HOLD_MS

    def execute(self, responses: Iterable[tuple[str, CallbackResponse]]) -> None:
        """A batch ends. `responses` are pairs of destination and response."""
        self._ended_at = self.clock.now_ms()
        batch: dict[str, Tally] = {}
        for destination, response in responses:
            scope = destination_scope(destination)
            batch[scope] = batch.get(scope, Tally()).plus(response)
        for scope, tally in batch.items():
            self._tallies[scope] = self._tallies.get(scope, Tally()).then(tally)
        # Not every tally: a process may keep those of a thousand healthy destinations.
        scopes = dict.fromkeys(
            (*self.limits.slot_limits, *self.limits.probing, *batch, *sorted(self._unreported))
        )
        hot_scopes = self.limits.hot_scopes.hot(scopes)
        # A call may have started before its destination was in trouble: refresh before judging its response.
        self.limits.refresh([scope for scope in scopes if scope in hot_scopes])
        for scope in scopes:
            self._settle(scope, batch.get(scope, Tally()), is_hot=scope in hot_scopes)

    def take_opened(self) -> int:
        """The breakers that were opened since the last call; resets the counter."""
        counted, self.opened = self.opened, 0
        return counted

    def _settle(self, scope: str, batch: Tally, *, is_hot: bool) -> None:
        circuit = self.limits.get(scope).circuit
        is_probe = self._is_own_probe(circuit)
        # A probe is judged by its own response: earlier responses show how the destination was before.
        tally = batch if is_probe else self._tallies.get(scope, Tally())
        self.limits.probing.discard(scope)
        releases = self._releases(scope)
        # The lease of the slots was a write a moment ago, but a report in the write of the release is free.
        may_report = releases or self._may_write(scope)
        is_worth_reporting = self._is_worth_reporting(tally, is_hot=is_hot)
        reports = is_probe or (may_report and is_worth_reporting)
        self._unreported.discard(scope)
        if is_worth_reporting and not reports:
            self._unreported.add(scope)
        if reports or releases:
            self._write(scope, tally if reports else Tally(), releases=releases, is_probe=is_probe)
        if reports or tally.timed >= RESET_AFTER:
            self._tallies.pop(scope, None)

    def _is_worth_reporting(self, tally: Tally, *, is_hot: bool) -> bool:
        if tally == Tally():
            return False
        has_failed = tally.bad >= MIN_FAILURES and not tally.good
        return is_hot or bool(tally.overloaded) or tally.is_slow or has_failed

    def _may_write(self, scope: str) -> bool:
        return self.limits.ms_since_write(scope) >= REPORT_MS

    def _releases(self, scope: str) -> bool:
        """Release slots with each batch, unless another batch is likely and other processes have enough.

        A process without a next batch is frozen by Lambda and cannot release anything later.
        """
        limit = self.limits.slot_limits.get(scope)
        if limit is None:
            return False
        if not self.limits.may_hold_slots(scope):
            del self.limits.slot_limits[scope]
            return False
        if self._expects_more and self._is_contended(scope, limit):
            return False
        keeps = self._expects_more and self.limits.may_keep(scope, limit)
        return not keeps or self._may_write(scope)

    def _is_contended(self, scope: str, limit: int) -> bool:
        """Whether many processes share a large limit: releases with each batch would only collide."""
        return is_large(limit) and self.limits.ms_since_conflict(scope) < HOLD_MS

    def _is_own_probe(self, circuit: Circuit) -> bool:
        is_half_open = circuit.phase(self.clock.now_ms()) is Phase.HALF_OPEN
        return is_half_open and circuit.prober == self.limits.owner

    def _write(self, scope: str, tally: Tally, *, releases: bool, is_probe: bool) -> None:
        now_ms, owner = self.clock.now_ms(), self.limits.owner
        opens = recovers = False

        def after_batch(state: ScopeState) -> ScopeState:
            nonlocal opens, recovers
            circuit = state.circuit.after(tally, owner, now_ms)
            if is_probe:
                # A probe without a result: the breaker would wait until `probe_until`.
                circuit = circuit.without_probe_of(owner)
            opens = circuit.phase(now_ms) is Phase.OPEN and circuit.trips > state.circuit.trips
            recovers = circuit.is_healthy and not state.circuit.is_healthy
            after = state if not releases else self.limits.with_slots(state, 0)
            return replace(after, circuit=circuit)

        may_freeze = releases and not self._expects_more
        tries = RELEASE_TRIES if may_freeze else TRIES
        if self.limits.change(scope, after_batch, tries) is ChangeResult.APPLIED:
            self.opened += opens
            self._note(scope, recovers=recovers)

    def _note(self, scope: str, *, recovers: bool) -> None:
        """Tell other processes about trouble at a destination before their own calls fail.

        Only a recovery removes an entry: a healthy destination is hot because executions wait for it.
        """
        if not scope.startswith(destination_scope("")):
            return
        circuit, now_ms = self.limits.get(scope).circuit, self.clock.now_ms()
        if circuit.is_healthy:
            self.limits.hot_scopes.note({}, gone=[scope] if recovers else ())
        else:
            self.limits.hot_scopes.note({scope: max(now_ms, circuit.open_until) + TROUBLE_MS})
