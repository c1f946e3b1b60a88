import asyncio
import select
from ssl import SSLError
from typing import Any

from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.response import Response
from shared.adapters.http.sockets import BoundedSocket
from shared.domain.delivery.callback import Reason


class Connection(asyncio.Protocol):
    """Carries one request at a time. Bytes that arrive between two requests close the connection."""

    def __init__(self, opened: BoundedSocket) -> None:
        self.idle_since = 0.0
        self._socket = opened
        self._transport: Any = None
        self._response: Response | None = None
        """The response that is being read."""
        self._end: asyncio.Future[None] | None = None

    async def exchange(self, request: bytes, response: Response) -> None:
        """Send a request and read its response; CallFailedError if the response is invalid or incomplete."""
        if self._transport.is_closing():
            raise CallFailedError(Reason.PROTOCOL_ERROR, "the connection was lost before the request")
        self._response, self._end = response, asyncio.get_running_loop().create_future()
        self._socket.allow_overhead()
        self._transport.write(request)
        self._transport.resume_reading()
        try:
            await self._end
        finally:
            self._response = None

    def is_quiet(self) -> bool:
        """Whether the connection is open and nothing has arrived since the last response.

        Lambda freezes a worker between invocations. The event loop then reads the end of the connection, or
        stray bytes, only after the next request was written: the request would be lost, or the bytes taken for
        its response.
        """
        if self._transport.is_closing():
            return False
        poller = select.poll()
        poller.register(self._socket.fileno(), select.POLLIN)
        return not poller.poll(0)

    def has_sent_all(self) -> bool:
        """Whether the whole request was sent: a receiver may respond before."""
        return not self._transport.is_closing() and not self._transport.get_write_buffer_size()

    def abort(self) -> None:
        """Close without the end of TLS, for which asyncio would wait up to 30 s."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        # Some receivers respond before the request: the response waits until the request is written.
        self._transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        self._socket.allow(len(data))
        if self._response is None or self._response.is_complete:
            self.abort()
            return
        try:
            self._response.feed(data)
        except CallFailedError as error:
            self._finish(error)
        else:
            if self._response.is_complete:
                self._finish(None)

    def eof_received(self) -> None:
        self.connection_lost(None)

    def connection_lost(self, error: Exception | None) -> None:
        if self._response is None or self._response.is_complete:
            return
        if error is None:
            try:
                self._response.end()
            except CallFailedError as incomplete:
                error = incomplete
        elif isinstance(error, SSLError):
            # A TLS alert after the handshake, such as for a certificate that the receiver requires.
            error = CallFailedError(Reason.TLS_FAILED, str(error))
        self._finish(error)

    def _finish(self, error: Exception | None) -> None:
        if self._end is not None and not self._end.done():
            if error is None:
                self._end.set_result(None)
            else:
                self._end.set_exception(error)
