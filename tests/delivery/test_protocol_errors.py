"""The sender: receivers that speak no HTTP, and bodies that never end."""

import asyncio
import gzip

import pytest

from shared.adapters.http.response import MAX_BODY_BYTES, MAX_HEADS, MAX_RESPONSE_BYTES
from shared.adapters.http.sockets import READ_BYTES, BoundedSocket
from shared.domain.delivery.callback import STORED_BODY_BYTES, Reason
from tests.support.delivery.sending import LONG, OK_HEAD, answer_to, post, run, sending
from tests.support.fakes.receiver import (
    Peer,
    Receiver,
    Script,
    drips,
    replies,
    replies_and_closes,
    replies_and_resets,
    reply,
)


@pytest.mark.parametrize(
    "script",
    [
        replies_and_closes(b""),
        replies_and_resets(b""),
        replies_and_closes(OK_HEAD),
        replies_and_closes(b"<html>hello</html>\n"),
        replies_and_closes(b"\x00\xff\xfe" * 100),
        replies_and_closes(b"HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"RTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"\r\nICE/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(b"HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Content-Length: 10\r\n\r\nshort"),
        replies_and_resets(OK_HEAD + b"Content-Length: 10\r\n\r\nshort"),
        replies_and_closes(OK_HEAD + b"Content-Length: -1\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Content-Length: x\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        replies_and_closes(OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        replies_and_closes(OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Transfer-Encoding: chunked,\r\n\r\n5\r\nhel"),
        replies_and_closes(OK_HEAD + b"Transfer-Encoding: chunked;x=1\r\n\r\n5\r\nhel"),
        replies_and_closes(OK_HEAD + b"X: " + b"a" * 20_000 + b"\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"X" * 20_000 + b": a\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"X: a\r\n" * 200 + b"Content-Length: 0\r\n\r\n"),
        replies_and_closes(b"HTTP/1.1 200 " + b"a" * 20_000 + b"\r\nContent-Length: 0\r\n\r\n"),
        drips(OK_HEAD + b"X: ", b"a" * 1000, every_seconds=0),
        drips(OK_HEAD, b"X: a\r\n" * 100, every_seconds=0),
    ],
)
def test_protocol_errors(script: Script) -> None:
    answer, receiver = answer_to(script)
    assert (answer.reason, answer.succeeded) == (Reason.PROTOCOL_ERROR, False)
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("script", [replies_and_closes(b""), replies_and_resets(b"")])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_an_attempt_is_one_request_even_where_http_calls_the_method_idempotent(
    script: Script, method: str
) -> None:
    answer, receiver = answer_to(script, method=method)
    assert (answer.reason, len(receiver.requests)) == (Reason.PROTOCOL_ERROR, 1)


@pytest.mark.parametrize(
    "raw",
    [b"HTTP/1.0 200 OK\r\n\r\nhello", OK_HEAD + b"\r\nhello", OK_HEAD + b"Connection: close\r\n\r\n"],
)
def test_an_answer_may_end_with_its_connection(raw: bytes) -> None:
    answer, _ = answer_to(replies_and_closes(raw))
    assert answer.reason is Reason.OK


@pytest.mark.parametrize(
    ("interim", "reason"), [(MAX_HEADS - 1, Reason.OK), (MAX_HEADS, Reason.PROTOCOL_ERROR)]
)
def test_interim_answers_are_skipped_up_to_a_number(interim: int, reason: Reason) -> None:
    """Far fewer bytes than an answer may have: each costs more time than its size."""
    answer, _ = answer_to(replies(b"HTTP/1.1 102 Processing\r\n\r\n" * interim + reply()))
    assert answer.reason is reason


def test_the_next_answer_of_a_connection_is_counted_anew() -> None:
    large = reply(200, b"x" * 50_000)

    async def scenario() -> None:
        async with Receiver(replies(large)) as receiver, sending() as sender:
            for _ in range(MAX_RESPONSE_BYTES // len(large) + 2):
                assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            assert receiver.connections == 1

    run(scenario)


def test_an_endless_body_is_left_after_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    recv = BoundedSocket.recv

    def counting(opened: BoundedSocket, size: int, flags: int = 0) -> bytes:
        nonlocal read
        data = recv(opened, size, flags)
        read += len(data)
        return data

    monkeypatch.setattr(BoundedSocket, "recv", counting)
    gone = asyncio.Event()

    async def endless(peer: Peer) -> None:
        await peer.request()
        try:
            await peer.send(OK_HEAD + b"\r\n")
            while True:
                await peer.send(b"x" * 65_536)
        except ConnectionError:
            gone.set()

    async def scenario() -> None:
        async with Receiver(endless) as receiver, sending() as sender:
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.OK, 200)
            await asyncio.wait_for(gone.wait(), LONG)  # the connection was closed, not kept

    run(scenario)
    assert MAX_BODY_BYTES == 65_536
    assert MAX_BODY_BYTES < read <= MAX_BODY_BYTES + 2 * READ_BYTES


@pytest.mark.parametrize(("size", "connections"), [(MAX_BODY_BYTES, 1), (1_000_000, 2)])
def test_a_connection_is_kept_only_after_the_whole_body(size: int, connections: int) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(500, b"x" * size))) as receiver, sending() as sender:
            for _ in range(2):
                answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
                assert (answer.status, answer.body) == (500, b"x" * STORED_BODY_BYTES)
            assert receiver.connections == connections

    run(scenario)


def test_compressed_response_body_is_not_decompressed() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    answer, _ = answer_to(replies(reply(500, bomb, "Content-Encoding: gzip")))
    assert answer.body == bomb[:STORED_BODY_BYTES]
    answer, _ = answer_to(replies(reply(200, b"not gzip at all", "Content-Encoding: gzip")))
    assert answer.reason is Reason.OK
