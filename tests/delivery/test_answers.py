"""The sender: what an answer means."""

import asyncio

import pytest

from shared.adapters.http.retry_after import retry_after_seconds
from shared.domain.delivery.callback import STORED_BODY_BYTES, CallbackResponse, Reason
from tests.support.delivery.sending import LONG, SHORT, answer_to, post, run, sending
from tests.support.fakes.receiver import Peer, Receiver, drips, replies, replies_and_closes, reply


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_success(status: int) -> None:
    answer, _ = answer_to(replies(reply(status, b"" if status == 204 else b"thanks")))
    assert (answer.reason, answer.status, answer.body, answer.succeeded) == (Reason.OK, status, b"", True)


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 399])
def test_redirects_are_not_followed(status: int) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as elsewhere:
            there = f"Location: {elsewhere.url()}"
            async with Receiver(replies(reply(status, b"", there))) as receiver, sending() as sender:
                answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.REDIRECT, status)
            assert (len(receiver.requests), elsewhere.connections) == (1, 0)

    run(scenario)


@pytest.mark.parametrize("status", [400, 404, 410, 500, 999])
def test_a_failing_status_keeps_the_beginning_of_its_body(status: int) -> None:
    body = bytes(range(256)) * 4
    answer, _ = answer_to(replies(reply(status, body)))
    assert (answer.reason, answer.status) == (Reason.HTTP_STATUS, status)
    assert answer.body == body[:STORED_BODY_BYTES]


def test_the_kept_body_may_come_in_pieces() -> None:
    async def hesitates(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 500 No\r\nContent-Length: 1000\r\n\r\n")
        for piece in (b"first, ", b"second, ", b"x" * 985):
            await peer.send(piece)
            await asyncio.sleep(0.01)

    answer, _ = answer_to(hesitates)
    assert answer.body == b"first, second, " + b"x" * (STORED_BODY_BYTES - 15)


def test_a_failing_status_decides_although_its_body_drips_or_is_cut_off() -> None:
    head = b"HTTP/1.1 429 Slow\r\nContent-Length: 1000\r\nRetry-After: 7\r\n\r\nwhy"
    for script in (replies_and_closes(head), drips(head, b"", every_seconds=SHORT / 10)):
        answer, _ = answer_to(script, timeout_seconds=SHORT)
        assert answer == CallbackResponse(
            reason=Reason.HTTP_STATUS,
            duration_ms=answer.duration_ms,
            status=429,
            retry_after_seconds=7,
            body=b"why",
        )


def test_switching_protocols_is_a_status_like_any_other() -> None:
    answer, _ = answer_to(replies(b"HTTP/1.1 101 Yes\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc"))
    assert (answer.reason, answer.status) == (Reason.HTTP_STATUS, 101)


def test_duration_is_measured_by_the_given_clock() -> None:
    async def scenario() -> None:
        clock = iter([10.0, 10.1, 10.2, 10.25])
        async with Receiver(replies(reply())) as receiver, sending(monotonic=lambda: next(clock)) as sender:
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
        assert (answer.duration_ms, answer.connect_ms, answer.head_ms) == (250, 100, 200)

    run(scenario)


NOON = "Date: Sun, 06 Nov 1994 12:00:00 GMT"


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (503, ["Retry-After: 120"], 120),
        (429, ["retry-after:  0  "], 0),
        (429, ["Retry-After: 86401"], 86_400),
        (429, ["Retry-After: " + "9" * 5000], 86_400),
        (429, ["Retry-After: " + "0" * 5000 + "5"], 5),
        (429, ["Retry-After: " + "0" * 5000], 0),
        (503, [NOON, "Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], 90),
        (503, [NOON, "Retry-After: Sunday, 06-Nov-94 12:01:30 GMT"], 90),
        (503, [NOON, "Retry-After: Sun Nov  6 12:01:30 1994"], 90),
        (503, [NOON, "Retry-After: Sun, 06 Nov 1994 11:00:00 GMT"], 0),
        (503, [NOON, "Retry-After: Sun, 06 Nov 2094 11:00:00 GMT"], 86_400),
        (503, ["Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], None),
        (503, ["Date: yesterday", "Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], None),
        (503, [NOON, "Retry-After: Sun, 99 Nov 1994 12:01:30 GMT"], None),
        (503, [NOON, "Retry-After: soon"], None),
        (503, ["Retry-After: " + "0" * 8000 + "x"], None),
        (503, [NOON, "Retry-After: Sun, 06 Nov 1994 12:01:30 GMT" + " (x)" * 1000], None),
        (503, [NOON + " (x)" * 1000, "Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], None),
        (503, [NOON, "Retry-After: -5"], None),
        (503, [NOON, "Retry-After: 1.5"], None),
        (503, [NOON, "Retry-After: \xb2"], None),
        (503, [NOON, "Retry-After:"], None),
        (503, [], None),
        (500, ["Retry-After: 120"], 120),
        (301, ["Retry-After: 120"], 120),
        (413, ["Retry-After: 120"], 120),
        (200, ["Retry-After: 120"], None),
    ],
)
def test_retry_after(status: int, headers: list[str], expected: int | None) -> None:
    answer, _ = answer_to(replies(reply(status, b"why", *headers)))
    assert (answer.status, answer.retry_after_seconds) == (status, expected)
    assert answer.body == (b"why" if status >= 300 else b"")


@pytest.mark.parametrize("text", ["0" * 1_000_000 + "x", "(" * 1_000_000, "Sun, " * 200_000, "1 " * 500_000])
def test_no_retry_after_takes_longer_to_read_than_it_is_long(text: str) -> None:
    """All calls of a process wait while one is read: with steps for each pair of characters this would not end."""
    assert retry_after_seconds({"retry-after": text, "date": text}) is None
