"""A receiver of callbacks on the loopback interface, whose every byte a test can script.

It speaks raw TCP (or TLS), so that it can also answer what no HTTP server would. Use it inside the test's own loop:

    async with Receiver(replies(reply(200))) as receiver:
        ... receiver.url("/hook") ... receiver.requests
"""

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

Script = Callable[["Peer"], Awaitable[None]]
"""What to do with one connection; it is closed when the script returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as received; `connection` numbers the connections from 1."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    connection: int

    def header(self, name: str) -> str | None:
        """The first header of this name, in any case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class Peer:
    """One accepted connection."""

    def __init__(
        self, receiver: "Receiver", reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.number = receiver.connections
        self._receiver = receiver

    async def request(self) -> Request | None:
        """The next request, which the receiver also records; None when the caller has closed the connection."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        request_line, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        method, target, _ = request_line.split(" ")
        headers = tuple((name, value) for name, _, value in (line.partition(": ") for line in lines))
        length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        request = Request(
            method=method,
            target=target,
            headers=headers,
            body=await self.reader.readexactly(length),
            connection=self.number,
        )
        self._receiver.requests.append(request)
        return request

    async def send(self, data: bytes) -> None:
        """Write and flush; ConnectionError when the caller has gone."""
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """End the connection with a TCP RST."""
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class Receiver:
    """Listens on a loopback address while its context is open, at a free port by default; one script a connection."""

    def __init__(
        self,
        script: Script,
        *,
        ssl_context: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.errors: list[Exception] = []
        self._script = script
        self._address = (address, port)
        self._ssl_context = ssl_context
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, *self._address, ssl=self._ssl_context)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await self._server.wait_closed()
        if self.errors and kind is None:
            raise self.errors[0]

    @property
    def port(self) -> int:
        """The port that it listens at."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def url(self, path: str = "/", *, host: str = "127.0.0.1", scheme: str | None = None) -> str:
        """A URL that leads here."""
        return f"{scheme or ('https' if self._ssl_context else 'http')}://{host}:{self.port}{path}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            await self._script(Peer(self, reader, writer))
        except asyncio.CancelledError:
            pass  # the test is over; asyncio would log a cancelled connection as an error
        except (ConnectionError, ssl.SSLError):
            pass  # the caller hung up in the middle, as many scripts provoke it to
        except Exception as error:  # noqa: BLE001 - kept for the test, which would not see it in this task
            self.errors.append(error)
        finally:
            self._serving.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


def reply(status: int = 200, body: bytes = b"", *headers: str) -> bytes:
    """A well-formed response with a Content-Length; headers are spelled `Name: value`."""
    lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def replies(*raw: bytes) -> Script:
    """Answer the requests of each connection with these bytes in turn, the last for all that follow."""

    async def script(peer: Peer) -> None:
        turn = 0
        while await peer.request() is not None:
            await peer.send(raw[min(turn, len(raw) - 1)])
            turn += 1

    return script


def replies_and_closes(raw: bytes) -> Script:
    """Answer one request with these bytes, then close the connection."""

    async def script(peer: Peer) -> None:
        if await peer.request() is not None:
            await peer.send(raw)

    return script


def replies_and_resets(raw: bytes) -> Script:
    """Answer one request with these bytes, then reset the connection."""

    async def script(peer: Peer) -> None:
        if await peer.request() is not None:
            await peer.send(raw)
            peer.reset()

    return script


def replies_and_stays(raw: bytes, *, after_head: bool = True) -> Script:
    """Send these bytes, after the request or at once, then keep the connection open and say nothing more."""

    async def script(peer: Peer) -> None:
        if after_head:
            await peer.request()
        await peer.send(raw)
        await asyncio.Event().wait()

    return script


def resets_at_once() -> Script:
    """Reset the connection before any data is sent."""

    async def script(peer: Peer) -> None:
        peer.reset()

    return script


def silent(*, reads: bool = True) -> Script:
    """Read the request if `reads`, and never answer."""

    async def script(peer: Peer) -> None:
        if reads:
            await peer.request()
        await asyncio.Event().wait()

    return script


def drips(head: bytes, drop: bytes, *, every_seconds: float) -> Script:
    """Answer with `head`, and then with `drop` again and again for as long as the caller stays."""

    async def script(peer: Peer) -> None:
        if await peer.request() is None:
            return
        await peer.send(head)
        while True:
            await peer.send(drop)
            await asyncio.sleep(every_seconds)

    return script
