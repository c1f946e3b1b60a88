"""The front door: requests without a `Host` header reach the API as they were sent."""

import asyncio
import http.client
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import pytest
from aiohttp import web
from multidict import CIMultiDict

from infra.local.faults import Fault, Faults
from infra.local.front_door import FrontDoor
from infra.local.loopback_server import LoopbackServer
from infra.local.sockets import free_port
from infra.local.state_dir import LocalStackError

API_HOST = "12ca80ab.execute-api.localhost:14566"


@dataclass
class Emulator:
    """A server in the emulator's place: what it received, and what it answers."""

    received: list[tuple[str, str, CIMultiDict[str], bytes]] = field(default_factory=list)
    headers: CIMultiDict[str] = field(default_factory=CIMultiDict)
    status: int = 200
    body: bytes = b"{}"
    killed: asyncio.Event = field(default_factory=asyncio.Event)
    faults: Faults = field(default_factory=Faults)

    def kill(self) -> None:
        self.killed.set()

    async def handle(self, request: web.Request) -> web.Response:
        headers = CIMultiDict(request.headers)
        self.received.append((request.method, request.raw_path, headers, await request.read()))
        if Fault.KILLED in self.faults.shares:
            # The worker is at work until it is killed.
            while not self.killed.is_set():
                await asyncio.sleep(0.01)
        return web.Response(status=self.status, headers=self.headers, body=self.body)


@pytest.fixture
def emulator(request: pytest.FixtureRequest) -> Emulator:
    """With the faults that a test asks for."""
    return Emulator(faults=Faults(shares=dict.fromkeys(getattr(request, "param", ()), 1.0)))


@pytest.fixture
def door(emulator: Emulator) -> Iterator[FrontDoor]:
    server = LoopbackServer(emulator.handle, port=0, name="emulator")
    server.start()
    try:
        with FrontDoor(faults=emulator.faults) as made:
            made.open(port=server.port, host=API_HOST, kill_worker=emulator.kill)
            yield made
    finally:
        server.stop()


def ask(
    door: FrontDoor, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection(door.url.removeprefix("http://"), timeout=30)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): headers[name] for name in headers})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_front_door_names_the_api_to_the_emulator_and_changes_nothing_else(
    door: FrontDoor, emulator: Emulator
) -> None:
    ask(door, "POST", "/v1/jobs/a%2Fb?tag=x%20y&tag=", b'{"a": 1}', Authorization="Bearer k", X_Mine="1")
    [(method, path, headers, body)] = emulator.received
    assert (method, path, body) == ("POST", "/v1/jobs/a%2Fb?tag=x%20y&tag=", b'{"a": 1}')
    assert headers.getall("Host") == [API_HOST]
    sent = {name: value for name, value in headers.items() if name not in ("Host", "Connection")}
    assert sent == {
        "Accept-Encoding": "identity",
        "Authorization": "Bearer k",
        "X-Mine": "1",
        "Content-Length": "8",
    }


def test_front_door_passes_on_the_answer_with_repeated_headers_and_its_encoding(
    door: FrontDoor, emulator: Emulator
) -> None:
    emulator.status, emulator.body = 302, b"\x1f\x8bnot unpacked"
    emulator.headers.extend(
        [("Location", "/v1/docs"), ("X-Twice", "a"), ("X-Twice", "b"), ("Content-Encoding", "gzip")]
    )
    status, headers, body = ask(door, "GET", "/")
    assert (status, body) == (302, b"\x1f\x8bnot unpacked")
    assert headers.get_all("X-Twice") == ["a", "b"]
    assert (headers["Location"], headers["Content-Encoding"]) == ("/v1/docs", "gzip")


def test_front_door_answers_503_until_the_api_is_deployed() -> None:
    with FrontDoor() as door:
        status, headers, body = ask(door, "GET", "/v1/health")
    assert (status, headers["Content-Type"]) == (503, "application/problem+json; charset=utf-8")
    assert "still starting" in json.loads(body)["detail"]


@pytest.mark.parametrize("offset", [0, 600, -600])
def test_answers_of_the_front_door_itself_have_the_stack_s_date(offset: int) -> None:
    with FrontDoor(clock_offset=offset) as door:
        _, headers, _ = ask(door, "GET", "/v1/health")
    [date] = headers.get_all("Date", [])
    assert abs(parsedate_to_datetime(date).timestamp() - time.time() - offset) < 30


def test_date_of_the_api_is_passed_on(door: FrontDoor, emulator: Emulator) -> None:
    emulator.headers["Date"] = "Thu, 20 Feb 2025 02:30:00 GMT"
    _, headers, _ = ask(door, "GET", "/v1/health")
    assert headers.get_all("Date") == ["Thu, 20 Feb 2025 02:30:00 GMT"]


def test_front_door_answers_503_after_the_emulator_has_stopped() -> None:
    with FrontDoor() as door:
        door.open(port=free_port(), host=API_HOST, kill_worker=int)
        status, _, body = ask(door, "GET", "/v1/health")
    assert status == 503
    assert "does not answer" in json.loads(body)["detail"]


def test_front_door_on_a_port_in_use_is_refused_with_the_port_and_what_to_do() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(LocalStackError, match=rf"port {port} .*--port"), FrontDoor(port=port):
            pass


@pytest.mark.parametrize(
    ("emulator", "expected"),
    [([Fault.THROTTLED], (429, "rate-limited")), ([Fault.UNAVAILABLE], (503, "service-unavailable"))],
    indirect=["emulator"],
)
def test_refusal_by_a_fault_looks_like_the_api_s_and_never_reaches_it(
    door: FrontDoor, emulator: Emulator, expected: tuple[int, str]
) -> None:
    status, headers, body = ask(door, "POST", "/v1/jobs", b"{}")
    problem = json.loads(body)
    assert (status, problem["status"]) == (expected[0], expected[0])
    assert problem["type"] == f"urn:punctual:problem:{expected[1]}"
    assert headers["Retry-After"] == "1"
    assert emulator.received == []


@pytest.mark.parametrize("emulator", [[Fault.LOST]], indirect=True)
def test_lost_answer_is_a_closed_connection_after_the_api_did_what_was_asked(
    door: FrontDoor, emulator: Emulator
) -> None:
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        ask(door, "POST", "/v1/jobs", b"{}")
    assert len(emulator.received) == 1


@pytest.mark.parametrize("emulator", [[Fault.KILLED]], indirect=True)
def test_worker_is_killed_while_it_is_at_work_on_the_request(door: FrontDoor, emulator: Emulator) -> None:
    ask(door, "POST", "/v1/jobs", b"{}")
    assert emulator.killed.is_set()
    assert len(emulator.received) == 1
