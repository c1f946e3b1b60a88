"""The API over loopback HTTP, with API Gateway's part done: requests become events, answers become responses."""

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qsl

from tests.support.http_path import raw_path

HOST = "127.0.0.1"
Event = dict[str, Any]
_OF_THE_CONNECTION = {"connection", "keep-alive", "content-length", "transfer-encoding"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request as received."""

    method: str
    target: str
    """Path and query."""
    headers: dict[str, str]
    body: bytes

    def event(self) -> Event:
        """The event of an HTTP API, payload version 2.0."""
        path, query = raw_path(self.target), self.target.partition("?")[2]
        return {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": query,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "queryStringParameters": _joined(parse_qsl(query, keep_blank_values=True)),
            "requestContext": {
                "http": {"method": self.method, "path": path, "sourceIp": "192.0.2.1"},
                "requestId": "contract",
                "stage": "$default",
            },
            "body": base64.b64encode(self.body).decode() if self.body else None,
            "isBase64Encoded": bool(self.body),
        }


def _joined(pairs: list[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """The response."""

    status: int
    headers: dict[str, str]
    body: bytes


def got(raw: dict[str, Any]) -> Got:
    """The response as API Gateway returns it."""
    headers = {name: str(value) for name, value in raw.get("headers", {}).items()}
    headers |= {name: ", ".join(values) for name, values in raw.get("multiValueHeaders", {}).items()}
    text = raw.get("body") or ""
    body = base64.b64decode(text) if raw.get("isBase64Encoded") else text.encode()
    return Got(status=raw["statusCode"], headers=headers, body=body)


@contextmanager
def serving(answer: Callable[[Sent], Got]) -> Iterator[str]:
    """Serve it on a free port, one request at a time; the URL to it."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        """Any method at all."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def __getattr__(self, name: str) -> Callable[[], None]:
            if name.startswith("do_"):
                return self._answer
            raise AttributeError(name)

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            sent = {
                name: value for name, value in self.headers.items() if name.lower() not in _OF_THE_CONNECTION
            }
            with lock:
                made = answer(Sent(method=self.command, target=self.path, headers=sent, body=body))
            self.send_response(made.status)
            for name, value in made.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(made.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(made.body)
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Suppress the log."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
