"""Names: looked up once for a call, every answer judged, and only what was judged is dialled.

A real name server answers, over UDP; real listeners wait where nothing may arrive.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.delivery.names import Answers, NameServer, always, name_server
from tests.support.delivery.sending import ELSEWHERE, LONG, SHORT, post, run, sending
from tests.support.fakes.receiver import Receiver, replies, reply

OPEN, CLOSED, CLOSED_V6 = "127.0.0.1", "127.0.0.2", "::1"
OPENED = ("127.0.0.1/32", ELSEWHERE)
"""Exceptions for one loopback address. With loopback alone, the names of these tests would be refused."""
"""Of three listeners at one port, the one that the deployment opened, and two that it did not."""
ZONE: dict[str, Answers] = {
    "open.test": [[OPEN]],
    "closed.test": [[CLOSED]],
    "closed6.test": [[CLOSED_V6]],
    "mixed.test": [[OPEN, CLOSED]],
    "mixed-last.test": [["8.8.8.8", "1.1.1.1", OPEN, CLOSED]],
    "mixed6.test": [[OPEN, CLOSED_V6]],
    "metadata.test": [["169.254.169.254"]],
    "mapped.test": [["::ffff:7f00:1"]],
    "nat64.test": [["64:ff9b::7f00:1"]],
    "rebinds.test": [[OPEN], [CLOSED]],
    "public-then-inside.test": [["8.8.8.8"], [CLOSED]],
    "empty.test": [[]],
}
ALIASES = {"alias.test": "closed.test", "friendly.example.com": "metadata.test"}


@contextlib.asynccontextmanager
async def listeners() -> AsyncIterator[dict[str, Receiver]]:
    """One on each address, all at the same port, so that a dial to any of them would be seen."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(Receiver(replies(reply()), address=OPEN))
        made = {OPEN: first}
        for address in (CLOSED, CLOSED_V6):
            other = Receiver(replies(reply()), address=address, port=first.port)
            made[address] = await stack.enter_async_context(other)
        yield made


def touched(made: dict[str, Receiver]) -> dict[str, int]:
    """How often each was connected to, those never left out."""
    return {address: receiver.connections for address, receiver in made.items() if receiver.connections}


def call_by_name(
    name: str, *exceptions: str, times: int = 1
) -> tuple[list[CallbackResponse], dict[str, int], NameServer]:
    """Each call by a sender of its own, as by a new worker; what came of them, and what was touched and asked."""

    async def scenario() -> tuple[list[CallbackResponse], dict[str, int], NameServer]:
        with name_server(ZONE, aliases=ALIASES) as names:
            async with listeners() as made:
                target = post(made[OPEN].url(host=name))
                answers = []
                for _ in range(times):
                    async with sending(*exceptions, look_up=names.look_up) as sender:
                        answers.append(await sender.send(target, timeout_seconds=LONG))
                return answers, touched(made), names

    return asyncio.run(scenario())


def test_a_name_that_leads_to_an_open_address_is_called() -> None:
    (answer,), dialled, names = call_by_name("open.test", *OPENED)
    assert (answer.reason, dialled) == (Reason.OK, {OPEN: 1})
    assert names.asked == {("open.test", "A"): 1, ("open.test", "AAAA"): 1}


@pytest.mark.parametrize(
    "name",
    [
        "closed.test",
        "closed6.test",
        "mixed.test",
        "mixed-last.test",
        "mixed6.test",
        "metadata.test",
        "mapped.test",
        "nat64.test",
        *ALIASES,
    ],
)
def test_blocked_address_blocks_the_whole_name(name: str) -> None:
    (answer,), dialled, names = call_by_name(name, *OPENED)
    assert (answer.reason, answer.status, dialled) == (Reason.ADDRESS_NOT_ALLOWED, None, {})
    assert set(names.asked.values()) == {1}


@pytest.mark.parametrize("name", ["open.test", "closed.test", "closed6.test"])
def test_without_exceptions_no_listener_on_loopback_is_touched(name: str) -> None:
    (answer,), dialled, _ = call_by_name(name, ELSEWHERE)
    assert (answer.reason, dialled) == (Reason.ADDRESS_NOT_ALLOWED, {})


def test_a_name_that_moves_inside_between_two_attempts_is_blocked_at_the_second() -> None:
    (first, second), dialled, names = call_by_name("rebinds.test", *OPENED, times=2)
    assert (first.reason, second.reason) == (Reason.OK, Reason.ADDRESS_NOT_ALLOWED)
    assert dialled == {OPEN: 1}
    assert names.asked["rebinds.test", "A"] == 2


def test_a_name_that_moves_inside_during_an_attempt_changes_nothing() -> None:
    """It is looked up once: whoever looked a second time to dial would find the listener that is closed."""
    (answer,), dialled, names = call_by_name("rebinds.test", *OPENED)
    assert (answer.reason, dialled, names.asked["rebinds.test", "A"]) == (Reason.OK, {OPEN: 1}, 1)


def test_a_worker_that_goes_on_never_dials_where_the_name_went() -> None:
    async def scenario() -> None:
        with name_server(ZONE) as names:
            async with listeners() as made, sending(*OPENED, look_up=names.look_up) as sender:
                target = post(made[OPEN].url(host="rebinds.test"))
                for _ in range(5):
                    await sender.send(target, timeout_seconds=LONG)
                assert touched(made) == {OPEN: 1}
                assert made[OPEN].requests[4].header("host") == f"rebinds.test:{made[OPEN].port}"

    run(scenario)


def test_a_name_that_is_good_for_https_is_not_remembered_for_plain_http() -> None:
    async def scenario() -> None:
        async with sending(*OPENED, look_up=always("8.8.8.8")) as sender:
            secure = await sender.send(post("https://public.test:8443/"), timeout_seconds=SHORT)
            plain = await sender.send(post("http://public.test:8443/"), timeout_seconds=LONG)
            assert secure.reason is not Reason.ADDRESS_NOT_ALLOWED
            assert plain.reason is Reason.ADDRESS_NOT_ALLOWED

    run(scenario)


@pytest.mark.parametrize("name", ["nowhere.test", "empty.test"])
def test_a_name_without_an_address(name: str) -> None:
    (answer,), dialled, _ = call_by_name(name, *OPENED)
    assert (answer.reason, answer.status, dialled) == (Reason.DNS_FAILED, None, {})


# --- literal addresses, which no resolver is asked about


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fd00:ec2::254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "http://8.8.8.8/",
        "http://[2606:4700::1111]/",
    ],
)
def test_literal_addresses_are_judged_too(url: str) -> None:
    async def scenario() -> None:
        async with sending(ELSEWHERE, look_up=always("8.8.8.8")) as sender:
            answer = await sender.send(post(url), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.ADDRESS_NOT_ALLOWED, None)

    run(scenario)


@pytest.mark.parametrize("host", ["2130706433", "127.1", "0x7f000001", "0177.0.0.1", "127.0.0.1."])
@pytest.mark.parametrize("exception", [ELSEWHERE, "127.0.0.0/8"])
def test_an_address_in_costume_is_never_dialled(host: str, exception: str) -> None:
    async def scenario() -> None:
        async with (
            Receiver(replies(reply())) as receiver,
            sending(exception, look_up=always(CLOSED)) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=host)), timeout_seconds=LONG)
            assert not answer.succeeded
            assert receiver.connections == 0

    run(scenario)


# --- names that are refused as such


@pytest.mark.parametrize(
    "host",
    [
        "metadata.google.internal",
        "METADATA.google.internal",
        "instance-data.ec2.internal",
        "api.example",
        "API.example",
    ],
)
def test_names_that_are_refused_are_not_even_looked_up(host: str) -> None:
    async def scenario() -> None:
        with name_server({host.lower(): [[OPEN]]}) as names:
            async with (
                Receiver(replies(reply())) as receiver,
                sending(own_hosts=["api.example"], look_up=names.look_up) as sender,
            ):
                answer = await sender.send(post(receiver.url(host=host)), timeout_seconds=LONG)
                assert (answer.reason, receiver.connections) == (Reason.ADDRESS_NOT_ALLOWED, 0)
        assert not names.asked

    run(scenario)
