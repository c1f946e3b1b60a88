"""The sender: one deadline for everything."""

import asyncio
import math
from typing import Any

import pytest

from shared.adapters.http.connection import Connection
from shared.adapters.http.dial import Dialer
from shared.domain.delivery.callback import Reason
from tests.support.delivery.sending import LONG, SHORT, answer_to, post, run, sending
from tests.support.fakes.receiver import Peer, Receiver, Script, drips, replies, reply, silent


@pytest.mark.parametrize(
    ("script", "status"),
    [
        (silent(), None),
        (drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", every_seconds=0.01), None),
        (drips(b"HTTP/1.1 2", b"", every_seconds=0.01), None),
        (drips(b"HTTP/1.1 200 OK\r\nX: ", b"a", every_seconds=0.01), None),
        (drips(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"a", every_seconds=0.01), 200),
        (drips(b"HTTP/1.1 200 OK\r\n\r\n", b"a", every_seconds=0.01), 200),
        (
            drips(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n", every_seconds=0.01
            ),
            200,
        ),
    ],
)
def test_deadline_covers_the_whole_call(script: Script, status: int | None) -> None:
    # A busy machine may not even read the status within a short deadline: a longer one is as total.
    for seconds in (SHORT, 4 * SHORT, 16 * SHORT):
        answer, _ = answer_to(script, timeout_seconds=seconds)
        assert (answer.reason, answer.succeeded) == (Reason.TIMEOUT, False)
        assert answer.duration_ms >= seconds * 1000 - 20
        if answer.status == status:
            return
    assert answer.status == status


def test_the_deadline_covers_a_large_body_that_nobody_reads() -> None:
    async def never_reads(peer: Peer) -> None:
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.Event().wait()

    answer, _ = answer_to(never_reads, timeout_seconds=SHORT, body=b"x" * 1_000_000)
    assert (answer.reason, answer.status) == (Reason.TIMEOUT, None)


@pytest.mark.parametrize("seconds", [0, 0.0, -1, math.nan])
def test_no_time_left_means_no_call(seconds: float) -> None:
    answer, receiver = answer_to(replies(reply()), timeout_seconds=seconds)
    assert (answer.reason, receiver.connections) == (Reason.TIMEOUT, 0)


def test_response_that_was_read_counts_although_the_loop_notices_the_deadline_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker without processor time reads both at once; as a timeout, the call would be repeated."""
    sent = asyncio.Event()
    dial, exchange = Dialer.dial, Connection.exchange

    async def responds_at_once(peer: Peer) -> None:
        await peer.send(reply())
        sent.set()
        await peer.reader.read()

    async def dial_until_the_response_has_arrived(*options: Any) -> Connection:
        connection = await dial(*options)
        await sent.wait()
        return connection

    async def exchange_after_a_stall(*options: Any) -> None:
        loop = asyncio.get_running_loop()
        plain = loop.time
        monkeypatch.setattr(loop, "time", lambda: plain() + LONG)
        await exchange(*options)

    monkeypatch.setattr(Dialer, "dial", dial_until_the_response_has_arrived)
    monkeypatch.setattr(Connection, "exchange", exchange_after_a_stall)
    answer, _ = answer_to(responds_at_once)
    assert (answer.reason, answer.status) == (Reason.OK, 200)


def test_long_deadlines_are_not_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some clients round those of five seconds and more up to whole ones of the loop's clock."""
    deadlines: list[float] = []

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        plain = loop.call_at

        def call_at(when: float, *args: Any, **options: Any) -> asyncio.TimerHandle:
            deadlines.append(when - loop.time())
            return plain(when, *args, **options)

        monkeypatch.setattr(loop, "call_at", call_at)
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            await sender.send(post(receiver.url()), timeout_seconds=1000.5)

    run(scenario)
    assert [when for when in deadlines if when > 900] == pytest.approx([1000.5], abs=0.2)
