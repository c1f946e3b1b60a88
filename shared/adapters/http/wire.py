"""What comes over a connection, a little at a time and within bounds."""

from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

MAX_RESPONSE_BYTES = 256 * 1024
"""Of one answer, from its first byte on, with everything around the body that is no body."""

MAX_HEADS = 100
"""Of one answer: the interim ones (1xx), and the final one."""

_PIECE_BYTES = 8 * 1024


class InvalidResponseError(aiohttp.ClientError):
    """What the receiver did is no HTTP/1 answer to this request."""


class BoundedHandler(ResponseHandler):
    """Reads one answer, and gives up on a receiver that sends for the sake of sending.

    aiohttp bounds lines and bodies. It skips interim answers for ever, and parses whatever one read of the socket
    brought in one go: a flood of them, or of chunks of one byte, would take the loop from all other calls.
    """

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self._pending = b""
        self._bytes = 0
        self._heads = 0

    def set_response_params(self, **options: Any) -> None:
        """A request is about to be sent: its answer is counted from here."""
        self._bytes = self._heads = 0
        super().set_response_params(**options)

    def data_received(self, data: bytes) -> None:
        """Parse piece by piece; nothing at all is a word from the reader that it has room again."""
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
        """One head has been read."""
        self._heads += 1
        if self._heads <= MAX_HEADS:
            super().feed_data(data, size)
        elif self.is_connected():
            self._give_up()

    def _give_up(self) -> None:
        error, body = InvalidResponseError("the receiver sends more than an answer has"), self._payload
        self.abort()
        self.set_exception(error)
        if body is not None:
            body.set_exception(error)
