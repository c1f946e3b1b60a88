"""`punctual listen` survives what callers and receivers do wrong, and says what it was."""

import asyncio

import pytest

from client.tests.hooks.test_forwarding import run
from client.tests.support.calls import NEW, headers_of
from client.tests.support.raw_http import Listening, RawReceiver, head_of, listening, request
from punctual.hooks import calling
from punctual.hooks.arrival import Source
from punctual.hooks.listener import Limits
from punctual.hooks.wire import MAX_HEAD_BYTES


def status(answer: bytes) -> int:
    return int(answer.split(b" ")[1])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"GARBAGE\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\n\r\n", 400),
        (request(headers={"X": "a" * MAX_HEAD_BYTES}), 431),
        (request(b"x" * 101), 413),
        (request(b"65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n", framing="Transfer-Encoding: chunked"), 413),
    ],
    ids=["garbage", "tls", "length", "lengths", "host", "head", "body", "chunks"],
)
def test_request_that_is_no_call_is_refused_and_not_forwarded(raw: bytes, expected: int) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(raw)) == expected
        assert receiver.received == [] and listener.shown == []
        assert len(listener.notes) == 1 and str(expected) in listener.notes[0]

    run(scenario, limits=Limits(body_bytes=100))


def test_text_of_a_refusal_has_nothing_of_the_request() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        answer = await listener.send(b"POST / HTTP/1.1\r\nHost: a\r\nX-Secret hunter2\r\n\r\n")
        assert status(answer) == 400
        assert b"hunter2" not in answer and "hunter2" not in listener.notes[0]

    run(scenario)


@pytest.mark.parametrize("raw", [b"", b"POST /a HT", request(b"", framing="Content-Length: 5") + b"ab"])
def test_caller_that_goes_away_leaves_nothing_behind(raw: bytes) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(raw)
        writer.close()
        assert status(await listener.send(request())) == 200
        assert len(receiver.received) == 1

    run(scenario)


def test_caller_that_sends_too_slowly_is_cut_off() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert await listener.send(b"POST /") == b""
        assert listener.notes == ["a request did not arrive in time"]

    run(scenario, limits=Limits(request_seconds=0.05))


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:14569", "127.0.0.1.evil.example", "10.0.0.1", "", "[::1", "0.0.0.0"],
)
def test_request_to_the_name_of_another_machine_is_refused(host: str) -> None:
    """A web page whose name leads to this machine could use the listener as a way to the receiver."""
    raw = f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n".encode()

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(raw)) == 403
        assert receiver.received == []
        assert listener.last[1].source is Source.LISTENER

    run(scenario)


@pytest.mark.parametrize(
    "headers",
    [
        "Origin: https://evil.example",
        "Origin: http://evil.example:14569",
        "Origin: https://localhost.evil.example",
        "Origin: null",
        "origin: http://localhost:3000\r\nOrigin: https://evil.example",
        "Origin: http://[::1",
        "Origin: ",
        "Sec-Fetch-Site: cross-site",
        "sec-fetch-site: Cross-Site",
    ],
)
def test_request_that_a_page_of_another_site_sends_here_is_forbidden(headers: str) -> None:
    raw = f"POST /x HTTP/1.1\r\nHost: 127.0.0.1:14569\r\n{headers}\r\nContent-Length: 0\r\n\r\n".encode()

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(raw)) == 403
        assert receiver.received == []

    run(scenario)


@pytest.mark.parametrize(
    "headers",
    [
        "Origin: http://localhost:3000",
        "Origin: http://127.0.0.1:8000\r\nSec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: none",
        "Sec-Fetch-Site: same-site",
    ],
)
def test_page_of_this_machine_may_send_requests(headers: str) -> None:
    raw = f"POST /x HTTP/1.1\r\nHost: localhost\r\n{headers}\r\nContent-Length: 0\r\n\r\n".encode()

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(raw)) == 200

    run(scenario)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:80", "[::1]:14569"])
def test_request_to_a_name_of_this_machine_is_forwarded(host: str) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(f"POST / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())) == 200

    run(scenario)


def test_request_to_another_name_is_forwarded_if_that_is_allowed() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(b"POST / HTTP/1.1\r\nHost: tunnel.example\r\n\r\n")) == 200

    run(scenario, allow_remote=True)


@pytest.mark.parametrize("asked", ["http://evil.example/", "*", "evil.example:443"])
def test_request_of_a_proxy_is_refused(asked: str) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(request(path=asked))) == 403
        assert receiver.received == []

    run(scenario)


def test_calls_beyond_the_limit_get_503_and_the_others_go_on() -> None:
    async def main() -> None:
        release = asyncio.Event()
        receiver = RawReceiver(hold=release.wait())
        async with receiver.running() as url, listening(url, limits=Limits(calls=1)) as listener:
            first = asyncio.create_task(listener.send(request()))
            while not receiver.received:
                await asyncio.sleep(0.01)
            refused = await listener.send(request())
            assert status(refused) == 503 and b"Retry-After: 1\r\n" in refused
            release.set()
            assert status(await first) == 200
            receiver.hold = None
            assert status(await listener.send(request())) == 200

    asyncio.run(main())


def test_receiver_that_is_not_there_is_told_with_502() -> None:
    async def main() -> None:
        receiver = RawReceiver()
        async with receiver.running() as url:
            pass
        async with listening(url, secrets=(NEW,)) as listener:
            answer = await listener.send(request(headers=headers_of(b"{}")))
            assert status(answer) == 502
            arrival, outcome = listener.last
            assert arrival.is_genuine and outcome.source is Source.LISTENER
            assert outcome.detail is not None and outcome.detail.startswith(
                f"no connection to 127.0.0.1:{receiver.port}"
            )
            assert outcome.detail.encode() in answer

    asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (b"", "no answer that can be read"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "no answer that can be read"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "no answer that can be read"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * MAX_HEAD_BYTES + b"\r\n\r\n", "the head is too long"),
    ],
)
def test_answer_that_is_no_http_is_told_with_502(answer: bytes, detail: str) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(request())) == 502
        assert detail in (listener.last[1].detail or "")

    run(scenario, RawReceiver(answer))


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ],
)
def test_answer_that_breaks_off_breaks_off_for_the_caller_too(answer: bytes) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        try:
            got = await listener.send(request())
        except ConnectionError:
            got = b""
        assert not got.endswith(b"0\r\n\r\n") and len(head_of(got)[2]) < 10
        _, outcome = listener.last
        assert (outcome.source, outcome.status) == (Source.RECEIVER, 200)
        assert "broke off" in (outcome.detail or "")

    run(scenario, RawReceiver(answer))


def test_receiver_that_is_too_slow_is_told_with_504() -> None:
    async def main() -> None:
        receiver = RawReceiver(hold=asyncio.sleep(30))
        async with receiver.running() as url, listening(url, limits=Limits(answer_seconds=0.05)) as listener:
            assert status(await listener.send(request())) == 504
            assert "in 0.05 s" in (listener.last[1].detail or "")

    asyncio.run(main())


def test_caller_that_does_not_wait_is_noted() -> None:
    async def main() -> None:
        body = b"x" * 5_000_000
        receiver = RawReceiver(b"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + body)
        async with receiver.running() as url, listening(url) as listener:
            _, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            writer.write(request())
            while not receiver.received:
                await asyncio.sleep(0.01)
            writer.transport.abort()
            while not listener.shown:
                await asyncio.sleep(0.01)
            assert listener.last[1].detail == "the caller did not wait for the answer"

    asyncio.run(main())


def test_name_that_leads_to_another_machine_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the resolver of this machine said so for localhost."""
    monkeypatch.setattr(calling, "is_loopback", lambda _: False)

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert status(await listener.send(request())) == 502
        assert "leads to another machine" in (listener.last[1].detail or "")
        assert receiver.received == []

    run(scenario)
