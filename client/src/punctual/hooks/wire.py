"""HTTP/1.1 over the streams of asyncio. Spelling, order and values of headers stay as they came."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from http import HTTPStatus
from typing import TypeAlias

import h11

from punctual.errors import PunctualError

RawHeaders: TypeAlias = list[tuple[bytes, bytes]]
"""Pairs of a name, as it was spelt, and a value."""
MAX_HEAD_BYTES = 64 * 1024
LINGER_SECONDS = 1.0
"""How long a closing server reads what the client still sends. Otherwise the client could lose the answer."""
_READ_BYTES = 64 * 1024
_HEAD_TOO_LONG = 431
_BODY_TOO_LONG = 413
_WITHOUT_BODY = frozenset((204, 304))
_KNOWN = frozenset(HTTPStatus)
OF_THE_CONNECTION = frozenset(
    (b"connection", b"expect", b"host", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"upgrade")
)
"""Headers that belong to one connection, in lower case."""


class WireError(PunctualError):
    """The peer sends no HTTP/1.1, too much of it, or ends too soon. The text has nothing of what it sent."""

    def __init__(self, detail: str, status: int = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(detail)
        self.status = int(status)
        """What a server answers to such a request."""


class ClosedError(WireError):
    """The peer closed a connection that it had not used."""


class Channel:
    """One exchange of a request and its answer. OSError from any method means that the peer is gone."""

    def __init__(
        self,
        role: type[h11.CLIENT] | type[h11.SERVER],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._machine = h11.Connection(role, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._reader = reader
        self._writer = writer
        self._method = b""

    async def send(self, event: h11.Event) -> None:
        data = self._machine.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()

    async def receive(self) -> h11.Event:
        """The next event; WireError if what comes is no HTTP, or breaks off."""
        try:
            while isinstance(event := self._machine.next_event(), type):
                if event is h11.PAUSED:
                    raise WireError("the peer sends more than one message")
                if self._machine.they_are_waiting_for_100_continue:
                    await self.send(h11.InformationalResponse(status_code=100, headers=[]))
                self._machine.receive_data(await self._reader.read(_READ_BYTES))
        except h11.RemoteProtocolError as error:
            # Its text can have a part of a header.
            status = error.error_status_hint
            text = (
                "the head is too long"
                if status == _HEAD_TOO_LONG
                else "this is no HTTP/1.1, or it is cut off"
            )
            raise WireError(text, status) from None
        if isinstance(event, h11.ConnectionClosed):
            raise ClosedError("the peer closed the connection")
        if isinstance(event, h11.Request):
            self._method = event.method
        if isinstance(event, h11.Request | h11.Response):
            _check_head(event)
        return event

    async def chunks(self) -> AsyncIterator[bytes]:
        """The parts of the body, up to its end; WireError as for `receive`."""
        while not isinstance(event := await self.receive(), h11.EndOfMessage):
            if isinstance(event, h11.Data):
                yield bytes(event.data)

    async def body(self, max_bytes: int) -> bytes:
        """The whole body; WireError as for `receive`, and for a longer one."""
        whole = bytearray()
        async for chunk in self.chunks():
            whole += chunk
            if len(whole) > max_bytes:
                raise WireError(f"the body has more than {max_bytes} bytes", _BODY_TOO_LONG)
        return bytes(whole)

    async def answer(self, status: int, text: str, headers: RawHeaders | None = None) -> None:
        """Send an answer of this program itself, with a text where an answer may have one."""
        has_body = self._method != b"HEAD" and status not in _WITHOUT_BODY
        body = f"{text}\n".encode() if has_body else b""
        own = [
            (b"Content-Type", b"text/plain; charset=utf-8"),
            (b"Content-Length", str(len(body)).encode()),
            (b"Connection", b"close"),
        ]
        reason = HTTPStatus(status).phrase.encode() if status in _KNOWN else b""
        await self.send(h11.Response(status_code=status, reason=reason, headers=[*own, *(headers or ())]))
        if body:
            await self.send(h11.Data(data=body))
        await self.send(h11.EndOfMessage())

    async def finish(self) -> None:
        """Close the connection, after what the peer still sends was read for a moment."""
        with suppress(OSError, asyncio.TimeoutError):
            if self._writer.can_write_eof():
                self._writer.write_eof()
            await asyncio.wait_for(self._discard(), LINGER_SECONDS)
        self.abort()

    def abort(self) -> None:
        """Drop the connection, so that the peer sees that an answer broke off."""
        self._writer.transport.abort()

    async def _discard(self) -> None:
        while await self._reader.read(_READ_BYTES):
            pass


def _check_head(event: h11.Request | h11.Response) -> None:
    """WireError for a long head that arrived in one piece, which h11 takes."""
    if sum(len(name) + len(value) for name, value in event.headers) > MAX_HEAD_BYTES:
        raise WireError("the head is too long", _HEAD_TOO_LONG)
