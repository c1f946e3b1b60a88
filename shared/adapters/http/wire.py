"""Reads responses from a connection in small pieces and within size limits."""

import asyncio
import re
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

from shared.adapters.http.sockets import READ_BYTES, BoundedSocket, SocketBudget

MAX_RESPONSE_BYTES = 256 * 1024
"""Maximum bytes of a response, including the head and the framing of the body."""

MAX_HEADS = 100
"""Maximum number of response heads: interim heads (1xx) and the final head."""

_CIPHERTEXT_BYTES = 32 * 1024
"""Ciphertext that waits while the reader of the body is busy; asyncio's default is 256 KiB."""

_HEAD_END = re.compile(rb"[^\r\n]\r?\n\r?\n")
_HEAD_END_BYTES = 4
"""Bytes of an earlier piece that can belong to the end of a head."""


class InvalidResponseError(aiohttp.ClientError):
    """The receiver did not send a valid HTTP/1 response to this request."""


class BoundedHandler(ResponseHandler):
    """Reads one response, and aborts the connection if the response is too long.

    aiohttp limits lines and bodies, but skips any number of interim responses, and parses all data of a
    socket read at once. A flood of interim responses, or of one-byte chunks, would block the event loop for
    all other calls.
    """

    def __init__(self, loop: Any, sockets: SocketBudget) -> None:
        super().__init__(loop)
        self._sockets = sockets
        self._socket: BoundedSocket | None = None
        self._pending = b""
        self._previous = b""
        self._bytes = 0
        self._heads = 0
        self._has_final_head = False
        self.was_used = False
        """Whether a request was sent on this connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._socket = self._sockets.of(transport)
        if transport.get_extra_info("ssl_object") is not None:
            transport.set_read_buffer_limits(high=_CIPHERTEXT_BYTES)  # type: ignore[attr-defined]

    def set_response_params(self, **options: Any) -> None:
        self._bytes = self._heads = 0
        self._previous, self._has_final_head, self.was_used = b"", False, True
        if self._socket is not None:
            self._socket.allow_overhead()
        super().set_response_params(**options)

    def close(self) -> None:
        """Abort: asyncio would continue to read for up to 30 s until the receiver has ended TLS."""
        self.abort()

    def data_received(self, data: bytes) -> None:
        """Parse in pieces; empty data signals that the reader has room again."""
        if self._socket is not None:
            self._socket.allow(len(data))
        self._pending += data
        if not data:
            super().data_received(b"")
        while self._pending and not self._reading_paused and self.is_connected():
            piece = self._next_piece()
            self._bytes += len(piece)
            super().data_received(piece)
            if self._bytes > MAX_RESPONSE_BYTES:
                self._give_up()
        if self.transport is not None and self.transport.is_closing():
            self._end_unparsed(self.transport)

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        self._heads += 1
        self._has_final_head = data[0].code >= 200
        if self._heads <= MAX_HEADS:
            super().feed_data(data, size)
        elif self.is_connected():
            self._give_up()

    def _next_piece(self) -> bytes:
        """Take the next bytes to parse. A head ends its piece.

        aiohttp drops a head that it has parsed if an error follows in the same piece. A response with bytes
        after its end would then fail or succeed, depending on the segments in which it arrives.
        """
        end = None if self._has_final_head else _HEAD_END.search(self._previous + self._pending[:READ_BYTES])
        length = end.end() - len(self._previous) if end else READ_BYTES
        piece, self._pending = self._pending[:length], self._pending[length:]
        self._previous = b"" if end else (self._previous + piece)[-_HEAD_END_BYTES:]
        return piece

    def _end_unparsed(self, transport: asyncio.Transport) -> None:
        """aiohttp only closes the transport when it cannot parse, and leaves the reader of the body waiting."""
        transport.abort()
        if self._payload is not None and not self._payload.is_eof() and self._exception is not None:
            self._payload.set_exception(self._exception)

    def _give_up(self) -> None:
        error, body = InvalidResponseError("the receiver sent a response that is too long"), self._payload
        self.abort()
        self.set_exception(error)
        if body is not None:
            body.set_exception(error)
