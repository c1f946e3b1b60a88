"""`punctual listen` and `send`, without the server: a signed call goes through both, on every Python."""

import asyncio
import time
from datetime import datetime, timezone

from punctual.hooks.arrival import Arrival, Outcome
from punctual.hooks.calling import CallError, CallResult, make_call
from punctual.hooks.composing import LocalCall, compose, new_secret
from punctual.hooks.faults import FaultDraw, Faults
from punctual.hooks.listener import Limits, Listener, Surroundings
from punctual.hooks.target import parse_target
from punctual.webhooks import verify

SECRET = new_secret(bytes(range(32)))
BODY = b'{"n": 1}'


async def through_a_listener(answer: bytes) -> tuple[CallResult, list[bytes], list[tuple[Arrival, Outcome]]]:
    """Send a call through a listener to a receiver, which gives this answer, or none if it is empty."""
    received: list[bytes] = []
    shown: list[tuple[Arrival, Outcome]] = []
    late: list[asyncio.StreamWriter] = []

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.readuntil(b"\r\n\r\n") + await reader.readexactly(len(BODY)))
        if answer:
            writer.write(answer)
            writer.close()
        else:
            late.append(writer)

    receiver = await asyncio.start_server(receive, "127.0.0.1", 0)
    target = parse_target(f"http://localhost:{receiver.sockets[0].getsockname()[1]}/hooks")
    around = Surroundings(
        now=lambda: datetime.now(timezone.utc),
        monotonic=time.monotonic,
        sleep=asyncio.sleep,
        show=lambda arrival, outcome: shown.append((arrival, outcome)),
        note=print,
    )
    listener = Listener(
        target, around, secrets=[SECRET], faults=FaultDraw(Faults(), 0), limits=Limits(answer_seconds=0.2)
    )
    ports: asyncio.Queue[int] = asyncio.Queue()
    stop = asyncio.Event()
    serving = asyncio.ensure_future(listener.serve("127.0.0.1", 0, ready=ports.put_nowait, stop=stop))
    result = await send(await ports.get())
    stop.set()
    await serving
    receiver.close()
    for writer in late:
        writer.transport.abort()
    await asyncio.sleep(0)
    return result, received, shown


async def send(port: int) -> CallResult:
    now = datetime.now(timezone.utc)
    call = LocalCall("exe_local_1", "job_1", 1, now, "POST", (("Content-Type", "application/json"),), BODY)
    target = parse_target(f"http://127.0.0.1:{port}/report")
    request = compose(call, target, secrets=[SECRET], now=now)
    return await make_call(target, request, max_seconds=10, max_bytes=256, monotonic=time.monotonic)


def test_signed_call_reaches_the_receiver_and_its_answer_comes_back() -> None:
    answer = b"HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\ndone"
    result, [request], [(arrival, outcome)] = asyncio.run(through_a_listener(answer))
    assert (result.status, result.start_of_body) == (201, b"done")
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    assert first == "POST /hooks/report HTTP/1.1"
    assert verify(dict(line.split(": ", 1) for line in lines), body, SECRET).id == "exe_local_1"
    assert arrival.is_genuine and arrival.lag_ms is not None and outcome.status == 201


def test_receiver_that_does_not_answer_in_time_is_told() -> None:
    result, _, [(_, outcome)] = asyncio.run(through_a_listener(b""))
    assert (result.status, outcome.status) == (504, 504)


def test_call_without_a_receiver_is_an_error() -> None:
    async def unused() -> int:
        server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
        port = int(server.sockets[0].getsockname()[1])
        server.close()
        await server.wait_closed()
        return port

    try:
        asyncio.run(send(asyncio.run(unused())))
    except CallError as error:
        assert "no connection to 127.0.0.1" in str(error)
    else:
        raise AssertionError("there is no receiver")
