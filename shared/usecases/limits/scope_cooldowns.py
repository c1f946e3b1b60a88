"""Cooldown of scopes: skip a scope whose own item fails to respond (hot, throttled) while the store works.

During its cooldown a scope is limited by the slots that this process is certain to hold. After `GIVE_UP_MS`
without any response it has no limit: a limit may delay a job, but never stop one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.ports.runtime import Clock

COOLDOWN_MS = 5_000
"""How long a scope is skipped after its item failed to respond."""
GIVE_UP_MS = 30_000
"""A scope that failed again and again for this long has no limit, so that waiting work goes on."""
COOLDOWN_EXPIRY_MS = 60_000
"""A failure this long after the last cooldown starts a new period; deferred work comes back sooner."""
MAX_CACHED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooldown:
    since: int
    """When the scope began to fail without a response in between."""
    until: int
    confirmed_slots: int
    """Slots that the process holds however the write ended whose response was lost."""


@dataclass(slots=True)
class ScopeCooldowns:
    """Belongs to one process. Tracks the `MAX_CACHED` scopes that failed last."""

    clock: Clock
    _cooldowns: BoundedCache[str, Cooldown] = field(default_factory=lambda: BoundedCache(MAX_CACHED))

    def record_failure(self, confirmed_slots: Mapping[str, int]) -> None:
        """These scopes failed to respond, each with the slots that the process is certain to hold."""
        now_ms = self.clock.now_ms()
        for scope, slots in confirmed_slots.items():
            last = self._cooldowns.get(scope)
            goes_on = last is not None and now_ms - last.until < COOLDOWN_EXPIRY_MS
            since = last.since if last is not None and goes_on else now_ms
            cooldown = Cooldown(since=since, until=now_ms + COOLDOWN_MS, confirmed_slots=slots)
            self._cooldowns[scope] = cooldown

    def record_read(self, scopes: Iterable[str]) -> None:
        """These scopes were read. That is a response, but it ends no doubt: it may lag behind a write."""
        for scope in scopes:
            if scope in self._cooldowns:
                self._cooldowns[scope] = replace(self._cooldowns[scope], since=self.clock.now_ms())

    def clear(self, scope: str) -> None:
        """The stored state is certain again: a compare-and-swap was answered."""
        self._cooldowns.pop(scope, None)

    def is_cooling_down(self, scope: str) -> bool:
        """Whether requests for the scope are to be skipped now."""
        return scope in self._cooldowns and self.clock.now_ms() < self._cooldowns[scope].until

    def has_given_up(self, scope: str) -> bool:
        """Whether the scope has failed for so long that its limit no longer applies."""
        return scope in self._cooldowns and self.clock.now_ms() - self._cooldowns[scope].since >= GIVE_UP_MS

    def is_in_doubt(self, scope: str) -> bool:
        """Whether a write may have been made without a response."""
        return scope in self._cooldowns

    def confirmed_slots(self, scope: str, slots: int) -> int:
        """How many of the cached slots the process is certain to hold."""
        return min(slots, self._cooldowns[scope].confirmed_slots) if scope in self._cooldowns else slots
