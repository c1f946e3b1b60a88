"""The sender's sockets: a bounded number, read in small pieces, each with an allowance of bytes."""

import errno
import os
import resource
import socket
from typing import Any
from weakref import WeakSet

MAX_SOCKETS = 512
"""Half of the 1,024 descriptors of a Lambda function. Lookups need up to 256, the AWS clients the rest."""

READ_BYTES = 8 * 1024
"""Maximum bytes of one read. asyncio would decrypt and parse 256 KiB before it serves another connection."""

MAX_OVERHEAD_BYTES = 96 * 1024
"""Bytes that may arrive beyond those of the response, such as TLS messages."""


def socket_limit() -> int:
    """Return how many sockets the sender may hold: at most half of the process's descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_SOCKETS if soft == resource.RLIM_INFINITY else min(MAX_SOCKETS, soft // 2)


class BoundedSocket(socket.socket):
    """Fails a read with OSError when more bytes arrived than `allow` permits.

    The count includes the TLS handshake and messages such as KeyUpdate, which the application never sees.
    """

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self._allowance = MAX_OVERHEAD_BYTES
        self.has_sent_all = True
        """Whether the last write was complete. The buffer of the TLS transport leaves out the socket's own."""

    def allow(self, count: int) -> None:
        """Permit as many further bytes as the response has grown by."""
        self._allowance += count

    def allow_overhead(self) -> None:
        """Permit the overhead of the next response."""
        self._allowance = MAX_OVERHEAD_BYTES

    def recv(self, size: int, flags: int = 0) -> bytes:
        data = super().recv(min(size, READ_BYTES), flags)
        self._count(len(data))
        return data

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        count = super().recv_into(buffer, min(size or len(buffer), READ_BYTES), flags)
        self._count(count)
        return count

    def send(self, data: Any, flags: int = 0) -> int:
        self.has_sent_all = False
        count = super().send(data, flags)
        self.has_sent_all = count == len(data)
        return count

    def sendmsg(self, buffers: Any, *options: Any) -> int:
        parts = list(buffers)
        self.has_sent_all = False
        count = super().sendmsg(parts, *options)
        self.has_sent_all = count == sum(map(len, parts))
        return count

    def _count(self, count: int) -> None:
        self._allowance -= count
        if self._allowance < 0:
            raise OSError(errno.EMSGSIZE, "the receiver sent more TLS messages than a response needs")


class SocketBudget:
    """Opens at most `limit` sockets at a time; further ones fail as if descriptors were used up."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._opened: WeakSet[BoundedSocket] = WeakSet()

    @property
    def is_tight(self) -> bool:
        """Whether more than half of the sockets are open."""
        return self._are_open(self._limit // 2 + 1)

    def open(self, family: int) -> BoundedSocket:
        """Open a non-blocking TCP socket; OSError with EMFILE if the limit is reached."""
        if self._are_open(self._limit):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        opened = BoundedSocket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        opened.setblocking(False)
        self._opened.add(opened)
        return opened

    def _are_open(self, count: int) -> bool:
        """Whether at least so many sockets are open. A closed one may still be referenced, so they are counted one
        by one where their number could suffice."""
        return len(self._opened) >= count and sum(each.fileno() >= 0 for each in self._opened) >= count
