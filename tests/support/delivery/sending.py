"""One sender, one callback, one receiver on the loopback interface: what the suites of this folder are made of."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from ipaddress import ip_network
from typing import Any

from shared.adapters.http.sender import AiohttpSender
from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.delivery.target_policy import TargetPolicy
from tests.support.fakes.receiver import Receiver, Script

LOOPBACK = ("127.0.0.0/8", "::1/128")
ELSEWHERE = "198.51.100.0/24"
"""An exception that opens nothing that these tests dial, but plain http."""
SHORT = 0.3
"""Seconds until the deadline, where a test waits for it."""
LONG = 10.0
"""Seconds until a deadline that no test reaches unless it fails."""
AT_MOST = 20.0
"""Seconds after which a test is given up that waits for what never comes."""
SIGNATURE = ("webhook-signature", "v1,eA==")
"""Nothing can be sent without one."""
OK_HEAD = b"HTTP/1.1 200 OK\r\n"


def policy(*exceptions: str, own_hosts: Iterable[str] = ()) -> TargetPolicy:
    """With these networks open, and none by default."""
    return TargetPolicy(
        exceptions=tuple(ip_network(text) for text in exceptions), own_hosts=frozenset(own_hosts)
    )


@contextlib.asynccontextmanager
async def sending(
    *exceptions: str, own_hosts: Iterable[str] = (), **options: Any
) -> AsyncIterator[AiohttpSender]:
    """A sender that may dial loopback, unless the exceptions are others."""
    sender = AiohttpSender(policy(*(exceptions or LOOPBACK), own_hosts=own_hosts), **options)
    try:
        yield sender
    finally:
        await sender.close()


def post(url: str, body: bytes = b"{}", **others: Any) -> Callback:
    """A small callback."""
    headers = (SIGNATURE, *others.pop("headers", ()))
    return Callback(**{"method": "POST", "url": url, "headers": headers, "body": body, **others})


def answer_to(
    script: Script, *, timeout_seconds: float = LONG, **others: Any
) -> tuple[CallbackResponse, Receiver]:
    """What one call makes of a receiver with this script."""

    async def scenario() -> tuple[CallbackResponse, Receiver]:
        async with Receiver(script) as receiver, sending() as sender:
            callback = post(receiver.url("/hook"), **others)
            return await sender.send(callback, timeout_seconds=timeout_seconds), receiver

    return asyncio.run(asyncio.wait_for(scenario(), AT_MOST))


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """In a loop of its own."""
    asyncio.run(asyncio.wait_for(scenario(), AT_MOST))
