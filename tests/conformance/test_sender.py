"""The sender against real listeners on the loopback interface, most of them hostile."""

import asyncio
import contextlib
import datetime as dt
import gc
import gzip
import math
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.adapters.http.dial import AddressNotAllowedError, DialGuard, GuardedResolver, may_dial
from shared.adapters.http.sender import MAX_BODY_BYTES, AiohttpSender
from shared.domain.delivery import KEPT_BODY_BYTES, Answer, Callback, Reason
from tests.fakes.receiver import (
    Peer,
    Receiver,
    Script,
    drips,
    replies,
    replies_and_closes,
    replies_and_resets,
    reply,
    silent,
)

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
SHORT = 0.3
"""Seconds until the deadline, where a test waits for it."""
LONG = 30.0
"""Seconds until a deadline that no test reaches unless it fails."""


@pytest.fixture(scope="module", autouse=True)
def nothing_unclosed() -> Iterator[None]:
    """Provoke the warnings about unclosed sessions and transports here, where pytest turns them into errors."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def no_error_in_a_forgotten_task(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert not [record for record in caplog.get_records("call") if "never retrieved" in record.getMessage()]


@contextlib.asynccontextmanager
async def sending(*exceptions: Any, **options: Any) -> AsyncIterator[AiohttpSender]:
    sender = AiohttpSender(exceptions or LOOPBACK, **options)
    try:
        yield sender
    finally:
        await sender.close()


def post(url: str, body: bytes = b"{}", **others: Any) -> Callback:
    return Callback(**{"method": "POST", "url": url, "body": body, **others})


def answer_to(script: Script, *, timeout_seconds: float = LONG, **others: Any) -> tuple[Answer, Receiver]:
    """What one call makes of a receiver with this script."""

    async def scenario() -> tuple[Answer, Receiver]:
        async with Receiver(script) as receiver, sending() as sender:
            callback = post(receiver.url("/hook"), **others)
            return await sender.send(callback, timeout_seconds=timeout_seconds), receiver

    return asyncio.run(scenario())


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scenario())


# --- what is sent


def test_sends_what_it_is_given_and_little_else() -> None:
    headers = (("X-One", "1"), ("content-type", "text/x"), ("X-Two", "a"), ("X-Two", "b"))
    answer, receiver = answer_to(replies(reply(204)), headers=headers, body=b"\x00\xffbody")
    assert answer == Answer(reason=Reason.OK, duration_ms=answer.duration_ms, status=204)
    (request,) = receiver.requests
    assert (request.method, request.target, request.body) == ("POST", "/hook", b"\x00\xffbody")
    assert sorted(request.headers) == sorted(
        [
            *headers,
            ("Host", f"127.0.0.1:{request.header('host').split(':')[1]}"),  # type: ignore[union-attr]
            ("Content-Length", "6"),
            ("User-Agent", "Punctual/0.1"),
        ]
    )


def test_a_callback_may_name_its_own_user_agent() -> None:
    _, receiver = answer_to(replies(reply()), headers=(("user-agent", "mine/1"),))
    assert [value for name, value in receiver.requests[0].headers if name.lower() == "user-agent"] == [
        "mine/1"
    ]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
def test_every_method_without_a_body(method: str) -> None:
    answer, receiver = answer_to(replies(reply()), method=method, body=b"")
    assert answer.reason is Reason.OK
    assert (receiver.requests[0].method, receiver.requests[0].body) == (method, b"")
    assert receiver.requests[0].header("transfer-encoding") is None
    assert receiver.requests[0].header("content-length") == (None if method in ("GET", "HEAD") else "0")


def test_the_url_is_sent_as_it_was_accepted() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            for path in ("/%7e/../a//b?x=%2f+%20~&y[]=", "?q=1", ""):
                await sender.send(post(receiver.url(path)), timeout_seconds=LONG)
            assert [request.target for request in receiver.requests] == [
                "/%7e/../a//b?x=%2f+%20~&y[]=",
                "/?q=1",
                "/",
            ]

    run(scenario)


def test_cookies_are_not_kept() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(200, b"", "Set-Cookie: a=b"))) as receiver, sending() as sender:
            for _ in range(2):
                await sender.send(post(receiver.url(host="localhost")), timeout_seconds=LONG)
            assert [request.header("cookie") for request in receiver.requests] == [None, None]

    run(scenario)


def test_the_environments_proxy_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with (
            Receiver(replies(reply())) as receiver,
            Receiver(replies(reply())) as proxy,
            sending() as sender,
        ):
            for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url())
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
            assert (answer.reason, len(receiver.requests), proxy.connections) == (Reason.OK, 1, 0)

    run(scenario)


# --- what an answer means


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
    assert answer.body == body[:KEPT_BODY_BYTES]


def test_the_kept_body_may_come_in_pieces() -> None:
    async def hesitates(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 500 No\r\nContent-Length: 1000\r\n\r\n")
        for piece in (b"first, ", b"second, ", b"x" * 985):
            await peer.send(piece)
            await asyncio.sleep(0.01)

    answer, _ = answer_to(hesitates)
    assert answer.body == b"first, second, " + b"x" * (KEPT_BODY_BYTES - 15)


def test_a_failing_status_decides_although_its_body_drips_or_is_cut_off() -> None:
    head = b"HTTP/1.1 429 Slow\r\nContent-Length: 1000\r\nRetry-After: 7\r\n\r\nwhy"
    for script in (replies_and_closes(head), drips(head, b"", every_seconds=SHORT / 10)):
        answer, _ = answer_to(script, timeout_seconds=SHORT)
        assert answer == Answer(
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
        clock = iter([10.0, 10.25])
        async with Receiver(replies(reply())) as receiver, sending(monotonic=lambda: next(clock)) as sender:
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
        assert answer.duration_ms == 250

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
        (503, [NOON, "Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], 90),
        (503, [NOON, "Retry-After: Sunday, 06-Nov-94 12:01:30 GMT"], 90),
        (503, [NOON, "Retry-After: Sun Nov  6 12:01:30 1994"], 90),
        (503, [NOON, "Retry-After: Sun, 06 Nov 1994 11:00:00 GMT"], 0),
        (503, [NOON, "Retry-After: Sun, 06 Nov 2094 11:00:00 GMT"], 86_400),
        (503, ["Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], None),
        (503, ["Date: yesterday", "Retry-After: Sun, 06 Nov 1994 12:01:30 GMT"], None),
        (503, [NOON, "Retry-After: Sun, 99 Nov 1994 12:01:30 GMT"], None),
        (503, [NOON, "Retry-After: soon"], None),
        (503, [NOON, "Retry-After: -5"], None),
        (503, [NOON, "Retry-After: 1.5"], None),
        (503, [NOON, "Retry-After: \xb2"], None),
        (503, [NOON, "Retry-After:"], None),
        (503, [], None),
        (500, ["Retry-After: 120"], None),
        (200, ["Retry-After: 120"], None),
    ],
)
def test_retry_after(status: int, headers: list[str], expected: int | None) -> None:
    answer, _ = answer_to(replies(reply(status, b"why", *headers)))
    assert (answer.status, answer.retry_after_seconds) == (status, expected)
    assert answer.body == (b"why" if status >= 300 else b"")


# --- deadlines


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
def test_the_deadline_is_total(script: Script, status: int | None) -> None:
    answer, _ = answer_to(script, timeout_seconds=SHORT)
    assert (answer.reason, answer.status, answer.succeeded) == (Reason.TIMEOUT, status, False)
    assert answer.duration_ms >= SHORT * 1000 - 20


def test_the_deadline_covers_a_large_body_that_nobody_reads() -> None:
    async def never_reads(peer: Peer) -> None:
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.Event().wait()

    answer, _ = answer_to(never_reads, timeout_seconds=SHORT, body=b"x" * 1_000_000)
    assert (answer.reason, answer.status) == (Reason.TIMEOUT, None)


def test_the_deadline_covers_the_look_up_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def hangs(*_: object, **__: object) -> list[Any]:
        released.wait(10)
        raise socket.gaierror("gone")

    async def scenario() -> None:
        async with sending() as sender:
            answer = await sender.send(post("https://slow.test/"), timeout_seconds=SHORT)
            released.set()
        assert answer.reason is Reason.TIMEOUT

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    run(scenario)


@pytest.mark.parametrize("seconds", [0, 0.0, -1, math.nan])
def test_no_time_left_means_no_call(seconds: float) -> None:
    answer, receiver = answer_to(replies(reply()), timeout_seconds=seconds)
    assert (answer.reason, receiver.connections) == (Reason.TIMEOUT, 0)


def test_long_deadlines_are_not_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """aiohttp rounds those of five seconds and more up to whole ones of the loop's clock."""
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


# --- receivers that speak no HTTP


OK_HEAD = b"HTTP/1.1 200 OK\r\n"


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
        replies_and_closes(b"HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Content-Length: 10\r\n\r\nshort"),
        replies_and_resets(OK_HEAD + b"Content-Length: 10\r\n\r\nshort"),
        replies_and_closes(OK_HEAD + b"Content-Length: -1\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Content-Length: x\r\n\r\n"),
        replies_and_closes(OK_HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        replies_and_closes(OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        replies_and_closes(OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
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


# --- bodies


def test_an_endless_body_is_left_after_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    plain = aiohttp.StreamReader.read

    async def counting(self: aiohttp.StreamReader, n: int = -1) -> bytes:
        nonlocal read
        data = await plain(self, n)
        read += len(data)
        return data

    monkeypatch.setattr(aiohttp.StreamReader, "read", counting)
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
    assert read == MAX_BODY_BYTES == 65_536


@pytest.mark.parametrize(("size", "connections"), [(MAX_BODY_BYTES, 1), (1_000_000, 2)])
def test_a_connection_is_kept_only_after_the_whole_body(size: int, connections: int) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(500, b"x" * size))) as receiver, sending() as sender:
            for _ in range(2):
                answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
                assert (answer.status, answer.body) == (500, b"x" * KEPT_BODY_BYTES)
            assert receiver.connections == connections

    run(scenario)


def test_nothing_is_decompressed() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    answer, _ = answer_to(replies(reply(500, bomb, "Content-Encoding: gzip")))
    assert answer.body == bomb[:KEPT_BODY_BYTES]
    answer, _ = answer_to(replies(reply(200, b"not gzip at all", "Content-Encoding: gzip")))
    assert answer.reason is Reason.OK


# --- connections


def test_a_connection_is_kept_for_the_next_call() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(), reply(500), reply(204))) as receiver, sending() as sender:
            for expected in (200, 500, 204, 204):
                answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
                assert answer.status == expected
            assert [request.connection for request in receiver.requests] == [1, 1, 1, 1]

    run(scenario)


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


def test_an_answer_that_comes_before_its_request_is_not_taken_for_one() -> None:
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
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.PROTOCOL_ERROR, None)
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).status == 500
            assert [request.connection for request in receiver.requests] == [1, 2]

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
def test_connections_are_bounded(options: dict[str, int]) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending(**options) as sender:
            calls = [sender.send(post(receiver.url()), timeout_seconds=LONG) for _ in range(20)]
            assert all(answer.succeeded for answer in await asyncio.gather(*calls))
            assert (receiver.connections, len(receiver.requests)) == (3, 20)

    run(scenario)


def test_waiting_for_a_connection_counts_against_the_deadline() -> None:
    async def scenario() -> None:
        async with Receiver(silent()) as receiver, sending(limit=1) as sender:
            first = asyncio.create_task(sender.send(post(receiver.url()), timeout_seconds=LONG))
            while not receiver.requests:
                await asyncio.sleep(0.001)
            answer = await sender.send(post(receiver.url()), timeout_seconds=SHORT)
            assert (answer.reason, answer.status, receiver.connections) == (Reason.TIMEOUT, None, 1)
            first.cancel()
            await asyncio.wait([first])

    run(scenario)


def test_connection_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    async def scenario() -> None:
        async with sending() as sender:
            answer = await sender.send(post(f"http://127.0.0.1:{port}/"), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.CONNECT_FAILED, None)

    run(scenario)


@pytest.mark.parametrize("outcome", [socket.gaierror(socket.EAI_NONAME, "unknown"), []])
def test_a_name_without_an_address(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> None:
    def resolves(*_: object, **__: object) -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(socket, "getaddrinfo", resolves)

    async def scenario() -> None:
        async with sending() as sender:
            answer = await sender.send(post("https://nowhere.test/"), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.DNS_FAILED, None)

    run(scenario)


# --- never raising, always cancellable


@pytest.mark.parametrize(
    "bad",
    [
        {"url": ""},
        {"url": "/relative"},
        {"url": "https://"},
        {"url": "https:///x"},
        {"url": "http://[::1"},
        {"url": "http://127.0.0.1:99999/"},
        {"url": "http://127.0.0.1:x/"},
        {"url": "ftp://127.0.0.1/"},
        {"url": "ws://127.0.0.1/"},
        {"url": "tcp://127.0.0.1/"},
        {"url": "http://127.1:1024/"},
        {"url": "{listener}\r\nX: y"},
        {"url": "{listener}\x00"},
        {"method": "GE T"},
        {"method": "GET\r\nX: y\r\n"},
        {"method": ""},
        {"headers": (("X", "a\r\nY: b"),)},
        {"headers": (("X\r\nY", "a"),)},
        {"headers": (("Content-Length", "many"),)},
    ],
)
def test_an_unreadable_request_is_an_answer_and_sends_nothing(bad: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with Receiver(silent()) as receiver, sending() as sender:
            changed = {**bad}
            changed["url"] = bad.get("url", "{listener}").replace("{listener}", receiver.url())
            answer = await sender.send(post(**changed), timeout_seconds=SHORT)
            assert (answer.reason, answer.status) == (Reason.REQUEST_UNREADABLE, None)
            assert receiver.requests == []

    run(scenario)


@pytest.mark.parametrize(
    "head", [None, OK_HEAD + b"Content-Length: 9\r\n\r\n", b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n"]
)
def test_cancellation_passes_through_and_leaves_the_sender_usable(head: bytes | None) -> None:
    async def answers_once_cancelled(peer: Peer) -> None:
        await peer.request()
        if peer.number > 1:
            await peer.send(reply())
            return
        if head is not None:
            await peer.send(head)
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with Receiver(answers_once_cancelled) as receiver, sending(limit=1) as sender:
            call = asyncio.create_task(sender.send(post(receiver.url()), timeout_seconds=LONG))
            while not receiver.requests:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert call.cancelled()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).reason is Reason.OK

    run(scenario)


def test_a_closed_sender_opens_again_and_closing_twice_is_harmless() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            await sender.close()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            await sender.close()
            await sender.close()
            assert (await sender.send(post(receiver.url()), timeout_seconds=LONG)).succeeded
            assert receiver.connections == 2

    run(scenario)


# --- which addresses


# fmt: off
MUST_BLOCK = [
    "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200",
    "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254",
    "169.254.170.2", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.8", "192.0.0.9",
    "192.0.0.10", "192.0.0.170", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1",
    "192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.0", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "232.1.1.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.254", "255.255.255.255", "::", "::1", "::2", "::7f00:1", "::ffff:127.0.0.1",
    "::ffff:8.8.8.8", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "100:0:0:1::1", "200::1", "400::1", "1000::1",
    "1fff:ffff::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:1::1", "2001:2::1",
    "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff::1",
    "2001:db8::1", "2001:db8:ffff::1", "2002::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1",
    "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "8000::1", "c000::1", "e000::1",
    "fc00::1", "fd00:ec2::254", "fdff::1", "fe00::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1",
    "ff00::1", "ff02::1", "ff0e::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
]
# fmt: on

# fmt: off
MAY_PASS = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255",
    "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.101.0", "203.0.112.255", "203.0.114.0",
    "223.255.255.255", "2000::1", "2001:200::1", "2001:db7::1", "2001:db9::1", "2001:4860:4860::8888",
    "2003::1", "2600::1", "2606:4700::1111", "2620:4f:8001::1", "2a00:1450::1", "3ffe::1",
    "3fff:1000::1",
]
# fmt: on


@pytest.mark.parametrize("text", MUST_BLOCK)
def test_addresses_that_no_callback_may_reach(text: str) -> None:
    address = ip_address(text)
    assert not may_dial(address, ())
    assert not may_dial(address, (ip_network("198.51.100.128/25"), ip_network("2001:db8:1::/48")))
    everything = (ip_network("0.0.0.0/0"), ip_network("::/0"))
    assert may_dial(address, everything)


@pytest.mark.parametrize("text", MAY_PASS)
def test_public_addresses_pass(text: str) -> None:
    assert may_dial(ip_address(text), ())


def test_an_exception_covers_what_it_says_and_no_more() -> None:
    exceptions = (ip_network("10.1.0.0/16"), ip_network("fd12::/64"))
    assert may_dial(ip_address("10.1.2.3"), exceptions)
    assert may_dial(ip_address("fd12::9"), exceptions)
    for text in (
        "10.2.0.1",
        "fd12:0:0:1::1",
        "::ffff:10.1.2.3",
        "::10.1.2.3",
        "2002:a01:203::1",
        "127.0.0.1",
    ):
        assert not may_dial(ip_address(text), exceptions), text


def test_plain_http_goes_to_the_exceptions_only() -> None:
    exceptions = (ip_network("10.1.0.0/16"),)
    tls = DialGuard(exceptions=exceptions, plain_http=False)
    plain = DialGuard(exceptions=exceptions, plain_http=True)
    tls.judge(["8.8.8.8", "10.1.0.1"])
    plain.judge(["10.1.0.1"])
    for guard, addresses in ((plain, ["8.8.8.8"]), (plain, ["10.1.0.1", "8.8.8.8"]), (tls, ["10.2.0.1"])):
        with pytest.raises(AddressNotAllowedError):
            guard.judge(addresses)


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "8.8.8.8\n", "8.8.8.8:53"])
def test_what_is_no_address_is_not_dialled(text: str) -> None:
    with pytest.raises(AddressNotAllowedError):
        DialGuard(exceptions=(), plain_http=False).judge([text])


class FixedResolver(aiohttp.abc.AbstractResolver):
    """Answers every name with the same addresses."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self.closed = False

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[aiohttp.abc.ResolveResult]:
        return [
            aiohttp.abc.ResolveResult(hostname=host, host=text, port=port, family=family, proto=0, flags=0)
            for text in self.addresses
        ]

    async def close(self) -> None:
        self.closed = True


def test_the_resolver_judges_every_answer() -> None:
    guard = DialGuard(exceptions=(), plain_http=False)

    async def scenario() -> None:
        good = FixedResolver("8.8.8.8", "2606:4700::1111")
        resolver = GuardedResolver(guard, good)
        assert [answer["host"] for answer in await resolver.resolve("a.test", 443)] == list(good.addresses)
        await resolver.close()
        assert good.closed
        for addresses in (["10.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1", "2606:4700::1111"]):
            with pytest.raises(AddressNotAllowedError):
                await GuardedResolver(guard, FixedResolver(*addresses)).resolve("a.test", 443)

    run(scenario)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_loopback_is_blocked_without_exceptions(host: str, scheme: str) -> None:
    async def scenario() -> None:
        elsewhere = ip_network("198.51.100.0/24")
        async with Receiver(replies(reply())) as receiver, sending(elsewhere) as sender:
            target = post(receiver.url(host=host, scheme=scheme))
            answer = await sender.send(target, timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.ADDRESS_NOT_ALLOWED, None)
            assert receiver.connections == 0

    run(scenario)


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fd00:ec2::254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "http://8.8.8.8/",
        "http://[2606:4700::1111]/",
        "https://0x7f000001/",
    ],
)
def test_literal_addresses_are_judged_too(url: str) -> None:
    async def scenario() -> None:
        async with sending(ip_network("198.51.100.0/24")) as sender:
            answer = await sender.send(post(url), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.ADDRESS_NOT_ALLOWED, None)

    run(scenario)


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let names resolve to these answers in turn; returns the names that were asked for."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        addresses = answers[min(len(asked), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, port)) for text in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def test_one_forbidden_address_blocks_the_whole_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending(ip_network("127.0.0.1/32")) as sender:
            answer = await sender.send(post(receiver.url(host="mixed.test")), timeout_seconds=LONG)
            assert (answer.reason, receiver.connections) == (Reason.ADDRESS_NOT_ALLOWED, 0)

    resolving(monkeypatch, ["127.0.0.1", "127.0.0.2"])
    run(scenario)


def test_the_address_that_was_judged_is_the_one_that_is_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending(ip_network("127.0.0.1/32")) as sender:
            answer = await sender.send(post(receiver.url(host="rebinds.test")), timeout_seconds=LONG)
            assert answer.reason is Reason.OK
            assert receiver.requests[0].header("host") == f"rebinds.test:{receiver.port}"

    asked = resolving(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
    run(scenario)
    assert asked == ["rebinds.test"]


def test_a_name_that_is_good_for_https_is_not_remembered_for_plain_http(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with sending(ip_network("127.0.0.1/32")) as sender:
            secure = await sender.send(post("https://public.test:8443/"), timeout_seconds=LONG)
            plain = await sender.send(post("http://public.test:8443/"), timeout_seconds=LONG)
            assert secure.reason is not Reason.ADDRESS_NOT_ALLOWED
            assert plain.reason is Reason.ADDRESS_NOT_ALLOWED

    resolving(monkeypatch, ["8.8.8.8"])
    run(scenario)


# --- TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for `hook.test`, with its key, in one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hook.test")])
    now = dt.datetime.now(dt.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hook.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "hook.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + built.public_bytes(serialization.Encoding.PEM)
    )
    return path


def tls_server(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


def test_tls_names_the_host_and_is_kept_alive(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = tls_server(certificate)
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)

    async def scenario() -> None:
        trusting = ssl.create_default_context(cafile=certificate)
        async with (
            Receiver(replies(reply()), ssl_context=context) as receiver,
            sending(ssl_context=trusting) as sender,
        ):
            for _ in range(2):
                answer = await sender.send(post(receiver.url(host="hook.test")), timeout_seconds=LONG)
                assert answer.reason is Reason.OK
            assert receiver.requests[1].header("host") == f"hook.test:{receiver.port}"
            assert (receiver.connections, names) == (1, ["hook.test"])

    resolving(monkeypatch, ["127.0.0.1"])
    run(scenario)


@pytest.mark.parametrize(("host", "trusted"), [("hook.test", False), ("other.test", True)])
def test_certificates_are_verified(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, host: str, trusted: bool
) -> None:
    async def scenario() -> None:
        context = ssl.create_default_context(cafile=certificate) if trusted else None
        async with (
            Receiver(replies(reply()), ssl_context=tls_server(certificate)) as receiver,
            sending(ssl_context=context) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=host)), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.TLS_FAILED, None)
            assert receiver.requests == []

    resolving(monkeypatch, ["127.0.0.1"])
    run(scenario)


def test_a_listener_without_tls() -> None:
    async def greets(peer: Peer) -> None:
        await peer.send(reply())
        await peer.reader.read()

    async def scenario() -> None:
        async with Receiver(greets) as receiver, sending() as sender:
            answer = await sender.send(post(receiver.url(scheme="https")), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.TLS_FAILED, None)

    run(scenario)


def test_the_deadline_covers_the_tls_handshake() -> None:
    async def mute(peer: Peer) -> None:
        await peer.reader.read()

    async def scenario() -> None:
        async with Receiver(mute) as receiver, sending() as sender:
            answer = await sender.send(post(receiver.url(scheme="https")), timeout_seconds=SHORT)
            assert answer.reason is Reason.TIMEOUT

    run(scenario)


def test_cancellation_during_the_tls_handshake() -> None:
    async def mute(peer: Peer) -> None:
        await peer.reader.read()

    async def scenario() -> None:
        async with Receiver(mute) as receiver, sending() as sender:
            target = post(receiver.url(scheme="https"))
            call = asyncio.create_task(sender.send(target, timeout_seconds=LONG))
            while not receiver.connections:
                await asyncio.sleep(0.001)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    run(scenario)
