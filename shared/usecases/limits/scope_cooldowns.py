"""Scopes whose own items do not answer while the store does: a hot item is throttled, and all others are not.

Such a scope is left alone for a while, and goes by what is known of it for sure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from shared.ports.runtime import Clock

COOLDOWN_MS = 5_000
"""For so long is left alone what did not answer."""
GIVE_UP_MS = 30_000
"""What was asked again and again for so long and never answered has no limit: waiting work goes on."""
ASKED_AGAIN_MS = 60_000
"""Cooldown that nobody met for so long is forgotten: what waits comes back sooner."""
MAX_KNOWN = 1_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooldown:
    """Of one scope, since it last answered."""

    since: int
    until: int
    sure: int
    """How many slots the process holds there, however the write ended whose answer is missing."""


@dataclass(slots=True)
class ScopeCooldowns:
    """Belongs to one process. Remembers as many scopes as missed an answer last, and no more."""

    clock: Clock
    _cooldowns: dict[str, Cooldown] = field(default_factory=dict)

    def record_failure(self, slots: Mapping[str, int]) -> None:
        """These scopes did not answer, each with the slots that are held there for sure."""
        now_ms = self.clock.now_ms()
        for scope, sure in slots.items():
            last = self._cooldowns.get(scope)
            goes_on = last is not None and now_ms - last.until < ASKED_AGAIN_MS
            since = last.since if last is not None and goes_on else now_ms
            put_last(self._cooldowns, scope, Cooldown(since=since, until=now_ms + COOLDOWN_MS, sure=sure))

    def record_read(self, scopes: Iterable[str]) -> None:
        """These were read. That ends no doubt about a write, which a read may be behind, but it is an answer."""
        for scope in scopes:
            if scope in self._cooldowns:
                self._cooldowns[scope] = replace(self._cooldowns[scope], since=self.clock.now_ms())

    def clear(self, scope: str) -> None:
        """What stands there is known again."""
        self._cooldowns.pop(scope, None)

    def is_cooling_down(self, scope: str) -> bool:
        """Whether it did not answer a moment ago."""
        return scope in self._cooldowns and self.clock.now_ms() < self._cooldowns[scope].until

    def has_given_up(self, scope: str) -> bool:
        """Whether it has not answered for so long that nothing waits for it any more."""
        return scope in self._cooldowns and self.clock.now_ms() - self._cooldowns[scope].since >= GIVE_UP_MS

    def is_in_doubt(self, scope: str) -> bool:
        """Whether a write may have been made of which nothing is known."""
        return scope in self._cooldowns

    def confirmed_slots(self, scope: str, slots: int) -> int:
        """How many of the slots that are known of are held for sure."""
        return min(slots, self._cooldowns[scope].sure) if scope in self._cooldowns else slots


def put_last(latest: dict[str, T], scope: str, value: T) -> None:
    """Keep what came last of the scopes that were named last."""
    latest.pop(scope, None)
    latest[scope] = value
    if len(latest) > MAX_KNOWN:
        del latest[next(iter(latest))]
