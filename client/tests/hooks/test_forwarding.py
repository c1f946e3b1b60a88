"""`punctual listen` changes no byte of a call or an answer, but for the headers of the connection."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.tests.support.calls import EXECUTION, FOREIGN, NEW, clock, headers_of
from client.tests.support.raw_http import OK, Listening, RawReceiver, head_of, listening, request
from punctual.hooks.arrival import Source
from punctual.webhooks import verify

Scenario = Callable[[Listening, RawReceiver], Awaitable[None]]
names = st.from_regex(r"[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,20}", fullmatch=True).filter(
    lambda name: (
        name.lower()
        not in (
            "connection",
            "content-length",
            "expect",
            "host",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
        )
        and name.lower() not in ("transfer-encoding", "upgrade")
    )
)
values = st.from_regex(r"([!-~]([ -~]{0,20}[!-~])?)?", fullmatch=True)


def run(scenario: Scenario, receiver: RawReceiver | None = None, path: str = "", **options: object) -> None:
    """Run a scenario with a listener in front of a receiver."""
    recorded = receiver or RawReceiver()

    async def main() -> None:
        async with recorded.running() as url, listening(url + path, **options) as listener:  # type: ignore[arg-type]
            await scenario(listener, recorded)

    asyncio.run(main())


@settings(max_examples=40)
@given(headers=st.lists(st.tuples(names, values), max_size=8), body=st.binary(max_size=300))
def test_headers_and_body_of_any_form_arrive_as_they_were_sent(
    headers: list[tuple[str, str]], body: bytes
) -> None:
    lines = [f"{name}: {value}".encode() for name, value in headers]
    raw = b"\r\n".join(
        [
            b"PATCH /a%20b?x=[1]&y= HTTP/1.1",
            b"Host: localhost:1",
            *lines,
            b"CONTENT-length: %d" % len(body),
            b"",
            b"",
        ]
    )

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert (await listener.send(raw + body)).startswith(b"HTTP/1.1 200 OK\r\n")
        line, arrived, content = head_of(receiver.received[0])
        assert line == b"PATCH /a%20b?x=[1]&y= HTTP/1.1"
        assert content == body
        host, *kept, connection = arrived
        assert host == b"Host: 127.0.0.1:%d" % receiver.port
        assert connection == b"Connection: close"
        assert kept == [*lines, b"CONTENT-length: %d" % len(body)]

    run(scenario)


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff\x00\r\n\r\n", "€".encode()])
def test_forwarded_call_verifies_at_the_receiver_and_here(body: bytes) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        await listener.send(request(body, headers=headers_of(body)))
        _, lines, content = head_of(receiver.received[0])
        headers = dict(line.decode().split(": ", 1) for line in lines)
        assert verify(headers, content, NEW, clock=clock).id == EXECUTION
        arrival, outcome = listener.last
        assert (arrival.is_genuine, arrival.call_id, arrival.attempt) == (True, EXECUTION, 1)
        assert (outcome.source, outcome.status, outcome.detail) == (Source.RECEIVER, 200, None)

    run(scenario, secrets=(FOREIGN, NEW))


def test_call_with_a_wrong_signature_is_shown_as_such_and_forwarded() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert (await listener.send(request(headers=headers_of(b"{}", FOREIGN)))).endswith(b"ok")
        [problem] = listener.last[0].problems or ()
        assert problem.part == "webhook-signature"
        assert len(receiver.received) == 1

    run(scenario, secrets=(NEW,))


@pytest.mark.parametrize(
    ("path", "asked", "expected"),
    [
        ("", "/report?a=1", b"/report?a=1"),
        ("/hooks", "/report?a=1", b"/hooks/report?a=1"),
        ("/hooks/", "/report", b"/hooks/report"),
        ("/hooks", "/", b"/hooks"),
        ("/hooks/", "/?a=1", b"/hooks/?a=1"),
        ("/", "/", b"/"),
        ("", "/../a//b/%2e", b"/../a//b/%2e"),
    ],
)
def test_path_of_a_call_is_added_to_that_of_the_receiver(path: str, asked: str, expected: bytes) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        await listener.send(request(path=asked))
        assert head_of(receiver.received[0])[0] == b"POST %b HTTP/1.1" % expected

    run(scenario, path=path)


def test_chunked_call_gets_a_length_and_keeps_its_body() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        await listener.send(request(b"3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", framing="Transfer-Encoding: chunked"))
        _, lines, body = head_of(receiver.received[0])
        assert body == b"abcd"
        assert b"Content-Length: 4" in lines
        assert not any(line.lower().startswith(b"transfer-encoding") for line in lines)

    run(scenario)


def test_caller_that_waits_for_100_is_told_to_go_on() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(request(b"", headers={"Expect": "100-continue"}, framing="Content-Length: 2"))
        assert await reader.readline() == b"HTTP/1.1 100 \r\n"
        writer.write(b"{}")
        assert (await reader.read()).endswith(b"ok")
        writer.close()
        assert b"expect" not in receiver.received[0].lower()

    run(scenario)


@pytest.mark.parametrize(
    ("method", "answer", "body"),
    [
        (
            "POST",
            b"HTTP/1.1 207 Own Words\r\nX-b: 1\r\nx-A: 2\r\nContent-Length: 3\r\n\r\n\xff\r\n",
            b"\xff\r\n",
        ),
        ("POST", b"HTTP/1.1 503 Wait\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", b""),
        ("POST", b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        ("POST", b"HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\nContent-Length: 0\r\n\r\n", b""),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b""),
        ("GET", b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", b"x"),
    ],
    ids=["own", "503", "204", "redirect", "HEAD", "hints"],
)
def test_answer_arrives_as_the_receiver_gave_it(method: str, answer: bytes, body: bytes) -> None:
    final = answer.rpartition(b"HTTP/1.1 ")[2]

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        line, lines, content = head_of(await listener.send(request(b"", method=method)))
        expected_line, expected_lines, _ = head_of(b"HTTP/1.1 " + final)
        assert line == expected_line
        assert lines == [*expected_lines, b"Connection: close"]
        assert content == body
        assert listener.last[1].status == int(final[:3])

    run(scenario, RawReceiver(answer))


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\nabc",
    ],
    ids=["chunked", "until the end"],
)
def test_answer_without_a_length_arrives_in_chunks(answer: bytes) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        _, lines, content = head_of(await listener.send(request()))
        assert [line.lower() for line in lines if b"encoding" in line.lower()] == [
            b"transfer-encoding: chunked"
        ]
        assert b"".join(content.split(b"\r\n")[1::2]) == b"abc"

    run(scenario, RawReceiver(answer))


def test_large_answer_is_passed_on_whole() -> None:
    body = b"x" * 3_000_000

    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert head_of(await listener.send(request()))[2] == body

    run(scenario, RawReceiver(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + body))


def test_many_calls_at_a_time_get_their_own_answers() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        answers = await asyncio.gather(*(listener.send(request(path=f"/{number}")) for number in range(30)))
        assert all(answer.endswith(b"ok") for answer in answers)
        assert sorted(arrival.path for arrival, _ in listener.shown) == sorted(f"/{n}" for n in range(30))

    run(scenario, RawReceiver(OK))
