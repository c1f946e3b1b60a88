"""The states of limits as one process knows them: read seldom, changed by compare-and-swap, and never in the way.

Where the store does not answer, there are no limits: a limit may delay a job, but never stop or lose one. One scope
that does not answer, while the board does, lifts nobody else's: it goes by what is known of it, for a bounded time.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from shared.domain.errors import PunctualError, ThrottledError
from shared.domain.limits.hot_scopes import tag_with_tenant, within_capacity
from shared.domain.limits.scopes import ScopeState, tenant_scope
from shared.domain.limits.slots import free_for, held_by, is_mostly_free, leased_to
from shared.names import EXECUTOR_TIMEOUT_SECONDS
from shared.ports.limits import MAX_HOT_SCOPE_WRITES, LimitStore
from shared.ports.runtime import Clock, Entropy, Pause
from shared.usecases.limits.scope_cooldowns import COOLDOWN_MS, MAX_KNOWN, ScopeCooldowns, put_last

STATE_MS = 1_000
"""A state that is older is read again before it is gone by."""
HOT_SCOPES_TTL_MS = 2_000
BEHIND_MS = 5_000
"""A read that is not strong may be behind a write for so long, and mostly is for some milliseconds."""
NOTE_AGAIN_MS = 60_000
TRIES = 3
LEAST_PAUSE_MS, MOST_PAUSE_MS = 5, 50
"""Whoever was refused lets others go first for a time that is drawn: all at once again would be refused again."""
READ_AT_ONCE = 100
MAX_UNSAID = 200
Change = Callable[[ScopeState], ScopeState]


@dataclass(slots=True)
class LimitStates:
    """Belongs to one process, which has one batch at a time."""

    store: LimitStore
    clock: Clock
    owner: str
    entropy: Entropy
    pause: Pause
    unanswered: int = 0
    """How often the store was not asked or did not answer, since this was last taken."""
    slots_of: dict[str, int] = field(default_factory=dict)
    """The scopes in which this process may hold slots, each with the limit that it took them under."""
    probing: set[str] = field(default_factory=set)
    """The scopes whose breakers wait for a call of this process."""
    _known: dict[str, tuple[int, ScopeState]] = field(default_factory=dict)
    _written_at: dict[str, int] = field(default_factory=dict)
    _outrun_at: dict[str, int] = field(default_factory=dict)
    _hot_scopes: dict[str, int] = field(default_factory=dict)
    _hot_scopes_read_at: int = 0
    _unsaid: dict[str, int] = field(default_factory=dict)
    """What this process would say on the board: there was no place for it, or the write is still to come."""
    _owners: dict[str, str] = field(default_factory=dict)
    _silent: ScopeCooldowns = field(init=False)
    _mute_until: int = 0
    _silent_until: int = 0

    def __post_init__(self) -> None:
        self._silent = ScopeCooldowns(self.clock)

    def hot_scopes(self) -> Mapping[str, int]:
        """The scopes in which something waits, or that are in trouble, each until when."""
        now_ms = self.clock.now_ms()
        if now_ms - self._hot_scopes_read_at >= HOT_SCOPES_TTL_MS:
            self._read_hot_scopes()
        said_last = (*self._unsaid.items(), *self._hot_scopes.items())
        return {scope: until for scope, until in said_last if now_ms < until}

    def _read_hot_scopes(self) -> None:
        if self._is_silent():
            return
        try:
            self._hot_scopes = dict(self.store.hot_scopes())
        except PunctualError:
            self.unanswered += 1
            self._silent_until = self.clock.now_ms() + COOLDOWN_MS
            return
        self._hot_scopes_read_at = self.clock.now_ms()

    def belong(self, scopes: Iterable[str], tenant_id: str) -> None:
        """Whose scopes these are: a destination's does not tell."""
        for scope in scopes:
            put_last(self._owners, scope, tenant_id)

    def refresh(self, scopes: Collection[str]) -> None:
        """Read the states of these scopes that are not known as of this second, all at once."""
        now_ms = self.clock.now_ms()
        stale = [scope for scope in dict.fromkeys(scopes) if not self._may_go_by(scope)]
        for start in range(0, len(stale), READ_AT_ONCE):
            for scope, state in self._read(stale[start : start + READ_AT_ONCE]).items():
                self._know(scope, self._newest(scope, state), now_ms)
        self._forget()

    def _may_go_by(self, scope: str) -> bool:
        return self.is_fresh(scope) or self._silent.is_cooling_down(scope)

    def _read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        if self._is_silent():
            return {}
        try:
            read = self.store.read(scopes)
        except PunctualError:
            read = {}
        self._silent.record_read(read)
        missing = {scope: self.held(scope) for scope in scopes if scope not in read}
        if missing:
            self._miss(missing)
        return read

    def _know(self, scope: str, state: ScopeState, now_ms: int) -> None:
        self._known.pop(scope, None)
        self._known[scope] = (now_ms, state)

    def _forget(self) -> None:
        """What was heard of longest ago; never what this process may hold, which only it can give back."""
        surplus = len(self._known) - MAX_KNOWN
        if surplus > 0:
            others = (
                scope for scope in self._known if scope not in self.slots_of and scope not in self.probing
            )
            for scope in list(islice(others, surplus)):
                del self._known[scope]

    def _newest(self, scope: str, read: ScopeState) -> ScopeState:
        """A read may be behind what this process has written: who took it for true would forget its own slots."""
        known = self.of(scope)
        is_behind = read.version < known.version and self.written_before_ms(scope) < BEHIND_MS
        return known if is_behind else read

    def _read_at(self, scope: str) -> int:
        return self._known[scope][0] if scope in self._known else 0

    def of(self, scope: str) -> ScopeState:
        """The state as it is known."""
        return self._known[scope][1] if scope in self._known else ScopeState()

    def is_fresh(self, scope: str) -> bool:
        """Whether the state is known as of this second."""
        return self.clock.now_ms() - self._read_at(scope) < STATE_MS

    def held(self, scope: str) -> int:
        """How many slots this process holds for as long as any batch that begins now can last."""
        ends_at = self.clock.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000
        return self._silent.confirmed_slots(scope, held_by(self.owner, self.of(scope).leases, ends_at))

    def holds_any(self, scope: str) -> bool:
        """Whether slots of this process stand in the way of others."""
        known = held_by(self.owner, self.of(scope).leases, self.clock.now_ms())
        return known > 0 or self._silent.is_in_doubt(scope)

    def free(self, scope: str, limit: int) -> int:
        """How many slots this process could have, those that it holds included."""
        return free_for(self.owner, limit, self.of(scope).leases, self.clock.now_ms())

    def may_keep(self, scope: str, limit: int) -> bool:
        """Whether others lack nothing while this process keeps what it holds, used or not."""
        return is_mostly_free(limit, self.free(scope, limit), self.held(scope))

    def written_before_ms(self, scope: str) -> int:
        """How long ago this process last changed the scope."""
        return self.clock.now_ms() - self._written_at.get(scope, 0)

    def outrun_before_ms(self, scope: str) -> int:
        """How long ago others last changed the scope while this process tried to."""
        return self.clock.now_ms() - self._outrun_at.get(scope, 0)

    def with_slots(self, state: ScopeState, slots: int) -> ScopeState:
        """A state in which this process holds so many slots."""
        return replace(state, leases=leased_to(self.owner, slots, state.leases, self.clock.now_ms()))

    def change(self, scope: str, make: Change, tries: int = TRIES) -> bool | None:
        """Change a state, judged by `make` anew whenever somebody else was faster.

        True when it was changed, or there was nothing to be changed; False when others were faster too often, or
        this scope alone does not answer: what is known of it counts; None where there is no answer, and so no limit.
        """
        for number in range(tries):
            if number:
                self._let_others_go_first()
            before = self.of(scope)
            after = make(before)
            if after == before and not self._silent.is_in_doubt(scope):
                return True
            if self._is_silent():
                return None
            is_done = self._swap(scope, before, after)
            if is_done is None:
                return None if self._is_lost(scope) else False
            if is_done:
                return True
            if number:  # The first time it may have been what this process knew that was too old.
                put_last(self._outrun_at, scope, self.clock.now_ms())
        return False

    def _let_others_go_first(self) -> None:
        drawn = self.entropy.draw() * (MOST_PAUSE_MS - LEAST_PAUSE_MS)
        self.pause(LEAST_PAUSE_MS + round(drawn))

    def _swap(self, scope: str, before: ScopeState, after: ScopeState) -> bool | None:
        """Whether it was made; None where the scope does not answer, or did not a moment ago."""
        if self._silent.is_cooling_down(scope):
            self.unanswered += 1
            return None
        now_ms = self.clock.now_ms()
        try:
            standing = self.store.swap(scope, before, after, now_ms)
        except ThrottledError:
            self._miss({scope: self.held(scope)})
            return None
        except PunctualError:
            self._doubt(scope, before, after)
            return None
        self._silent.clear(scope)
        if standing is not None:
            self._know(scope, standing, now_ms)
            return False
        self._know(scope, replace(after, version=max(before.version + 1, now_ms)), now_ms)
        put_last(self._written_at, scope, now_ms)
        return True

    def _doubt(self, scope: str, before: ScopeState, after: ScopeState) -> None:
        """The write may have been made: give back later what is held either way, and call only with what is sure."""
        ends_at = self.clock.now_ms() + EXECUTOR_TIMEOUT_SECONDS * 1000
        slots = {leases: held_by(self.owner, leases, ends_at) for leases in (before.leases, after.leases)}
        sure = self._silent.confirmed_slots(scope, min(slots.values()))
        most = max(slots, key=lambda leases: slots[leases])
        self._know(scope, replace(before, leases=most), self._read_at(scope))
        self._miss({scope: sure})

    def _miss(self, slots: Mapping[str, int]) -> None:
        """Scopes did not answer: the board tells whether the store does."""
        self.unanswered += 1
        self._silent.record_failure(slots)
        self._read_hot_scopes()

    def _is_lost(self, scope: str) -> bool:
        return self.clock.now_ms() < self._silent_until or self._silent.has_given_up(scope)

    def note(self, until: Mapping[str, int], gone: Collection[str] = ()) -> None:
        """Say on the board where something waits, unless it is said there already, and where nothing does any more.

        What has no place there, or cannot be written now, this process alone goes by. Raises nothing.
        """
        now_ms = self.clock.now_ms()
        new = self._new(until, gone, now_ms)
        standing = {scope: at for scope, at in self._hot_scopes.items() if now_ms < at}
        said = dict(islice(within_capacity(new, standing).items(), MAX_HOT_SCOPE_WRITES))
        self._unsaid = dict(islice(new.items(), MAX_UNSAID))
        is_over = any(scope in self._hot_scopes for scope in gone)
        if now_ms < self._mute_until or not (said or is_over):
            return
        over = self._over(gone, now_ms)
        try:
            self.store.note_hot_scopes(said, over)
        except PunctualError:
            # The board says no more than where to look: the states are asked for as before.
            self._mute_until = now_ms + COOLDOWN_MS
            return
        self._hot_scopes = {scope: at for scope, at in self._hot_scopes.items() if scope not in over} | said
        self._unsaid = {scope: at for scope, at in self._unsaid.items() if scope not in said}

    def _new(self, until: Mapping[str, int], gone: Collection[str], now_ms: int) -> dict[str, int]:
        """What the board does not say yet, with what could not be said before."""
        fresh = {scope: tag_with_tenant(instant, self._owner_of(scope)) for scope, instant in until.items()}
        return {
            scope: instant
            for scope, instant in (self._unsaid | fresh).items()
            if scope not in gone
            and now_ms < instant
            and instant - self._hot_scopes.get(scope, 0) >= NOTE_AGAIN_MS
        }

    def _owner_of(self, scope: str) -> str:
        """A tenant's own scope is one of a kind; all destinations whose tenant is not known count as one tenant's."""
        return self._owners.get(scope, scope if scope.startswith(tenant_scope("")) else "")

    def _over(self, gone: Collection[str], now_ms: int) -> list[str]:
        ended = (scope for scope, instant in self._hot_scopes.items() if instant < now_ms - NOTE_AGAIN_MS)
        named = (scope for scope in gone if scope in self._hot_scopes)
        return list(islice(dict.fromkeys((*named, *ended)), MAX_HOT_SCOPE_WRITES))

    def take_unanswered(self) -> int:
        """How often limits could not be asked for since this was last taken."""
        counted, self.unanswered = self.unanswered, 0
        return counted

    def _is_silent(self) -> bool:
        """Whether the store did not answer a moment ago."""
        is_silent = self.clock.now_ms() < self._silent_until
        self.unanswered += is_silent
        return is_silent
