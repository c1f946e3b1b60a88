"""A response of the API, before it becomes what a function returns to API Gateway."""

import gzip
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from shared.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status_code: int
    content_type: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    compress: bool = False
    """Whether the body is compressed for clients that accept gzip."""
    always_compress: bool = False
    """Whether it is compressed for every client."""

    def payload(self, accepted_encoding: str) -> dict[str, Any]:
        """The response of payload version 2.0; the argument is the request's Accept-Encoding."""
        headers = {"Content-Type": self.content_type, **self.headers, "X-Content-Type-Options": "nosniff"}
        is_compressed = self.always_compress or (self.compress and "gzip" in accepted_encoding)
        if is_compressed:
            headers["Content-Encoding"] = "gzip"
        return {
            "statusCode": self.status_code,
            "headers": headers,
            "body": b64encode(gzip.compress(self.body.encode())).decode() if is_compressed else self.body,
            "isBase64Encoded": is_compressed,
        }
