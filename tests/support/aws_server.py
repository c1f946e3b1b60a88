"""A server on a real socket that answers as AWS's JSON services do, or fails on the way as networks do."""

import json
import socket
import ssl
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

LATE_SECONDS = 0.3
Parsed = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Received:
    """A request. `connection` counts the accepted connections from 0; header names are in small letters."""

    connection: int
    headers: Mapping[str, str]
    body: Parsed


Step = Callable[[socket.socket], bool]
"""Answers one request. False closes the connection."""


def answer(body: Parsed | bytes, status: int = 200, *, headers: Mapping[str, str] | None = None) -> Step:
    """A whole answer with its checksum, unless `headers` have another one."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    own = {"Content-Type": "application/x-amz-json-1.0", "x-amz-crc32": str(zlib.crc32(payload))}

    def send(client: socket.socket) -> bool:
        client.sendall(
            _head(status, own | {"Content-Length": str(len(payload))} | dict(headers or {})) + payload
        )
        return True

    return send


def error(
    code: str, status: int = 400, *, headers: Mapping[str, str] | None = None, fields: Parsed | None = None
) -> Step:
    """A refusal, with the error's own fields."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "injected", **(fields or {})}
    return answer(body, status, headers=headers)


def chunked(body: Parsed) -> Step:
    """An answer without a length."""

    def send(client: socket.socket) -> bool:
        client.sendall(_head(200, {"Transfer-Encoding": "chunked"}))
        for byte in json.dumps(body).encode():
            client.sendall(b"1\r\n" + bytes([byte]) + b"\r\n")
        client.sendall(b"0\r\n\r\n")
        return True

    return send


def raw(text: bytes) -> Step:
    """These bytes."""

    def send(client: socket.socket) -> bool:
        client.sendall(text)
        return True

    return send


def half(client: socket.socket) -> bool:
    """The first bytes of an answer, and the end of the connection."""
    client.sendall(_head(200, {"Content-Length": "1000"}) + b'{"Item": {')
    return False


def hang_up(client: socket.socket) -> bool:
    """No answer, and the end of the connection."""
    return False


def then_close(step: Step) -> Step:
    """An answer, and the end of a connection that promised to stay."""

    def send(client: socket.socket) -> bool:
        step(client)
        return False

    return send


@dataclass(slots=True)
class AwsServer:
    """Takes one step of the script for each request, and answers `{}` when the script is over."""

    tls: ssl.SSLContext | None = None
    script: deque[Step] = field(default_factory=deque)
    received: list[Received] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    """The connections that the server has closed."""
    late_sent: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)
    _listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _threads: list[threading.Thread] = field(default_factory=list)

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    def silence(self, client: socket.socket) -> bool:
        """No answer, and no end of the connection, until the server stops or the client closes."""
        client.settimeout(0.05)
        while not self.stopped.is_set():
            with suppress(TimeoutError):
                if client.recv(1) == b"":
                    break
        return False

    def wait_for_end(self, of: int) -> None:
        """Wait until so many connections have ended on this side, and the news had the time to arrive."""
        while len(self.ended) < of:
            time.sleep(0.01)
        time.sleep(0.05)

    def followed(self, text: bytes, late: bytes) -> Step:
        """These bytes, and others when the client has had the time to take the first for a whole answer."""

        def send(client: socket.socket) -> bool:
            client.sendall(text)
            self.stopped.wait(LATE_SECONDS)
            client.sendall(late)
            self.late_sent.set()
            return True

        return send

    def start(self) -> None:
        # Before the thread: a test may stop the server before its thread has begun.
        self._listener.settimeout(0.05)
        self._begin(self._accept)

    def stop(self) -> None:
        self.stopped.set()
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _begin(self, function: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        number = 0
        while not self.stopped.is_set():
            try:
                client, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            self._begin(self._serve, client, number)
            number += 1

    def _serve(self, client: socket.socket, number: int) -> None:
        with suppress(OSError), client:
            if self.tls is None:
                self._serve_requests(client, number)
            else:
                with self.tls.wrap_socket(client, server_side=True) as encrypted:
                    self._serve_requests(encrypted, number)
        self.ended.append(number)

    def _serve_requests(self, client: socket.socket, number: int) -> None:
        for headers, body in self._requests(client):
            self.received.append(Received(number, headers, json.loads(body)))
            step = self.script.popleft() if self.script else answer({})
            if not step(client):
                return
            client.settimeout(0.05)

    def _requests(self, client: socket.socket) -> Iterator[tuple[dict[str, str], bytes]]:
        """Each request of a connection, until the client closes it or the server stops."""
        buffer = b""
        client.settimeout(0.05)
        while not self.stopped.is_set():
            head, found, rest = buffer.partition(b"\r\n\r\n")
            if found:
                lines = head.decode().split("\r\n")[1:]
                headers = {
                    name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
                }
                length = int(headers["content-length"])
                if len(rest) >= length:
                    buffer = rest[length:]
                    yield headers, rest[:length]
                    continue
            with suppress(TimeoutError):
                more = client.recv(65_536)
                if not more:
                    return
                buffer += more


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode()


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[AwsServer]:
    """A running server."""
    server = AwsServer(tls)
    server.start()
    try:
        yield server
    finally:
        server.stop()
