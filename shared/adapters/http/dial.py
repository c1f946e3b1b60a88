"""SSRF guard: blocks connections from users' targets to anything but the public internet.

A name may resolve to any address, and DNS may change within a second. The guard therefore resolves a name
once, checks every address in the answer, and connects to the first of these addresses only. It checks again
when a socket opens, because clients do not resolve literal addresses.
"""

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from shared.adapters.http.sockets import SocketBudget
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import PunctualError

DIALLED_PER_FAMILY = 2
"""Addresses of each family that a call may dial. A name with thousands would make a job a port scan."""


class AddressNotAllowedError(PunctualError, PermissionError):
    """The target may not be called.

    Also an OSError, because aiohttp passes only OSErrors through its connection racing unchanged.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DialGuard:
    """The target policy for one scheme: plain http may only reach the exceptions."""

    policy: TargetPolicy
    plain_http: bool
    sockets: SocketBudget

    def judge(self, addresses: Iterable[str]) -> None:
        """Raise AddressNotAllowedError if any of the addresses is forbidden or malformed."""
        for text in addresses:
            if not self._allows(text):
                raise AddressNotAllowedError(f"the address {text} may not be called")

    def open_socket(self, target: tuple[Any, ...]) -> socket.socket:
        """Open a socket for a `getaddrinfo` entry if its address is allowed: aiohttp's `socket_factory`."""
        family, kind, protocol, _, destination = target
        self.judge([destination[0]])
        return self.sockets.open(family, kind, protocol)

    def _allows(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        return self.policy.admits_address(address, plain_http=self.plain_http)


class GuardedResolver(AbstractResolver):
    """Resolves a name once and checks all its addresses: a single forbidden address blocks the host.

    Raises AddressNotAllowedError, or the OSError of the inner resolver. The owner closes the inner resolver.
    """

    def __init__(self, guard: DialGuard, resolver: AbstractResolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses to dial, after all addresses of the name were found to be allowed.

        Never an empty list, which would fail an assertion in aiohttp.
        """
        answers = await self._resolver.resolve(host, port, family)
        self._guard.judge(answer["host"] for answer in answers)
        families = [answer["family"] for answer in answers]
        return [
            answer
            for index, answer in enumerate(answers)
            if families[:index].count(answer["family"]) < DIALLED_PER_FAMILY
        ]

    async def close(self) -> None:
        """Do nothing: the owner closes the inner resolver."""
