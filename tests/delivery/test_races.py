"""Several addresses of one name, and several calls of one name: raced, shared, and closed again."""

import asyncio
import errno
import os
import socket
from typing import Any

import pytest

from shared.adapters.http import dial, look_up
from shared.adapters.http.dial import DialGuard
from shared.adapters.http.sockets import BoundedSocket
from shared.domain.delivery.callback import Reason
from tests.support.delivery.names import always
from tests.support.delivery.sending import LONG, SHORT, post, run, sending
from tests.support.delivery.trust import NAME
from tests.support.fakes.receiver import Receiver, replies, reply

SILENT = "127.1.0.1"
ANSWERS = "127.0.0.1"


class Dials:
    """Stands in for the network below TCP: the address `SILENT` never answers, and all others do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sockets: dict[str, BoundedSocket] = {}
        self.errors: dict[str, int] = {}
        loop = asyncio.get_running_loop()
        connect = loop.sock_connect

        async def sock_connect(opened: Any, target: tuple[str, int]) -> None:
            self.sockets[target[0]] = opened
            if target[0] in self.errors:
                raise OSError(self.errors[target[0]], os.strerror(self.errors[target[0]]))
            if target[0] == SILENT:
                await asyncio.Event().wait()
            await connect(opened, target)

        monkeypatch.setattr(loop, "sock_connect", sock_connect)


def test_second_address_is_dialled_while_the_first_is_silent_and_the_first_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        dials = Dials(monkeypatch)
        async with (
            Receiver(replies(reply())) as receiver,
            sending(look_up=always(SILENT, ANSWERS)) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)
            assert (answer.reason, receiver.connections) == (Reason.OK, 1)
            assert answer.duration_ms >= dial.HEAD_START_SECONDS * 1000 - 20
            assert list(dials.sockets) == [SILENT, ANSWERS]
            await asyncio.sleep(0)
            assert dials.sockets[SILENT].fileno() == -1

    run(scenario)


def test_next_address_is_dialled_at_once_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "HEAD_START_SECONDS", LONG)

    async def scenario() -> None:
        dials = Dials(monkeypatch)
        dials.errors[SILENT] = errno.ECONNREFUSED
        async with (
            Receiver(replies(reply())) as receiver,
            sending(look_up=always(SILENT, ANSWERS)) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=SHORT)
            assert answer.reason is Reason.OK
            assert dials.sockets[SILENT].fileno() == -1

    run(scenario)


def test_families_are_dialled_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        dials = Dials(monkeypatch)
        addresses = ["127.1.0.2", "127.1.0.3", "127.1.0.4", "::1"]
        dials.errors = dict.fromkeys(addresses, errno.ECONNREFUSED)
        async with sending(look_up=always(*addresses)) as sender:
            answer = await sender.send(post(f"http://{NAME}:8080/"), timeout_seconds=LONG)
            assert answer.reason is Reason.CONNECT_FAILED
            assert list(dials.sockets) == ["127.1.0.2", "::1", "127.1.0.3"]

    run(scenario)


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        ([errno.EMFILE, errno.ECONNREFUSED], Reason.CONNECT_FAILED),
        ([errno.ECONNREFUSED, errno.EADDRNOTAVAIL], Reason.CONNECT_FAILED),
        ([errno.EMFILE, errno.ENFILE], Reason.UNAVAILABLE),
    ],
)
def test_attempt_is_refunded_only_if_each_dial_failed_for_lack_of_own_resources(
    errors: list[int], reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = list(errors)

    def fail(*_: object) -> socket.socket:
        number = waiting.pop(0)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(DialGuard, "open_socket", fail)

    async def scenario() -> None:
        async with sending(look_up=always("127.1.0.2", "127.1.0.3")) as sender:
            answer = await sender.send(post(f"http://{NAME}:8080/"), timeout_seconds=LONG)
            assert answer.reason is reason

    run(scenario)


def test_cancelled_call_closes_the_sockets_of_its_race(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        dials = Dials(monkeypatch)
        async with sending(look_up=always(SILENT, ANSWERS)) as sender:
            call = asyncio.create_task(sender.send(post(f"http://{NAME}:8080/"), timeout_seconds=LONG))
            while SILENT not in dials.sockets:
                await asyncio.sleep(0.001)
            call.cancel()
            await asyncio.wait([call])
            await asyncio.sleep(0)
            assert call.cancelled()
            assert {opened.fileno() for opened in dials.sockets.values()} == {-1}

    run(scenario)


# --- lookups that calls share


class Names:
    """A look-up that counts, and can fail."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: OSError | None = None

    def look_up(self, _name: str) -> list[str]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return [ANSWERS]


def test_calls_of_a_batch_to_one_name_share_a_look_up() -> None:
    async def scenario() -> None:
        names = Names()
        async with Receiver(replies(reply())) as receiver, sending(look_up=names.look_up) as sender:
            batch = [sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG) for _ in range(20)]
            assert {answer.reason for answer in await asyncio.gather(*batch)} == {Reason.OK}
            assert names.asked == 1

    run(scenario)


def test_name_is_looked_up_again_after_the_time_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_up.CACHE_SECONDS == 10.0
    monkeypatch.setattr(look_up, "CACHE_SECONDS", 0.0)

    async def scenario() -> None:
        names = Names()
        async with (
            Receiver(replies(reply(200, b"", "Connection: close"))) as receiver,
            sending(look_up=names.look_up) as sender,
        ):
            for _ in range(3):
                assert (await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)).succeeded
            assert names.asked == 3

    run(scenario)


def test_failed_look_up_is_not_remembered() -> None:
    async def scenario() -> None:
        names = Names()
        names.error = socket.gaierror(socket.EAI_AGAIN, "try again")
        async with Receiver(replies(reply())) as receiver, sending(look_up=names.look_up) as sender:
            target = post(receiver.url(host=NAME))
            assert (await sender.send(target, timeout_seconds=LONG)).reason is Reason.DNS_FAILED
            names.error = None
            assert (await sender.send(target, timeout_seconds=LONG)).reason is Reason.OK

    run(scenario)


def test_cancelled_call_leaves_the_look_up_to_the_others() -> None:
    async def scenario() -> None:
        names, held = Names(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def slow(name: str) -> list[str]:
            asyncio.run_coroutine_threadsafe(held.wait(), loop).result(LONG)
            return names.look_up(name)

        async with Receiver(replies(reply())) as receiver, sending(look_up=slow) as sender:
            first, second = (
                asyncio.create_task(sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG))
                for _ in range(2)
            )
            await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.wait([first])
            held.set()
            assert (await second).reason is Reason.OK
            assert (first.cancelled(), names.asked) == (True, 1)

    run(scenario)
