"""A receiver of callbacks on the loopback address, for `make run` and for tests.

It runs in its own thread and responds with 200 by default. All methods are thread-safe.
"""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aiohttp import web

from infra.local.calls import Call, is_genuine
from infra.local.sockets import HOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"ok"
    after_seconds: float = 0.0
    """Delay before the response."""


OK = Reply()
Responder = Callable[[Call], Reply]


class Receiver:
    """Records all calls in order of arrival."""

    def __init__(
        self,
        *,
        port: int = 0,
        secret: str | None = None,
        respond: Responder | None = None,
        keep: int | None = None,
    ) -> None:
        """`port` 0 selects a free port; `secret` enables signature checks; `respond` returns the responses;
        `keep` limits the number of recorded calls."""
        self.port = port
        self.secret = secret
        self.respond: Responder = respond or (lambda _: OK)
        self._calls: deque[Call] = deque(maxlen=keep)
        self._arrived = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="receiver", daemon=True)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The root URL; the receiver responds to every path."""
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Listen; OSError if the port is in use."""
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Close the port; calls in progress are dropped."""
        if self._runner is not None:
            asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
            self._runner = None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
        self._loop.close()

    def __enter__(self) -> "Receiver":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def calls(self, path: str | None = None) -> list[Call]:
        with self._arrived:
            return [call for call in self._calls if path is None or call.path == path]

    def wait_for(self, count: int, *, path: str | None = None, timeout: float = 30.0) -> list[Call]:
        """Wait for `count` calls and return all calls so far; TimeoutError if there are too few."""
        deadline = time.monotonic() + timeout
        with self._arrived:
            while len(found := [call for call in self._calls if path is None or call.path == path]) < count:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{len(found)} of {count} calls arrived at {path or 'any path'}")
                self._arrived.wait(left)
            return found

    async def _listen(self) -> None:
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _handle(self, request: web.Request) -> web.Response:
        arrived_at = datetime.now(UTC)
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        genuine = is_genuine(headers, body, self.secret) if self.secret else None
        call = Call(
            method=request.method,
            path=request.path,
            headers=headers,
            body=body,
            arrived_at=arrived_at,
            genuine=genuine,
        )
        with self._arrived:
            self._calls.append(call)
            self._arrived.notify_all()
        reply = self.respond(call)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(reply.after_seconds)
        return web.Response(status=reply.status, headers=reply.headers, body=reply.body)
