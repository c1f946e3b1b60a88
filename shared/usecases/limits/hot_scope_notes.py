"""The hot scopes as one process knows them: a cached read of the shared index, and notes to be added to it.

The index only says where to look: a scope without an entry is not read at all unless it has a limit. It is
best effort, so a failed write delays a note and fails nothing else.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import PunctualError
from shared.domain.limits.hot_scopes import tag_with_tenant, within_capacity
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
class HotScopeNotes:
    """Belongs to one process."""

    store: LimitStore
    clock: Clock
    backoff: StoreBackoff
    _entries: dict[str, int] = field(default_factory=dict)
    _read_at: int = 0
    _pending_notes: dict[str, int] = field(default_factory=dict)
    """Notes that did not fit into the index, or that could not be written yet."""
    _notes_backoff_until: int = 0
    _tenants: BoundedCache[str, str] = field(default_factory=lambda: BoundedCache(MAX_CACHED))

    def current(self) -> Mapping[str, int]:
        """The scopes in which work waits or that are in trouble, each with the instant until when."""
        now_ms = self.clock.now_ms()
        if now_ms - self._read_at >= HOT_SCOPES_TTL_MS:
            self.refresh()
        # A stored entry wins over this process's pending note, unless the stored entry has expired.
        entries = (*self._pending_notes.items(), *self._entries.items())
        return {scope: until for scope, until in entries if now_ms < until}

    def refresh(self) -> None:
        """Read the index. A failure means that the store itself is down, and starts the backoff."""
        if self.backoff.is_active:
            self.backoff.record_skip()
            return
        try:
            self._entries = dict(self.store.hot_scopes())
        except PunctualError:
            self.backoff.start()
            return
        self._read_at = self.clock.now_ms()

    def set_tenant(self, scopes: Iterable[str], tenant_id: str) -> None:
        """Remember whose scopes these are: the name of a destination's scope does not say it."""
        for scope in scopes:
            self._tenants[scope] = tenant_id

    def note(self, until: Mapping[str, int], gone: Collection[str] = ()) -> None:
        """Add scopes to the index, each until an instant, and remove the scopes in `gone`. Raises nothing.

        Notes that do not fit or cannot be written now apply to this process alone.
        """
        now_ms = self.clock.now_ms()
        new = self._new_notes(until, gone, now_ms)
        existing = {scope: at for scope, at in self._entries.items() if now_ms < at}
        writes = dict(islice(within_capacity(new, existing).items(), MAX_HOT_SCOPE_WRITES))
        self._pending_notes = dict(islice(new.items(), MAX_PENDING_NOTES))
        has_removals = any(scope in self._entries for scope in gone)
        if now_ms < self._notes_backoff_until or not (writes or has_removals):
            return
        removals = self._removals(gone, now_ms)
        try:
            self.store.note_hot_scopes(writes, removals)
        except PunctualError:
            # Not the backoff of the whole store: the states of scopes can be read without the index.
            self._notes_backoff_until = now_ms + COOLDOWN_MS
            return
        self._entries = {scope: at for scope, at in self._entries.items() if scope not in removals} | writes
        self._pending_notes = {scope: at for scope, at in self._pending_notes.items() if scope not in writes}

    def _new_notes(self, until: Mapping[str, int], gone: Collection[str], now_ms: int) -> dict[str, int]:
        """Notes that the index does not have yet, including the pending ones."""
        tagged = {scope: tag_with_tenant(instant, self._tenant_of(scope)) for scope, instant in until.items()}
        return {
            scope: instant
            for scope, instant in (self._pending_notes | tagged).items()
            if scope not in gone
            and now_ms < instant
            and instant - self._entries.get(scope, 0) >= NOTE_AGAIN_MS
        }

    def _tenant_of(self, scope: str) -> str:
        """All destinations without a known tenant share the capacity of one tenant."""
        return self._tenants.get(scope, scope if scope.startswith(tenant_scope("")) else "")

    def _removals(self, gone: Collection[str], now_ms: int) -> list[str]:
        expired = (scope for scope, instant in self._entries.items() if instant < now_ms - NOTE_AGAIN_MS)
        named = (scope for scope in gone if scope in self._entries)
        return list(islice(dict.fromkeys((*named, *expired)), MAX_HOT_SCOPE_WRITES))
