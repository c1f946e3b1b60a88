"""BoundedSocket: whether all was sent, for each way in which asyncio writes."""

import socket
from collections.abc import Callable

import pytest

from shared.adapters.http.sockets import BoundedSocket

MANY = b"x" * 50_000_000


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda opened, data: opened.send(data), id="send"),
        pytest.param(lambda opened, data: opened.sendmsg(iter([data[:1], data[1:]])), id="sendmsg"),
    ],
)
def test_socket_has_sent_all_unless_its_last_write_was_cut(
    write: Callable[[BoundedSocket, bytes], int],
) -> None:
    ours, theirs = socket.socketpair()
    with theirs, BoundedSocket(ours.family, ours.type, 0, ours.detach()) as opened:
        opened.setblocking(False)
        write(opened, b"small")
        assert opened.has_sent_all
        sent = write(opened, MANY)
        assert (sent < len(MANY), opened.has_sent_all) == (True, False)
        unread = len(b"small") + sent
        while unread:
            unread -= len(theirs.recv(unread))
        write(opened, b"small")
        assert opened.has_sent_all
        with pytest.raises(BlockingIOError):
            while True:
                write(opened, MANY)
        assert not opened.has_sent_all
