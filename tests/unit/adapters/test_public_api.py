"""The prober's client: the request as a client makes it, the status of any answer, and no answer in time."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator
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


def test_api_that_does_not_listen_or_answer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_api, "TIMEOUT_SECONDS", 0.05)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UnavailableError, match="ConnectionRefusedError"):
            HttpPublicApi(url).create_job("pk_key", "canary-1", DOCUMENT)
        silent.listen()
        with pytest.raises(UnavailableError, match=r"^the API did not answer: TimeoutError$"):
            HttpPublicApi(url).create_job("pk_key", "canary-1", DOCUMENT)
