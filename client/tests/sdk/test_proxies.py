"""Proxies of the environment: for other machines, and never for this one, where keys are sent unencrypted."""

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from client.tests.support.calls import TOKEN
from punctual import AsyncPunctual, Punctual
from punctual.cli.downloads import content_of
from punctual.errors import NoAnswerError
from punctual.receivers._work import Work
from punctual.receivers.long_work import LongWork, Ticket

KEY = "pk_a_b"


class Recording:
    """A server that keeps the first line of each request, and answers it with `{"status": "ok"}`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        lines = self.lines

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                lines.append(self.requestline)
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(200)
                self.send_header("Content-Length", "15")
                self.end_headers()
                self.wfile.write(b'{"status":"ok"}')

            do_GET = do_POST = answer  # noqa: N815 - the names are those of the library

            def do_CONNECT(self) -> None:
                lines.append(self.requestline)
                self.send_error(502)

            def log_message(self, *_: object) -> None:
                """Nothing is written."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port


@pytest.fixture
def servers() -> Iterator[tuple[Recording, Recording]]:
    """A deployment and a proxy."""
    both = Recording(), Recording()
    threads = [Thread(target=each.server.serve_forever, kwargs={"poll_interval": 0.01}) for each in both]
    for thread in threads:
        thread.start()
    yield both
    for each, thread in zip(both, threads, strict=True):
        each.server.shutdown()
        thread.join()
        each.server.server_close()


@pytest.fixture(autouse=True)
def proxied(servers: tuple[Recording, Recording], monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a machine behind the proxy."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{servers[1].port}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_request_to_this_machine_uses_no_proxy(servers: tuple[Recording, Recording], host: str) -> None:
    deployment, proxy = servers
    url = f"http://{host}:{deployment.port}"
    with Punctual(url, KEY) as client:
        client.health.get()
        client.with_options(timeout=5).request("GET", "/v1/usage")

    async def ask() -> None:
        async with AsyncPunctual(url, KEY) as other:
            await other.health.get()

    asyncio.run(ask())
    assert proxy.lines == []
    assert [line.split()[1] for line in deployment.lines] == ["/v1/health", "/v1/usage", "/v1/health"]


def test_reports_and_downloads_of_this_machine_use_no_proxy(servers: tuple[Recording, Recording]) -> None:
    deployment, proxy = servers
    url = f"http://127.0.0.1:{deployment.port}"
    work = Work(Ticket("exe_1", TOKEN, None), None, LongWork(api_url=url, report_seconds=0))
    with work:
        pass

    async def beat() -> None:
        async with Work(Ticket("exe_2", TOKEN, None), None, LongWork(api_url=url, report_seconds=0)):
            pass

    asyncio.run(beat())
    assert b"".join(content_of(f"{url}/file?signature=x")) == b'{"status":"ok"}'
    assert proxy.lines == []
    assert [line.split()[1] for line in deployment.lines] == [
        *(f"/v1/executions/exe_{one}/{what}" for one in (1, 2) for what in ("heartbeat", "complete")),
        "/file?signature=x",
    ]


def test_request_to_another_machine_uses_the_proxy(servers: tuple[Recording, Recording]) -> None:
    with Punctual("https://api.example", KEY, max_elapsed=0) as client, pytest.raises(NoAnswerError):
        client.health.get()
    assert [line.split()[:2] for line in servers[1].lines] == [["CONNECT", "api.example:443"]]
