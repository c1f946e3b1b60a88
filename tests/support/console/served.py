"""The API in memory behind a real HTTP server on loopback, with clocks that the test moves."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from types import SimpleNamespace
from typing import Any, TypeVar

from shared.domain.bucket import ShardRange
from shared.observability import metrics
from tests.support.api.api_world import ApiWorld
from tests.support.contract.gateway import Got, Sent, got, serving
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.world import World

STEP_MS = 60_000
"""Watchers look this often."""
T = TypeVar("T")


@dataclass
class ServedApi:
    """One deployment: what it was asked, and what a test lets it answer."""

    api: ApiWorld
    origin: str = ""
    """Such as `http://127.0.0.1:8000`."""
    sent: list[Sent] = field(default_factory=list)
    """Every request that arrived."""
    fault: Callable[[Sent], Got | None] = lambda _: None
    """An answer instead of the API's; None lets the API answer."""

    def __post_init__(self) -> None:
        self._lock = RLock()
        self._lanes = Lanes(self.world)
        # The thread of a test has an event loop of Playwright's, beside which the workers' loop cannot run.
        self._worker = ThreadPoolExecutor(max_workers=1)

    @property
    def world(self) -> World:
        return self.api.world

    @property
    def now_ms(self) -> int:
        return self.world.clock.time_ms

    def answer(self, sent: Sent) -> Got:
        """What arrives at the client."""
        self.sent.append(sent)
        return self.fault(sent) or self.act(sent)

    def act(self, sent: Sent) -> Got:
        """What the API answers."""
        with self._lock:
            metrics.clear_metrics()
            return got(self.api.api(sent.event(), SimpleNamespace(aws_request_id="console")))

    def pass_time(self, seconds: float) -> None:
        """Let the deployment live: watchers look, calls are made when they are due, and bulk tasks go on."""
        self.do(lambda: self._live(seconds))

    def do(self, act: Callable[[], T]) -> T:
        """Do something to the deployment while it answers no request."""

        def alone() -> T:
            with self._lock:
                return act()

        return self._worker.submit(alone).result()

    def paths(self, prefix: str = "/v1/") -> list[str]:
        """Methods and targets of the requests to the API."""
        return [f"{each.method} {each.target}" for each in self.sent if each.target.startswith(prefix)]

    def close(self) -> None:
        self._worker.shutdown()

    def _live(self, seconds: float) -> None:
        end_ms = self.now_ms + int(seconds * 1_000)
        while True:
            self.world.watch.execute(ShardRange(index=0, of=1))
            self.world.process_bulk_tasks.execute()
            self._lanes.until(min(end_ms, self.now_ms + STEP_MS))
            if self.now_ms >= end_ms:
                return


@contextmanager
def served(api: ApiWorld) -> Iterator[ServedApi]:
    """A deployment, and its address."""
    made = ServedApi(api)
    try:
        with serving(made.answer) as made.origin:
            yield made
    finally:
        made.close()


def problem(status: int, slug: str, detail: str, **headers: Any) -> Got:
    """An answer of the API's form, such as `problem(429, "rate-limited", "too many", Retry_After=7)`."""
    document = {
        "type": f"urn:punctual:problem:{slug}",
        "title": slug,
        "status": status,
        "detail": detail,
        "instance": "urn:punctual:request:1",
    }
    spelt = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return Got(
        status=status,
        headers={"Content-Type": "application/problem+json", "Cache-Control": "no-store"} | spelt,
        body=json.dumps(document).encode(),
    )
