"""A sender, a callback and a receiver on the loopback interface."""

import asyncio
import contextlib
import os
import resource
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from ipaddress import ip_network
from typing import Any

from shared.adapters.clock import SystemClock
from shared.adapters.http.sender import CallbackSender
from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.delivery.target_policy import TargetPolicy
from tests.support.fakes.receiver import Receiver, Script

LOOPBACK = ("127.0.0.0/8", "::1/128")
ELSEWHERE = "198.51.100.0/24"
"""An exception that allows only plain http for these tests, and no dialled address."""
SHORT = 0.3
"""The deadline, in seconds, of a test that waits for the deadline."""
LONG = 10.0
"""A deadline, in seconds, that a passing test never reaches."""
AT_MOST = 20.0
"""The limit, in seconds, of a test that waits."""
SIGNATURE = ("webhook-signature", "v1,eA==")
"""Every callback needs a signature."""
OK_HEAD = b"HTTP/1.1 200 OK\r\n"


def policy(*exceptions: str, own_hosts: Iterable[str] = ()) -> TargetPolicy:
    """A policy that allows these networks; none by default."""
    return TargetPolicy(
        exceptions=tuple(ip_network(text) for text in exceptions), own_hosts=frozenset(own_hosts)
    )


@contextlib.asynccontextmanager
async def sending(
    *exceptions: str, own_hosts: Iterable[str] = (), **options: Any
) -> AsyncIterator[CallbackSender]:
    """A sender that may connect to loopback, or to the given exceptions.

    With loopback alone, names that the public DNS never resolves would be refused before their lookup.
    """
    opened = exceptions or (*LOOPBACK, ELSEWHERE)
    clock = options.pop("clock", SystemClock())
    sender = CallbackSender(policy(*opened, own_hosts=own_hosts), clock, **options)
    try:
        yield sender
    finally:
        await sender.close()


@contextlib.contextmanager
def without_descriptors() -> Iterator[None]:
    """The process cannot open another descriptor."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.dup(0)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def post(url: str, body: bytes = b"{}", **others: Any) -> Callback:
    """A small callback."""
    headers = (SIGNATURE, *others.pop("headers", ()))
    return Callback(
        **{"tenant_id": "acme", "method": "POST", "url": url, "headers": headers, "body": body, **others}
    )


def answer_to(
    script: Script, *, timeout_seconds: float = LONG, **others: Any
) -> tuple[CallbackResponse, Receiver]:
    """The response and the receiver of one call to a receiver with this script."""

    async def scenario() -> tuple[CallbackResponse, Receiver]:
        async with Receiver(script) as receiver, sending() as sender:
            callback = post(receiver.url("/hook"), **others)
            return await sender.send(callback, timeout_seconds=timeout_seconds), receiver

    return asyncio.run(asyncio.wait_for(scenario(), AT_MOST))


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run in a new event loop."""
    asyncio.run(asyncio.wait_for(scenario(), AT_MOST))
