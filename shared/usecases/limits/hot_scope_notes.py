"""The hot scopes as one process knows them: cached reads of the shared index, and notes to be added to it.

The index only says where to look: a scope without an entry is not read at all unless it has a limit. It is
best effort, so a failed write delays a note and fails nothing else. A part of the index that throttles is no
silent store: until it can be read again, the items of its scopes are read in its place.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from itertools import islice

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import PunctualError, ThrottledError
from shared.domain.limits.hot_scopes import by_part, part_of, tag_with_tenant, within_capacity
from shared.domain.limits.scopes import tenant_scope
from shared.ports.limits import MAX_HOT_SCOPE_WRITES, LimitStore
from shared.ports.runtime import Clock
from shared.usecases.limits.scope_cooldowns import COOLDOWN_MS, MAX_CACHED
from shared.usecases.limits.store_backoff import StoreBackoff

HOT_SCOPES_TTL_MS = 2_000
NOTE_AGAIN_MS = 60_000
"""A note is written again only if it extends the stored entry by this much; entries this old are removed."""
MAX_PENDING_NOTES = 200


@dataclass(slots=True)
class _Part:
    """One item of the index, as read last."""

    entries: dict[str, int] = field(default_factory=dict)
    read_again_at: int = 0
    is_unknown: bool = False
    """Whether the last read was throttled."""
    write_again_at: int = 0


@dataclass(slots=True)
class HotScopeNotes:
    """Belongs to one process."""

    store: LimitStore
    clock: Clock
    backoff: StoreBackoff
    _parts: dict[int, _Part] = field(default_factory=dict)
    _pending_notes: dict[str, int] = field(default_factory=dict)
    """Notes that did not fit into the index, or that could not be written yet."""
    _tenants: BoundedCache[str, str] = field(default_factory=lambda: BoundedCache(MAX_CACHED))

    def hot(self, scopes: Iterable[str]) -> frozenset[str]:
        """Those of the scopes in which work waits or that are in trouble, as far as known. Raises nothing."""
        wanted, now_ms = frozenset(scopes), self.clock.now_ms()
        self._refresh(by_part(wanted), now_ms)
        return frozenset(scope for scope in wanted if now_ms < self._hot_until(scope))

    def may_be_hot(self, scopes: Iterable[str]) -> frozenset[str]:
        """The hot ones of these scopes, and those of a part that cannot be read: read their own items."""
        wanted = frozenset(scopes)
        return self.hot(wanted) | {scope for scope in wanted if self._part(part_of(scope)).is_unknown}

    def probe(self, scope: str) -> None:
        """Read the part of a scope that fails to respond. If that fails too, the store itself is down."""
        self._read([part_of(scope)])

    def set_tenant(self, scopes: Iterable[str], tenant_id: str) -> None:
        """Remember whose scopes these are: the name of a destination's scope does not say it."""
        for scope in scopes:
            self._tenants[scope] = tenant_id

    def note(self, until: Mapping[str, int], gone: Collection[str] = ()) -> None:
        """Add scopes to the index, each until an instant, and remove the scopes in `gone`. Raises nothing.

        Notes that do not fit or cannot be written now apply to this process alone.
        """
        now_ms = self.clock.now_ms()
        self._refresh(by_part(until), now_ms)
        new = self._new_notes(until, gone, now_ms)
        self._pending_notes = dict(islice(new.items(), MAX_PENDING_NOTES))
        for number, scopes in by_part((*new, *gone)).items():
            notes = {scope: new[scope] for scope in scopes if scope in new}
            if not self._write(number, notes, [scope for scope in scopes if scope in gone], now_ms):
                return

    def _part(self, number: int) -> _Part:
        return self._parts.setdefault(number, _Part())

    def _hot_until(self, scope: str) -> int:
        """A pending note may outlast the stored entry."""
        return max(self._part(part_of(scope)).entries.get(scope, 0), self._pending_notes.get(scope, 0))

    def _refresh(self, numbers: Iterable[int], now_ms: int) -> None:
        expired = [number for number in numbers if now_ms >= self._part(number).read_again_at]
        if expired:
            self._read(sorted(expired))

    def _read(self, numbers: Collection[int]) -> None:
        if self.backoff.is_active:
            self.backoff.record_skip()
            return
        found: Mapping[int, Mapping[str, int]] = {}
        try:
            found = self.store.hot_scopes(numbers)
        except ThrottledError:
            pass
        except PunctualError:
            self.backoff.start()
            return
        now_ms = self.clock.now_ms()
        for number in numbers:
            part = self._part(number)
            part.is_unknown = number not in found
            part.read_again_at = now_ms + (COOLDOWN_MS if part.is_unknown else HOT_SCOPES_TTL_MS)
            part.entries = dict(found.get(number, part.entries))
        if len(found) < len(numbers):
            self.backoff.record_error()

    def _write(self, number: int, notes: Mapping[str, int], gone: Collection[str], now_ms: int) -> bool:
        """One write to a part, if it is due; False if it failed, so that no other part is tried now."""
        part = self._part(number)
        live = {scope: at for scope, at in part.entries.items() if now_ms < at}
        writes = dict(islice(within_capacity(notes, live).items(), MAX_HOT_SCOPE_WRITES))
        has_removals = any(scope in part.entries for scope in gone)
        if now_ms < part.write_again_at or not (writes or has_removals):
            return True
        removals = _removals(part, gone, now_ms)
        try:
            self.store.note_hot_scopes(number, writes, removals)
        except PunctualError:
            # Not the backoff of the whole store: the states of scopes can be read without the index.
            part.write_again_at = now_ms + COOLDOWN_MS
            return False
        part.entries = {scope: at for scope, at in part.entries.items() if scope not in removals} | writes
        self._pending_notes = {scope: at for scope, at in self._pending_notes.items() if scope not in writes}
        return True

    def _new_notes(self, until: Mapping[str, int], gone: Collection[str], now_ms: int) -> dict[str, int]:
        """Notes that the index does not have yet, including the pending ones."""
        tagged = {
            scope: tag_with_tenant(instant, self._tenant_of(scope), part_of(scope))
            for scope, instant in until.items()
        }
        return {
            scope: instant
            for scope, instant in (self._pending_notes | tagged).items()
            if scope not in gone
            and now_ms < instant
            and instant - self._part(part_of(scope)).entries.get(scope, 0) >= NOTE_AGAIN_MS
        }

    def _tenant_of(self, scope: str) -> str:
        """All destinations without a known tenant share the capacity of one tenant."""
        return self._tenants.get(scope, scope if scope.startswith(tenant_scope("")) else "")


def _removals(part: _Part, gone: Collection[str], now_ms: int) -> list[str]:
    expired = (scope for scope, instant in part.entries.items() if instant < now_ms - NOTE_AGAIN_MS)
    named = (scope for scope in gone if scope in part.entries)
    return list(islice(dict.fromkeys((*named, *expired)), MAX_HOT_SCOPE_WRITES))
