"""Calling the deployed API as a client would: HTTP to the loopback address, with the API's own host name."""

import http.client
import json
from dataclasses import dataclass
from typing import Any

from infra.local.sockets import HOST


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiResponse:
    """One response."""

    status: int
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    def json(self) -> Any:
        """The body as JSON; ValueError where it is none."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The API of a laptop stack, for one tenant or for nobody."""

    port: int
    host: str
    """The `Host` header, by which the emulator tells the API from its other services."""
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
        """Send one request; `body` is bytes as they are, or anything else as JSON. OSError where nobody answers."""
        defaults = {"Host": self.host}
        if self.key is not None:
            defaults["Authorization"] = f"Bearer {self.key}"
        if body is not None:
            defaults["Content-Type"] = "application/json"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        # http.client looks at no proxy settings, which would send loopback traffic elsewhere.
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
