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
        self._count: Counter[str] = Counter()
        """Messages in flight, by group."""
        self._ended: deque[tuple[int, str, int]] = deque()
        self._spent: Counter[str] = Counter()
        """Milliseconds of consumers of what has ended, by group."""
        self._sent_at: dict[str, int] = {}

    def sent(self, group: str, now_ms: int) -> None:
        """A message was sent for a group."""
        self._sent_at[group] = now_ms

    def received(self, message_id: str, group: str, now_ms: int) -> None:
        """A message was handed out, maybe once more when its visibility timeout was over."""
        if message_id in self._in_flight:
            self._count[self._in_flight[message_id][0]] -= 1
        self._count[group] += 1
        self._in_flight[message_id] = (group, now_ms)

    def done(self, message_id: str, now_ms: int) -> None:
        """A message was deleted or put back."""
        if message_id not in self._in_flight:
            return
        group, since = self._in_flight.pop(message_id)
        self._count[group] -= 1
        self._spent[group] += now_ms - since
        self._ended.append((now_ms, group, now_ms - since))

    def choose(self, groups: Sequence[str], count: int, now_ms: int) -> list[int]:
        """Which of the visible messages, given by their groups, are handed out: up to `count` of their numbers."""
        if len(set(groups)) < 2:
            return [*range(len(groups))][:count]
        waiting: dict[str, list[int]] = {}
        for number, group in enumerate(groups):
            waiting.setdefault(group, []).append(number)
        noisy = self.noisy(now_ms)
        quiet = [number for number, group in enumerate(groups) if group not in noisy][:count]
        return quiet + self._noisy_ones(waiting, noisy, count - len(quiet))

    def _noisy_ones(self, waiting: dict[str, list[int]], noisy: Iterable[str], count: int) -> list[int]:
        in_flight = self._count.copy()
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
            _, group, spent_ms = self._ended.popleft()
            self._spent[group] -= spent_ms
        spent = self._spent.copy()
        for group, since in self._in_flight.values():
            spent[group] += min(now_ms - since, RECENT_MS)
        in_flight = self._count.total()
        crowded = {
            group
            for group, count in self._count.items()
            if count >= LEAST_IN_FLIGHT and count > SHARE * in_flight
        }
        total_ms = spent.total()
        busy = {group for group, spent_ms in spent.items() if spent_ms > SHARE * total_ms}
        return {group for group in crowded | busy if now_ms - self._sent_at.get(group, 0) < SILENT_MS}
