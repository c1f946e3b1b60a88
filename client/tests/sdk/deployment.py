"""The API in memory behind the transports of httpx, which can lose requests and answers."""

import asyncio
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum, auto
from itertools import count
from threading import RLock
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx

from punctual import AsyncPunctual, Punctual
from punctual._runtime import Runtime
from shared.domain.bucket import ShardRange
from shared.observability import metrics
from tests.support.api.api_world import ApiWorld
from tests.support.contract.gateway import Sent, got
from tests.support.usecases.lanes import Lanes

URL = "https://api.example"
HOOK = "https://receiver.example/hook"


class Fate(Enum):
    """What becomes of one request."""

    ANSWERED = auto()
    UNCONNECTED = auto()
    """No connection: the API never sees the request."""
    LOST = auto()
    """The connection ends before the API has the request."""
    ANSWER_LOST = auto()
    """The API acts, and its answer never arrives."""
    THROTTLED = auto()
    """The gateway answers 429 by itself."""
    TIMED_OUT = auto()
    """The API acts, and the gateway answers 504."""
    UNAVAILABLE = auto()
    """The API acts, and its answer is the problem `service-unavailable`."""
    BAD_GATEWAY = auto()
    """A proxy answers 502 with a page, and the API never sees the request."""


LOSSES = [each for each in Fate if each is not Fate.ANSWERED]
HAS_ACTED = {Fate.ANSWER_LOST, Fate.TIMED_OUT, Fate.UNAVAILABLE}


@dataclass
class Deployment:
    """One deployment, its clock, and what was sent to it."""

    fate: Callable[[httpx.Request], Fate] = lambda _: Fate.ANSWERED
    seed: int = 0
    world: ApiWorld = field(default_factory=ApiWorld)
    sent: list[httpx.Request] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    retry_after: str | None = None
    """The header of every answer that the API did not make."""
    lanes: Lanes = field(init=False)

    def __post_init__(self) -> None:
        self.lanes = Lanes(self.world.world)
        self._chance = random.Random(self.seed)
        self._numbers = count(1)
        self._lock = RLock()
        self._began_ms: int = self.world.world.clock.time_ms

    @property
    def key(self) -> str:
        """An API key with the scopes read and write."""
        return str(self.world.world.credentials.api_key)

    @property
    def runtime(self) -> Runtime:
        """The clock of the deployment: a wait advances it, makes the calls that are due, and works off bulk tasks."""
        return Runtime(
            sleep=self.sleep,
            async_sleep=self._async_sleep,
            monotonic=lambda: self.world.world.clock.time_ms / 1000,
            now=lambda: datetime.fromtimestamp(self.world.world.clock.time_ms / 1000, timezone.utc),
            chance=self._chance.random,
            new_key=lambda: f"key-{next(self._numbers)}",
        )

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        with self._lock:
            self.world.world.watch.execute(ShardRange(index=0, of=1))
            self.world.world.process_bulk_tasks.execute()
            self.lanes.until(self.world.world.clock.time_ms + int(seconds * 1000) + 1)

    async def _async_sleep(self, seconds: float) -> None:
        # The workers of the deployment have an event loop of their own.
        await asyncio.to_thread(self.sleep, seconds)

    @property
    def elapsed(self) -> float:
        """Seconds since the deployment was made."""
        return (self.world.world.clock.time_ms - self._began_ms) / 1000

    def answer(self, request: httpx.Request) -> httpx.Response:
        """The answer that arrives; raises an exception of httpx where none does."""
        self.sent.append(request)
        fate = self.fate(request)
        if fate is Fate.UNCONNECTED:
            raise httpx.ConnectError("connection refused", request=request)
        if fate is Fate.LOST:
            raise httpx.WriteError("connection reset", request=request)
        if fate is Fate.THROTTLED:
            return self._foreign(429, b'{"message":"Too Many Requests"}')
        if fate is Fate.BAD_GATEWAY:
            return self._foreign(502, b"<html>Bad Gateway</html>")
        made = self.act(request)
        if fate is Fate.ANSWER_LOST:
            raise httpx.ReadTimeout("timed out", request=request)
        if fate is Fate.TIMED_OUT:
            return self._foreign(504, b'{"message":"Service Unavailable"}')
        if fate is Fate.UNAVAILABLE:
            return self._foreign(503, UNAVAILABLE, "application/problem+json")
        return made

    def act(self, request: httpx.Request) -> httpx.Response:
        """What the API answers."""
        sent = Sent(
            method=request.method,
            target=request.url.raw_path.decode(),
            headers=dict(request.headers),
            body=request.content,
        )
        with self._lock:
            metrics.clear_metrics()
            made = got(self.world.api(sent.event(), SimpleNamespace(aws_request_id="sdk")))
        return httpx.Response(made.status, headers=made.headers, content=made.body)

    def _foreign(self, status: int, body: bytes, content_type: str = "application/json") -> httpx.Response:
        headers = {"content-type": content_type}
        if self.retry_after is not None:
            headers["retry-after"] = self.retry_after
        return httpx.Response(status, headers=headers, content=body)

    def client(self, key: str | None = None, **options: Any) -> Punctual:
        return Punctual(
            URL, key or self.key, transport=httpx.MockTransport(self.answer), runtime=self.runtime, **options
        )

    def async_client(self, key: str | None = None, **options: Any) -> AsyncPunctual:
        return AsyncPunctual(
            URL, key or self.key, transport=httpx.MockTransport(self.answer), runtime=self.runtime, **options
        )

    @property
    def paths(self) -> list[str]:
        """Method and path of everything that was sent."""
        return [f"{each.method} {each.url.path}" for each in self.sent]

    @property
    def keys(self) -> list[str | None]:
        """The Idempotency-Keys that were sent."""
        return [each.headers.get("idempotency-key") for each in self.sent]


UNAVAILABLE = (
    b'{"type":"urn:punctual:problem:service-unavailable","title":"Try again shortly","status":503,'
    b'"detail":"the outcome is unknown","instance":"urn:punctual:request:1"}'
)


def script(*fates: Fate) -> Callable[[httpx.Request], Fate]:
    """One fate after another, and then answers."""
    steps: Iterator[Fate] = iter(fates)
    return lambda _: next(steps, Fate.ANSWERED)


@contextmanager
def reached_by_clients(deployment: Deployment, environ: Mapping[str, str]) -> Iterator[None]:
    """Every client that is made meanwhile reaches the deployment, and has its clock.

    `environ` has the other variables of the environment.
    """

    async def answer(_: Any, request: httpx.Request) -> httpx.Response:
        return deployment.answer(request)

    variables = {"PUNCTUAL_URL": URL, "PUNCTUAL_KEY": deployment.key, **environ}
    with (
        patch.object(httpx.HTTPTransport, "handle_request", lambda _, request: deployment.answer(request)),
        patch.object(httpx.AsyncHTTPTransport, "handle_async_request", answer),
        patch("punctual.client.SYSTEM", deployment.runtime),
        patch("punctual.async_client.SYSTEM", deployment.runtime),
        patch.dict(os.environ, variables),
    ):
        yield


@contextmanager
def client(*fates: Fate, **options: Any) -> Iterator[tuple[Punctual, Deployment]]:
    """A client of a deployment whose first requests meet these fates."""
    deployment = Deployment(fate=script(*fates))
    with deployment.client(**options) as made:
        yield made, deployment
