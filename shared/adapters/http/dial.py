"""The guard at the dial: between users' targets and everything that is not public internet.

A name may point anywhere, and somewhere else a second later. So a name is resolved once, every address in the answer
is judged, and only those very addresses are dialled; a socket is judged once more as it is opened, because clients do
not ask a resolver about literal addresses.
"""

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import PunctualError


class AddressNotAllowedError(PunctualError, PermissionError):
    """The target may not be called.

    An OSError as well, because only such errors cross the HTTP client's racing of addresses unharmed.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DialGuard:
    """The policy, for one scheme: plain http goes to the exceptions and nowhere else."""

    policy: TargetPolicy
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
        return self.policy.admits_address(address, plain_http=self.plain_http)


class GuardedResolver(AbstractResolver):
    """Resolves a name once and judges the whole answer: one address that is not allowed blocks the host.

    Raises AddressNotAllowedError, or the OSError of the resolver beneath, which its owner closes.
    """

    def __init__(self, guard: DialGuard, resolver: AbstractResolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Addresses that may all be dialled; never an empty list, which aiohttp answers with a failed assertion."""
        answers = await self._resolver.resolve(host, port, family)
        self._guard.judge(answer["host"] for answer in answers)
        return answers

    async def close(self) -> None:
        """Nothing of its own to release."""
