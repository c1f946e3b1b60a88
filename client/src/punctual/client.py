"""The clients: `Punctual`, and `AsyncPunctual` for asyncio and trio."""

import os
import random
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, TypeVar

import anyio
import httpx
from msgspec import UNSET

from punctual._async_groups import AsyncOperations
from punctual._config import resolve
from punctual._core import R, Rules, Sleep, Steps, batch, exchange
from punctual._groups import Item, P
from punctual._http import AsyncConnections, Link, SyncConnections
from punctual._model import Ref
from punctual._operation import Operation, T
from punctual._requests import Requests
from punctual._sync_groups import Operations
from punctual._values import IfMatch
from punctual._waiting import Ended, ended
from punctual.models import Batch, JobIn

TIMEOUT_SECONDS, MAX_ELAPSED_SECONDS = 10.0, 60.0


@dataclass(frozen=True, slots=True)
class Runtime:
    """Time and chance, which tests replace."""

    sleep: Callable[[float], None] = time.sleep
    async_sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(timezone.utc)
    chance: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: secrets.token_hex(16)

    def rules(self, max_elapsed: float) -> Rules:
        """The rules of a client."""
        return Rules(max_elapsed, self.monotonic, self.now, self.chance, self.new_key)


SYSTEM = Runtime()


@dataclass(frozen=True, slots=True)
class _Caller(Requests):
    """Performs the steps of calls."""

    link: Link
    connections: SyncConnections
    sleep: Callable[[float], None]

    def run(self, steps: Steps[R]) -> R:
        """Perform steps to their end."""
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                result: R = end.value
                return result
            answer = None
            if isinstance(step, Sleep):
                self.sleep(step.seconds)
            else:
                answer = self.connections.send(step, self.link)

    def call(self, operation: Operation[T], *ids: Ref, **parts: Any) -> T:
        return self.run(exchange(self.make(operation, *ids, **parts), self.rules))

    def create_batch(self, jobs: Iterable[JobIn | Mapping[str, Any]], **parts: str | None) -> Batch:
        return self.run(batch(self.batch_calls(jobs, **parts), self.rules))

    def pages(self, read: Callable[[str | None], P], items: Callable[[P], Sequence[Item]]) -> Iterator[Item]:
        cursor, is_last = None, False
        while not is_last:
            page = read(cursor)
            yield from items(page)
            cursor = page.next_cursor
            is_last = cursor is None


@dataclass(frozen=True, slots=True)
class _AsyncCaller(Requests):
    """Performs the steps of calls, and awaits them."""

    link: Link
    connections: AsyncConnections
    sleep: Callable[[float], Awaitable[None]]

    async def run(self, steps: Steps[R]) -> R:
        """Perform steps to their end."""
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                result: R = end.value
                return result
            answer = None
            if isinstance(step, Sleep):
                await self.sleep(step.seconds)
            else:
                answer = await self.connections.send(step, self.link)

    async def call(self, operation: Operation[T], *ids: Ref, **parts: Any) -> T:
        return await self.run(exchange(self.make(operation, *ids, **parts), self.rules))

    async def create_batch(self, jobs: Iterable[JobIn | Mapping[str, Any]], **parts: str | None) -> Batch:
        return await self.run(batch(self.batch_calls(jobs, **parts), self.rules))

    async def pages(
        self, read: Callable[[str | None], Awaitable[P]], items: Callable[[P], Sequence[Item]]
    ) -> AsyncIterator[Item]:
        cursor, is_last = None, False
        while not is_last:
            page = await read(cursor)
            for item in items(page):
                yield item
            cursor = page.next_cursor
            is_last = cursor is None


class Punctual(Operations):
    """The client of a deployment. It is safe to share between threads; use it as a context manager, or close it."""

    _client: _Caller

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        profile: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        max_elapsed: float = MAX_ELAPSED_SECONDS,
        transport: httpx.BaseTransport | None = None,
        runtime: Runtime | None = None,
    ) -> None:
        """Take the URL and the key from the arguments, PUNCTUAL_URL and PUNCTUAL_KEY, or a profile.

        `timeout` is for each attempt, in seconds. No attempt begins more than `max_elapsed` seconds after the first;
        0 means that nothing is sent twice. `transport` replaces the connections of httpx, and `runtime` the clock.
        Raises ConfigurationError.
        """
        chosen = runtime or SYSTEM
        link = Link(resolve(url, key, profile, os.environ), timeout)
        super().__init__(_Caller(chosen.rules(max_elapsed), link, SyncConnections(transport), chosen.sleep))

    def with_options(self, *, timeout: float | None = None, max_elapsed: float | None = None) -> "Punctual":
        """A client with other limits, which shares the connections of this one."""
        other = object.__new__(Punctual)
        other._client = _changed(self._client, timeout, max_elapsed)
        return other

    def wait_for(self, subject: Ref, *, timeout: float = MAX_ELAPSED_SECONDS) -> Ended:
        """Wait until a one-off job, a backfill or an execution has ended, however it ended.

        Raises WaitTimeoutError after `timeout` seconds, and ValueError for a recurring job.
        """
        return self._client.run(ended(subject, timeout, self._client.rules))

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = UNSET,
        idempotency_key: str | None = None,
        if_match: IfMatch | None = None,
    ) -> Any:
        """The decoded answer to any request, such as one that this version has no method for.

        After a lost answer it is sent again only if it reads, or has an `idempotency_key`.
        """
        call = self._client.any(
            method, path, query=query, json=json, idempotency_key=idempotency_key, if_match=if_match
        )
        return self._client.run(exchange(call, self._client.rules))

    def close(self) -> None:
        """Close the connections, also those of clients made by `with_options`."""
        self._client.connections.close()

    def __enter__(self) -> "Punctual":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Punctual({self._client.link.config.url!r})"


class AsyncPunctual(AsyncOperations):
    """The client of a deployment for asyncio and trio, with the same methods, to be awaited."""

    _client: _AsyncCaller

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        profile: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        max_elapsed: float = MAX_ELAPSED_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
        runtime: Runtime | None = None,
    ) -> None:
        """See `Punctual`. A `key_command` of the profile runs here, and holds up the event loop meanwhile."""
        chosen = runtime or SYSTEM
        link = Link(resolve(url, key, profile, os.environ), timeout)
        super().__init__(
            _AsyncCaller(chosen.rules(max_elapsed), link, AsyncConnections(transport), chosen.async_sleep)
        )

    def with_options(
        self, *, timeout: float | None = None, max_elapsed: float | None = None
    ) -> "AsyncPunctual":
        """A client with other limits, which shares the connections of this one."""
        other = object.__new__(AsyncPunctual)
        other._client = _changed(self._client, timeout, max_elapsed)
        return other

    async def wait_for(self, subject: Ref, *, timeout: float = MAX_ELAPSED_SECONDS) -> Ended:
        """See `Punctual.wait_for`."""
        return await self._client.run(ended(subject, timeout, self._client.rules))

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = UNSET,
        idempotency_key: str | None = None,
        if_match: IfMatch | None = None,
    ) -> Any:
        """See `Punctual.request`."""
        call = self._client.any(
            method, path, query=query, json=json, idempotency_key=idempotency_key, if_match=if_match
        )
        return await self._client.run(exchange(call, self._client.rules))

    async def close(self) -> None:
        """Close the connections, also those of clients made by `with_options`."""
        await self._client.connections.close()

    async def __aenter__(self) -> "AsyncPunctual":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncPunctual({self._client.link.config.url!r})"


C = TypeVar("C", _Caller, _AsyncCaller)


def _changed(caller: C, timeout: float | None, max_elapsed: float | None) -> C:
    link = caller.link if timeout is None else replace(caller.link, timeout=timeout)
    rules = caller.rules if max_elapsed is None else replace(caller.rules, max_elapsed=max_elapsed)
    return replace(caller, link=link, rules=rules)
