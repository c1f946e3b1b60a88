"""What AWS does around the functions under load: pollers of queues and ticks of the clock, each with its process."""

import threading
from collections.abc import Callable
from typing import Any

from shared.names import QueueName
from tests.crashes.deployment import Deployment, Queue, Worker
from tests.crashes.event_source import deliver
from tests.crashes.gateway import NOBODY, Answer, answer_of, http_event
from tests.crashes.process_pool import SandboxDiedError
from tests.crashes.reader import Send

EXECUTORS = dict.fromkeys(QueueName, 1) | {QueueName.STANDARD: 3}
EVENT_RECEIVERS = 2
WATCHERS = 2
SWEEPERS = 2
TICK_SECONDS = 60.0
OVERLAPPING = 2
"""So many processes take turns at a tick, so that a run that stands still does not hold up the next."""
POLL_SECONDS = 0.1


def ask(worker: Worker, event: Any) -> Any:
    """Invoke; None where the process died or the handler failed."""
    try:
        return worker.invoke(event).answer
    except SandboxDiedError:
        return None


class LambdaService:
    """Every function with its processes, driven by threads until `stop`; afterwards step by step by `run`."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.workers: dict[str, list[Worker]] = {}
        self._sqs = deployment.engines.others.client("sqs")
        self._done = threading.Event()
        self._threads: list[threading.Thread] = []
        self._polls: list[Callable[[], bool]] = []
        self._ticks: list[Callable[[], Any]] = []
        for lane, processes in EXECUTORS.items():
            for _ in range(processes):
                self._poll(deployment.lanes[lane], self._worker("executor", lane))
            self._poll(deployment.dead[lane], self._worker("dead_letter"))
        for _ in range(EVENT_RECEIVERS):
            self._poll(deployment.events, self._worker("event_receiver"))
        for index in range(WATCHERS):
            self._tick("watcher", {"range": {"index": index, "of": WATCHERS}})
        for index in range(SWEEPERS):
            self._tick("sweeper", {"range": {"index": index, "of": SWEEPERS}})
        self._tick("redriver", {})
        # Four times an hour in AWS; here as often as the others, so that it too is hit.
        self._tick("reconciler", {})
        self._tick("reconciler", {"range": {"index": 0, "of": 1}})
        self._tick("archiver", {"range": {"index": 0, "of": 1}})
        self._tick("auditor", {})

    def sender(self) -> Send:
        """A way for one client to the API, with a process of its own."""
        worker = self._worker("api")

        def send(*request: Any) -> Answer:
            event = http_event(self.deployment.engines.clock, self.deployment.api_key, *request)
            response = ask(worker, event)
            self.deployment.api_log.ship()
            return NOBODY if response is None else answer_of(response)

        return send

    def start(self) -> None:
        """Let everything run by itself."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish what is under way."""
        self._done.set()
        for thread in self._threads:
            thread.join()

    def run(self, seconds: float) -> None:
        """Time passes in one step; then every tick comes once, and the messages until there are no more."""
        self.deployment.engines.clock.advance(seconds)
        for tick in self._ticks:
            tick()
        while sum(poll() for poll in self._polls):
            continue

    def _worker(self, package: str, lane: QueueName | None = None) -> Worker:
        worker = self.deployment.worker(package, lane)
        self.workers.setdefault(package, []).append(worker)
        return worker

    def _poll(self, queue: Queue, worker: Worker) -> None:
        def poll() -> bool:
            return deliver(self._sqs, queue, lambda event: ask(worker, event))

        def go_on() -> None:
            while not self._done.is_set():
                if not poll():
                    self._done.wait(POLL_SECONDS)

        self._polls.append(poll)
        self._threads.append(threading.Thread(target=go_on))

    def _tick(self, package: str, event: Any) -> None:
        for turn in range(OVERLAPPING):
            worker = self._worker(package)

            def tick(worker: Worker = worker) -> None:
                ask(worker, event)

            def go_on(turn: int = turn, tick: Callable[[], None] = tick) -> None:
                wait_seconds = turn * TICK_SECONDS
                while not self._done.wait(wait_seconds):
                    tick()
                    wait_seconds = OVERLAPPING * TICK_SECONDS

            if turn == 0:
                self._ticks.append(tick)
            self._threads.append(threading.Thread(target=go_on))
