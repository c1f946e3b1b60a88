"""The sender: when a call was connected, and when the first byte of its response arrived."""

import asyncio

from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.delivery.sending import LONG, SHORT, answer_to, post, run, sending
from tests.support.fakes.receiver import Peer, Receiver, replies, reply, silent

PAUSE_S = 0.2
PAUSE_MS = 200


def test_kept_alive_connection_takes_no_time() -> None:
    answers: list[CallbackResponse] = []

    async def scenario() -> None:
        async with Receiver(replies(reply(), reply())) as receiver, sending() as sender:
            answers.extend([await sender.send(post(receiver.url()), timeout_seconds=LONG) for _ in range(2)])

    run(scenario)
    first, second = answers
    assert second.connect_ms == 0
    assert first.connect_ms is not None
    assert first.head_ms is not None
    assert 0 <= first.connect_ms <= first.head_ms <= first.duration_ms


async def dawdles(peer: Peer) -> None:
    """Its head arrives late, and its body later."""
    await peer.request()
    await asyncio.sleep(PAUSE_S)
    await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
    await asyncio.sleep(PAUSE_S)
    await peer.send(b"x")


def test_first_byte_is_told_apart_from_the_end() -> None:
    answer, _ = answer_to(dawdles)
    assert answer.reason is Reason.OK
    assert answer.head_ms is not None
    assert PAUSE_MS <= answer.head_ms <= answer.duration_ms - PAUSE_MS + 50


def test_receiver_that_says_nothing_has_no_first_byte() -> None:
    answer, _ = answer_to(silent(), timeout_seconds=SHORT)
    assert answer.reason is Reason.TIMEOUT
    assert answer.connect_ms is not None
    assert answer.head_ms is None


def test_call_without_a_connection_has_neither() -> None:
    async def scenario() -> None:
        async with sending() as sender:
            answer = await sender.send(post("http://127.0.0.1:1/"), timeout_seconds=LONG)
        assert answer.reason is Reason.CONNECT_FAILED
        assert (answer.connect_ms, answer.head_ms) == (None, None)

    run(scenario)
