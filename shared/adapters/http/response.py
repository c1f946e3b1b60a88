"""Parses a response, piece by piece and within limits, and classifies the result of the call."""

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from ssl import SSLError
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.retry_after import retry_after_seconds
from shared.domain.delivery.callback import STORED_BODY_BYTES, CallbackResponse, Reason

MAX_BODY_BYTES = 64 * 1024
"""Maximum bytes of a response body to read; the connection is closed if the body is longer."""

MAX_RESPONSE_BYTES = 256 * 1024
"""Maximum bytes of a response, including the head and the framing of the body."""

MAX_HEADS = 100
"""Maximum number of response heads: interim heads (1xx) and the final head."""

MAX_HEADERS = 100
"""Maximum number of headers of one head, and of trailers."""

MAX_LINE_BYTES = 8 * 1024
"""Maximum bytes of a reason phrase, and of the name and the value of a header."""

MAX_PENDING_BYTES = 3 * MAX_LINE_BYTES
"""Maximum bytes that are no part of a body and complete no header, such as a name, a value and white space. The
parser copies an incomplete header with each piece that arrives."""

ASYNC_HEADER = "x-punctual-async"
"""With status 202 and the value `true`: the receiver has started and will report the outcome later."""

NO_RETRY_HEADER = "x-punctual-no-retry"
"""With a failure status and the value `true`: another attempt would not help."""

_PROTOCOL = b"HTTP/"

_READ_HEADERS = {
    name.encode(): name
    for name in (ASYNC_HEADER, NO_RETRY_HEADER, "content-length", "date", "retry-after", "transfer-encoding")
}


class Response:
    """The response to one request; what has arrived is valid even if the rest never arrives.

    Servers end lines with LF alone, fold headers and pad chunk sizes. Such a response is accepted: a connection
    carries one request at a time, and bytes after the response close it, so nothing can be smuggled.
    """

    def __init__(
        self, *, is_head: bool, kept_bytes: int = 0, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._kept_bytes = kept_bytes
        self._monotonic = monotonic
        self._began = monotonic()
        self.connect_ms: int | None = None
        """From the call to the connection; 0 over a kept-alive one."""
        self._head_ms: int | None = None
        self.status: int | None = None
        self.ended: asyncio.Future[CallFailedError | None] = asyncio.get_running_loop().create_future()
        """Done once the response is complete or cannot be completed, which the error says."""
        self.is_reusable = False
        """Whether the connection can carry another request."""
        self.is_request_sent = False
        """Whether the receiver may have seen any of the request."""
        self._retry_after_seconds: int | None = None
        self._async_accepted = False
        self._gave_up = False
        self._body = self._protocol = b""
        self._is_head = is_head
        self._headers: dict[str, str] = {}
        self._response_bytes = self._body_bytes = self._phrase_bytes = self._heads = self._lines = 0
        self._pending_bytes = 0
        self._parser: Any = HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )

    def feed(self, data: bytes) -> None:
        """Parse more bytes."""
        if self._head_ms is None:
            self._head_ms = self.elapsed_ms()
        if len(self._protocol) < len(_PROTOCOL):
            self._protocol = (self._protocol + data).lstrip(b"\r\n")[: len(_PROTOCOL)]
        self._pending_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self.is_reusable = False
            self._end(_invalid("the response is no HTTP/1, or has too many or too long lines"))
        self._response_bytes += len(data)
        if self._response_bytes > MAX_RESPONSE_BYTES or self._pending_bytes > MAX_PENDING_BYTES:
            self._end(_invalid("the response is too long"))

    def end(self, error: Exception | None) -> None:
        """End with the connection; that completes a body that has no other end."""
        # The parser takes no chunks from spellings such as `chunked;x=1`: whether the body is complete is unknown.
        is_chunked = "chunked" in self._headers.get("transfer-encoding", "").lower()
        if isinstance(error, SSLError):
            # A TLS alert after the handshake, such as for a certificate that the receiver requires.
            self._end(CallFailedError(Reason.TLS_FAILED, str(error)))
        elif error or self.status is None or is_chunked or "content-length" in self._headers:
            self._end(_invalid("the connection ended before the response"))
        else:
            self._end(None)

    def elapsed_ms(self) -> int:
        """The time since the call began."""
        return max(0, round((self._monotonic() - self._began) * 1000))

    def result(self, error: Exception | None) -> CallbackResponse:
        """Classify the call; `error` is what ended it, unless the response had ended before."""
        duration_ms = self.elapsed_ms()
        if self.ended.done() and not self.ended.cancelled():
            error = self.ended.result()
        self._parser = None  # the parser and the response refer to each other
        reason = self._reason(error)
        return CallbackResponse(
            reason=reason,
            duration_ms=duration_ms,
            status=self.status,
            retry_after_seconds=self._retry_after_seconds,
            body=self._body[: self._kept_bytes if reason is Reason.OK else STORED_BODY_BYTES],
            async_accepted=self._async_accepted and reason is Reason.OK,
            connect_ms=self.connect_ms,
            head_ms=self._head_ms,
        )

    def _reason(self, error: Exception | None) -> Reason:
        if self._gave_up:
            return Reason.RECEIVER_GAVE_UP
        if self.status is not None and 300 <= self.status < 400:
            return Reason.REDIRECT
        if self.status is not None and not 200 <= self.status < 300:
            return Reason.HTTP_STATUS
        if error is None:
            return Reason.OK
        if isinstance(error, CallFailedError):
            return error.reason
        if isinstance(error, TimeoutError):
            return Reason.TIMEOUT
        if isinstance(error, ValueError | TypeError):
            return Reason.REQUEST_UNREADABLE
        if isinstance(error, MemoryError | RuntimeError | OSError) and not self.is_request_sent:
            return Reason.UNAVAILABLE  # this machine lacks memory, threads or descriptors
        return Reason.PROTOCOL_ERROR

    # The methods below are called by the parser. It stops, with an HttpParserError, when one of them raises.

    def on_message_begin(self) -> None:
        self._check_open()

    def on_status(self, phrase: bytes) -> None:
        self._phrase_bytes += len(phrase)
        if self._phrase_bytes > MAX_LINE_BYTES:
            raise _invalid("the reason phrase is too long")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._lines += 1
        self._pending_bytes = 0
        if self._lines > MAX_HEADERS or len(name) > MAX_LINE_BYTES or len(value) > MAX_LINE_BYTES:
            raise _invalid("the response has too many or too long headers")
        if b"\0" in value:
            raise _invalid("a header has a null byte")
        if self.status is not None:
            return  # a trailer, which comes too late to say anything
        key = _READ_HEADERS.get(name.lower().rstrip())
        # Of repeated headers the first counts, but the last coding frames the body.
        if key == "transfer-encoding" or (key and key not in self._headers):
            self._headers[key] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._heads += 1
        if self._heads > MAX_HEADS:
            raise _invalid("the response has too many heads")
        self._lines = self._phrase_bytes = self._pending_bytes = 0
        status = self._parser.get_status_code()
        if status < 100:
            raise _invalid("the status has less than three digits")
        if 100 <= status < 200 and status != HTTPStatus.SWITCHING_PROTOCOLS:
            self._headers = {}
            return  # the final response follows
        # The parser also takes the names of related protocols, such as RTSP/1.0.
        if self._protocol != _PROTOCOL or self._parser.get_http_version() not in ("1.0", "1.1"):
            raise _invalid("the version is neither HTTP/1.0 nor HTTP/1.1")
        self._read_head(status)
        if self._is_head:
            self.on_message_complete()

    def on_body(self, part: bytes) -> None:
        self._check_open()
        self._pending_bytes = 0
        self._body_bytes += len(part)
        self._body += part[: max(self._kept_bytes, STORED_BODY_BYTES) - len(self._body)]
        if self._body_bytes > MAX_BODY_BYTES:
            self._end(None)

    def on_message_complete(self) -> None:
        if self.status is not None and not self.ended.done():
            self.is_reusable = self._parser.should_keep_alive()
            self._end(None)

    def _read_head(self, status: int) -> None:
        self.status = status
        if not 200 <= status < 300:
            self._retry_after_seconds = retry_after_seconds(self._headers)
            self._gave_up = self._is_true(NO_RETRY_HEADER)
        if status == HTTPStatus.ACCEPTED:
            self._async_accepted = self._is_true(ASYNC_HEADER)

    def _check_open(self) -> None:
        if self.ended.done():
            raise _invalid("bytes after the response, which the next request could take for its own")

    def _end(self, error: CallFailedError | None) -> None:
        if not self.ended.done():
            self.ended.set_result(error)

    def _is_true(self, header: str) -> bool:
        return self._headers.get(header, "").strip().lower() == "true"


def _invalid(message: str) -> CallFailedError:
    return CallFailedError(Reason.PROTOCOL_ERROR, message)
