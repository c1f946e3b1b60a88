"""Addresses that never answer."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def full_listener() -> Iterator[int]:
    """A port that answers no SYN on any IPv4 loopback address, because the queue of its listener is full."""
    with socket.create_server(("0.0.0.0", 0), backlog=0) as listener:
        port: int = listener.getsockname()[1]
        with ExitStack() as stack:
            for _ in range(3):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(("127.0.0.1", port))
            yield port


def crowd(size: int) -> list[str]:
    """As many loopback addresses."""
    return [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(size)]
