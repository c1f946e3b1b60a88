"""Which addresses may be dialled: the guard between users' targets and everything that is not public internet.

A name may point anywhere, and somewhere else a second later. So a name is resolved once, every address in the answer
is judged, and only those very addresses are dialled; a socket is judged once more as it is opened, because clients do
not ask a resolver about literal addresses.
"""

import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from shared.domain.errors import PunctualError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# The IANA special-purpose registries, and what else no callback has business with. All of it is listed, also what
# lies outside 2000::/3 or inside a larger row, so that each can be looked up. `ipaddress.is_global` lets many pass.
_BLOCKED_V4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private use",
    "100.64.0.0/10": "shared address space (CGNAT)",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link local, and every cloud's metadata",
    "172.16.0.0/12": "private use",
    "192.0.0.0/24": "IETF protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "automatic multicast tunneling",
    "192.88.99.0/24": "6to4 relays",
    "192.168.0.0/16": "private use",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "class E, and limited broadcast",
}
_BLOCKED_V6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::/96": "IPv4-compatible",
    "::ffff:0:0/96": "IPv4-mapped",
    "::ffff:0:0:0/96": "IPv4-translated",
    "64:ff9b::/96": "NAT64",
    "64:ff9b:1::/48": "local-use NAT64",
    "100::/64": "discard only",
    "100:0:0:1::/64": "dummy prefix",
    "2001::/23": "IETF protocol assignments, with Teredo, benchmarking, ORCHID and DRIP",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "AS112",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "unique local (ULA), and the metadata of AWS",
    "fe80::/10": "link local",
    "fec0::/10": "site local",
    "ff00::/8": "multicast",
}
_BLOCKED: tuple[Network, ...] = (
    *(IPv4Network(text) for text in _BLOCKED_V4),
    *(IPv6Network(text) for text in _BLOCKED_V6),
)
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")


class AddressNotAllowedError(PunctualError, PermissionError):
    """The target's address may not be dialled.

    An OSError as well, because only such errors cross the HTTP client's racing of addresses unharmed.
    """


def may_dial(address: Address, exceptions: Sequence[Network]) -> bool:
    """Whether a callback may go to this address. Pure; the one place where that is decided.

    True for what an exception covers, otherwise only for public unicast. An exception is taken as it is written: an
    IPv4 network does not cover the IPv6 spellings of its addresses.
    """
    if is_exception(address, exceptions):
        return True
    if address.version == 6 and address not in _GLOBAL_UNICAST_V6:
        return False
    return not any(address in network for network in _BLOCKED)


def is_exception(address: Address, exceptions: Sequence[Network]) -> bool:
    """Whether the operator of this deployment opened this address on purpose."""
    return any(address in network for network in exceptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialGuard:
    """`may_dial` for one scheme: plain http goes to the exceptions and nowhere else."""

    exceptions: tuple[Network, ...]
    plain_http: bool

    def judge(self, addresses: Iterable[str]) -> None:
        """AddressNotAllowedError if a single one of the addresses may not be dialled, or is none."""
        for text in addresses:
            if not self._allows(text):
                raise AddressNotAllowedError(f"the address {text} may not be called")

    def open_socket(self, target: tuple[Any, ...]) -> socket.socket:
        """A socket for one `getaddrinfo` entry, if its address may be dialled: aiohttp's `socket_factory`."""
        family, kind, protocol, _, destination = target
        self.judge([destination[0]])
        return socket.socket(family, kind, protocol)

    def _allows(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        allows = is_exception if self.plain_http else may_dial
        return allows(address, self.exceptions)


class GuardedResolver(AbstractResolver):
    """Resolves a name once and judges the whole answer: one address that is not allowed blocks the host.

    Raises AddressNotAllowedError, or the resolver's own OSError where there is no address. To be made inside the
    running loop.
    """

    def __init__(self, guard: DialGuard, resolver: AbstractResolver | None = None) -> None:
        self._guard = guard
        self._resolver = resolver or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Addresses that may all be dialled; never an empty list, which aiohttp answers with a failed assertion."""
        answers = await self._resolver.resolve(host, port, family)
        if not answers:
            raise OSError(f"{host} has no address")
        self._guard.judge(answer["host"] for answer in answers)
        return answers

    async def close(self) -> None:
        """Release the resolver beneath."""
        await self._resolver.close()
