"""A client of the deployed API: HTTP to the loopback address, with the API's host name."""

import http.client
import json
from dataclasses import dataclass
from typing import Any

from infra.local.sockets import HOST


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiResponse:
    status: int
    headers: dict[str, str]
    """Keys are lower-case names."""
    body: bytes

    def json(self) -> Any:
        """Parse the body as JSON; ValueError if invalid."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """A client of a local stack's API, with a tenant's key or unauthenticated."""

    port: int
    host: str
    """The `Host` header, by which the emulator routes requests to the API."""
    key: str | None = None

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        *,
        timeout: float = 30,
    ) -> ApiResponse:
        """Send a request; `body` is raw bytes or a value to encode as JSON.

        OSError if the API is unreachable.
        """
        defaults = {"Host": self.host}
        if self.key is not None:
            defaults["Authorization"] = f"Bearer {self.key}"
        if body is not None:
            defaults["Content-Type"] = "application/json"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        # http.client ignores proxy settings, which would redirect loopback traffic.
        connection = http.client.HTTPConnection(HOST, self.port, timeout=timeout)
        try:
            connection.request(method, path, body=content, headers=defaults | (headers or {}))
            response = connection.getresponse()
            return ApiResponse(
                status=response.status,
                headers={name.lower(): value for name, value in response.getheaders()},
                body=response.read(),
            )
        finally:
            connection.close()
