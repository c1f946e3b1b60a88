"""DNS lookups in a separate thread pool, each with a timeout."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

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

LOOK_UPS_PER_TENANT = 128
"""Half of the threads, and more than the calls of a batch: names that no server answers delay one tenant alone."""

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
        self._max_threads = threads
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="look-up")
        self._running: dict[Future[Sequence[str]], str] = {}
        """The lookups that occupy a thread, also after their timeout, and the tenant of each."""
        self._cache: dict[str, tuple[Moment, asyncio.Task[list[str]]]] = {}
        """The lookups of the last seconds, also those that are running, with the time of their start."""

    async def resolve(self, name: str, tenant_id: str) -> list[str]:
        """Return the addresses of a name; CallFailedError if the name has none, or too many.

        A lookup never waits for a thread: UNAVAILABLE if all threads, or those of the tenant, are busy.
        """
        is_fresh = self._freshness.is_fresh
        self._cache = {
            known: entry for known, entry in self._cache.items() if is_fresh(entry[0], CACHE_SECONDS)
        }
        if name not in self._cache:
            self._cache[name] = (
                self._freshness.now(),
                asyncio.create_task(self._addresses(self._start(name, tenant_id))),
            )
            self._cache[name][1].add_done_callback(lambda task: self._forget_failure(name, task))
        # Shielded: the other calls that wait for this lookup go on when one of them is cancelled.
        return await asyncio.shield(self._cache[name][1])

    def close(self) -> None:
        """Cancel the lookups; running threads then end by themselves."""
        for _, task in self._cache.values():
            task.cancel()
        self._cache.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start(self, name: str, tenant_id: str) -> Future[Sequence[str]]:
        self._running = {running: owner for running, owner in self._running.items() if not running.done()}
        owners = list(self._running.values())
        if len(owners) >= self._max_threads or owners.count(tenant_id) >= LOOK_UPS_PER_TENANT:
            raise CallFailedError(Reason.UNAVAILABLE, "all threads for lookups are busy")
        started = self._threads.submit(self._look_up, name)
        self._running[started] = tenant_id
        return started

    async def _addresses(self, started: Future[Sequence[str]]) -> list[str]:
        try:
            async with asyncio.timeout(self._seconds):
                addresses = await asyncio.wrap_future(started)
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
