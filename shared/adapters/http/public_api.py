"""Requests to the API as a client makes them: name look-up, TLS and HTTP of the public URL."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import orjson

from shared.adapters.greenlets import run
from shared.adapters.http.dial import HEAD_START_SECONDS
from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.response import Response
from shared.domain.errors import UnavailableError

TIMEOUT_SECONDS = 20.0
"""Of the whole request: the look-up, all addresses, TLS and the answer. The function outlives it, and reports."""
_READ_BYTES = 64 * 1024


class HttpPublicApi:
    """Opens a connection for each request, so that every request proves the way of a new client."""

    def __init__(self, url: str, ssl_context: ssl.SSLContext | None = None) -> None:
        """`url` is the scheme and the host of the API. Without a context, the system's authorities are trusted."""
        parts = urlsplit(url)
        self._host, self._authority = str(parts.hostname), parts.netloc
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        # Made once: reading the authorities takes longer than a handshake.
        self._context = (ssl_context or ssl.create_default_context()) if parts.scheme == "https" else None

    def create_job(self, api_key: str, idempotency_key: str, document: Mapping[str, Any]) -> int:
        body = orjson.dumps(document)
        head = (
            "POST /v1/jobs HTTP/1.1",
            f"Host: {self._authority}",
            f"Authorization: Bearer {api_key}",
            f"Content-Length: {len(body)}",
            "Content-Type: application/json",
            f"Idempotency-Key: {idempotency_key}",
            "User-Agent: punctual-canary",
        )
        request = b"%b\r\n\r\n%b" % ("\r\n".join(head).encode(), body)
        try:
            return run(self._exchange(request))
        except CallFailedError as error:
            raise UnavailableError(f"the API did not answer: {error}") from error
        except OSError as error:
            raise UnavailableError(f"the API did not answer: {type(error).__name__}") from error

    async def _exchange(self, request: bytes) -> int:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            # Like most clients, it dials the next address beside one that does not answer.
            reader, writer = await asyncio.open_connection(
                self._host, self._port, ssl=self._context, happy_eyeballs_delay=HEAD_START_SECONDS
            )
            try:
                writer.write(request)
                return await _status(reader)
            finally:
                # Without the end of TLS, for which asyncio would wait up to 30 s.
                writer.transport.abort()
                await asyncio.sleep(0)


async def _status(reader: asyncio.StreamReader) -> int:
    """The status of a whole response."""
    response = Response(is_head=False)
    while not response.ended.done():
        data = await reader.read(_READ_BYTES)
        if data:
            response.feed(data)
        else:
            response.end(None)
    error = response.ended.result()
    if error is not None:
        raise error
    return cast(int, response.status)
