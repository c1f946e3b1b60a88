"""Sends a callback over HTTP and classifies the result."""

import asyncio
import errno
import re
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from ssl import SSLContext, SSLError

import aiohttp
from yarl import URL

from shared.adapters.http.dial import AddressNotAllowedError, DialGuard
from shared.adapters.http.look_up import LOOK_UP_SECONDS, BoundedResolver, LookUp, look_up_by_system
from shared.adapters.http.pool import CHUNK_BYTES, TENANT, PoolLimits, open_pool, timeout_of
from shared.adapters.http.retry_after import retry_after_seconds
from shared.adapters.http.sockets import SocketBudget, socket_limit
from shared.adapters.http.wire import InvalidResponseError
from shared.domain.delivery.callback import STORED_BODY_BYTES, Callback, CallbackResponse, Reason
from shared.domain.delivery.target_policy import TargetPolicy

MAX_BODY_BYTES = 64 * 1024
"""Maximum bytes of a response body to read; the connection is closed if the body is longer."""

ASYNC_HEADER = "X-Punctual-Async"
"""With status 202 and the value `true`: the receiver has started and will report the outcome later."""

NO_RETRY_HEADER = "X-Punctual-No-Retry"
"""With a failure status and the value `true`: another attempt would not help."""

_METHOD = re.compile(r"[A-Z]+")
_URL = re.compile(r"https?://[\x21-\x7e]+")


# The first matching row decides, so subclasses precede their base classes.
_REASONS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], Reason], ...] = (
    (AddressNotAllowedError, Reason.ADDRESS_NOT_ALLOWED),
    (aiohttp.ClientConnectorDNSError, Reason.DNS_FAILED),
    ((aiohttp.ClientSSLError, SSLError), Reason.TLS_FAILED),
    ((aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError), Reason.CONNECT_FAILED),
    (TimeoutError, Reason.TIMEOUT),
    ((ValueError, TypeError), Reason.REQUEST_UNREADABLE),
)


_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL}
"""Errors of this machine: descriptors, memory or local ports are used up, so no byte was sent."""


@dataclass(slots=True, kw_only=True)
class _PartialResponse:
    """The part of a response that has arrived; valid even if the rest never arrives."""

    status: int | None = None
    retry_after_seconds: int | None = None
    async_accepted: bool = False
    gave_up: bool = False
    body: bytes = b""
    is_queued: bool = False
    """Whether the call still waits for one of the pool's connections."""

    async def read(self, response: aiohttp.ClientResponse) -> None:
        if response.version not in (aiohttp.HttpVersion10, aiohttp.HttpVersion11):
            raise InvalidResponseError("the version is neither HTTP/1.0 nor HTTP/1.1")
        self.status = response.status
        if not 200 <= response.status < 300:
            self.retry_after_seconds = retry_after_seconds(response.headers)
            self.gave_up = _is_true(response, NO_RETRY_HEADER)
        if response.status == HTTPStatus.ACCEPTED:
            self.async_accepted = _is_true(response, ASYNC_HEADER)
        unread = MAX_BODY_BYTES
        while unread and (chunk := await response.content.read(min(unread, CHUNK_BYTES))):
            unread -= len(chunk)
            self.body += chunk[: STORED_BODY_BYTES - len(self.body)]
            await asyncio.sleep(0)  # buffered reads never yield to other tasks

    def result(self, error: Exception | None, duration_ms: int) -> CallbackResponse:
        reason = self._reason(error)
        return CallbackResponse(
            reason=reason,
            duration_ms=duration_ms,
            status=self.status,
            retry_after_seconds=self.retry_after_seconds,
            body=b"" if reason is Reason.OK else self.body,
            async_accepted=self.async_accepted and reason is Reason.OK,
        )

    def _reason(self, error: Exception | None) -> Reason:
        if self.gave_up:
            return Reason.RECEIVER_GAVE_UP
        if self.status is not None and 300 <= self.status < 400:
            return Reason.REDIRECT
        if self.status is not None and not 200 <= self.status < 300:
            return Reason.HTTP_STATUS
        if self.is_queued:
            return Reason.UNAVAILABLE
        return Reason.OK if error is None else _reason_of(error)


class AiohttpSender:
    """Sends callbacks over keep-alive connections: at most once, in time, and to allowed addresses only.

    All calls belong to one event loop; connections open on demand. Each call checks the policy again, because
    DNS changes and a job may be older than the policy. `monotonic` is in seconds. A call waits within its
    deadline while all connections (`limit` and `limit_per_host`, for each scheme) are in use; a call that
    gets no connection, descriptor or memory ends as UNAVAILABLE, which refunds the attempt.
    """

    def __init__(
        self,
        policy: TargetPolicy,
        monotonic: Callable[[], float] = time.monotonic,
        ssl_context: SSLContext | None = None,
        *,
        look_up: LookUp = look_up_by_system,
        look_up_seconds: float = LOOK_UP_SECONDS,
        limit: int = 256,
        limit_per_host: int = 128,
    ) -> None:
        self._policy = policy
        self._look_up = look_up
        self._look_up_seconds = look_up_seconds
        self._monotonic = monotonic
        self._ssl_context = ssl_context
        self._limit = limit
        self._limit_per_host = limit_per_host
        self._sockets = SocketBudget(socket_limit())
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._resolver: BoundedResolver | None = None

    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        """Make one call without repeats or redirects; raises nothing but CancelledError.

        `timeout_seconds` bounds the whole call, from the DNS lookup to the end of the body. A 2xx whose body
        is truncated, or incomplete at the deadline, ends as PROTOCOL_ERROR or TIMEOUT, with its status. Any
        other status decides the result when its head arrives. A 2xx with more than MAX_BODY_BYTES succeeds.
        """
        started = self._monotonic()
        partial = _PartialResponse()
        error: Exception | None = None
        TENANT.set(callback.tenant_id)
        try:
            await self._exchange(callback, timeout_seconds, partial)
        except Exception as caught:  # noqa: BLE001 - an attempt without a result would be lost
            error = caught
        return partial.result(error, max(0, round((self._monotonic() - started) * 1000)))

    async def close(self) -> None:
        """Close all connections. Do not call during a request; a later call opens new connections."""
        while self._sessions:
            _, session = self._sessions.popitem()
            await session.close()
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None

    async def _exchange(self, callback: Callback, timeout_seconds: float, partial: _PartialResponse) -> None:
        if not timeout_seconds > 0:
            raise TimeoutError  # aiohttp would treat it as no deadline
        if not (_METHOD.fullmatch(callback.method) and _URL.fullmatch(callback.url)):
            raise ValueError("the callback was never checked")
        url = URL(callback.url, encoded=True)  # sent exactly as accepted, never normalised
        host = url.raw_host
        if not host:
            raise ValueError("the URL names no host")
        if ":" not in host and not self._policy.admits_name(host):  # IPv6 addresses are checked at the socket
            raise AddressNotAllowedError("the host may not be called, wherever it is")
        # Lambda freezes workers between invocations. Two iterations of the loop let aiohttp notice which
        # keep-alive connections the receiver has closed meanwhile.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        async with self._session(url.scheme).request(
            callback.method,
            url,
            headers=callback.headers,
            data=callback.body or None,
            allow_redirects=False,
            trace_request_ctx=partial,
            timeout=timeout_of(timeout_seconds),
        ) as response:
            await partial.read(response)

    def _session(self, scheme: str) -> aiohttp.ClientSession:
        # One pool per scheme: a name that was allowed for https must not be reused for plain http.
        if scheme not in self._sessions:
            guard = DialGuard(policy=self._policy, plain_http=scheme == "http", sockets=self._sockets)
            limits = PoolLimits(total=self._limit, per_host=self._limit_per_host)
            self._resolver = self._resolver or BoundedResolver(self._look_up, seconds=self._look_up_seconds)
            self._sessions[scheme] = open_pool(guard, self._resolver, limits, self._ssl_context)
        return self._sessions[scheme]


def _is_true(response: aiohttp.ClientResponse, header: str) -> bool:
    return response.headers.get(header, "").strip().lower() == "true"


def _reason_of(error: Exception) -> Reason:
    """Classify the failure of a call without a decisive status; the default is PROTOCOL_ERROR."""
    if _is_exhaustion(error):
        return Reason.UNAVAILABLE
    # A TLS alert after the handshake, such as a certificate that the receiver requires, is only a cause.
    for cause in _causes(error):
        if isinstance(cause, AddressNotAllowedError):
            return Reason.ADDRESS_NOT_ALLOWED
        if isinstance(cause, SSLError):
            return Reason.TLS_FAILED
    return next((reason for kinds, reason in _REASONS if isinstance(error, kinds)), Reason.PROTOCOL_ERROR)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _is_exhaustion(error: Exception) -> bool:
    """Whether the lookup or the connection failed for lack of a resource of this machine."""
    if not isinstance(error, aiohttp.ClientConnectorError):
        return False
    if isinstance(error.os_error, socket.gaierror):
        return error.os_error.errno in (socket.EAI_MEMORY, socket.EAI_SYSTEM)
    return error.os_error.errno in _EXHAUSTED
