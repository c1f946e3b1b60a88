"""A pool of keep-alive connections that never repeats a request and rejects unsolicited responses."""

from asyncio import AbstractEventLoop
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
from shared.adapters.http.wire import BoundedHandler, InvalidResponseError

USER_AGENT = "Punctual/0.1"
CHUNK_BYTES = 4 * 1024
_MAX_LINE_BYTES = 8 * 1024
_MAX_RESPONSE_HEADERS = 100
# Below the five seconds after which common servers close an idle connection: reusing a connection that the
# receiver is closing costs an attempt.
_KEEPALIVE_SECONDS = 4.0
_AUTO_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


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
        ssl=ssl_context or True,
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
    """Bounds the size of responses, and refuses a connection on which data arrived before the request.

    aiohttp would treat a response that arrived on an idle connection as the response to the next request, and
    shift every later response by one.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(_handler, self._loop)

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        if connection.protocol is None or connection.protocol.should_close:
            connection.close()
            raise InvalidResponseError("the receiver sent a response before the request")
        return connection


def _handler(loop: AbstractEventLoop) -> ResponseHandler:
    return BoundedHandler(loop)


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
