"""The connections of the own transport, under the faults of a network."""

import asyncio
import socket
import ssl
import threading
import time
from itertools import product
from pathlib import Path

import pytest
import trustme

from shared.adapters import greenlets
from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import HttpResponse, ResponseReader
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.retries import RetryBudget
from shared.adapters.aws.sender import Limits, PooledSend
from shared.adapters.aws.services import Endpoint
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.greenlets import GreenletSpread
from tests.support.aws_server import (
    AwsServer,
    answer,
    raw,
    serving,
    then_close,
)

REGION = "eu-central-1"
PUT = {"TableName": "executions", "Item": {"pk": {"S": "p"}}}
KEYS = Credentials("AKID", "secret", "token")


def wait_until_closed(server: AwsServer) -> None:
    """The server has ended its connection; the bytes of the end are in this process's socket."""
    server.wait_for_end(of=len({request.connection for request in server.received}))


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_end_of_an_idle_connection_is_seen_before_it_is_used_again(
    is_encrypted: bool, http: HttpCall, pauses: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(trusted(tmp_path, monkeypatch) if is_encrypted else None) as server:
        http.endpoint = Endpoint("localhost", server.port, is_encrypted)
        for _ in range(3):
            server.script.append(then_close(answer({})))
            assert http("PutItem", PUT) == {}
            wait_until_closed(server)
        assert [request.connection for request in server.received] == [0, 1, 2]
        assert pauses == []
        greenlets.run(close(http))


async def close(call: HttpCall) -> None:
    assert isinstance(call.send, PooledSend)
    await call.send.close()


def trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The context of a server whose certificate this process trusts."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(tls)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    monkeypatch.setenv("AWS_CA_BUNDLE", str(folder / "ca.pem"))
    return tls


def test_late_answer_is_not_taken_for_the_next_one(http: HttpCall, server: AwsServer) -> None:
    first = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    late = b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"Item":"no"}'
    server.script.extend([server.followed(first, late), answer({"Item": "yes"})])
    assert http("GetItem", {}) == {}
    assert server.late_sent.wait(60)
    assert http("GetItem", {}) == {"Item": "yes"}


@pytest.mark.parametrize(
    "text",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
    ],
)
def test_answer_that_is_no_http_is_none_and_its_connection_is_left(
    http: HttpCall, server: AwsServer, text: bytes
) -> None:
    server.script.append(raw(text))
    assert http("PutItem", PUT) == {}
    assert [request.connection for request in server.received] == [0, 1]


def test_interim_response_is_followed_by_the_answer(http: HttpCall, server: AwsServer) -> None:
    interim = b"HTTP/1.1 100 Continue\r\nx-amz-crc32: 1\r\n\r\n"
    server.script.append(raw(interim + b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a": {}}'))
    assert http("GetItem", {}) == {"a": {}}
    assert len(server.received) == 1


def test_bytes_behind_an_answer_close_the_connection(http: HttpCall, server: AwsServer) -> None:
    server.script.append(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n"))
    assert [http("PutItem", PUT), http("PutItem", PUT)] == [{}, {}]
    assert [request.connection for request in server.received] == [0, 1]


def test_stray_bytes_behind_an_answer_repeat_no_call(http: HttpCall, server: AwsServer) -> None:
    server.script.append(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}no HTTP"))
    assert [http("PutItem", PUT), http("PutItem", PUT)] == [{}, {}]
    assert [request.connection for request in server.received] == [0, 1]


def test_request_that_is_refused_before_its_end_has_its_refusal(http: HttpCall) -> None:
    """The connection breaks while the rest of the request is sent."""
    refusal = b'{"__type":"x#ValidationException","message":"too long"}'
    head = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(refusal)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        refused = threading.Thread(target=_refuse_early, args=(listener, head + refusal))
        refused.start()
        http.endpoint = Endpoint("127.0.0.1", listener.getsockname()[1], is_tls=False)
        with pytest.raises(AwsError, match="ValidationException"):
            http("PutItem", {"TableName": "executions", "Item": {"pk": {"S": "x" * 8_000_000}}})
        refused.join()


def _refuse_early(listener: socket.socket, text: bytes) -> None:
    """Answer the first bytes, and reset the connection when the answer has arrived."""
    client, _ = listener.accept()
    with client:
        client.recv(1_000)
        client.sendall(text)
        time.sleep(0.2)


def test_answer_beyond_the_largest_that_aws_gives_is_none(
    http: HttpCall, server: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.http11.MAX_BODY_BYTES", 100)
    server.script.extend([answer({"Items": ["x" * 200]})] * 9)
    with pytest.raises(NoAnswerError, match="too long"):
        http("Query", {})


def test_connection_that_was_idle_for_long_is_left(
    http: HttpCall, server: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.http11.KEEPALIVE_SECONDS", 0.0)
    for _ in range(3):
        http("PutItem", PUT)
    assert [request.connection for request in server.received] == [0, 1, 2]


def test_calls_side_by_side_share_a_bounded_number_of_connections(
    http: HttpCall, server: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.sender.CONNECTIONS", 4)
    GreenletSpread(50)(lambda number: http("PutItem", PUT | {"Item": {"pk": {"N": str(number)}}}), range(50))
    assert len(server.received) == 50
    assert len({request.connection for request in server.received}) <= 4


def test_redirect_is_not_followed(http: HttpCall, server: AwsServer) -> None:
    server.script.append(answer({}, 307, headers={"Location": f"http://127.0.0.1:{server.port}/elsewhere"}))
    with pytest.raises(AwsError):
        http("PutItem", PUT)
    assert len(server.received) == 1


def test_silence_ends_and_leaves_no_connection_behind(http: HttpCall, server: AwsServer) -> None:
    impatient = PooledSend(answer_seconds=0.2)
    http.send = impatient
    server.script.extend([answer({}), *[server.silence] * 3])
    assert http("PutItem", PUT) == {}
    with pytest.raises(NoAnswerError):
        http("PutItem", PUT)
    assert not server.script, "a try went to a connection that had not answered"
    http.send = PooledSend()
    assert http("PutItem", PUT) == {}
    assert [request.connection for request in server.received] == [0, 0, 1, 2, 3]
    for each in (impatient, http.send):
        greenlets.run(each.close())


def test_answer_that_comes_byte_by_byte_is_none_after_the_time_limit(
    http: HttpCall, server: AwsServer
) -> None:
    def drip(client: socket.socket) -> bool:
        text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        for number in range(len(text)):
            client.sendall(text[number : number + 1])
            time.sleep(0.03)
        return True

    http.send = PooledSend(answer_seconds=0.3)
    server.script.extend([drip] * 3)
    with pytest.raises(NoAnswerError, match=r"0\.3 s"):
        http("PutItem", PUT)
    greenlets.run(close(http))


def test_cancelled_call_closes_its_connection(http: HttpCall, server: AwsServer) -> None:
    server.script.append(server.silence)

    async def cancel() -> None:
        call = asyncio.create_task(http.call("PutItem", PUT))
        while not server.received:
            await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await http.call("PutItem", PUT)

    greenlets.run(cancel())
    assert [request.connection for request in server.received] == [0, 1]


@pytest.mark.parametrize("is_trusted", [True, False])
def test_certificate_is_verified(
    is_trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, send: PooledSend
) -> None:
    tls = trusted(tmp_path, monkeypatch)
    if not is_trusted:
        monkeypatch.delenv("AWS_CA_BUNDLE")
    with serving(tls) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"https://localhost:{server.port}")
        call = HttpCall.to("dynamodb", REGION, send, lambda: KEYS, SystemClock(), SystemEntropy())
        call.budget = RetryBudget(tokens=0)
        if is_trusted:
            assert call("PutItem", PUT) == {}
        else:
            with pytest.raises(NoAnswerError, match="SSLCertVerificationError"):
                call("PutItem", PUT)
        assert len(server.received) == is_trusted
        greenlets.run(send.close())


def test_idle_connections_to_ever_more_endpoints_are_bounded(
    server: AwsServer, send: PooledSend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.sender.CONNECTIONS", 3)
    letters = [(each, each.upper()) for each in "localhost"]
    names = ["".join(each) for each in product(*letters)][:40]

    async def visit() -> tuple[int, bool]:
        for name in (*names, names[-1], names[-3], names[0]):
            await send(Endpoint(name, server.port, is_tls=False), {}, b"{}")
        (pool,) = send._pools.values()
        return sum(map(len, pool._idle.values())), len(pool._idle) <= 4

    assert greenlets.run(visit()) == (3, True)
    assert [request.connection for request in server.received] == [*range(40), 39, 37, 40]


def test_idle_connections_to_one_endpoint_are_bounded(
    server: AwsServer, send: PooledSend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.aws.sender.CONNECTIONS", 4)

    async def visit() -> list[int]:
        here, there = (Endpoint(name, server.port, is_tls=False) for name in ("localhost", "LOCALHOST"))
        await asyncio.gather(*(send(here, {}, b"{}") for _ in range(4)))
        for _ in range(9):
            await send(there, {}, b"{}")
        (pool,) = send._pools.values()
        return [len(idle) for idle in pool._idle.values()]

    assert greenlets.run(visit()) == [3, 1]
    assert len({request.connection for request in server.received}) == 5


class Reader:
    """A reader of responses, and how many bytes of bodies it holds."""

    def __init__(self, kept_bytes: int) -> None:
        self.reader = ResponseReader(kept_bytes)

    def read(self, body: bytes, part_bytes: int = 1_000) -> HttpResponse:
        text = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        self.reader.begin()
        for start in range(0, len(text), part_bytes):
            assert self.held() <= 4_000
            response = self.reader.feed(text[start : start + part_bytes])
            if response is not None:
                return response
        raise AssertionError("the response is not whole")

    def held(self) -> int:
        response: HttpResponse | None = self.reader._response
        return sum(map(len, self.reader._body)) + (len(response.body) if response is not None else 0)


@pytest.mark.parametrize("part_bytes", [1, 1_000, 100_000])
def test_reader_keeps_the_beginning_of_a_long_body_and_nothing_once_it_is_handed_over(
    part_bytes: int,
) -> None:
    case = Reader(kept_bytes=4_000)
    body = b"0123456789" * 2_000
    for _ in range(2):
        assert case.read(body, part_bytes).body == body[:4_000]
        assert (case.held(), case.reader.is_reusable) == (0, True)
    assert case.read(b"short", part_bytes).body == b"short"


def test_open_connections_are_limited_over_all_endpoints(server: AwsServer) -> None:
    send = PooledSend(limits=Limits(in_use=3, open=2), kept_bytes=10)
    endpoints = [Endpoint(name, server.port, False) for name in ("localhost", "LOCALHOST", "Localhost")]

    async def call_all() -> None:
        for endpoint in endpoints:
            assert (await send(endpoint, {"Host": "x", "X-Amz-Target": "a.b"}, b"{}")).status == 200
        await asyncio.sleep(0.05)
        assert len(server.ended) == 1, "the oldest idle connection makes room"
        await send.close()

    greenlets.run(call_all())
