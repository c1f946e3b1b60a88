"""States of limits in memory, with counts of reads and writes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from shared.domain.limits.hot_scopes import by_part, part_of
from shared.domain.limits.scopes import ScopeState
from shared.ports.limits import MAX_HOT_SCOPE_WRITES


class FakeLimitStore:
    """Each compare-and-swap is atomic."""

    def __init__(self) -> None:
        self.states: dict[str, ScopeState] = {}
        self.hot: dict[str, int] = {}
        self.writes = 0
        """Includes refused writes, which cost the same."""
        self.requests = 0
        self.parts_read = 0
        """Items of hot scopes that were read; each costs half a read unit."""

    def read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        self.requests += bool(scopes)
        return {scope: self.states.get(scope, ScopeState()) for scope in scopes}

    def swap(self, scope: str, before: ScopeState, after: ScopeState, now_ms: int) -> ScopeState | None:
        self.requests += 1
        self.writes += 1
        existing = self.states.get(scope, ScopeState())
        if existing.version != before.version:
            return existing
        self.states[scope] = replace(after, version=max(before.version + 1, now_ms))
        return None

    def hot_scopes(self, parts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
        self.requests += bool(parts)
        self.parts_read += len(parts)
        found = by_part(self.hot)
        return {part: {scope: self.hot[scope] for scope in found.get(part, ())} for part in parts}

    def note_hot_scopes(self, part: int, until: Mapping[str, int], gone: Sequence[str] = ()) -> None:
        assert max(len(until), len(gone)) <= MAX_HOT_SCOPE_WRITES, "a store would refuse the whole update"
        assert {part_of(scope) for scope in (*until, *gone)} <= {part}, (
            "readers look in the part of the scope"
        )
        self.requests += 1
        self.writes += 1
        for scope in gone:
            self.hot.pop(scope, None)
        self.hot |= until
