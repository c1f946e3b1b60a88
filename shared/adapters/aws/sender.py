"""HTTP/1.1 for calls of AWS: kept-alive connections, one request at a time on each, and a time limit for all."""

import asyncio
import atexit
import os
import select
import ssl
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from httptools import HttpParserError, HttpResponseParser

from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.aws.services import Endpoint
from shared.adapters.greenlets import run

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 5.0
"""From the start of a try to the end of its answer."""
CONNECTIONS = 64
"""Of one event loop, to all services. Further requests wait for a connection before their time limit begins."""
KEEPALIVE_SECONDS = 15.0
MAX_BODY_BYTES = 64 * 1024 * 1024
"""Above the 16 MB of the largest answer as JSON spells it."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    """The names are in small letters."""
    body: bytes


class Send(Protocol):
    """Sends one POST request to the root of an endpoint, once."""

    async def __call__(self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> HttpResponse:
        """The whole response; NoAnswerError if none came in time, or only a part of one."""
        ...


class PooledSend:
    """One pool of connections for each event loop."""

    def __init__(self, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._answer_seconds = answer_seconds
        self._pools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool] = weakref.WeakKeyDictionary()
        # The loop of a process that ends has to close its connections.
        atexit.register(lambda: run(self.close()))

    async def __call__(self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> HttpResponse:
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            pool = self._pools[loop] = _Pool(loop)
        try:
            async with pool.places, asyncio.timeout(self._answer_seconds):
                connection = await pool.take(endpoint)
                try:
                    return await connection.exchange(_request(headers, body))
                finally:
                    pool.give_back(endpoint, connection)
        except TimeoutError as error:
            raise NoAnswerError(f"no answer within {self._answer_seconds:g} s") from error
        except OSError as error:
            raise NoAnswerError(f"{type(error).__name__}: {error}") from error

    async def close(self) -> None:
        """Close the idle connections of the running loop."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()


class _Pool:
    """The connections of one event loop. The one that was used last is taken first, so that others can age."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.places = asyncio.Semaphore(CONNECTIONS)
        # Weak: a pool must not keep the loop alive whose end closes it.
        self._loop = weakref.ref(loop)
        self._idle: dict[Endpoint, list[_Connection]] = {}
        self._tls: ssl.SSLContext | None = None

    async def take(self, endpoint: Endpoint) -> "_Connection":
        loop = asyncio.get_running_loop()
        idle = self._idle.setdefault(endpoint, [])
        while idle:
            connection = idle.pop()
            idle_for = loop.time() - connection.idle_since
            if connection.is_quiet() and idle_for < KEEPALIVE_SECONDS:
                return connection
            connection.abort()
        return await self._connect(loop, endpoint)

    def give_back(self, endpoint: Endpoint, connection: "_Connection") -> None:
        """Keep a connection whose response is whole; abort any other."""
        loop = self._loop()
        if connection.is_open and connection.is_reusable and loop is not None:
            connection.idle_since = loop.time()
            self._idle[endpoint].append(connection)
        else:
            connection.abort()

    async def close(self) -> None:
        for idle in self._idle.values():
            for connection in idle:
                connection.abort()
        self._idle.clear()
        # A transport closes its socket in the next turn of the loop.
        await asyncio.create_task(_next_turn())

    async def _connect(self, loop: asyncio.AbstractEventLoop, endpoint: Endpoint) -> "_Connection":
        if endpoint.is_tls and self._tls is None:
            self._tls = ssl.create_default_context(cafile=os.environ.get("AWS_CA_BUNDLE") or None)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, connection = await loop.create_connection(
                    _Connection, endpoint.name, endpoint.port, ssl=self._tls if endpoint.is_tls else None
                )
        except TimeoutError as error:
            raise NoAnswerError(f"no connection within {CONNECT_SECONDS:g} s") from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection, and the response that is being read. Unsolicited bytes close it."""

    def __init__(self) -> None:
        self.is_open = False
        self.is_reusable = False
        self.idle_since = 0.0
        self._transport: Any = None
        self._parser: Any = HttpResponseParser(self)
        self._response: asyncio.Future[HttpResponse] | None = None
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._size = 0

    async def exchange(self, request: bytes) -> HttpResponse:
        """Send a request and read its response; NoAnswerError if the connection ends first."""
        self.is_reusable = False
        self._headers, self._body, self._size = {}, [], 0
        self._response = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._response

    def is_quiet(self) -> bool:
        """Whether the connection is open, and nothing has arrived since its last answer.

        The loop reads an end or stray bytes later than the next request is written: then the request is lost, or
        the bytes are taken for its answer. A function that was frozen meets both.
        """
        if not self.is_open or self._transport.is_closing():
            return False
        poller = select.poll()
        poller.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not poller.poll(0)

    def abort(self) -> None:
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self.is_open = True

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        # The parser and the connection refer to each other.
        self._parser = None
        self._fail(f"the connection ended{f': {type(error).__name__}' if error else ''}")

    def data_received(self, data: bytes) -> None:
        if self._response is None:
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            self._fail(f"the answer is no HTTP: {type(error).__name__}")
            self.abort()

    def on_message_begin(self) -> None:
        if self._response is None:
            # Bytes behind an answer would be taken for the next one.
            self.is_reusable = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > MAX_BODY_BYTES:
            self._fail("the answer is too long")
            self.abort()
        else:
            self._body.append(part)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            # An interim response, such as 100 Continue: the final one follows.
            self._headers = {}
            return
        response, self._response = self._response, None
        if response is not None and not response.done():
            self.is_reusable = self._parser.should_keep_alive()
            response.set_result(HttpResponse(status, self._headers, b"".join(self._body)))

    def _fail(self, reason: str) -> None:
        response, self._response = self._response, None
        if response is not None and not response.done():
            response.set_exception(NoAnswerError(reason))


async def _next_turn() -> None:
    """Ends when the loop has looked at its sockets."""


def _request(headers: Mapping[str, str], body: bytes) -> bytes:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    return b"POST / HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (lines.encode("ascii"), len(body), body)
