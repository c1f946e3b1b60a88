"""Requests from threads without an event loop, such as the API's: a loop would take longer than the exchange."""

import asyncio
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.aws.http11 import (
    CONNECT_SECONDS,
    HttpResponse,
    ResponseReader,
    may_be_used_again,
    request_bytes,
    tls_context,
)
from shared.adapters.aws.services import Endpoint
from shared.adapters.clock import steady_seconds
from shared.adapters.greenlets import run

_READ_BYTES = 256 * 1024


class BlockingSend:
    """Each thread keeps one connection to each endpoint: it makes one call at a time."""

    def __init__(self, answer_seconds: float, kept_bytes: int) -> None:
        self._answer_seconds = answer_seconds
        self._kept_bytes = kept_bytes
        self._of_thread = threading.local()

    def __call__(
        self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes, path: str
    ) -> HttpResponse:
        """The whole response. NoAnswerError, OSError, or TimeoutError if it did not come in time."""
        ends_at = steady_seconds() + self._answer_seconds
        idle = self._idle()
        connection = idle.pop(endpoint, None)
        if connection is None or not connection.may_be_used_again():
            if connection is not None:
                connection.close()
            connection = _Connection(endpoint, self._kept_bytes)
        try:
            response = connection.exchange(request_bytes(headers, body, path), ends_at)
        except BaseException:
            connection.close()
            raise
        if connection.reader.is_reusable:
            idle[endpoint] = connection
        else:
            connection.close()
        return response

    def close(self) -> None:
        """Close the idle connections of this thread."""
        idle = self._idle()
        while idle:
            idle.popitem()[1].close()

    def _idle(self) -> "dict[Endpoint, _Connection]":
        found: dict[Endpoint, _Connection] = self._of_thread.__dict__.setdefault("idle", {})
        return found


class _Connection:
    def __init__(self, endpoint: Endpoint, kept_bytes: int) -> None:
        """NoAnswerError or OSError if none can be made in time."""
        try:
            self._socket = _connected(endpoint, steady_seconds() + CONNECT_SECONDS)
        except TimeoutError as error:
            raise NoAnswerError(f"no connection within {CONNECT_SECONDS:g} s") from error
        self.reader = ResponseReader(kept_bytes)
        self._idle_since = 0.0

    def exchange(self, request: bytes, ends_at: float) -> HttpResponse:
        self.reader.begin()
        self._socket.settimeout(_rest(ends_at))
        try:
            self._socket.sendall(request)
        except ConnectionError:
            # The peer may have refused the request before it had read the body: the answer says why.
            return self._early_answer(ends_at)
        while data := self._received(ends_at):
            response = self.reader.feed(data)
            if response is not None:
                self._idle_since = steady_seconds()
                return response
        raise NoAnswerError("the connection ended")

    def _early_answer(self, ends_at: float) -> HttpResponse:
        with suppress(OSError):
            while data := self._received(ends_at):
                response = self.reader.feed(data)
                if response is not None:
                    self.reader.is_reusable = False
                    return response
        raise NoAnswerError("the connection ended before the request was sent")

    def may_be_used_again(self) -> bool:
        return may_be_used_again(self._socket.fileno(), steady_seconds() - self._idle_since)

    def close(self) -> None:
        self.reader.end()
        self._socket.close()

    def __del__(self) -> None:
        # A thread that ends, such as one of a pool, leaves its connections behind.
        with suppress(AttributeError):
            self._socket.close()

    def _received(self, ends_at: float) -> bytes:
        self._socket.settimeout(_rest(ends_at))
        return self._socket.recv(_READ_BYTES)


def _connected(endpoint: Endpoint, ends_at: float) -> socket.socket:
    """A connection to the first address that accepts one."""
    addresses = run(_look_up(endpoint))
    for number, (family, kind, protocol, _, address) in enumerate(addresses, start=1):
        made = socket.socket(family, kind, protocol)
        try:
            made.settimeout(_rest(ends_at))
            made.connect(address)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if endpoint.is_tls:
                made.settimeout(_rest(ends_at))
                made = tls_context().wrap_socket(made, server_hostname=endpoint.name)
        except BaseException as error:
            made.close()
            if number == len(addresses) or not isinstance(error, OSError):
                raise
        else:
            return made
    raise NoAnswerError("the endpoint has no address")


async def _look_up(endpoint: Endpoint) -> list[Any]:
    """On a loop, because a look-up that blocks cannot be given up."""
    async with asyncio.timeout(CONNECT_SECONDS):
        loop = asyncio.get_running_loop()
        return await loop.getaddrinfo(endpoint.name, endpoint.port, type=socket.SOCK_STREAM)


def _rest(ends_at: float) -> float:
    """The time that is left; TimeoutError if there is none."""
    rest = ends_at - steady_seconds()
    if rest <= 0:
        raise TimeoutError
    return rest
