"""Both ends of `punctual listen` as bytes: a receiver that records what arrives, and calls as they are sent."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone

from client.tests.support.calls import NOW
from punctual.hooks.arrival import Arrival, Outcome
from punctual.hooks.faults import FaultDraw, Faults
from punctual.hooks.listener import Limits, Listener, Surroundings
from punctual.hooks.target import parse_target

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class RawReceiver:
    """Answers each request with the same bytes, and closes the connection."""

    answer: bytes = OK
    hold: Awaitable[object] | None = None
    """The answer comes after this."""
    received: list[bytes] = field(default_factory=list)
    port: int = 0
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Listen; gives the URL."""
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{self.port}"
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.append(task)
        try:
            await self._answer(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            writer.transport.abort()
            await asyncio.sleep(0)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?im)^content-length: *([0-9]+)", head)
            body = await reader.readexactly(int(length[1])) if length else b""
            self.received.append(head + body)
            if self.hold is not None:
                await self.hold
            writer.write(self.answer)
            writer.close()
            await writer.wait_closed()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass


@dataclass
class Listening:
    """A listener at work."""

    port: int
    shown: list[tuple[Arrival, Outcome]]
    notes: list[str]
    slept: list[float]

    async def send(self, raw: bytes) -> bytes:
        """Send bytes, and read the answer to its end."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(raw)
            return await reader.read()
        finally:
            writer.transport.abort()
            await asyncio.sleep(0)

    @property
    def last(self) -> tuple[Arrival, Outcome]:
        return self.shown[-1]


@asynccontextmanager
async def listening(
    target: str,
    *,
    secrets: tuple[str, ...] = (),
    faults: Faults | None = None,
    seed: int = 0,
    limits: Limits | None = None,
    allow_remote: bool = False,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> AsyncIterator[Listening]:
    """A listener in front of a target, whose clock stands still and whose waits take no time."""
    made = Listening(0, [], [], [])

    async def no_sleep(seconds: float) -> None:
        made.slept.append(seconds)

    ticks = itertools.count()
    listener = Listener(
        parse_target(target, is_remote_allowed=allow_remote),
        Surroundings(
            now=lambda: datetime.fromtimestamp(NOW, timezone.utc),
            monotonic=lambda: next(ticks) / 1000,
            sleep=sleep or no_sleep,
            show=lambda arrival, outcome: made.shown.append((arrival, outcome)),
            note=made.notes.append,
        ),
        secrets=secrets,
        faults=FaultDraw(faults or Faults(), seed),
        limits=limits,
    )
    ports: asyncio.Queue[int] = asyncio.Queue()
    stop = asyncio.Event()
    serving = asyncio.create_task(listener.serve("127.0.0.1", 0, ready=ports.put_nowait, stop=stop))
    made.port = await ports.get()
    try:
        yield made
    finally:
        stop.set()
        await serving


def request(
    body: bytes = b"{}",
    *,
    method: str = "POST",
    path: str = "/report",
    headers: dict[str, str] | None = None,
    framing: str | None = None,
) -> bytes:
    """A call as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1:14569"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    lines.append(framing or f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def head_of(raw: bytes) -> tuple[bytes, list[bytes], bytes]:
    """The first line, the header lines and the body."""
    head, _, body = raw.partition(b"\r\n\r\n")
    line, *headers = head.split(b"\r\n")
    return line, headers, body
