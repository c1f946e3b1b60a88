"""A scheduler for greenlets on a virtual clock: one thread, one order of events for each seed.

Greenlets, because the product's stores and queues are called synchronously from deep inside its use cases: a
switch there needs no change of the product. The executor's coroutines run on an event loop of their own whose
time is the hub's (`SimLoop`), inside a greenlet like everything else.
"""

import asyncio
import heapq
from asyncio import events
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from greenlet import getcurrent, greenlet


class Hub:
    """Runs whatever is due next; ties are broken by the order of scheduling, so that a seed repeats."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self._heap: list[tuple[int, int, greenlet, int]] = []
        self._sequence = 0
        self._waits: dict[greenlet, int] = {}
        self._end_ms = now_ms
        self._main = getcurrent()

    def spawn(self, function: Callable[[], Any], at_ms: int | None = None) -> greenlet:
        """Run a function in a greenlet of its own, now or later."""
        made = greenlet(function, parent=self._main)
        self._schedule(made, self.now_ms if at_ms is None else at_ms)
        return made

    def sleep(self, duration_ms: int | None) -> None:
        """Let others run for so long; None until somebody wakes this greenlet."""
        current = getcurrent()
        if duration_ms is None:
            self._waits[current] = self._sequence = self._sequence + 1
        else:
            until_ms = self.now_ms + max(0, duration_ms)
            if until_ms <= self._end_ms and not (self._heap and self._heap[0][0] <= until_ms):
                self.now_ms = (
                    until_ms  # nothing else would run meanwhile: the same order without two switches
                )
                return
            self._schedule(current, until_ms)
        loop = events._get_running_loop()
        events._set_running_loop(None)
        try:
            self._main.switch()
        finally:
            events._set_running_loop(loop)

    def wake(self, sleeper: greenlet) -> None:
        """End a sleep early."""
        if sleeper in self._waits:
            self._schedule(sleeper, self.now_ms)

    def run_until(self, end_ms: int) -> None:
        """Run everything that is due up to an instant, then stand there."""
        self._end_ms = end_ms
        while self._heap and self._heap[0][0] <= end_ms:
            at_ms, _, sleeper, token = heapq.heappop(self._heap)
            if self._waits.get(sleeper) != token:
                continue
            self.now_ms = max(self.now_ms, at_ms)
            del self._waits[sleeper]
            sleeper.switch()
        self.now_ms = max(self.now_ms, end_ms)

    @property
    def sleepers(self) -> int:
        """How many wait for something."""
        return len(self._waits)

    def close(self) -> None:
        """End everything that still waits, so that nothing of this run stays in memory."""
        for sleeper in list(self._waits):
            if not sleeper.dead and sleeper:
                sleeper.throw()
        self._waits.clear()
        self._heap.clear()

    def _schedule(self, sleeper: greenlet, at_ms: int) -> None:
        self._sequence += 1
        self._waits[sleeper] = self._sequence
        heapq.heappush(self._heap, (at_ms, self._sequence, sleeper, self._sequence))


class _Selector:
    """Where an event loop waits: in the hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.sleeper: greenlet | None = None

    def select(self, timeout: float | None) -> list[Any]:
        """Wait for time to pass or for a wake-up; there are no files."""
        if timeout is None or timeout > 0:
            self.sleeper = getcurrent()
            self._hub.sleep(None if timeout is None else round(timeout * 1000))
            self.sleeper = None
        return []


class SimLoop(asyncio.BaseEventLoop):
    """An asyncio event loop whose time is the hub's."""

    def __init__(self, hub: Hub) -> None:
        super().__init__()
        self._hub = hub
        self._selector = _Selector(hub)
        self._clock_resolution = 0.0005
        self.set_exception_handler(lambda _loop, _context: None)

    def time(self) -> float:
        """Seconds of virtual time."""
        return self._hub.now_ms / 1000

    def wake(self) -> None:
        """Somebody outside has made something ready."""
        if self._selector.sleeper is not None:
            self._hub.wake(self._selector.sleeper)

    def close(self) -> None:
        """End what its process has left in the middle, here and not whenever Python tidies up."""
        for task in asyncio.all_tasks(self):
            # Whoever would wait for something on the way out cannot any more.
            with suppress(RuntimeError, ValueError):
                task.get_coro().close()
        super().close()

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        self.wake()
