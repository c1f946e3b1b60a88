"""The client `AsyncPunctual`, for asyncio."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from msgspec import UNSET

from punctual._async_groups import AsyncOperations
from punctual._config import resolve
from punctual._core import R, Sleep, Steps, batch, exchange
from punctual._groups import Item, P
from punctual._http import AsyncConnections, Link
from punctual._model import Ref
from punctual._operation import Operation, T
from punctual._requests import Requests
from punctual._runtime import MAX_ELAPSED_SECONDS, SYSTEM, TIMEOUT_SECONDS, Runtime
from punctual._values import IfMatch
from punctual._waiting import Ended, ended
from punctual.models import Batch, JobIn


@dataclass(frozen=True, slots=True)
class _AsyncCaller(Requests):
    """Performs the steps of calls, and awaits them."""

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


class AsyncPunctual(AsyncOperations):
    """The client of a deployment for asyncio, with the same methods, to be awaited."""

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

    @property
    def url(self) -> str:
        """The URL of the deployment, without a final slash."""
        return self._client.link.config.url

    def with_options(
        self, *, timeout: float | None = None, max_elapsed: float | None = None
    ) -> "AsyncPunctual":
        """A client with other limits, which shares the connections of this one."""
        other = object.__new__(AsyncPunctual)
        other._client = self._client.limited(timeout, max_elapsed)
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
        return f"AsyncPunctual({self.url!r})"
