"""HTTP/1.1 for calls of AWS, apart from how bytes are sent: requests, responses, and limits of time."""

import os
import select
import ssl
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from shared.adapters.aws.errors import NoAnswerError
from shared.dataclass import dataclass

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 5.0
"""From the start of a try to the end of its answer."""
KEEPALIVE_SECONDS = 15.0
MAX_BODY_BYTES = 64 * 1024 * 1024
"""Above the 16 MB of the largest answer as JSON spells it."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    """The names are in small letters."""
    body: bytes = field(repr=False)
    """It may have the credentials of a session."""


class ResponseReader:
    """Reads the responses of one connection, one after another."""

    def __init__(self, kept_bytes: int = MAX_BODY_BYTES) -> None:
        """Of a longer body only so much is kept; the rest is read and dropped."""
        self._kept_bytes = kept_bytes
        self.is_reusable = False
        """Whether the last response was whole, and nothing came behind it."""
        self._parser: Any = HttpResponseParser(self)
        self._response: HttpResponse | None = None
        self._is_whole = False
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._size = 0

    def begin(self) -> None:
        """A request is sent, whose response will be read."""
        self.is_reusable = False
        self._response, self._is_whole = None, False
        self._headers, self._body, self._size = {}, [], 0

    def feed(self, data: bytes) -> HttpResponse | None:
        """The response, once it is whole; NoAnswerError if it is none. An idle connection keeps nothing of it."""
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self._is_whole:
                raise NoAnswerError(f"the answer is no HTTP: {type(error).__name__}") from error
            # Stray bytes behind a whole answer take nothing from it: to call again would repeat the write.
            self.is_reusable = False
        if self._size > MAX_BODY_BYTES:
            raise NoAnswerError("the answer is too long")
        response, self._response = self._response, None
        return response

    def end(self) -> None:
        """The parser and its reader refer to each other."""
        self._parser = None

    def on_message_begin(self) -> None:
        if self._is_whole:
            # Bytes behind an answer would be taken for the next one.
            self.is_reusable = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        left = self._kept_bytes - self._size
        self._size += len(part)
        if left > 0:
            self._body.append(part[:left])

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            # An interim response, such as 100 Continue: the final one follows.
            self._headers = {}
        elif not self._is_whole:
            self.is_reusable, self._is_whole = self._parser.should_keep_alive(), True
            self._response = HttpResponse(status, self._headers, b"".join(self._body))
            self._headers, self._body = {}, []


def request_bytes(headers: Mapping[str, str], body: bytes, path: str) -> bytes:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    head = f"POST {path} HTTP/1.1\r\n{lines}".encode("ascii")
    return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)


def may_be_used_again(descriptor: int, idle_seconds: float) -> bool:
    """Whether a connection is not too old, and nothing has arrived since its last answer.

    An end or stray bytes would be read later than the next request is written: then the request is lost, or the
    bytes are taken for its answer. A function that was frozen meets both.
    """
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return idle_seconds < KEEPALIVE_SECONDS and not poller.poll(0)


def tls_context() -> ssl.SSLContext:
    return _tls_context(os.environ.get("AWS_CA_BUNDLE") or None)


@cache
def _tls_context(bundle: str | None) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=bundle)
