"""Requests over kept-alive connections, one at a time on each, and a time limit for all."""

import asyncio
import atexit
import weakref
from collections.abc import Mapping
from typing import Any, Protocol

from shared.adapters.aws.blocking_send import BlockingSend
from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.aws.http11 import (
    ANSWER_SECONDS,
    CONNECT_SECONDS,
    MAX_BODY_BYTES,
    HttpResponse,
    ResponseReader,
    may_be_used_again,
    request_bytes,
    tls_context,
)
from shared.adapters.aws.services import Endpoint
from shared.adapters.greenlets import has_loop, run
from shared.dataclass import dataclass

CONNECTIONS = 64
"""Of one event loop, to all services. Further requests wait for a connection before their time limit begins.

Idle connections are no more than these either.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The connections of one event loop."""

    in_use: int
    """Further requests wait. Idle connections are no more than these either."""
    open: int
    """In use and idle together. The oldest idle connection is closed for a new one."""


def _usual_limits() -> Limits:
    return Limits(in_use=CONNECTIONS, open=2 * CONNECTIONS)


class Send(Protocol):
    """Sends one POST request to an endpoint, once."""

    async def __call__(
        self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
    ) -> HttpResponse:
        """The whole response; NoAnswerError if none came in time, or only a part of one."""
        ...


class PooledSend:
    """One pool of connections for each event loop; where no loop runs, the thread blocks."""

    def __init__(
        self,
        answer_seconds: float = ANSWER_SECONDS,
        *,
        limits: Limits | None = None,
        kept_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        """`kept_bytes` are kept of each body. Without limits, each loop uses `CONNECTIONS`."""
        self._answer_seconds = answer_seconds
        self._limits, self._kept_bytes = limits, kept_bytes
        self._pools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool] = weakref.WeakKeyDictionary()
        self._blocking = BlockingSend(answer_seconds, kept_bytes)
        # A process that ends has to close its connections.
        atexit.register(lambda: run(self.close()))

    async def __call__(
        self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str = "/"
    ) -> HttpResponse:
        try:
            if not has_loop():
                return self._blocking(endpoint, headers, body, path)
            return await self._on_loop(endpoint, request_bytes(headers, body, path))
        except TimeoutError as error:
            raise NoAnswerError(f"no answer within {self._answer_seconds:g} s") from error
        except OSError as error:
            raise NoAnswerError(f"{type(error).__name__}: {error}") from error

    async def _on_loop(self, endpoint: Endpoint, request: bytes) -> HttpResponse:
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            pool = self._pools[loop] = _Pool(loop, self._limits or _usual_limits(), self._kept_bytes)
        async with pool.places, asyncio.timeout(self._answer_seconds):
            connection = await pool.take(endpoint)
            try:
                return await connection.exchange(request)
            finally:
                pool.give_back(endpoint, connection)

    async def close(self) -> None:
        """Close the idle connections of this thread, and those of its loop if one runs."""
        self._blocking.close()
        if not has_loop():
            return
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()


class _Pool:
    """The connections of one event loop. The one that was used last is taken first, so that others can age."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits, kept_bytes: int) -> None:
        self.places = asyncio.Semaphore(limits.in_use)
        self._limits, self._kept_bytes = limits, kept_bytes
        # Weak: a pool must not keep the loop alive whose end closes it.
        self._loop = weakref.ref(loop)
        self._idle: dict[Endpoint, list[_Connection]] = {}
        """The oldest first."""
        self._idle_count = 0
        self._used_count = 0

    async def take(self, endpoint: Endpoint) -> "_Connection":
        """Each connection that is taken is given back."""
        loop = asyncio.get_running_loop()
        idle = self._idle.get(endpoint)
        while idle:
            connection = idle.pop()
            self._idle_count -= 1
            if connection.may_be_used_again(loop.time()):
                self._used_count += 1
                return connection
            connection.abort()
        self._used_count += 1
        if self._idle_count and self._used_count + self._idle_count > self._limits.open:
            self._drop_oldest()
        try:
            return await self._connect(loop, endpoint)
        except BaseException:
            self._used_count -= 1
            raise

    def give_back(self, endpoint: Endpoint, connection: "_Connection") -> None:
        """Keep a connection whose response is whole; abort any other."""
        self._used_count -= 1
        loop = self._loop()
        if connection.is_open and connection.reader.is_reusable and loop is not None:
            connection.idle_since = loop.time()
            self._keep(endpoint, connection)
        else:
            connection.abort()

    def _keep(self, endpoint: Endpoint, connection: "_Connection") -> None:
        idle = self._idle.get(endpoint)
        if idle is None:
            # Targets of tenants bring ever more endpoints: only those with connections stay known.
            self._idle = {each: kept for each, kept in self._idle.items() if kept}
            idle = self._idle[endpoint] = []
        idle.append(connection)
        self._idle_count += 1
        if self._idle_count > self._limits.in_use:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        oldest = min(filter(None, self._idle.values()), key=lambda kept: kept[0].idle_since)
        oldest.pop(0).abort()
        self._idle_count -= 1

    async def close(self) -> None:
        for idle in self._idle.values():
            for connection in idle:
                connection.abort()
        self._idle.clear()
        self._idle_count = 0
        # A transport closes its socket in the next turn of the loop.
        await asyncio.create_task(_next_turn())

    async def _connect(self, loop: asyncio.AbstractEventLoop, endpoint: Endpoint) -> "_Connection":
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, connection = await loop.create_connection(
                    lambda: _Connection(self._kept_bytes),
                    endpoint.name,
                    endpoint.port,
                    ssl=tls_context() if endpoint.is_tls else None,
                )
        except TimeoutError as error:
            raise NoAnswerError(f"no connection within {CONNECT_SECONDS:g} s") from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection, and the response that is being read. Unsolicited bytes close it."""

    def __init__(self, kept_bytes: int) -> None:
        self.is_open = False
        self.idle_since = 0.0
        self.reader = ResponseReader(kept_bytes)
        self._transport: Any = None
        self._response: asyncio.Future[HttpResponse] | None = None

    async def exchange(self, request: bytes) -> HttpResponse:
        """Send a request and read its response; NoAnswerError if the connection ends first."""
        self.reader.begin()
        self._response = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._response

    def may_be_used_again(self, now: float) -> bool:
        if not self.is_open or self._transport.is_closing():
            return False
        descriptor = self._transport.get_extra_info("socket").fileno()
        return may_be_used_again(descriptor, now - self.idle_since)

    def abort(self) -> None:
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self.is_open = True

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        self.reader.end()
        self._fail(NoAnswerError(f"the connection ended{f': {type(error).__name__}' if error else ''}"))

    def data_received(self, data: bytes) -> None:
        if self._response is None:
            self.abort()
            return
        try:
            response = self.reader.feed(data)
        except NoAnswerError as error:
            self._fail(error)
            self.abort()
            return
        if response is not None:
            waiting, self._response = self._response, None
            if not waiting.done():
                waiting.set_result(response)

    def _fail(self, error: NoAnswerError) -> None:
        response, self._response = self._response, None
        if response is not None and not response.done():
            response.set_exception(error)


async def _next_turn() -> None:
    """Ends when the loop has looked at its sockets."""
