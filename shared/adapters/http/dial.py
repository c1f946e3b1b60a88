"""Opens connections, and blocks those from users' targets to anything but the public internet (SSRF guard).

A name may resolve to any address, and DNS may change within a second. A name is therefore resolved once, every
address in the answer is checked, and only these addresses are dialled. The guard checks again when a socket
opens, because literal addresses are not resolved.
"""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from itertools import chain, zip_longest

from shared.adapters.http.connection import Connection
from shared.adapters.http.errors import EXHAUSTED, CallFailedError
from shared.adapters.http.look_up import BoundedResolver
from shared.adapters.http.request import Target
from shared.adapters.http.sockets import BoundedSocket, SocketBudget
from shared.dataclass import dataclass
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.target_policy import TargetPolicy

CONNECT_SECONDS = 5.0
"""The time that TCP and TLS have after the lookup. A lost SYN is repeated after one and after three seconds."""

DIALLED_PER_FAMILY = 2
"""Addresses of each family that a call may dial. A name with thousands would make a job a port scan."""

HEAD_START_SECONDS = 0.25
"""The time that an address has before the next address is dialled as well (RFC 8305)."""

RACING_CALLS = 32
"""Calls of one tenant that may dial several addresses at a time: 128 sockets, a quarter of `MAX_SOCKETS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialGuard:
    """The target policy for one scheme: plain http may only reach the exceptions."""

    policy: TargetPolicy
    plain_http: bool
    sockets: SocketBudget

    def judge(self, addresses: Iterable[str]) -> None:
        """Raise CallFailedError if any of the addresses is forbidden or malformed."""
        for text in addresses:
            if not self._allows(text):
                raise CallFailedError(Reason.ADDRESS_NOT_ALLOWED, f"the address {text} may not be called")

    def open_socket(self, address: str) -> BoundedSocket:
        """Open a socket for an address if it is allowed."""
        self.judge([address])
        return self.sockets.open(socket.AF_INET6 if ":" in address else socket.AF_INET)

    def _allows(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        return self.policy.admits_address(address, plain_http=self.plain_http)


class Dialer:
    """Opens the connections of one scheme."""

    def __init__(self, guard: DialGuard, resolver: BoundedResolver, tls: ssl.SSLContext | None) -> None:
        self._guard = guard
        self._resolver = resolver
        self._tls = tls
        self._dialling: Counter[str] = Counter()
        """The calls of each tenant that are dialling."""

    async def resolve(self, target: Target, tenant_id: str) -> Sequence[str]:
        """Return the addresses to dial, the families in turn, after all addresses were found to be allowed."""
        if not target.is_name:
            return [target.host]
        addresses = await self._resolver.resolve(target.host, tenant_id)
        self._guard.judge(addresses)
        first = [text for text in addresses if (":" in text) == (":" in addresses[0])][:DIALLED_PER_FAMILY]
        other = [text for text in addresses if (":" in text) != (":" in addresses[0])][:DIALLED_PER_FAMILY]
        in_turn = chain.from_iterable(zip_longest(first, other))
        return [text for text in in_turn if text is not None]

    async def dial(self, target: Target, addresses: Sequence[str], tenant_id: str) -> Connection:
        """Connect to one of the addresses; each is dialled once, and the first alone while the tenant dials many.

        CallFailedError if none answers in time.
        """
        addresses = addresses[: 1 if self._dialling[tenant_id] >= RACING_CALLS else None]
        self._dialling[tenant_id] += 1
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                opened = await self._race(addresses, target.port)
                return await self._open(target, opened)
        except ssl.SSLError as error:
            raise CallFailedError(Reason.TLS_FAILED, str(error)) from error
        except OSError as error:
            reason = Reason.UNAVAILABLE if error.errno in EXHAUSTED else Reason.CONNECT_FAILED
            raise CallFailedError(reason, str(error)) from error
        finally:
            self._dialling[tenant_id] -= 1
            self._dialling += Counter()  # drops tenants that dial no more

    async def _race(self, addresses: Sequence[str], port: int) -> BoundedSocket:
        """Return the first socket that connects; each next address starts after a failure or the head start."""
        if len(addresses) == 1:
            return await self._connect(addresses[0], port)
        waiting, errors = list(addresses), list[BaseException]()
        dials = set[asyncio.Task[BoundedSocket]]()
        try:
            while waiting or dials:
                if waiting:
                    dials.add(asyncio.create_task(self._connect(waiting.pop(0), port)))
                timeout = HEAD_START_SECONDS if waiting else None
                done, _ = await asyncio.wait(dials, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
                for dial in done:
                    dials.remove(dial)
                    error = dial.exception()
                    if error is None:
                        return dial.result()
                    errors.append(error)
        finally:
            for dial in dials:
                dial.add_done_callback(_close_unused)
                dial.cancel()
        # The call failed for lack of a resource of this machine only if each dial did.
        raise next((error for error in errors if getattr(error, "errno", None) not in EXHAUSTED), errors[0])

    async def _connect(self, address: str, port: int) -> BoundedSocket:
        opened = self._guard.open_socket(address)
        try:
            await asyncio.get_running_loop().sock_connect(opened, (address, port))
        except BaseException:
            opened.close()
            raise
        return opened

    async def _open(self, target: Target, opened: BoundedSocket) -> Connection:
        """Shake hands if the scheme is https; the name of the target is asked for and verified."""
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(opened),
            sock=opened,
            ssl=self._tls,
            server_hostname=target.host if self._tls else None,
        )
        return connection


def _close_unused(dial: asyncio.Task[BoundedSocket]) -> None:
    if not dial.cancelled() and dial.exception() is None:
        dial.result().close()
