"""Budgets of calls: addresses, time to connect, sockets, and bytes below HTTP."""

import asyncio
import errno
import resource
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from shared.adapters.http import dial, sender, sockets
from shared.adapters.http.dial import DIALLED_PER_FAMILY, RACING_CALLS, DialGuard
from shared.adapters.http.look_up import MAX_ADDRESSES
from shared.adapters.http.sockets import MAX_OVERHEAD_BYTES, READ_BYTES, BoundedSocket, SocketBudget
from shared.domain.delivery.callback import Reason
from tests.support.delivery.hostile_tls import floods_key_updates, shakes_hands
from tests.support.delivery.names import always
from tests.support.delivery.sending import LONG, SHORT, post, run, sending
from tests.support.delivery.silence import crowd, full_listener
from tests.support.delivery.trust import NAME, trusting
from tests.support.fakes.receiver import Receiver, replies, reply

Dials = list[tuple[str, socket.socket]]


@pytest.fixture
def dials(monkeypatch: pytest.MonkeyPatch) -> Dials:
    """The address and the socket of each dial."""
    noted: Dials = []
    open_socket = DialGuard.open_socket

    def opened(guard: DialGuard, address: str) -> socket.socket:
        noted.append((address, open_socket(guard, address)))
        return noted[-1][1]

    monkeypatch.setattr(DialGuard, "open_socket", opened)
    return noted


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of all reads."""
    counts: list[int] = []
    recv_into = BoundedSocket.recv_into

    def noted(opened: BoundedSocket, *options: object) -> int:
        counts.append(recv_into(opened, *options))  # type: ignore[arg-type]
        return counts[-1]

    monkeypatch.setattr(BoundedSocket, "recv_into", noted)
    return counts


@pytest.fixture
def receiver_tls(authority: trustme.CA) -> ssl.SSLContext:
    """The TLS of a trusted receiver."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(NAME).configure_cert(context)
    return context


@pytest.fixture
def refused_port() -> Iterator[int]:
    """A port without a listener."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def open_descriptors() -> int:
    """The descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_name_with_many_addresses_is_dialled_once_at_two_of_each_family(
    dials: Dials, refused_port: int
) -> None:
    addresses = [*crowd(200), "::1"]

    async def scenario() -> None:
        async with sending(look_up=always(*addresses)) as sender:
            answer = await sender.send(post(f"http://{NAME}:{refused_port}/"), timeout_seconds=LONG)
            assert answer.reason is Reason.CONNECT_FAILED

    run(scenario)
    assert DIALLED_PER_FAMILY == 2
    assert sorted(address for address, _ in dials) == sorted([*addresses[:2], "::1"])


def test_name_with_more_addresses_than_the_limit_is_not_dialled(dials: Dials) -> None:
    async def scenario() -> None:
        async with sending(look_up=always(*crowd(MAX_ADDRESSES + 1))) as sender:
            answer = await sender.send(post(f"https://{NAME}/"), timeout_seconds=LONG)
            assert (answer.reason, dials) == (Reason.DNS_FAILED, [])

    run(scenario)


def test_address_that_never_answers_fails_at_the_deadline_of_connecting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert dial.CONNECT_SECONDS == 5.0
    monkeypatch.setattr(dial, "CONNECT_SECONDS", SHORT)

    async def scenario() -> None:
        with full_listener() as port:
            async with sending(look_up=always("127.1.0.1")) as sender:
                answer = await sender.send(post(f"http://{NAME}:{port}/"), timeout_seconds=LONG)
                assert (answer.reason, answer.status) == (Reason.CONNECT_FAILED, None)

    run(scenario)


def test_handshake_that_stalls_fails_at_the_deadline_of_connecting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "CONNECT_SECONDS", SHORT)

    async def scenario() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            async with sending() as sender:
                url = f"https://127.0.0.1:{listener.getsockname()[1]}/"
                answer = await sender.send(post(url), timeout_seconds=LONG)
                assert (answer.reason, answer.status) == (Reason.CONNECT_FAILED, None)

    run(scenario)


def test_batch_to_addresses_that_never_answer_leaves_descriptors_to_other_tenants() -> None:
    calls = 60

    async def scenario() -> None:
        peak = before = open_descriptors()
        with full_listener() as port:
            async with (
                Receiver(replies(reply())) as receiver,
                sending(look_up=lambda name: crowd(200) if name == NAME else ["127.0.0.1"]) as sender,
            ):
                url = f"http://{NAME}:{port}/"
                batch = [
                    asyncio.create_task(sender.send(post(url), timeout_seconds=8 * SHORT))
                    for _ in range(calls)
                ]
                while not all(task.done() for task in batch):
                    peak = max(peak, open_descriptors())
                    mate = post(receiver.url(host="honest.test"), tenant_id="another")
                    assert (await sender.send(mate, timeout_seconds=LONG)).succeeded
                    await asyncio.sleep(0.05)
        few = 20  # the listeners, the connection of the mate, the process's own
        assert peak - before <= RACING_CALLS * DIALLED_PER_FAMILY + (calls - RACING_CALLS) + few

    run(scenario)


def test_socket_beyond_the_budget_fails_as_if_descriptors_were_used_up() -> None:
    budget = SocketBudget(2)
    first, second = (budget.open(socket.AF_INET) for _ in range(2))
    with pytest.raises(OSError, match="open files") as raised:
        budget.open(socket.AF_INET)
    assert raised.value.errno == errno.EMFILE
    first.close()
    with budget.open(socket.AF_INET), second:
        assert budget.is_tight


def test_socket_budget_leaves_half_of_the_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    for soft, expected in ((1_024, 512), (256, 128), (65_536, 512), (resource.RLIM_INFINITY, 512)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert sockets.socket_limit() == expected


def test_idle_connections_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept connections count in no limit of the pool."""
    monkeypatch.setattr(sender, "socket_limit", lambda: 4)

    async def scenario() -> None:
        before = open_descriptors()
        async with sending(look_up=always("127.0.0.1")) as caller, Receiver(replies(reply())) as receiver:
            for number in range(20):
                target = post(receiver.url(host=f"name{number}.test"))
                assert (await caller.send(target, timeout_seconds=LONG)).reason is Reason.OK
            both_ends = 2
            assert open_descriptors() - before <= both_ends * 4 + 10

    run(scenario)


def test_key_updates_without_end_are_left_after_the_overhead_of_a_response(
    authority: trustme.CA, receiver_tls: ssl.SSLContext, received: list[int]
) -> None:
    async def scenario() -> None:
        before = open_descriptors()
        async with (
            Receiver(floods_key_updates(receiver_tls)) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            target = post(receiver.url(host=NAME, scheme="https"))
            answer = await sender.send(target, timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.PROTOCOL_ERROR, None)
            assert max(received) <= READ_BYTES
            # What was read when the call ended is all that is ever read.
            assert sum(received) <= 2 * MAX_OVERHEAD_BYTES + READ_BYTES
            read = sum(received)
            await asyncio.sleep(SHORT)
            assert sum(received) == read
        assert open_descriptors() <= before + 2

    run(scenario)


def test_connection_is_aborted_at_the_deadline_without_waiting_for_the_end_of_tls(
    authority: trustme.CA, receiver_tls: ssl.SSLContext, dials: Dials
) -> None:
    """The receiver never confirms the end of TLS, for which asyncio would wait 30 s."""

    async def scenario() -> None:
        script = shakes_hands(lambda _: None)(receiver_tls)
        async with (
            Receiver(script) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            target = post(receiver.url(host=NAME, scheme="https"))
            # On a busy machine, the time may be over before there is a connection.
            for _ in range(10):
                answer = await sender.send(target, timeout_seconds=SHORT)
                assert answer.reason is Reason.TIMEOUT
                if dials:
                    break
            for _ in range(10):
                await asyncio.sleep(0)
            assert [opened.fileno() for _, opened in dials] == [-1]

    run(scenario)
