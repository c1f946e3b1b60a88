"""The prober's client: the request as a client makes it, the status of any answer, and no answer in time."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import trustme

from shared.adapters.http import public_api
from shared.adapters.http.public_api import HttpPublicApi
from shared.domain.errors import UnavailableError

DOCUMENT = {"name": "canary"}


class Answering(BaseHTTPRequestHandler):
    """Answers with the status that the document asks for."""

    received: list[tuple[str, dict[str, str], Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.received.append((self.path, dict(self.headers), body))
        self.send_response(body.get("status", 201))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    Answering.received = []
    with HTTPServer(("127.0.0.1", 0), Answering) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.parametrize("status", [201, 401, 503])
def test_status_of_the_answer_is_returned(server: HTTPServer, status: int) -> None:
    api = HttpPublicApi(f"http://127.0.0.1:{server.server_port}")
    assert api.create_job("pk_key", "canary-1", {**DOCUMENT, "status": status}) == status
    ((path, headers, body),) = Answering.received
    assert (path, body["name"]) == ("/v1/jobs", "canary")
    assert headers["Authorization"] == "Bearer pk_key"
    assert headers["Idempotency-Key"] == "canary-1"
    assert headers["Content-Type"] == "application/json"


def test_certificate_of_the_api_is_verified(server: HTTPServer) -> None:
    authority = trustme.CA()
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(serving)
    server.socket = serving.wrap_socket(server.socket, server_side=True)
    url = f"https://localhost:{server.server_port}"
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with pytest.raises(UnavailableError, match=r"^the API did not answer: SSLCertVerificationError$"):
        HttpPublicApi(url).create_job("pk_key", "canary-1", DOCUMENT)
    assert HttpPublicApi(url, trusting).create_job("pk_key", "canary-1", DOCUMENT) == 201


def _failure(url: str) -> str:
    """Why there was no answer; it came soon after the time limit."""
    started = time.monotonic()
    with pytest.raises(UnavailableError, match=r"^the API did not answer: ") as refused:
        HttpPublicApi(url).create_job("pk_key", "canary-1", DOCUMENT)
    assert time.monotonic() - started < public_api.TIMEOUT_SECONDS + 2
    return str(refused.value).partition(": ")[2]


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Accepts connections, and never answers."""
    monkeypatch.setattr(public_api, "TIMEOUT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield silent


def _url(listener: socket.socket, scheme: str = "http", host: str = "127.0.0.1") -> str:
    return f"{scheme}://{host}:{listener.getsockname()[1]}"


def test_api_that_does_not_listen_is_unavailable(listener: socket.socket) -> None:
    url = _url(listener)
    listener.close()
    assert _failure(url) == "ConnectionRefusedError"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_api_that_never_answers_is_unavailable_in_time(listener: socket.socket, scheme: str) -> None:
    assert _failure(_url(listener, scheme)) == "TimeoutError"


DRIPPED = {
    "head": (b"", b"HTTP/1.1 201 Created\r\nX-Long: " + b"x" * 1_000),
    "body": (b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n", b"x" * 999),
}


@contextmanager
def _answering(listener: socket.socket, at_once: bytes, dripped: bytes = b"") -> Iterator[None]:
    """Answers one request, the last bytes one by one."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(at_once)
            for byte in dripped:
                connection.sendall(bytes([byte]))
                time.sleep(0.05)

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("part", DRIPPED)
def test_api_that_answers_byte_by_byte_is_unavailable_in_time(listener: socket.socket, part: str) -> None:
    with _answering(listener, *DRIPPED[part]):
        assert _failure(_url(listener)) == "TimeoutError"


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (b"", "the connection ended before the response"),
        (b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{", "the connection ended before the response"),
        (b"SSH-2.0\r\n", "the response is no HTTP/1, or has too many or too long lines"),
    ],
)
def test_answer_that_is_no_whole_response_is_none(
    listener: socket.socket, answer: bytes, failure: str
) -> None:
    with _answering(listener, answer):
        assert _failure(_url(listener)) == failure


@pytest.fixture
def silent_hosts(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Addresses that accept no connection, on the listener's port. The name `api.test` has these addresses."""
    port, hosts = listener.getsockname()[1], [f"127.0.0.{number}" for number in range(2, 8)]
    real = socket.getaddrinfo

    def look_up(host: str, *others: Any, **named: Any) -> Any:
        return [each for host in hosts for each in real(host, *others, **named)]

    with ExitStack() as opened:
        for host in hosts:
            full = opened.enter_context(socket.create_server((host, port), backlog=0))
            opened.enter_context(socket.create_connection(full.getsockname()))
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        yield hosts


def test_all_addresses_share_one_time_limit(listener: socket.socket, silent_hosts: list[str]) -> None:
    assert _failure(_url(listener, host="api.test")) == "TimeoutError"


def test_address_that_answers_beside_a_silent_one_is_enough(
    listener: socket.socket, silent_hosts: list[str]
) -> None:
    silent_hosts[:] = [silent_hosts[0], "127.0.0.1"]
    api = HttpPublicApi(_url(listener, host="api.test"))
    with _answering(listener, b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"):
        assert api.create_job("pk_key", "canary-1", DOCUMENT) == 201
