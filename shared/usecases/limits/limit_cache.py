"""The states of scopes (slots, circuit breakers) as one process has them cached, changed by compare-and-swap.

Where the store does not respond there are no limits: a limit may delay a job, but never stop or lose one. A
scope that throttles, or that alone does not respond, keeps its cached state for a bounded time.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum, auto
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import PunctualError, ThrottledError
from shared.domain.limits.scopes import ScopeState
from shared.domain.limits.slots import free_for, held_by, is_mostly_free, leased_to
from shared.names import EXECUTOR_TIMEOUT_SECONDS
from shared.ports.limits import LimitStore
from shared.ports.runtime import Clock, Entropy, Pause
from shared.usecases.limits.hot_scope_notes import HotScopeNotes
from shared.usecases.limits.scope_cooldowns import MAX_CACHED, ScopeCooldowns
from shared.usecases.limits.store_backoff import StoreBackoff

STATE_TTL_MS = 1_000
READ_LAG_MS = 5_000
"""How far an eventually consistent read may lag behind a write; mostly it lags by some milliseconds."""
TRIES = 3
MIN_PAUSE_MS, MAX_PAUSE_MS = 5, 50
"""After a conflict a process pauses for a random time: without it all rivals would collide again."""
READ_BATCH = 100
Change = Callable[[ScopeState], ScopeState]


class ChangeResult(Enum):
    """How a change of a scope's state ended."""

    APPLIED = auto()
    """Written, or already as wanted."""
    CONTENDED = auto()
    """Too many conflicts, or this scope alone does not respond: use the cached state."""
    STORE_DOWN = auto()
    """No response: treat the limit as absent."""


class _Swap(Enum):
    WRITTEN = auto()
    CONFLICT = auto()
    NO_RESPONSE = auto()


@dataclass(slots=True)
class LimitCache:
    """Belongs to one process, which runs one batch at a time."""

    store: LimitStore
    clock: Clock
    owner: str
    entropy: Entropy
    pause: Pause
    backoff: StoreBackoff
    hot_scopes: HotScopeNotes
    cooldowns: ScopeCooldowns
    slot_limits: dict[str, int] = field(default_factory=dict)
    """The scopes in which this process may hold slots, each with the limit under which it leased them."""
    probing: set[str] = field(default_factory=set)
    """The scopes whose half-open breakers wait for a call of this process."""
    _cached: dict[str, tuple[int, ScopeState]] = field(default_factory=dict)
    _written_at: BoundedCache[str, int] = field(default_factory=lambda: BoundedCache(MAX_CACHED))
    _conflict_at: BoundedCache[str, int] = field(default_factory=lambda: BoundedCache(MAX_CACHED))

    @classmethod
    def over(
        cls, store: LimitStore, clock: Clock, owner: str, entropy: Entropy, pause: Pause
    ) -> "LimitCache":
        """An empty cache over a store. `owner` names the process in slot leases and probes."""
        backoff = StoreBackoff(clock)
        hot_scopes = HotScopeNotes(store, clock, backoff)
        return cls(store, clock, owner, entropy, pause, backoff, hot_scopes, ScopeCooldowns(clock))

    def refresh(self, scopes: Collection[str]) -> None:
        """Read the states of these scopes that are older than `STATE_TTL_MS`, in batches. Raises nothing."""
        now_ms = self.clock.now_ms()
        expired = [scope for scope in dict.fromkeys(scopes) if not self.is_fresh(scope)]
        stale = [scope for scope in expired if not self.cooldowns.is_cooling_down(scope)]
        for start in range(0, len(stale), READ_BATCH):
            for scope, state in self._read(stale[start : start + READ_BATCH]).items():
                self._put(scope, self._newest(scope, state), now_ms)
        self._evict()

    def _read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        if self.backoff.is_active:
            self.backoff.record_skip()
            return {}
        states: Mapping[str, ScopeState] = {}
        is_silent = False
        try:
            states = self.store.read(scopes)
        except ThrottledError:
            pass
        except PunctualError:
            is_silent = True
        self.cooldowns.record_read(states)
        missing = {scope: self.own_slots(scope) for scope in scopes if scope not in states}
        if missing:
            self._record_failure(missing, is_silent=is_silent)
        return states

    def _put(self, scope: str, state: ScopeState, read_at: int) -> None:
        self._cached.pop(scope, None)
        self._cached[scope] = (read_at, state)

    def _evict(self) -> None:
        """Drop the oldest entries, but no scope with slots of this process: only it can release them."""
        surplus = len(self._cached) - MAX_CACHED
        if surplus > 0:
            evictable = (
                scope for scope in self._cached if scope not in self.slot_limits and scope not in self.probing
            )
            for scope in list(islice(evictable, surplus)):
                del self._cached[scope]

    def _newest(self, scope: str, state: ScopeState) -> ScopeState:
        """A read that lags behind this process's own write would forget the slots leased by that write."""
        cached = self.get(scope)
        lags = state.version < cached.version and self.ms_since_write(scope) < READ_LAG_MS
        return cached if lags else state

    def _read_at(self, scope: str) -> int:
        return self._cached[scope][0] if scope in self._cached else 0

    def get(self, scope: str) -> ScopeState:
        """The cached state, however old; a state without version where there is none."""
        return self._cached[scope][1] if scope in self._cached else ScopeState()

    def is_fresh(self, scope: str) -> bool:
        """Whether the cached state is younger than `STATE_TTL_MS`."""
        return self.clock.now_ms() - self._read_at(scope) < STATE_TTL_MS

    def own_slots(self, scope: str) -> int:
        """Slots that this process is certain to hold for as long as a batch that starts now can last."""
        ends_at = self.clock.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000
        return self.cooldowns.confirmed_slots(scope, held_by(self.owner, self.get(scope).leases, ends_at))

    def may_hold_slots(self, scope: str) -> bool:
        """Whether the stored state may contain slots of this process."""
        slots = held_by(self.owner, self.get(scope).leases, self.clock.now_ms())
        return slots > 0 or self.cooldowns.is_in_doubt(scope)

    def available_slots(self, scope: str, limit: int) -> int:
        """Slots that this process could have, its own ones included."""
        return free_for(self.owner, limit, self.get(scope).leases, self.clock.now_ms())

    def may_keep(self, scope: str, limit: int) -> bool:
        """Whether enough slots are left for other processes while this process keeps its own, used or not."""
        return is_mostly_free(limit, self.available_slots(scope, limit), self.own_slots(scope))

    def ms_since_write(self, scope: str) -> int:
        """Milliseconds since this process last changed the scope."""
        return self.clock.now_ms() - self._written_at.get(scope, 0)

    def ms_since_conflict(self, scope: str) -> int:
        """Milliseconds since a repeated try of this process last lost a compare-and-swap."""
        return self.clock.now_ms() - self._conflict_at.get(scope, 0)

    def with_slots(self, state: ScopeState, slots: int) -> ScopeState:
        """A state in which this process holds `slots` slots."""
        return replace(state, leases=leased_to(self.owner, slots, state.leases, self.clock.now_ms()))

    def change(self, scope: str, make: Change, tries: int = TRIES) -> ChangeResult:
        """Change a state by compare-and-swap; a conflict calls `make` again with the stored state."""
        for number in range(tries):
            if number:
                self._pause_after_conflict()
            before = self.get(scope)
            after = make(before)
            # In doubt, the stored state may differ from the cached one: only a write makes it certain again.
            if after == before and not self.cooldowns.is_in_doubt(scope):
                return ChangeResult.APPLIED
            if self.backoff.is_active:
                self.backoff.record_skip()
                return ChangeResult.STORE_DOWN
            match self._swap(scope, before, after):
                case _Swap.WRITTEN:
                    return ChangeResult.APPLIED
                case _Swap.NO_RESPONSE:
                    return ChangeResult.STORE_DOWN if self._has_no_limit(scope) else ChangeResult.CONTENDED
            if number:  # The first conflict may only mean that the cached state was stale.
                self._conflict_at[scope] = self.clock.now_ms()
        return ChangeResult.CONTENDED

    def _pause_after_conflict(self) -> None:
        jitter_ms = self.entropy.draw() * (MAX_PAUSE_MS - MIN_PAUSE_MS)
        self.pause(MIN_PAUSE_MS + round(jitter_ms))

    def _swap(self, scope: str, before: ScopeState, after: ScopeState) -> _Swap:
        if self.cooldowns.is_cooling_down(scope):
            self.backoff.record_skip()
            return _Swap.NO_RESPONSE
        now_ms = self.clock.now_ms()
        try:
            existing = self.store.swap(scope, before, after, now_ms)
        except ThrottledError:
            # A throttled write was not made: the cached slots are still certain.
            self._record_failure({scope: self.own_slots(scope)}, is_silent=False)
            return _Swap.NO_RESPONSE
        except PunctualError:
            self._record_doubt(scope, before, after)
            return _Swap.NO_RESPONSE
        self.cooldowns.clear(scope)
        if existing is not None:
            self._put(scope, existing, now_ms)
            return _Swap.CONFLICT
        self._put(scope, replace(after, version=max(before.version + 1, now_ms)), now_ms)
        self._written_at[scope] = now_ms
        return _Swap.WRITTEN

    def _record_doubt(self, scope: str, before: ScopeState, after: ScopeState) -> None:
        """The write may have been made: call with the smaller number of slots, release the larger one."""
        ends_at = self.clock.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000
        slots = {leases: held_by(self.owner, leases, ends_at) for leases in (before.leases, after.leases)}
        confirmed = self.cooldowns.confirmed_slots(scope, min(slots.values()))
        largest = max(slots, key=lambda leases: slots[leases])
        self._put(scope, replace(before, leases=largest), self._read_at(scope))
        self._record_failure({scope: confirmed}, is_silent=True)

    def _record_failure(self, confirmed_slots: Mapping[str, int], *, is_silent: bool) -> None:
        """A throttle is an answer. After silence, a probe tells one item from a store that is down, and starts
        the backoff of the store."""
        self.backoff.record_error()
        self.cooldowns.record_failure(confirmed_slots)
        if is_silent:
            self.hot_scopes.probe(next(iter(confirmed_slots)))

    def _has_no_limit(self, scope: str) -> bool:
        return self.backoff.is_active or self.cooldowns.has_given_up(scope)
