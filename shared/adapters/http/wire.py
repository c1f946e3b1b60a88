"""Reads responses from a connection in small pieces and within size limits."""

from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

MAX_RESPONSE_BYTES = 256 * 1024
"""Maximum bytes of a response, including the head and the framing of the body."""

MAX_HEADS = 100
"""Maximum number of response heads: interim heads (1xx) and the final head."""

_PIECE_BYTES = 8 * 1024


class InvalidResponseError(aiohttp.ClientError):
    """The receiver did not send a valid HTTP/1 response to this request."""


class BoundedHandler(ResponseHandler):
    """Reads one response, and aborts the connection if the response is too long.

    aiohttp limits lines and bodies, but skips any number of interim responses, and parses all data of a
    socket read at once. A flood of interim responses, or of one-byte chunks, would block the event loop for
    all other calls.
    """

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self._pending = b""
        self._bytes = 0
        self._heads = 0

    def set_response_params(self, **options: Any) -> None:
        self._bytes = self._heads = 0
        super().set_response_params(**options)

    def data_received(self, data: bytes) -> None:
        """Parse in pieces; empty data signals that the reader has room again."""
        self._pending += data
        if not data:
            super().data_received(b"")
        while self._pending and not self._reading_paused and self.is_connected():
            piece, self._pending = self._pending[:_PIECE_BYTES], self._pending[_PIECE_BYTES:]
            self._bytes += len(piece)
            super().data_received(piece)
            if self._bytes > MAX_RESPONSE_BYTES:
                self._give_up()

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        self._heads += 1
        if self._heads <= MAX_HEADS:
            super().feed_data(data, size)
        elif self.is_connected():
            self._give_up()

    def _give_up(self) -> None:
        error, body = InvalidResponseError("the receiver sent a response that is too long"), self._payload
        self.abort()
        self.set_exception(error)
        if body is not None:
            body.set_exception(error)
