"""An API that answers reports as a test says, and time that passes only when something waits."""

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx

from client.tests.support.calls import NOW
from punctual.receivers.timing import Timing

API = "https://punctual.example"
Answer = httpx.Response | Exception


def instant(seconds: float) -> str:
    """As the API writes instants."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def beaten(lease_seconds: float = 60, **headers: str) -> httpx.Response:
    """The answer to a heartbeat at NOW."""
    document = {
        "id": "exe_1",
        "attempt": 1,
        "lease_until": instant(NOW + lease_seconds),
        "deadline_at": instant(NOW),
    }
    return httpx.Response(200, json=document, headers=headers)


def problem(status: int, detail: str = "attempt 1 is over", **headers: str) -> httpx.Response:
    """A problem document."""
    spelt = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"detail": detail, "status": status}, headers=spelt)


RECORDED = httpx.Response(200, json={"id": "exe_1", "attempt": 1, "outcome": "succeeded"})


@dataclass
class Api:
    """Answers each kind of report in turn; the last answer is repeated."""

    heartbeat: Sequence[Answer] = field(default_factory=lambda: [beaten()])
    complete: Sequence[Answer] = (RECORDED,)
    fail: Sequence[Answer] = (RECORDED,)
    sent: list[tuple[str, object]] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        kind = request.url.path.rpartition("/")[2]
        with self.lock:
            number = sum(each == kind for each, _ in self.sent)
            self.sent.append((kind, json.loads(request.content)))
            self.requests.append(request)
        answers: Sequence[Answer] = getattr(self, kind)
        answer = answers[min(number, len(answers) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    async def later(self, request: httpx.Request) -> httpx.Response:
        """The same for an asynchronous client."""
        return self(request)

    @property
    def kinds(self) -> list[str]:
        """What was reported, in order."""
        return [kind for kind, _ in self.sent]

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self))

    def async_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.later))


class Time:
    """Time that a test moves. Waits of the heartbeat end when the time has come, or with the work."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []
        self._moved = threading.Condition()

    def timing(self) -> Timing:
        return Timing(
            clock=lambda: NOW + self.now - 1_000,
            monotonic=lambda: self.now,
            random=lambda: 0.0,
            sleep=self.sleep,
            sleep_async=self.sleep_async,
            wait=self.wait,
        )

    def pass_by(self, seconds: float) -> None:
        with self._moved:
            self.now += seconds
            self._moved.notify_all()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_by(seconds)

    async def sleep_async(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            await asyncio.sleep(0)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        until = self.now + seconds
        with self._moved:
            while self.now < until and not event.is_set():
                self._moved.wait(0.005)
        return event.is_set()


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for another thread; AssertionError after ten seconds."""
    tries = threading.Event()
    for _ in range(5_000):
        if holds():
            return
        tries.wait(0.002)
    raise AssertionError("it did not happen within ten seconds")
