"""A store in the memory of one process: for tests, and for receivers that have one process and no restarts."""

import time
from collections.abc import Callable
from threading import Lock


class MemorySeen:
    """Forgets everything when the process ends. Safe for threads. `clock` returns seconds since 1970."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = Lock()
        self._entries: dict[str, tuple[str, int]] = {}
        self._purge_at = 1

    def get(self, call_id: str) -> str | None:
        with self._lock:
            found = self._entries.get(call_id)
            return found[0] if found else None

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        with self._lock:
            found = self._entries.get(call_id)
            if (found[0] if found else None) != before:
                return False
            self._entries[call_id] = (after, forget_at)
            self._purge()
            return True

    def _purge(self) -> None:
        """Each time the entries have doubled, so that the cost for each stays constant."""
        if len(self._entries) < self._purge_at:
            return
        now = self._clock()
        self._entries = {name: entry for name, entry in self._entries.items() if entry[1] > now}
        self._purge_at = max(1_000, 2 * len(self._entries))
