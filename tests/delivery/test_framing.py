"""The sender: where a response begins and ends, and which connection carries another request afterwards."""

import asyncio
import ssl
from dataclasses import replace
from typing import Any

import pytest
import trustme

from shared.adapters.http.connection import Connection
from shared.adapters.http.dial import Dialer
from shared.adapters.http.response import MAX_HEADERS, MAX_LINE_BYTES, MAX_PENDING_BYTES, Response
from shared.domain.delivery.callback import STORED_BODY_BYTES, CallbackResponse, Reason
from tests.support.delivery.names import always
from tests.support.delivery.sending import LONG, OK_HEAD, SHORT, answer_to, post, run, sending
from tests.support.delivery.trust import NAME, trusting
from tests.support.fakes.receiver import Peer, Receiver, replies, replies_and_closes, replies_and_stays, reply

CHUNKED = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\nTrailer: X-Punctual-Async\r\n\r\n"


def twice(raw: bytes, method: str = "POST") -> tuple[CallbackResponse, list[int]]:
    """The first of two answers, and the connections of both requests."""
    answers: list[CallbackResponse] = []
    receivers: list[Receiver] = []

    async def scenario() -> None:
        async with Receiver(replies(raw)) as receiver, sending() as sender:
            receivers.append(receiver)
            for _ in range(2):
                target = post(receiver.url(), b"", method=method)
                answers.append(await sender.send(target, timeout_seconds=LONG))

    run(scenario)
    return answers[0], [request.connection for request in receivers[0].requests]


@pytest.mark.parametrize(
    ("raw", "reason", "status"),
    [
        pytest.param(
            OK_HEAD + b"X: a\r\n b\r\nContent-Length: 0\r\n\r\n", Reason.OK, 200, id="folded header"
        ),
        pytest.param(b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", Reason.OK, 200, id="no reason phrase"),
        pytest.param(CHUNKED + b"2;name=value\r\nok\r\n0\r\n\r\n", Reason.OK, 200, id="chunk extension"),
        pytest.param(CHUNKED + b"2 \r\nok\r\n0\r\n\r\n", Reason.OK, 200, id="space after a chunk size"),
        pytest.param(CHUNKED + b"2\r\nok\r\n0\r\nX: a\r\n\r\n", Reason.OK, 200, id="trailer"),
        pytest.param(
            reply(200, b"ok", "Upgrade: h2c", "Connection: upgrade"), Reason.OK, 200, id="upgrade offer"
        ),
        pytest.param(b"HTTP/1.1 204 No\r\nContent-Length: 4\r\n\r\n", Reason.OK, 204, id="204 with a length"),
        pytest.param(
            b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
            Reason.REDIRECT,
            304,
            id="304 with a length",
        ),
    ],
)
def test_connection_carries_another_request_after_a_complete_response(
    raw: bytes, reason: Reason, status: int
) -> None:
    answer, connections = twice(raw)
    assert (answer.reason, answer.status) == (reason, status)
    assert connections == [1, 1]


@pytest.mark.parametrize(
    ("raw", "reason", "status"),
    [
        pytest.param(reply(200, b"ok", "Connection: close"), Reason.OK, 200, id="connection: close"),
        pytest.param(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", Reason.OK, 200, id="HTTP/1.0"),
        pytest.param(reply(200, b"ok") + b"more", Reason.OK, 200, id="bytes after the response"),
        pytest.param(b"HTTP/1.1 101 Yes\r\n\r\n", Reason.HTTP_STATUS, 101, id="101 that upgrades nothing"),
        pytest.param(
            b"HTTP/1.1 101 Yes\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            Reason.HTTP_STATUS,
            101,
            id="101 that upgrades",
        ),
    ],
)
def test_connection_is_closed_after_a_response_that_leaves_its_state_in_doubt(
    raw: bytes, reason: Reason, status: int
) -> None:
    answer, connections = twice(raw)
    assert (answer.reason, answer.status) == (reason, status)
    assert connections == [1, 2]


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        pytest.param(
            OK_HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", None, id="the same length twice"
        ),
        pytest.param(OK_HEAD + b"Content-Length: 2, 2\r\n\r\nok", None, id="a list of lengths"),
        pytest.param(OK_HEAD + b"Content-Length: +2\r\n\r\nok", None, id="a length with a sign"),
        pytest.param(
            OK_HEAD + b"Content-Length : 5\r\n\r\nok", 200, id="cut off after a length with a space"
        ),
        pytest.param(
            OK_HEAD + b"X: a\rb\r\nContent-Length: 0\r\n\r\n", None, id="a carriage return in a header"
        ),
        pytest.param(CHUNKED + b"2\nok\n0\n\n", 200, id="chunks whose lines end with LF alone"),
        pytest.param(CHUNKED + b"-2\r\nok\r\n0\r\n\r\n", 200, id="a negative chunk"),
        pytest.param(CHUNKED + b"f" * 17 + b"\r\nok\r\n0\r\n\r\n", 200, id="a chunk beyond all integers"),
        pytest.param(
            OK_HEAD + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
            200,
            id="chunks without an end, named by a second header",
        ),
        pytest.param(
            CHUNKED + b"2\r\nok\r\n0\r\nTransfer-Encoding: gzip\r\nX: a\r\n",
            200,
            id="chunks without an end, and a trailer that denies them",
        ),
    ],
)
def test_ambiguous_framing_is_a_protocol_error(raw: bytes, status: int | None) -> None:
    answer, _ = answer_to(replies_and_closes(raw))
    assert (answer.reason, answer.status) == (Reason.PROTOCOL_ERROR, status)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (OK_HEAD + b"no colon\r\n", None),
        (OK_HEAD + b"X: " + b"a" * (MAX_LINE_BYTES + 1) + b"\r\n\r\n", None),
        (CHUNKED + b"zz\r\n", 200),
    ],
)
def test_call_ends_at_the_first_invalid_line_although_the_receiver_stays(
    raw: bytes, status: int | None
) -> None:
    answer, _ = answer_to(replies_and_stays(raw), timeout_seconds=10 * SHORT)
    assert (answer.reason, answer.status) == (Reason.PROTOCOL_ERROR, status)


def test_body_in_another_coding_ends_with_its_connection() -> None:
    answer, _ = answer_to(replies_and_closes(OK_HEAD + b"Transfer-Encoding: gzip\r\n\r\nwhatever"))
    assert answer.reason is Reason.OK


def test_body_that_ends_with_its_connection_may_come_over_tls(authority: trustme.CA) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(NAME).configure_cert(context)

    async def scenario() -> None:
        async with (
            Receiver(replies_and_closes(OK_HEAD + b"\r\nhello"), ssl_context=context) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.OK, 200)

    run(scenario)


# --- HEAD


def test_head_is_answered_without_a_body_whatever_the_length_says() -> None:
    answer, connections = twice(OK_HEAD + b"Content-Length: 1000\r\n\r\n", "HEAD")
    assert (answer.reason, connections) == (Reason.OK, [1, 1])


def test_body_after_a_response_to_head_is_not_taken_for_the_next_response() -> None:
    answer, connections = twice(reply(200, b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"), "HEAD")
    assert (answer.reason, connections) == (Reason.OK, [1, 2])


# --- trailers


@pytest.mark.parametrize(
    ("head", "trailer"),
    [
        (ACCEPTED, b"X-Punctual-Async: true"),
        (ACCEPTED.replace(b"202", b"500"), b"X-Punctual-No-Retry: true"),
        (ACCEPTED.replace(b"202", b"503"), b"Retry-After: 7"),
    ],
)
def test_trailer_decides_nothing(head: bytes, trailer: bytes) -> None:
    answer, _ = answer_to(replies(head + b"2\r\nok\r\n0\r\n" + trailer + b"\r\n\r\n"))
    assert answer.reason in (Reason.OK, Reason.HTTP_STATUS)
    assert (answer.async_accepted, answer.retry_after_seconds) == (False, None)


# --- limits


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        (b"X: a\r\n" * (MAX_HEADERS - 1), Reason.OK),
        (b"X: a\r\n" * MAX_HEADERS, Reason.PROTOCOL_ERROR),
        (b"X: " + b"a" * MAX_LINE_BYTES + b"\r\n", Reason.OK),
        (b"X: " + b"a" * (MAX_LINE_BYTES + 1) + b"\r\n", Reason.PROTOCOL_ERROR),
        (b"X" * MAX_LINE_BYTES + b": a\r\n", Reason.OK),
        (b"X" * (MAX_LINE_BYTES + 1) + b": a\r\n", Reason.PROTOCOL_ERROR),
    ],
)
def test_limits_of_a_head_at_their_edges(headers: bytes, reason: Reason) -> None:
    answer, _ = answer_to(replies(OK_HEAD + headers + b"Content-Length: 0\r\n\r\n"))
    assert answer.reason is reason


@pytest.mark.parametrize(
    ("before", "repeated", "error"),
    [
        (OK_HEAD + b"X: ", b"a", Reason.PROTOCOL_ERROR),
        (OK_HEAD, b"a", Reason.PROTOCOL_ERROR),
        (CHUNKED + b"2;", b"a", Reason.PROTOCOL_ERROR),
        (OK_HEAD + b"Content-Length: 100000\r\n\r\n", b"a", None),
        (CHUNKED, b"1\r\na\r\n", None),
    ],
)
def test_endless_line_ends_the_call_before_the_parser_has_copied_it_many_times(
    before: bytes, repeated: bytes, error: Reason | None
) -> None:
    async def scenario() -> None:
        response = Response(is_head=False)
        response.feed(before)
        for byte in repeated * (MAX_PENDING_BYTES + 1):
            response.feed(bytes([byte]))
            if response.ended.done():
                break
        ended = response.ended.result() if response.ended.done() else None
        assert (ended and ended.reason) == error

    run(scenario)


def test_longest_header_may_come_a_byte_at_a_time() -> None:
    async def scenario() -> None:
        response = Response(is_head=False)
        header = b"X" * MAX_LINE_BYTES + b": " + b"a" * MAX_LINE_BYTES + b"\r\n"
        for byte in OK_HEAD + header * 2 + b"Content-Length: 0\r\n\r\n":
            response.feed(bytes([byte]))
        assert response.ended.result() is None

    run(scenario)


def test_limits_of_a_head_are_counted_anew_for_each_head() -> None:
    headers = b"X: a\r\n" * (MAX_HEADERS - 1)
    interim = b"HTTP/1.1 103 " + b"a" * MAX_LINE_BYTES + b"\r\n" + headers + b"\r\n"
    final = OK_HEAD + headers + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + headers + b"\r\n"
    answer, _ = answer_to(replies(interim * 3 + final))
    assert (answer.reason, answer.status) == (Reason.OK, 200)


# --- responses that come early


def test_response_before_the_request_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers without capacity respond as soon as they accept a connection."""
    sent = asyncio.Event()
    dial = Dialer.dial

    async def dial_and_wait(*options: Any) -> Connection:
        connection = await dial(*options)
        await sent.wait()
        await asyncio.sleep(0.01)
        return connection

    async def refuses(peer: Peer) -> None:
        await peer.send(reply(503, b"full", "Retry-After: 3"))
        sent.set()
        await peer.reader.read()

    monkeypatch.setattr(Dialer, "dial", dial_and_wait)
    answer, _ = answer_to(refuses)
    assert (answer.reason, answer.status, answer.retry_after_seconds) == (Reason.HTTP_STATUS, 503, 3)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_connection_is_closed_when_the_response_comes_before_the_whole_request_was_sent(
    authority: trustme.CA, scheme: str
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(NAME).configure_cert(context)

    async def refuses(peer: Peer) -> None:
        await peer.reader.readuntil(b"\r\n\r\n")
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await peer.send(reply(413))
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with (
            Receiver(refuses, ssl_context=context if scheme == "https" else None) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            for _ in range(2):
                target = post(receiver.url(host=NAME), b"x" * 20_000_000)
                answer = await sender.send(target, timeout_seconds=LONG)
                assert (answer.reason, answer.status) == (Reason.HTTP_STATUS, 413)
            assert receiver.connections == 2

    run(scenario)


@pytest.mark.parametrize("size", [0, 10, 4_096, 4_097, 100_000])
def test_body_of_a_success_is_read_as_far_as_the_callback_wants(size: int) -> None:
    async def scenario() -> None:
        body = b"x" * size
        async with Receiver(replies(reply(200, body))) as receiver, sending() as sender:
            for kept in (0, 4_097):
                target = replace(post(receiver.url(), b""), kept_bytes=kept)
                answer = await sender.send(target, timeout_seconds=LONG)
                assert (answer.reason, answer.body) == (Reason.OK, body[:kept])

    run(scenario)


def test_body_of_a_failure_is_kept_in_short_whatever_is_wanted_of_a_success() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(500, b"x" * 5_000))) as receiver, sending() as sender:
            target = replace(post(receiver.url(), b""), kept_bytes=4_097)
            answer = await sender.send(target, timeout_seconds=LONG)
            assert (answer.reason, len(answer.body)) == (Reason.HTTP_STATUS, STORED_BODY_BYTES)

    run(scenario)
