"""Requests to the API as a client makes them: name look-up, TLS and HTTP of the public URL."""

import http.client
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from shared.domain.errors import UnavailableError

TIMEOUT_SECONDS = 10.0
"""Of the connection, and of each wait for bytes. The function's own timeout bounds the whole request."""
_MOST_BYTES = 64 * 1024


class HttpPublicApi:
    """Opens a connection for each request, so that every request proves the way of a new client."""

    def __init__(self, url: str, ssl_context: ssl.SSLContext | None = None) -> None:
        """`url` is the scheme and the host of the API. Without a context, the system's authorities are trusted."""
        parts = urlsplit(url)
        self._is_tls, self._host, self._port = parts.scheme == "https", str(parts.hostname), parts.port
        # Made once: reading the authorities takes longer than a handshake.
        self._context = ssl_context or (ssl.create_default_context() if self._is_tls else None)

    def create_job(self, api_key: str, idempotency_key: str, document: Mapping[str, Any]) -> int:
        headers = {
            "Authorization": f"Bearer {api_key}",
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
            "User-Agent": "punctual-canary",
        }
        connection = self._connection()
        try:
            connection.request("POST", "/v1/jobs", body=orjson.dumps(document), headers=headers)
            answer = connection.getresponse()
            answer.read(_MOST_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise UnavailableError(f"the API did not answer: {type(error).__name__}") from error
        finally:
            connection.close()
        return answer.status

    def _connection(self) -> http.client.HTTPConnection:
        if not self._is_tls:
            return http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_SECONDS)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=TIMEOUT_SECONDS, context=self._context
        )
