"""An aiohttp server on the loopback address, in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable

from aiohttp import web

from infra.local.sockets import HOST

MAX_BODY_BYTES = 16 * 1024 * 1024
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Context = Callable[[web.Application], AsyncIterator[None]]


class LoopbackServer:
    """Passes every request, of any method and path, to one handler; start and stop it once."""

    def __init__(self, handler: Handler, *, port: int, name: str, context: Context | None = None) -> None:
        """`port` 0 selects a free port; `context` opens and closes what the handler needs."""
        self.port = port
        self._handler = handler
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
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
        """Close the port; requests in progress are dropped. Safe to call twice."""
        if self._runner is not None:
            asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
            self._runner = None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
        self._loop.close()

    async def _listen(self) -> None:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handler)
        if self._context is not None:
            app.cleanup_ctx.append(self._context)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, self.port).start()
        self.port = self._runner.addresses[0][1]
