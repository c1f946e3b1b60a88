"""A response of the API, before it becomes what a function returns to API Gateway."""

import gzip
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from shared.dataclass import dataclass

MOST_PACKED = 80
"""Compressed bodies that a process keeps: more than there are files."""
_LEVEL = 6
"""The highest level takes half as long again, for files that are a fifth of a per cent smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status_code: int
    content_type: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    compress: bool = False
    """Whether the body is compressed for clients that accept gzip: for files alone, which `packed` keeps."""
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
            "body": packed(self.body) if is_compressed else self.body,
            "isBase64Encoded": is_compressed,
        }


@lru_cache(maxsize=MOST_PACKED)
def packed(text: str) -> str:
    """A file compressed by gzip, in base64: the same in each process, and compressed once in each.

    The console's script takes some hundredths of a second, at its first request.
    """
    # Without a time in the header, so that equal files have equal bytes.
    return b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()
