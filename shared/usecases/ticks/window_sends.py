"""Send wake-ups in the windows of their slots, as long as there is time for that, and then the rest at once."""

from collections import defaultdict
from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.dispatch.send_window import opens_in, slot_of
from shared.domain.dispatch.wakeup import Wakeup
from shared.ports.dispatch import WakeupQueue
from shared.ports.runtime import Clock, Pause

URGENT_MS = 5_000
"""What is due before this time after the end of the holding is sent at once."""
FEWEST = 6
"""To wait for the windows of fewer messages costs the watcher more than it saves the executors."""
AT_ONCE = 320
"""Messages of one look at the clock: two rounds of requests side by side. A delay is counted from that look, so what
is sent later becomes visible later."""


@dataclass(frozen=True, slots=True)
class WindowSends:
    """Sends for a watcher. Nothing is held longer than `hold_until`, and every message is sent whatever the clock
    does."""

    queue: WakeupQueue
    clock: Clock
    pause: Pause

    def send(self, wakeups: Sequence[Wakeup], hold_until: int) -> list[Wakeup]:
        """The wake-ups that the queue did not accept. Unix milliseconds."""
        urgent_before = max(hold_until, self.clock.now_ms()) + URGENT_MS
        urgent = [wakeup for wakeup in wakeups if wakeup.not_before < urgent_before]
        refused = self._send_now(urgent)
        slots: dict[int, list[Wakeup]] = defaultdict(list)
        for wakeup in wakeups:
            if wakeup.not_before >= urgent_before:
                slots[slot_of(wakeup.not_before)].append(wakeup)
        holds = len(wakeups) - len(urgent) >= FEWEST
        while slots and holds:
            now_ms = self.clock.now_ms()
            wait_ms, slot = min((opens_in(slot, now_ms), slot) for slot in slots)
            holds = now_ms + wait_ms < hold_until
            if holds:
                if wait_ms:
                    self.pause(wait_ms)
                members = slots.pop(slot)
                refused += self._send_now(members[:AT_ONCE])
                if members[AT_ONCE:]:
                    slots[slot] = members[AT_ONCE:]
        return refused + self._send_now([wakeup for members in slots.values() for wakeup in members])

    def _send_now(self, wakeups: Sequence[Wakeup]) -> list[Wakeup]:
        refused: list[Wakeup] = []
        for start in range(0, len(wakeups), AT_ONCE):
            refused += self.queue.send(wakeups[start : start + AT_ONCE], self.clock.now_ms())
        return refused
