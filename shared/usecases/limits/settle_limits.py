"""SETTLE limits after a batch: say what was heard of destinations, where that changes anything, and give slots back.

Both go into one write for each scope. A destination that answers as it should is never written about.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from shared.domain.delivery.callback import CallbackResponse
from shared.domain.limits.circuit_breaker import Circuit, Phase, Tally
from shared.domain.limits.scopes import ScopeState, destination_scope
from shared.domain.limits.slots import is_large
from shared.ports.runtime import Clock
from shared.usecases.limits.limit_cache import TRIES, LimitStates

HOLD_MS = 2_000
"""A batch that comes so soon after the last one lets expect another: slots are kept for it, for as long at the most."""
RELEASE_TRIES = 10
"""Whoever stands still after its batch keeps what it could not give back until its lease ends; others try again."""
REPORT_MS = 2_000
"""So often at most does a process write only to say what it hears of a destination, but for a probe."""
TELLING_FAILURES = 3
"""So many failures and no answer: a single one may have been chance."""
TROUBLE_MS = 600_000
"""A destination in trouble stays on the board for so long after it was last heard of."""
MAX_TALLIES = 1_000
FORGET_AFTER = 8
"""A tally of so many answers that says nothing new begins anew."""


@dataclass(slots=True)
class SettleLimits:
    """Belongs to one process."""

    states: LimitStates
    clock: Clock
    opened: int = 0
    """How many breakers this process opened since this was last taken."""
    _tallies: dict[str, Tally] = field(default_factory=dict)
    _ended_at: int = 0
    _expects_more: bool = False

    def begin(self) -> None:
        """A batch begins."""
        self._expects_more = self.clock.now_ms() - self._ended_at < HOLD_MS

    def execute(self, answers: Iterable[tuple[str, CallbackResponse]]) -> None:
        """A batch ends. Each answer with its destination. Raises nothing."""
        self._ended_at = self.clock.now_ms()
        heard: dict[str, Tally] = {}
        for destination, answer in answers:
            scope = destination_scope(destination)
            heard[scope] = heard.get(scope, Tally()).plus(answer)
        for scope, tally in heard.items():
            self._tallies[scope] = self._tallies.get(scope, Tally()).then(tally)
        scopes = dict.fromkeys((*self.states.slots_of, *self.states.probing, *self._tallies))
        hot_scopes = self.states.hot_scopes() if scopes else {}
        # A call that is answered now may have begun before anything was known of its destination.
        self.states.refresh([scope for scope in scopes if scope in hot_scopes])
        for scope in scopes:
            self._settle(scope, heard.get(scope, Tally()), is_known=scope in hot_scopes)
        if len(self._tallies) > MAX_TALLIES:
            self._tallies.clear()

    def take_opened(self) -> int:
        """How many breakers were opened since this was last taken."""
        counted, self.opened = self.opened, 0
        return counted

    def _settle(self, scope: str, heard: Tally, *, is_known: bool) -> None:
        circuit = self.states.of(scope).circuit
        is_mine = self._is_probed_by_me(circuit)
        # A probe is judged by its own answer: what was heard before says how the destination was.
        tally = heard if is_mine else self._tallies.get(scope, Tally())
        self.states.probing.discard(scope)
        releases = self._releases(scope)
        # Slots are leased by a write that is often a moment old: what goes into the one that gives them back is free.
        may_tell = releases or self._may_write(scope)
        tells = is_mine or (may_tell and self._tells(tally, is_known=is_known))
        if tells or releases:
            self._write(scope, tally if tells else Tally(), releases=releases, is_probe=is_mine)
        if tells or tally.timed >= FORGET_AFTER:
            self._tallies.pop(scope, None)

    def _tells(self, tally: Tally, *, is_known: bool) -> bool:
        if tally == Tally():
            return False
        has_failed = tally.bad >= TELLING_FAILURES and not tally.good
        return is_known or bool(tally.overloaded) or tally.is_slow or has_failed

    def _may_write(self, scope: str) -> bool:
        return self.states.written_before_ms(scope) >= REPORT_MS

    def _releases(self, scope: str) -> bool:
        """With each batch, but for what others can do without where another batch is likely to come at once.

        A process that no batch comes to stands still: it cannot give back anything then.
        """
        limit = self.states.slots_of.get(scope)
        if limit is None:
            return False
        if not self.states.holds_any(scope):
            del self.states.slots_of[scope]
            return False
        if self._expects_more and self._is_crowded(scope, limit):
            return False
        keeps = self._expects_more and self.states.may_keep(scope, limit)
        return not keeps or self._may_write(scope)

    def _is_crowded(self, scope: str, limit: int) -> bool:
        """Whether so many processes write about a large limit that nobody would come to call for all the writes."""
        return is_large(limit) and self.states.outrun_before_ms(scope) < HOLD_MS

    def _is_probed_by_me(self, circuit: Circuit) -> bool:
        is_half_open = circuit.phase(self.clock.now_ms()) is Phase.HALF_OPEN
        return is_half_open and circuit.prober == self.states.owner

    def _write(self, scope: str, tally: Tally, *, releases: bool, is_probe: bool) -> None:
        now_ms, owner = self.clock.now_ms(), self.states.owner
        opens = heals = False

        def settled(state: ScopeState) -> ScopeState:
            nonlocal opens, heals
            circuit = state.circuit.after(tally, owner, now_ms)
            if is_probe:
                circuit = circuit.without_probe_of(owner)
            opens = circuit.phase(now_ms) is Phase.OPEN and circuit.trips > state.circuit.trips
            heals = circuit.is_healthy and not state.circuit.is_healthy
            kept = state if not releases else self.states.with_slots(state, 0)
            return replace(kept, circuit=circuit)

        stands_still = releases and not self._expects_more
        if self.states.change(scope, settled, RELEASE_TRIES if stands_still else TRIES):
            self.opened += opens
            self._note(scope, heals=heals)

    def _note(self, scope: str, *, heals: bool) -> None:
        """Whoever else works for this destination has to hear of it before its own calls fail.

        One that was healthy all along stands on the board where others wait for it: that is not over.
        """
        if not scope.startswith(destination_scope("")):
            return
        circuit, now_ms = self.states.of(scope).circuit, self.clock.now_ms()
        if circuit.is_healthy:
            self.states.note({}, gone=[scope] if heals else ())
        else:
            self.states.note({scope: max(now_ms, circuit.open_until) + TROUBLE_MS})
