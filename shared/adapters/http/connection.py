"""One connection to a receiver: it carries one request at a time, and no request twice."""

import asyncio
import select
from typing import Any

from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.freshness import Moment
from shared.adapters.http.response import Response
from shared.adapters.http.sockets import BoundedSocket
from shared.domain.delivery.callback import Reason


class Connection(asyncio.Protocol):
    """Carries one request at a time. Bytes that arrive between two requests close the connection."""

    idle_since: Moment
    """The end of the last exchange."""

    def __init__(self, opened: BoundedSocket) -> None:
        self._socket = opened
        self._transport: Any = None
        self._has_ended = False
        """Whether the receiver ended the connection; the transport would still take a request, and drop it."""
        self._response: Response | None = None
        """The response that is being read."""

    async def exchange(self, request: bytes, response: Response) -> None:
        """Send a request and read its response; CallFailedError if the response is invalid or incomplete."""
        if self._is_closing():
            raise CallFailedError(Reason.PROTOCOL_ERROR, "the connection was lost before the request")
        self._response = response
        self._socket.allow_overhead()
        self._transport.write(request)
        self._transport.resume_reading()
        try:
            error = await response.ended
        finally:
            self._response = None
        if error is not None:
            raise error

    def is_quiet(self) -> bool:
        """Whether the connection is open and nothing has arrived since the last response.

        Lambda freezes a worker between invocations. The event loop then reads the end of the connection, or
        stray bytes, only after the next request was written: the request would be lost, or the bytes taken for
        its response.
        """
        if self._is_closing():
            return False
        poller = select.poll()
        poller.register(self._socket.fileno(), select.POLLIN)
        return not poller.poll(0)

    def has_sent_all(self) -> bool:
        """Whether the whole request was sent: a receiver may respond before."""
        is_written = self._socket.has_sent_all and not self._transport.get_write_buffer_size()
        return is_written and not self._is_closing()

    def abort(self) -> None:
        """Close without the end of TLS, for which asyncio would wait up to 30 s."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        # Some receivers respond before the request: the response waits until the request is written.
        self._transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        self._socket.allow(len(data))
        if self._response is None or self._response.ended.done():
            self.abort()
        else:
            self._response.feed(data)

    def eof_received(self) -> None:
        self.connection_lost(None)
        self._has_ended = True
        # Not at once: asyncio may be in the middle of its own end of TLS, which an abort would break.
        asyncio.get_running_loop().call_soon(self.abort)

    def connection_lost(self, error: Exception | None) -> None:
        if self._response is not None:
            self._response.end(error)

    def _is_closing(self) -> bool:
        return self._has_ended or self._transport.is_closing()
