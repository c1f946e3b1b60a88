"""HTTP to the API, on AWS and on the emulator: requests, and bytes as they are."""

import http.client
import json
import socket
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from infra.local.api import ApiResponse

MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Site:
    """A URL, and the key of a tenant. Names below `localhost` are the emulator's, which listens on 127.0.0.1."""

    url: str
    key: str | None = None

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        *,
        timeout: float = 35,
    ) -> ApiResponse:
        """Send a request; `body` is bytes or a value to encode as JSON. OSError without an answer."""
        sent = {"Host": self._host}
        if self.key is not None:
            sent["Authorization"] = f"Bearer {self.key}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection = self._connection(timeout)
        try:
            connection.request(method, path, body=content, headers=sent | (headers or {}))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return ApiResponse(status=answer.status, headers=found, body=answer.read())
        finally:
            connection.close()

    def asked(self, method: str, path: str, body: Any = None, *, status: int = 200, **more: Any) -> Any:
        """The document of an answer with this status; AssertionError for another status."""
        answer = self.request(method, path, body, **more)
        if answer.status != status:
            raise AssertionError(f"{method} {path} was answered {answer.status}: {answer.body[:400]!r}")
        return answer.json()

    def exchange(self, sent: bytes, *, reads: bool = True, timeout: float = 35) -> bytes:
        """Send bytes as they are, and return what came back until the other side closed; nothing if not `reads`."""
        with self._socket(timeout) as connection:
            connection.sendall(sent)
            if not reads:
                return b""
            received = b""
            while len(received) < MOST_BYTES and (part := connection.recv(65_536)):
                received += part
            return received

    @property
    def host(self) -> str:
        return self._host

    @property
    def _host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def _is_tls(self) -> bool:
        return urlsplit(self.url).scheme == "https"

    def _address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        name = parts.hostname or ""
        port = parts.port or (443 if self._is_tls else 80)
        return ("127.0.0.1" if name.endswith("localhost") else name), port

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        name, port = self._address()
        if self._is_tls:
            return http.client.HTTPSConnection(name, port, timeout=timeout)
        return http.client.HTTPConnection(name, port, timeout=timeout)

    def _socket(self, timeout: float) -> socket.socket:
        name, port = self._address()
        plain = socket.create_connection((name, port), timeout=timeout)
        return (
            ssl.create_default_context().wrap_socket(plain, server_hostname=name) if self._is_tls else plain
        )
