"""The front door of the local stack: the API on a port of the loopback address, for clients of any language.

The emulator tells APIs apart by a host name below `localhost`, which most programs cannot resolve. The front
door forwards each request with that name as its `Host` header.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from email.utils import formatdate
from http import HTTPStatus

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from infra.local.faults import Fault, Faults
from infra.local.loopback_server import LoopbackServer
from infra.local.sockets import HOST
from infra.local.state_dir import LocalStackError

FORWARD_SECONDS = 60.0
KILL_AFTER_SECONDS = 0.005
"""A request takes some 20 ms, so the worker is killed at work."""
OF_THE_CONNECTION = (
    "Connection",
    "Content-Length",
    "Expect",
    "Host",
    "Keep-Alive",
    "Proxy-Authorization",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
)
"""Headers that belong to one connection; a proxy does not forward them."""


class FrontDoor:
    """Forwards requests to the API. Until `open`, and when the emulator has stopped, it answers 503."""

    def __init__(self, *, port: int = 0, faults: Faults | None = None, clock_offset: int = 0) -> None:
        """`port` 0 selects a free port; `faults` happen to requests of clients; `clock_offset` seconds are
        added to the dates of answers that the front door gives itself."""
        self._clock_offset = clock_offset
        self._faults = faults or Faults()
        self._server = LoopbackServer(self._answer_dated, port=port, name="front door", context=self._connect)
        self._emulator: URL | None = None
        self._host = ""
        self._kill_worker: Callable[[], object] = int
        self._client: aiohttp.ClientSession

    @property
    def url(self) -> str:
        return self._server.url

    def open(self, *, port: int, host: str, kill_worker: Callable[[], object]) -> None:
        """Forward from now on to the emulator at `port`, where the API has the name `host`.

        `kill_worker` kills the workers of the API, for the fault `killed`.
        """
        self._kill_worker = kill_worker
        self._host = host
        self._emulator = URL.build(scheme="http", host=HOST, port=port)

    def __enter__(self) -> "FrontDoor":
        """Listen; LocalStackError if the port is not available."""
        try:
            self._server.start()
        except OSError as error:
            raise LocalStackError(
                f"the API cannot listen on port {self._server.port} ({error.strerror}); "
                "choose another port with --port"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    async def _connect(self, _app: web.Application) -> AsyncIterator[None]:
        # A new connection for each request: a POST on a connection that the emulator is closing would be lost.
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True, limit=0),
            timeout=aiohttp.ClientTimeout(total=FORWARD_SECONDS),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        ) as self._client:
            yield

    async def _answer_dated(self, request: web.Request) -> web.Response:
        response = await self._answer(request)
        response.headers.setdefault("Date", formatdate(time.time() + self._clock_offset, usegmt=True))
        return response

    async def _answer(self, request: web.Request) -> web.Response:
        fault = self._faults.draw()
        if fault is Fault.THROTTLED:
            return _problem(429, "rate-limited", "a fault of --faults: too many requests")
        if fault is Fault.UNAVAILABLE:
            return _problem(503, "service-unavailable", "a fault of --faults: the service is unavailable")
        if fault is Fault.KILLED:
            asyncio.get_running_loop().call_later(KILL_AFTER_SECONDS, self._kill_worker)
        response = await self._forward(request)
        if fault is Fault.LOST and request.transport is not None:
            request.transport.abort()
        return response

    async def _forward(self, request: web.Request) -> web.Response:
        if self._emulator is None:
            return _problem(503, "service-unavailable", "the local stack is still starting; try again soon")
        headers = _forwarded(request.headers)
        headers["Host"] = self._host
        try:
            async with self._client.request(
                request.method,
                # The path and the query as the client spelt them, because the API judges the spelling.
                URL(f"{self._emulator.origin()}{request.raw_path}", encoded=True),
                headers=headers,
                data=await request.read() or None,
                allow_redirects=False,
            ) as response:
                return web.Response(
                    status=response.status, headers=_forwarded(response.headers), body=await response.read()
                )
        except (aiohttp.ClientError, TimeoutError) as error:
            text = f"the emulator does not answer ({type(error).__name__})"
            return _problem(503, "service-unavailable", text)


def _forwarded(headers: Mapping[str, str]) -> CIMultiDict[str]:
    kept = CIMultiDict(headers)
    for name in OF_THE_CONNECTION:
        kept.popall(name, None)
    return kept


def _problem(status: int, slug: str, detail: str) -> web.Response:
    """Return a problem document, in the form of the API's own errors."""
    problem = {
        "type": f"urn:punctual:problem:{slug}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return web.json_response(
        problem, status=status, headers={"Retry-After": "1"}, content_type="application/problem+json"
    )
