"""A pool of keep-alive connections that never repeats a request and rejects unsolicited responses."""

import asyncio
import math
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from ssl import SSLContext
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from shared.adapters.http.dial import DialGuard, GuardedResolver
from shared.adapters.http.sockets import SocketBudget
from shared.adapters.http.tls import harden
from shared.adapters.http.wire import BoundedHandler, InvalidResponseError

USER_AGENT = "Punctual/0.1"
CHUNK_BYTES = 4 * 1024
_MAX_LINE_BYTES = 8 * 1024
_MAX_RESPONSE_HEADERS = 100
# Below the five seconds after which common servers close an idle connection: reusing a connection that the
# receiver is closing costs an attempt.
_KEEPALIVE_SECONDS = 4.0
CONNECT_SECONDS = 5.0
"""The time that TCP and TLS have after the lookup. A lost SYN is repeated after one and after three seconds."""
_AUTO_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")

RACING_CALLS = 32
"""Calls of one tenant that may dial several addresses at a time: 128 sockets, a quarter of `MAX_SOCKETS`."""

TENANT: ContextVar[str] = ContextVar("tenant")
"""The tenant whose call the current task makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLimits:
    """The maximum number of connections of a pool, in total and per host."""

    total: int
    per_host: int


def open_pool(
    guard: DialGuard, resolver: AbstractResolver, limits: PoolLimits, ssl_context: SSLContext | None
) -> aiohttp.ClientSession:
    """Open a pool whose connections all pass the guard; it belongs to the running event loop."""
    connector = _StrictConnector(
        resolver=GuardedResolver(guard, resolver),
        socket_factory=guard.open_socket,
        sockets=guard.sockets,
        ssl=harden(ssl_context),
        limit=limits.total,
        limit_per_host=limits.per_host,
        keepalive_timeout=_KEEPALIVE_SECONDS,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": USER_AGENT},
        skip_auto_headers=_AUTO_HEADERS,
        trust_env=False,
        auto_decompress=False,
        read_bufsize=CHUNK_BYTES,
        max_line_size=_MAX_LINE_BYTES,
        max_field_size=_MAX_LINE_BYTES,
        max_headers=_MAX_RESPONSE_HEADERS,
        middlewares=(_never_repeat,),
        trace_configs=[_queue_trace()],
    )


def timeout_of(seconds: float) -> aiohttp.ClientTimeout:
    """The deadline of a call, and of its connection within it."""
    # Without the infinite threshold, aiohttp rounds deadlines over five seconds up to whole seconds.
    return aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS, ceil_threshold=math.inf)


def _queue_trace() -> aiohttp.TraceConfig:
    """Keeps `is_queued` of each request's `trace_request_ctx` true while it waits for a free connection."""

    def mark(is_queued: bool) -> Any:
        async def record(_session: Any, context: Any, _parameters: Any) -> None:
            context.trace_request_ctx.is_queued = is_queued

        return record

    trace = aiohttp.TraceConfig()
    trace.on_connection_queued_start.append(mark(True))
    trace.on_connection_queued_end.append(mark(False))
    return trace


class _StrictConnector(aiohttp.TCPConnector):
    """Bounds sockets and responses, and leaves a connection on which data arrived between two requests.

    aiohttp would treat a response that arrived on an idle connection as the response to the next request, and
    shift every later response by one.
    """

    def __init__(self, *, sockets: SocketBudget, **options: Any) -> None:
        super().__init__(**options)
        self._sockets = sockets
        self._dialling: Counter[str] = Counter()
        self._factory = partial(_handler, self._loop, sockets)

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            if not isinstance(protocol, BoundedHandler):
                raise InvalidResponseError("the connection was lost before the request")
            if not (protocol.was_used and protocol.should_close):
                return connection
            connection.close()

    async def _wrap_create_connection(
        self, *args: Any, addr_infos: list[Any], **options: Any
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        """Dial each address once, or the first address alone while the tenant dials many.

        aiohttp would dial the addresses that are left in `addr_infos` again.
        """
        tenant = TENANT.get()
        addresses = addr_infos[: 1 if self._dialling[tenant] >= RACING_CALLS else None]
        addr_infos.clear()
        if self._sockets.is_tight:
            self._close_idle()
        self._dialling[tenant] += 1
        try:
            return await super()._wrap_create_connection(*args, addr_infos=addresses, **options)
        finally:
            self._dialling[tenant] -= 1
            self._dialling += Counter()  # drops tenants that dial no more

    def _close_idle(self) -> None:
        """Close the connections that no call uses; they do not count against the limits of the pool."""
        for idle in self._conns.values():
            for protocol, _ in idle:
                protocol.close()


def _handler(loop: asyncio.AbstractEventLoop, sockets: SocketBudget) -> ResponseHandler:
    return BoundedHandler(loop, sockets)


async def _never_repeat(
    request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Hide dropped connections from aiohttp, which would repeat a GET, PUT or DELETE within one attempt."""
    try:
        return await send(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise InvalidResponseError("the connection ended before a complete response head") from error
