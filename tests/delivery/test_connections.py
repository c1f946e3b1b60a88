"""The sender: connections, kept, bounded and left."""

import asyncio
import errno
import os
import socket
import threading
from typing import Any

import pytest

from shared.adapters.http import pool
from shared.adapters.http.connection import Connection
from shared.adapters.http.dial import DialGuard
from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.response import Response
from shared.adapters.http.sockets import BoundedSocket
from shared.domain.delivery.callback import Reason
from tests.support.delivery.sending import LONG, SHORT, post, run, sending, without_descriptors
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.receiver import Peer, Receiver, replies, reply, silent


def test_a_connection_is_kept_for_the_next_call() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(), reply(500), reply(204))) as receiver, sending() as sender:
            for expected in (200, 500, 204, 204):
                answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
                assert answer.status == expected
            assert [request.connection for request in receiver.requests] == [1, 1, 1, 1]

    run(scenario)


def test_tenants_share_no_connection_since_a_receiver_may_leave_a_body_unread() -> None:
    """The unread body would otherwise begin the request of another tenant."""
    received: list[bytes] = []

    async def leaves_bodies_unread(peer: Peer) -> None:
        while head := await peer.reader.readuntil(b"\r\n\r\n"):
            received.append(head)
            await peer.send(reply(405))

    async def scenario() -> None:
        async with Receiver(leaves_bodies_unread) as receiver, sending() as sender:
            for tenant_id, body in (("mallory", b"POST /taken HTTP/1.1\r\nX: "), ("acme", b"{}")):
                call = post(receiver.url(f"/{tenant_id}"), body, tenant_id=tenant_id)
                assert (await sender.send(call, timeout_seconds=LONG)).status == 405
            assert receiver.connections == 2

    run(scenario)
    assert received[1].startswith(b"POST /acme ")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_that_closed_while_the_worker_was_frozen_is_not_used(method: str) -> None:
    frozen, closed = threading.Event(), threading.Event()

    def serve(listener: socket.socket) -> None:
        for _ in range(2):
            accepted, _ = listener.accept()
            with accepted:
                accepted.settimeout(LONG)
                accepted.recv(65_536)
                accepted.sendall(reply())
                frozen.wait(LONG)
            closed.set()

    async def scenario(url: str) -> None:
        async with sending() as sender:
            assert (await sender.send(post(url, b"", method=method), timeout_seconds=LONG)).succeeded
            frozen.set()
            closed.wait(LONG)  # blocks the loop on purpose, as a frozen process does
            assert (await sender.send(post(url, b"", method=method), timeout_seconds=LONG)).succeeded

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LONG)
        server = threading.Thread(target=serve, args=(listener,))
        server.start()
        asyncio.run(scenario(f"http://127.0.0.1:{listener.getsockname()[1]}/"))
        server.join()


def test_a_kept_connection_on_which_data_arrived_is_left_without_costing_an_attempt() -> None:
    asked, spoke = asyncio.Event(), asyncio.Event()

    async def speaks_out_of_turn(peer: Peer) -> None:
        await peer.request()
        await peer.send(reply(500))
        if peer.number == 1:
            await asked.wait()
            await peer.send(reply(200))
            spoke.set()
        await peer.request()

    async def scenario() -> None:
        async with Receiver(speaks_out_of_turn) as receiver, sending() as sender:
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).status == 500
            asked.set()
            await spoke.wait()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).status == 500
            assert [request.connection for request in receiver.requests] == [1, 2]

    run(scenario)


def test_connection_whose_end_has_arrived_is_not_used_while_its_tls_ends() -> None:
    """The transport of asyncio still takes a request meanwhile, and drops it.

    It raises an error if it is aborted before it has handled the end itself.
    """

    class EndingTls(asyncio.Transport):
        is_aborted = False

        def pause_reading(self) -> None:
            pass

        def abort(self) -> None:
            self.is_aborted = True

        def is_closing(self) -> bool:
            return self.is_aborted

    async def scenario() -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs, BoundedSocket(ours.family, ours.type, 0, ours.detach()) as opened:
            connection, transport = Connection(opened), EndingTls()
            connection.connection_made(transport)
            assert connection.is_quiet()
            connection.eof_received()
            assert not transport.is_aborted
            assert not connection.is_quiet()
            with pytest.raises(CallFailedError, match="lost before the request"):
                await connection.exchange(b"GET", Response(is_head=False))
            await asyncio.sleep(0)
            assert transport.is_aborted

    run(scenario)


def test_a_second_response_is_not_taken_for_the_answer_to_the_next_request() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(500) + reply(200))) as receiver, sending() as sender:
            for _ in range(3):
                answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
                assert (answer.reason, answer.status) == (Reason.HTTP_STATUS, 500)
            assert [request.connection for request in receiver.requests] == [1, 2, 3]

    run(scenario)


def test_connection_that_was_idle_for_longer_than_servers_wait_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert pool.KEEPALIVE_SECONDS == 4.0
    monkeypatch.setattr(pool, "KEEPALIVE_SECONDS", 0.0)

    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            for _ in range(2):
                assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            assert [request.connection for request in receiver.requests] == [1, 2]

    run(scenario)


def test_connection_and_look_up_are_renewed_after_a_freeze_that_the_monotonic_clock_leaves_out() -> None:
    looked_up: list[str] = []

    def look_up(name: str) -> list[str]:
        looked_up.append(name)
        return ["127.0.0.1"]

    async def scenario() -> None:
        clock = VirtualClock(1_000_000)
        async with Receiver(replies(reply())) as receiver, sending(clock=clock, look_up=look_up) as sender:
            for _ in range(2):
                call = post(receiver.url(host="open.test"))
                assert (await sender.send(call, timeout_seconds=LONG)).succeeded
                clock.time_ms += 3 * 3_600_000
            assert [request.connection for request in receiver.requests] == [1, 2]
            assert looked_up == ["open.test"] * 2

    run(scenario)


def test_idle_connections_are_closed_without_another_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "KEEPALIVE_SECONDS", SHORT)
    left = asyncio.Event()

    async def notes_the_end(peer: Peer) -> None:
        while await peer.request() is not None:
            await peer.send(reply())
        left.set()

    async def scenario() -> None:
        async with Receiver(notes_the_end) as receiver, sending() as sender:
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            await asyncio.wait_for(left.wait(), LONG)

    run(scenario)


def test_a_slow_call_does_not_delay_the_others() -> None:
    held, release = asyncio.Event(), asyncio.Event()

    async def some_slow(peer: Peer) -> None:
        while (request := await peer.request()) is not None:
            if request.target == "/slow":
                held.set()
                await release.wait()
            await peer.send(reply())

    async def scenario() -> None:
        async with Receiver(some_slow) as receiver, sending() as sender:
            slow = asyncio.create_task(sender.send(post(receiver.url("/slow")), timeout_seconds=LONG))
            await held.wait()
            quick = [sender.send(post(receiver.url(f"/{n}")), timeout_seconds=LONG) for n in range(100)]
            answers = await asyncio.gather(*quick)
            assert [answer.reason for answer in answers] == [Reason.OK] * 100
            assert not slow.done()
            release.set()
            assert (await slow).reason is Reason.OK
            assert len(receiver.requests) == 101

    run(scenario)


@pytest.mark.parametrize("options", [{"limit": 3}, {"limit_per_host": 3}])
def test_connections_are_bounded(options: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending(**options) as sender:
            calls = [sender.send(post(receiver.url()), timeout_seconds=LONG) for _ in range(20)]
            assert all(answer.succeeded for answer in await asyncio.gather(*calls))
            assert (receiver.connections, len(receiver.requests)) == (3, 20)

    run(scenario)


def test_spellings_of_a_name_share_limits_connections_and_lookups() -> None:
    looked_up: list[str] = []

    def look_up(name: str) -> list[str]:
        looked_up.append(name)
        return ["127.0.0.1"]

    async def scenario() -> None:
        spellings = ("open.test", "Open.test", "OPEN.TEST")
        async with (
            Receiver(replies(reply())) as receiver,
            sending(look_up=look_up, limit_per_host=1) as sender,
        ):
            calls = [sender.send(post(receiver.url(host=host)), timeout_seconds=LONG) for host in spellings]
            assert all(answer.succeeded for answer in await asyncio.gather(*calls))
            assert (receiver.connections, looked_up) == (1, ["open.test"])
            hosts = [str(request.header("host")) for request in receiver.requests]
            assert [host.partition(":")[0] for host in hosts] == list(spellings)

    run(scenario)


def test_a_call_that_got_no_connection_in_time_is_unavailable_and_not_a_timeout() -> None:
    async def scenario() -> None:
        async with Receiver(silent()) as receiver, sending(limit=1) as sender:
            first = asyncio.create_task(sender.send(post(receiver.url()), timeout_seconds=LONG))
            while not receiver.requests:
                await asyncio.sleep(0.001)
            answer = await sender.send(post(receiver.url()), timeout_seconds=SHORT)
            assert (answer.reason, answer.status, receiver.connections) == (Reason.UNAVAILABLE, None, 1)
            first.cancel()
            await asyncio.wait([first])

    run(scenario)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.EADDRNOTAVAIL])
def test_a_machine_without_free_sockets_is_unavailable_and_not_a_failed_receiver(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: object) -> socket.socket:
        raise OSError(number, os.strerror(number))

    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            monkeypatch.setattr(DialGuard, "open_socket", exhausted)
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
            assert (answer.reason, answer.refunds, receiver.requests) == (Reason.UNAVAILABLE, True, [])

    run(scenario)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_process_at_its_limit_of_descriptors_refunds_the_attempt(host: str) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            with without_descriptors():
                answer = await sender.send(post(receiver.url(host=host)), timeout_seconds=LONG)
            assert (answer.reason, receiver.requests) == (Reason.UNAVAILABLE, [])
            assert (await sender.send(post(receiver.url(host=host)), timeout_seconds=LONG)).succeeded

    run(scenario)


def test_connection_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    async def scenario() -> None:
        async with sending() as sender:
            answer = await sender.send(post(f"http://127.0.0.1:{port}/"), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.CONNECT_FAILED, None)

    run(scenario)
