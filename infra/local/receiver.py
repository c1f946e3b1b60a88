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
from infra.local.loopback_server import LoopbackServer

HOLD_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"ok"
    after: threading.Event | None = None
    """Hold the response until this event is set."""
    after_seconds: float = 0.0
    """Delay before the response, once it is no longer held."""


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
        self.secret = secret
        self.respond: Responder = respond or (lambda _: OK)
        self._calls: deque[Call] = deque(maxlen=keep)
        self._arrived = threading.Condition()
        self._server = LoopbackServer(self._handle, port=port, name="receiver")

    @property
    def port(self) -> int:
        return self._server.port

    @property
    def url(self) -> str:
        """The root URL; the receiver responds to every path."""
        return self._server.url

    def start(self) -> None:
        """Listen; OSError if the port is in use."""
        self._server.start()

    def stop(self) -> None:
        """Close the port; calls in progress are dropped."""
        self._server.stop()

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
            while reply.after and not reply.after.is_set():
                await asyncio.sleep(HOLD_POLL_SECONDS)
            await asyncio.sleep(reply.after_seconds)
        return web.Response(status=reply.status, headers=reply.headers, body=reply.body)
