"""The states of limits as one process knows them: read seldom, changed by compare-and-swap, and never in the way.

Where the store does not answer, there are no limits: a limit may delay a job, but never stop or lose one.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TypeVar

from shared.domain.errors import PunctualError
from shared.domain.limits import ScopeState, tenant_scope
from shared.domain.slots import free_for, held_by, is_mostly_free, leased_to
from shared.domain.trouble_board import marked, with_places
from shared.names import EXECUTOR_TIMEOUT_SECONDS
from shared.ports.limits import MOST_NOTED, LimitStore
from shared.ports.runtime import Clock

STATE_MS = 1_000
"""A state that is older is read again before it is gone by."""
BOARD_MS = 2_000
BEHIND_MS = 5_000
"""A read that is not strong may be behind a write for so long, and mostly is for some milliseconds."""
NOTE_AGAIN_MS = 60_000
TRIES = 3
SILENCE_MS = 5_000
"""For so long is a store left alone that did not answer."""
MAX_KNOWN = 1_000
READ_AT_ONCE = 100
MAX_UNSAID = 200
T = TypeVar("T")
Change = Callable[[ScopeState], ScopeState]


@dataclass(slots=True)
class LimitStates:
    """Belongs to one process, which has one batch at a time."""

    store: LimitStore
    clock: Clock
    owner: str
    unanswered: int = 0
    """How often the store was not asked or did not answer, since this was last taken."""
    slots_of: dict[str, int] = field(default_factory=dict)
    """The scopes in which this process may hold slots, each with the limit that it took them under."""
    probing: set[str] = field(default_factory=set)
    """The scopes whose breakers wait for a call of this process."""
    _known: dict[str, tuple[int, ScopeState]] = field(default_factory=dict)
    _written_at: dict[str, int] = field(default_factory=dict)
    _board: dict[str, int] = field(default_factory=dict)
    _board_read_at: int = 0
    _unsaid: dict[str, int] = field(default_factory=dict)
    """What this process would say on the board: there was no place for it, or the write is still to come."""
    _owners: dict[str, str] = field(default_factory=dict)
    _mute_until: int = 0
    _silent_until: int = 0

    def waiting(self) -> Mapping[str, int]:
        """The scopes in which something waits, or that are in trouble, each until when."""
        now_ms = self.clock.now_ms()
        if now_ms - self._board_read_at >= BOARD_MS:
            read = self._ask(self.store.waiting)
            if read is not None:
                self._board, self._board_read_at = dict(read), now_ms
        said_last = (*self._unsaid.items(), *self._board.items())
        return {scope: until for scope, until in said_last if now_ms < until}

    def belong(self, scopes: Iterable[str], tenant_id: str) -> None:
        """Whose scopes these are: a destination's does not tell."""
        for scope in scopes:
            _put_last(self._owners, scope, tenant_id)

    def refresh(self, scopes: Collection[str]) -> None:
        """Read the states of these scopes that are not known as of this second, all at once."""
        now_ms = self.clock.now_ms()
        stale = [scope for scope in dict.fromkeys(scopes) if not self.is_fresh(scope)]
        if len(self._known) + len(stale) > MAX_KNOWN:
            self._known.clear()
        for start in range(0, len(stale), READ_AT_ONCE):
            part = stale[start : start + READ_AT_ONCE]
            read = self._ask(partial(self.store.read, part))
            for scope, state in (read or {}).items():
                self._known[scope] = (now_ms, self._newest(scope, state))

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
        return held_by(self.owner, self.of(scope).leases, ends_at)

    def holds_any(self, scope: str) -> bool:
        """Whether slots of this process stand in the way of others."""
        return held_by(self.owner, self.of(scope).leases, self.clock.now_ms()) > 0

    def free(self, scope: str, limit: int) -> int:
        """How many slots this process could have, those that it holds included."""
        return free_for(self.owner, limit, self.of(scope).leases, self.clock.now_ms())

    def may_keep(self, scope: str, limit: int) -> bool:
        """Whether others lack nothing while this process keeps what it holds, used or not."""
        return is_mostly_free(limit, self.free(scope, limit), self.held(scope))

    def written_before_ms(self, scope: str) -> int:
        """How long ago this process last changed the scope."""
        return self.clock.now_ms() - self._written_at.get(scope, 0)

    def with_slots(self, state: ScopeState, slots: int) -> ScopeState:
        """A state in which this process holds so many slots."""
        return replace(state, leases=leased_to(self.owner, slots, state.leases, self.clock.now_ms()))

    def change(self, scope: str, make: Change, tries: int = TRIES) -> bool | None:
        """Change a state, judged by `make` anew whenever somebody else was faster.

        True when it was changed, or there was nothing to be changed; False when others were faster too often;
        None where the store does not answer.
        """
        for _ in range(tries):
            before = self.of(scope)
            after = make(before)
            if after == before:
                return True
            now_ms = self.clock.now_ms()
            if now_ms < self._silent_until:
                self.unanswered += 1
                return None
            try:
                standing = self.store.swap(scope, before, after, now_ms)
            except PunctualError:
                self._fall_silent()
                self._known.pop(scope, None)
                return None
            if standing is None:
                made = replace(after, version=max(before.version + 1, now_ms))
                self._known[scope] = (now_ms, made)
                _put_last(self._written_at, scope, now_ms)
                return True
            self._known[scope] = (now_ms, standing)
        return False

    def note(self, until: Mapping[str, int], gone: Collection[str] = ()) -> None:
        """Say on the board where something waits, unless it is said there already, and where nothing does any more.

        What has no place there, or cannot be written now, this process alone goes by. Raises nothing.
        """
        now_ms = self.clock.now_ms()
        new = self._new(until, gone, now_ms)
        standing = {scope: at for scope, at in self._board.items() if now_ms < at}
        said = dict(islice(with_places(new, standing).items(), MOST_NOTED))
        self._unsaid = dict(islice(new.items(), MAX_UNSAID))
        is_over = any(scope in self._board for scope in gone)
        if now_ms < self._mute_until or not (said or is_over):
            return
        over = self._over(gone, now_ms)
        try:
            self.store.note_waiting(said, over)
        except (
            PunctualError
        ):  # The board says no more than where to look: the states are asked for as before.
            self._mute_until = now_ms + SILENCE_MS
            return
        self._board = {scope: at for scope, at in self._board.items() if scope not in over} | said
        self._unsaid = {scope: at for scope, at in self._unsaid.items() if scope not in said}

    def _new(self, until: Mapping[str, int], gone: Collection[str], now_ms: int) -> dict[str, int]:
        """What the board does not say yet, with what could not be said before."""
        fresh = {scope: marked(instant, self._owner_of(scope)) for scope, instant in until.items()}
        return {
            scope: instant
            for scope, instant in (self._unsaid | fresh).items()
            if scope not in gone and now_ms < instant and instant - self._board.get(scope, 0) >= NOTE_AGAIN_MS
        }

    def _owner_of(self, scope: str) -> str:
        """A tenant's own scope is one of a kind; all destinations whose tenant is not known count as one tenant's."""
        return self._owners.get(scope, scope if scope.startswith(tenant_scope("")) else "")

    def _over(self, gone: Collection[str], now_ms: int) -> list[str]:
        ended = (scope for scope, instant in self._board.items() if instant < now_ms - NOTE_AGAIN_MS)
        named = (scope for scope in gone if scope in self._board)
        return list(islice(dict.fromkeys((*named, *ended)), MOST_NOTED))

    def take_unanswered(self) -> int:
        """How often limits could not be asked for since this was last taken."""
        counted, self.unanswered = self.unanswered, 0
        return counted

    def _ask(self, question: Callable[[], T]) -> T | None:
        """The answer; None where there is none, or where there was none a moment ago."""
        if self.clock.now_ms() < self._silent_until:
            self.unanswered += 1
            return None
        try:
            return question()
        except PunctualError:
            self._fall_silent()
            return None

    def _fall_silent(self) -> None:
        self.unanswered += 1
        self._silent_until = self.clock.now_ms() + SILENCE_MS


def _put_last(latest: dict[str, T], scope: str, value: T) -> None:
    """Keep what came last of the scopes that were named last."""
    latest.pop(scope, None)
    latest[scope] = value
    if len(latest) > MAX_KNOWN:
        del latest[next(iter(latest))]
