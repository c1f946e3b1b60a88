"""The workers of a run, one for each function; the next invocation of one of them may be marked, to be struck there."""

from typing import Any

from shared.names import Lane
from tests.crashes.crash_points import CrashPoint
from tests.crashes.deployment import Deployment, Worker
from tests.crashes.nursery import SandboxDiedError


class MarkedWorkers:
    """Invokes functions one at a time, each in its process."""

    def __init__(self, deployment: Deployment) -> None:
        self._clock = deployment.engines.clock
        self._workers: dict[str, Worker] = {
            "api": deployment.worker("api"),
            "watcher": deployment.worker("watcher"),
            "sweeper": deployment.worker("sweeper"),
            "executor": deployment.worker("executor", Lane.STANDARD),
            "dead_letter": deployment.worker("dead_letter"),
            "reconciler": deployment.worker("reconciler"),
        }
        self.forget()

    def forget(self) -> None:
        """Nothing is marked and nothing was struck."""
        self.blows = self.deaths = 0
        self.struck = False
        self.calls: list[str] = []
        """The AWS calls of the invocation that was marked, where it lived to tell."""
        self._marked: Worker | None = None
        self._point: CrashPoint | None = None

    def mark(self, function: str, point: CrashPoint | None) -> None:
        """The next invocation of this function meets a process that remembers nothing, and is struck at the point."""
        self._marked, self._point = self._workers[function], point
        self._marked.renew()
        if point is not None:
            self.blows += 1
            self.deaths += point.hit.kills
        self.struck, self.calls = False, []

    def ask(self, function: str, event: Any) -> Any:
        """Invoke; None where the process died or the handler failed."""
        worker = self._workers[function]
        is_marked, point = worker is self._marked, None
        if is_marked:
            self._marked, point = None, self._point
        # No two things happen at the same instant, though the clock stands.
        self._clock.advance(0.001)
        try:
            invocation = worker.invoke(event, point)
        except SandboxDiedError:
            self.struck = self.struck or is_marked
            return None
        if is_marked:
            self.calls, self.struck = invocation.calls, invocation.struck
        return invocation.answer
