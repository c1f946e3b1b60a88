"""Looking up the addresses of names: in threads of its own, each within a bound."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from aiohttp.abc import AbstractResolver, ResolveResult

LookUp = Callable[[str], Sequence[str]]
"""Every address of a name, as text; OSError where there is none. Blocks, and is called in many threads at once."""

LOOK_UP_SECONDS = 5.0
"""How long one name may take. Longer than the system's resolver takes for one lost packet, and well under the timeout
of a callback, so that a name server which is silent is told from a receiver which is."""

LOOK_UP_THREADS = 256
"""More than two batches of an executor have calls, because a thread cannot be taken from a name server that is silent:
it is left behind until the system's resolver gives up too. Threads are made when they are needed only."""


def look_up_by_system(name: str) -> list[str]:
    """What the host's own resolver answers, for the address families that the host has."""
    entries = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(destination[0]) for *_, destination in entries]


class BoundedResolver(AbstractResolver):
    """Looks up names side by side, so that one that is never answered delays no other.

    The loop's own executor would not do: it has as few threads as cores and four, for everything. To be closed by its
    owner; look-ups that are still under way then end by themselves.
    """

    def __init__(
        self, look_up: LookUp, *, seconds: float = LOOK_UP_SECONDS, threads: int = LOOK_UP_THREADS
    ) -> None:
        self._look_up = look_up
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="look-up")

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - the interface has it
    ) -> list[ResolveResult]:
        """Its addresses, marked so that nobody resolves them again; OSError if none came in time."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._seconds):
                addresses = await loop.run_in_executor(self._threads, self._look_up, host)
        except TimeoutError:
            raise OSError(f"no name server answered within {self._seconds} s") from None
        if not addresses:
            raise OSError("the name has no address")
        return [_result(host, address, port) for address in dict.fromkeys(addresses)]

    async def close(self) -> None:
        """Start no more look-ups, and wait for none."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET if ip_address(address).version == 4 else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=flags)
