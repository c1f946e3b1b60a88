"""DNS lookups in a separate thread pool, each with a timeout."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from shared.adapters.http.errors import EXHAUSTED, CallFailedError
from shared.adapters.http.freshness import Freshness, Moment
from shared.domain.delivery.callback import Reason

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

CACHE_SECONDS = 10.0
"""The calls of a batch to one host share a lookup. It is longer than a lookup takes."""


def look_up_by_system(name: str) -> list[str]:
    """Ask the host's own resolver, for the address families that the host supports."""
    entries = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(destination[0]) for *_, destination in entries]


class BoundedResolver:
    """Looks up names concurrently, so that a lookup without an answer does not delay others.

    The loop's default executor is too small: it has four threads more than the machine has cores.
    """

    def __init__(
        self, look_up: LookUp, freshness: Freshness, *, seconds: float, threads: int = LOOK_UP_THREADS
    ) -> None:
        self._look_up = look_up
        self._freshness = freshness
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="look-up")
        self._cache: dict[str, tuple[Moment, asyncio.Task[list[str]]]] = {}
        """The lookups of the last seconds, also those that are running, with the time of their start."""

    async def resolve(self, name: str) -> list[str]:
        """Return the addresses of a name; CallFailedError if the name has none, or too many."""
        is_fresh = self._freshness.is_fresh
        self._cache = {
            known: entry for known, entry in self._cache.items() if is_fresh(entry[0], CACHE_SECONDS)
        }
        if name not in self._cache:
            self._cache[name] = self._freshness.now(), asyncio.create_task(self._addresses(name))
            self._cache[name][1].add_done_callback(lambda task: self._forget_failure(name, task))
        # Shielded: the other calls that wait for this lookup go on when one of them is cancelled.
        return await asyncio.shield(self._cache[name][1])

    def close(self) -> None:
        """Cancel the lookups; running threads then end by themselves."""
        for _, task in self._cache.values():
            task.cancel()
        self._cache.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _addresses(self, name: str) -> list[str]:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._seconds):
                addresses = await loop.run_in_executor(self._threads, self._look_up, name)
        except TimeoutError:
            raise CallFailedError(Reason.DNS_FAILED, "no name server answered in time") from None
        except OSError as error:
            reason = Reason.UNAVAILABLE if _is_own_fault(error) else Reason.DNS_FAILED
            raise CallFailedError(reason, str(error)) from error
        unique = list(dict.fromkeys(addresses))
        if not 0 < len(unique) <= MAX_ADDRESSES:
            raise CallFailedError(Reason.DNS_FAILED, f"the name has 0 or more than {MAX_ADDRESSES} addresses")
        return unique

    def _forget_failure(self, name: str, task: asyncio.Task[list[str]]) -> None:
        if task.cancelled() or task.exception() is not None:
            self._cache.pop(name, None)


def _is_own_fault(error: OSError) -> bool:
    """Whether this machine lacked memory or a descriptor; Python raises EAI_SYSTEM as a plain OSError."""
    if isinstance(error, socket.gaierror):
        return error.errno == socket.EAI_MEMORY
    return error.errno in EXHAUSTED
