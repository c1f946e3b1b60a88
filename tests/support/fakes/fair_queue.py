"""The order in which a standard queue hands out messages that carry message groups, as SQS documents fair queues.

A group is noisy while more than 10 % of the messages in flight are its own and these are 30 at least, or while it
took more than 10 % of the consumers' recent time. Messages of quiet groups are handed out first; among noisy groups
those of the one with the fewest in flight. A group is quiet again when nothing of it waits, or when nothing was sent
for it in 5 minutes. The thresholds are documented as approximate, and how long "recent" is is not said.
"""

from collections import Counter, deque
from collections.abc import Iterable, Sequence

SHARE = 0.1
LEAST_IN_FLIGHT = 30
RECENT_MS = 60_000
SILENT_MS = 300_000


class FairQueue:
    """The groups of one queue."""

    def __init__(self) -> None:
        self._in_flight: dict[str, tuple[str, int]] = {}
        self._ended: deque[tuple[int, str, int]] = deque()
        self._sent_at: dict[str, int] = {}

    def sent(self, group: str, now_ms: int) -> None:
        """A message was sent for a group."""
        self._sent_at[group] = now_ms

    def received(self, message_id: str, group: str, now_ms: int) -> None:
        """A message was handed out."""
        self._in_flight[message_id] = (group, now_ms)

    def done(self, message_id: str, now_ms: int) -> None:
        """A message was deleted or put back."""
        group, since = self._in_flight.pop(message_id, ("", now_ms))
        if group:
            self._ended.append((now_ms, group, now_ms - since))

    def choose(self, groups: Sequence[str], count: int, now_ms: int) -> list[int]:
        """Which of the visible messages, given by their groups, are handed out: up to `count` of their numbers."""
        waiting: dict[str, list[int]] = {}
        for number, group in enumerate(groups):
            waiting.setdefault(group, []).append(number)
        noisy = self.noisy(now_ms)
        quiet = [number for number, group in enumerate(groups) if group not in noisy][:count]
        return quiet + self._noisy_ones(waiting, noisy, count - len(quiet))

    def _noisy_ones(self, waiting: dict[str, list[int]], noisy: Iterable[str], count: int) -> list[int]:
        in_flight = Counter(group for group, _ in self._in_flight.values())
        rest = {group: iter(waiting[group]) for group in sorted(noisy) if group in waiting}
        chosen: list[int] = []
        while rest and len(chosen) < count:
            group = min(rest, key=lambda one: (in_flight[one], one))
            number = next(rest[group], None)
            if number is None:
                del rest[group]
                continue
            chosen.append(number)
            in_flight[group] += 1
        return chosen

    def noisy(self, now_ms: int) -> set[str]:
        """The groups that are noisy now."""
        while self._ended and self._ended[0][0] <= now_ms - RECENT_MS:
            self._ended.popleft()
        in_flight = Counter(group for group, _ in self._in_flight.values())
        spent: Counter[str] = Counter()
        for _, group, spent_ms in self._ended:
            spent[group] += spent_ms
        for group, since in self._in_flight.values():
            spent[group] += min(now_ms - since, RECENT_MS)
        crowded = {
            group
            for group, count in in_flight.items()
            if count >= LEAST_IN_FLIGHT and count > SHARE * in_flight.total()
        }
        busy = {group for group, spent_ms in spent.items() if spent_ms > SHARE * spent.total()}
        return {group for group in crowded | busy if now_ms - self._sent_at.get(group, 0) < SILENT_MS}
