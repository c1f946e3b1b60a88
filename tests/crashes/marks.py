"""The workers of a run, one for each function; the next invocation of one of them may be marked, to be struck there."""

from typing import Any

from shared.names import QueueName
from tests.crashes.crash_points import CrashPoint, Hit
from tests.crashes.deployment import Deployment, Worker
from tests.crashes.process_pool import SandboxDiedError


def executor_of(queue: QueueName) -> str:
    """The name of the function that executes what comes from a queue: there is one for each."""
    return "executor" if queue is QueueName.STANDARD else f"executor of {queue}"


class MarkedWorkers:
    """Invokes functions one at a time, each in its process."""

    def __init__(self, deployment: Deployment) -> None:
        self._clock = deployment.engines.clock
        self._workers: dict[str, Worker] = {
            "api": deployment.worker("api"),
            "watcher": deployment.worker("watcher"),
            "sweeper": deployment.worker("sweeper"),
            "redriver": deployment.worker("redriver"),
            **{executor_of(queue): deployment.worker("executor", queue) for queue in QueueName},
            "dead_letter": deployment.worker("dead_letter"),
            "reconciler": deployment.worker("reconciler"),
            "archiver": deployment.worker("archiver"),
            "auditor": deployment.worker("auditor"),
            "event_receiver": deployment.worker("event_receiver"),
        }
        self.forget()

    def forget(self) -> None:
        """Nothing is marked and nothing was struck."""
        self.blows = self.deaths = self.unanswered = 0
        self.struck = False
        self.errors: list[str] = []
        """Of handlers that were not struck: in this run, nothing else that they meet is an error."""
        self.calls: list[str] = []
        """The AWS calls of the invocation that was marked, where it lived to tell."""
        self._marks: list[tuple[Worker, CrashPoint | None]] = []

    def mark(self, function: str, point: CrashPoint | None) -> None:
        """The next invocation of this function that is not marked yet is struck at the point.

        It meets a process that remembers nothing. Of several the last one is the one that the run is about.
        """
        self._marks.append((self._workers[function], point))
        if point is not None:
            self.blows += 1
            self.deaths += point.hit.kills
            self.unanswered += point.hit is Hit.ANSWER_LOST
        self.struck, self.calls = False, []

    def renew(self) -> None:
        """Every process ends, and with it what it remembers of the tenant."""
        for worker in self._workers.values():
            worker.renew()

    def ask(self, function: str, event: Any) -> Any:
        """Invoke; None where the process died or the handler failed."""
        worker = self._workers[function]
        mark = next((mark for mark in self._marks if mark[0] is worker), None)
        point = None
        if mark is not None:
            self._marks.remove(mark)
            worker.renew()
            point = mark[1]
        # No two things happen at the same instant, though the clock stands.
        self._clock.advance(0.001)
        try:
            invocation = worker.invoke(event, point)
        except SandboxDiedError:
            self.struck = mark is not None or self.struck
            return None
        if invocation.error is not None and point is None:
            self.errors.append(f"error: {function} has failed: {invocation.error}")
        if mark is not None:
            self.calls, self.struck = invocation.calls, invocation.struck
        return invocation.answer
