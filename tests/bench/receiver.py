"""A receiver of calls in a process of its own, so that no other process spends its processor time.

python -m tests.bench.receiver
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.sources import ROOT

_RESPONSE = b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n%b"
_OK, _FAILED = 200, 500
_CALLED: set[bytes] = set()
"""The paths under `/once/` that were called."""


def _status_of(path: bytes) -> int:
    """`/status/N` always has status N; `/once/NAME` fails at its first call."""
    kind, _, name = path.lstrip(b"/").partition(b"/")
    if kind == b"status":
        return int(name)
    if kind == b"once" and name not in _CALLED:
        _CALLED.add(name)
        return _FAILED
    return _OK


def _body_of(path: bytes) -> bytes:
    """`/array/N` answers with a JSON array of N numbers."""
    kind, _, count = path.lstrip(b"/").partition(b"/")
    return b"[%b]" % b",".join(b"%d" % number for number in range(int(count))) if kind == b"array" else b"ok"


class _Receiver(asyncio.Protocol):
    """Answers each request once its body is there."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            lengths = [
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ]
            length = lengths[0] if lengths else 0
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            path = head.split(b" ", 2)[1]
            body = _body_of(path)
            self._transport.write(_RESPONSE % (_status_of(path), len(body), body))


@contextmanager
def receiving() -> Iterator[str]:
    """The URL of a running receiver."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.receiver"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/hook"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def main() -> None:
    """Print the port, and answer until killed."""
    server = await asyncio.get_running_loop().create_server(_Receiver, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - the parent process reads it
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
