"""The claim of one worker on one call, in a store."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from punctual.receivers._dedupe import Done, NotOwned, Record, Running, claim, finish, release
from punctual.receivers.errors import SeenBusyError
from punctual.receivers.seen.store import Seen

MAX_TRIES = 20
"""Each lost swap means that another process has changed the entry, so a few tries are enough."""
KEEP_LAPSED_SECONDS = 60
"""So that no store is asked to delete an entry at once."""
_Refusal: TypeAlias = Running | Done | NotOwned


def new_owner() -> str:
    """A random name for a worker."""
    return os.urandom(8).hex()


@dataclass(slots=True, eq=False)
class Claim:
    """One worker's claim. It may be continued in another process, by the same owner.

    Every method may raise the errors of the store.
    """

    store: Seen
    call_id: str
    owner: str
    clock: Callable[[], float] = time.time
    """Seconds since 1970. Workers on several machines need clocks that differ by seconds only."""
    _written: Record | None = field(default=None, init=False)
    """What this worker wrote last; most swaps succeed without a read because of it."""

    def take(self, lease_seconds: float) -> Running | Done | None:
        """Claim the call from now on, or extend the claim; why not, if another worker has it or it is done."""
        lease_ms = int(lease_seconds * 1000)
        other = self._change(lambda found, now: claim(found, self.owner, now, lease_ms), self._written)
        return other if isinstance(other, Running | Done) else None

    def finish(self, answer: str = "") -> None:
        """The work is done: no later attempt repeats it, and each gets the same answer."""
        if self._written is None or not self._written.is_done:
            self._change(lambda _, now: finish(now, answer), self._written)

    def release(self) -> None:
        """The work has failed: the next attempt need not wait for the end of the claim."""
        # What was written last may be gone with a transaction of the caller.
        self._change(lambda found, now: release(found, self.owner, now), self._found())

    def _change(
        self, rule: Callable[[Record | None, int], Record | _Refusal], found: Record | None
    ) -> _Refusal | None:
        """Swap as the rule says, and again each time that another process has changed the entry meanwhile.

        `found` may be out of date only if the rule does not refuse it.
        """
        for _ in range(MAX_TRIES):
            now_ms = int(self.clock() * 1000)
            after = rule(found, now_ms)
            if not isinstance(after, Record):
                return after
            if self._swap(found, after, now_ms):
                return None
            found = self._found()
        raise SeenBusyError("another process changes the entry of this call all the time")

    def _swap(self, before: Record | None, after: Record, now_ms: int) -> bool:
        forget_at = max(after.until_ms, now_ms) // 1000 + KEEP_LAPSED_SECONDS
        known = None if before is None else before.encode()
        is_swapped = self.store.replace(self.call_id, known, after.encode(), forget_at)
        if is_swapped:
            self._written = after
        return is_swapped

    def _found(self) -> Record | None:
        found = self.store.get(self.call_id)
        return None if found is None else Record.decode(found)
