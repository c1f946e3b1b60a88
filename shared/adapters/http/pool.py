"""A pool of keep-alive connections: bounded for each host and in total, and never reused when in doubt."""

import asyncio
from weakref import WeakValueDictionary

from shared.adapters.http.connection import Connection
from shared.adapters.http.dial import Dialer
from shared.adapters.http.freshness import Freshness
from shared.adapters.http.request import HttpRequest, Target
from shared.adapters.http.response import Response
from shared.adapters.http.sockets import SocketBudget

KEEPALIVE_SECONDS = 4.0
"""Below the five seconds after which common servers close an idle connection: reusing a connection that the
receiver is closing costs an attempt."""

Owner = tuple[str, Target]
"""The tenant and the target of a connection. A receiver may respond without reading the request's body. The next
request then follows the unread body, which must not come from another tenant."""


class Pool:
    """The kept-alive connections of one scheme, in one event loop.

    One pool per scheme: a name that was allowed for https must not be reused for plain http.
    """

    def __init__(
        self, dialer: Dialer, sockets: SocketBudget, freshness: Freshness, *, limit: int, limit_per_host: int
    ) -> None:
        self.places = asyncio.Semaphore(limit)
        """A call holds one of these places, and one of its host's."""
        self._host_places: WeakValueDictionary[Target, asyncio.Semaphore] = WeakValueDictionary()
        self._limit_per_host = limit_per_host
        self._dialer = dialer
        self._sockets = sockets
        self._freshness = freshness
        self._idle: dict[Owner, list[Connection]] = {}
        self._sweep: asyncio.TimerHandle | None = None

    def places_of(self, target: Target) -> asyncio.Semaphore:
        """Return the places of a host, which all its calls share."""
        places = self._host_places.get(target)
        if places is None:
            places = self._host_places[target] = asyncio.Semaphore(self._limit_per_host)
        return places

    async def exchange(self, request: HttpRequest, response: Response, tenant_id: str) -> None:
        """Send a request over an idle or a new connection; CallFailedError without a complete response."""
        owner = (tenant_id, request.target)
        connection, response.connect_ms = self._take_idle(owner), 0
        if connection is None:
            response.connect_ms = None
            connection = await self._dial(*owner)
            response.connect_ms = response.elapsed_ms()
        response.is_request_sent = True
        try:
            await connection.exchange(request.data, response)
        finally:
            if response.is_reusable and connection.has_sent_all():
                self._keep(owner, connection)
            else:
                connection.abort()

    async def close(self) -> None:
        """Close the idle connections."""
        self._close_idle()
        await asyncio.sleep(0)  # a transport closes its socket in the next iteration of the loop

    def _take_idle(self, owner: Owner) -> Connection | None:
        """Return the connection that was used last, so that others can age."""
        idle = self._idle.get(owner, [])
        while idle:
            connection = idle.pop()
            if self._is_fresh(connection) and connection.is_quiet():
                return connection
            connection.abort()
        return None

    async def _dial(self, tenant_id: str, target: Target) -> Connection:
        addresses = await self._dialer.resolve(target, tenant_id)
        if self._sockets.is_tight:
            self._close_idle()
        return await self._dialer.dial(target, addresses, tenant_id)

    def _keep(self, owner: Owner, connection: Connection) -> None:
        connection.idle_since = self._freshness.now()
        self._idle.setdefault(owner, []).append(connection)
        if self._sweep is None:
            self._sweep_later()

    def _is_fresh(self, connection: Connection) -> bool:
        return self._freshness.is_fresh(connection.idle_since, KEEPALIVE_SECONDS)

    def _sweep_later(self) -> None:
        self._sweep = asyncio.get_running_loop().call_later(KEEPALIVE_SECONDS, self._close_old)

    def _close_old(self) -> None:
        self._sweep = None
        idle, self._idle = self._idle, {}
        for owner, connections in idle.items():
            for connection in connections:
                if self._is_fresh(connection) and connection.is_quiet():
                    self._idle.setdefault(owner, []).append(connection)
                else:
                    connection.abort()
        if self._idle:
            self._sweep_later()

    def _close_idle(self) -> None:
        """Close the connections that no call uses; they count in no limit of the pool."""
        for connections in self._idle.values():
            for connection in connections:
                connection.abort()
        self._idle.clear()
