"""DNS lookups in a separate thread pool, each with a timeout."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from aiohttp.abc import AbstractResolver, ResolveResult

LookUp = Callable[[str], Sequence[str]]
"""Returns all addresses of a name as text, or raises OSError. Blocks; called from many threads at once."""

LOOK_UP_SECONDS = 5.0
"""The timeout of one lookup. It allows the system's resolver one lost packet, and is well below the timeout
of a callback, so that a silent name server is distinguished from a silent receiver."""

LOOK_UP_THREADS = 256
"""Twice the calls of an executor batch and more, because a lookup that times out occupies its thread until
the system's resolver gives up. Threads are created on demand."""

MAX_ADDRESSES = 256
"""Maximum addresses of a name. To check one takes about 10 µs of the event loop's time."""


def look_up_by_system(name: str) -> list[str]:
    """Ask the host's own resolver, for the address families that the host supports."""
    entries = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(destination[0]) for *_, destination in entries]


class BoundedResolver(AbstractResolver):
    """Looks up names concurrently, so that a lookup without an answer does not delay others.

    The loop's default executor is too small: it has four threads more than the machine has cores. The owner
    closes the resolver; running lookups then end by themselves.
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
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - part of the interface
    ) -> list[ResolveResult]:
        """Return the addresses, flagged as numeric so that aiohttp does not resolve them.

        OSError after the timeout, and for a name without addresses or with too many.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._seconds):
                addresses = await loop.run_in_executor(self._threads, self._look_up, host)
        except TimeoutError:
            raise OSError(f"no name server answered within {self._seconds} s") from None
        if not addresses:
            raise OSError("the name has no address")
        unique = list(dict.fromkeys(addresses))
        if len(unique) > MAX_ADDRESSES:
            raise OSError(f"the name has more than {MAX_ADDRESSES} addresses")
        return [_result(host, address, port) for address in unique]

    async def close(self) -> None:
        """Cancel pending lookups without waiting for running ones."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET if ip_address(address).version == 4 else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=flags)
