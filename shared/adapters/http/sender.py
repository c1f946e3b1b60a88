"""Sends a callback over HTTP and classifies the result."""

import asyncio
import time
from collections.abc import Callable
from ssl import SSLContext

from shared.adapters.http.dial import Dialer, DialGuard
from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.freshness import Freshness
from shared.adapters.http.look_up import LOOK_UP_SECONDS, BoundedResolver, LookUp, look_up_by_system
from shared.adapters.http.pool import Pool
from shared.adapters.http.request import HttpRequest, encode_request
from shared.adapters.http.response import Response
from shared.adapters.http.sockets import SocketBudget, socket_limit
from shared.adapters.http.tls import harden
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.target_policy import TargetPolicy
from shared.ports.runtime import Clock


class CallbackSender:
    """Sends callbacks over keep-alive connections: at most once, in time, and to allowed addresses only.

    All calls belong to one event loop; connections open on demand. Each call checks the policy again, because
    DNS changes and a job may be older than the policy. `monotonic` is in seconds. A call waits within its
    deadline while all connections (`limit` and `limit_per_host`, for each scheme) are in use; a call that
    gets no connection, descriptor or memory ends as UNAVAILABLE, which refunds the attempt.
    """

    def __init__(
        self,
        policy: TargetPolicy,
        clock: Clock,
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
        self._freshness = Freshness(clock)
        self._ssl_context = ssl_context
        self._limit = limit
        self._limit_per_host = limit_per_host
        self._sockets = SocketBudget(socket_limit())
        self._pools: dict[str, Pool] = {}
        self._resolver: BoundedResolver | None = None

    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        """Make one call without repeats or redirects; raises nothing but CancelledError.

        `timeout_seconds` bounds the whole call, from the DNS lookup to the end of the body. A 2xx whose body
        is truncated, or incomplete at the deadline, ends as PROTOCOL_ERROR or TIMEOUT, with its status. Any
        other status decides the result when its head arrives. A 2xx with more than MAX_BODY_BYTES succeeds.
        """
        response = Response(
            is_head=callback.method == "HEAD", kept_bytes=callback.kept_bytes, monotonic=self._monotonic
        )
        error: Exception | None = None
        is_queued = False
        try:
            if not timeout_seconds > 0:
                raise TimeoutError
            request = self._checked(callback)
            pool, is_queued = self._pool(request.target.scheme), True
            async with asyncio.timeout(timeout_seconds), pool.places_of(request.target), pool.places:
                is_queued = False
                await pool.exchange(request, response, callback.tenant_id)
        except Exception as caught:  # noqa: BLE001 - an attempt without a result would be lost
            error = caught
            if is_queued:
                error = CallFailedError(Reason.UNAVAILABLE, "no connection was free in time")
        return response.result(error)

    async def close(self) -> None:
        """Close all connections. Do not call during a request; a later call opens new connections."""
        while self._pools:
            _, pool = self._pools.popitem()
            await pool.close()
        if self._resolver is not None:
            self._resolver.close()
            self._resolver = None

    def _checked(self, callback: Callback) -> HttpRequest:
        request = encode_request(callback)
        # Addresses are checked at the socket.
        if request.target.is_name and not self._policy.admits_name(request.target.host):
            raise CallFailedError(Reason.ADDRESS_NOT_ALLOWED, "the host may not be called, wherever it is")
        return request

    def _pool(self, scheme: str) -> Pool:
        if scheme not in self._pools:
            is_tls = scheme == "https"
            guard = DialGuard(policy=self._policy, plain_http=not is_tls, sockets=self._sockets)
            self._resolver = self._resolver or BoundedResolver(
                self._look_up, self._freshness, seconds=self._look_up_seconds
            )
            dialer = Dialer(guard, self._resolver, harden(self._ssl_context) if is_tls else None)
            self._pools[scheme] = Pool(
                dialer,
                self._sockets,
                self._freshness,
                limit=self._limit,
                limit_per_host=self._limit_per_host,
            )
        return self._pools[scheme]
