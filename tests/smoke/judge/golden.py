"""Compares what a gateway made of requests with a golden file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "golden" / "gateway.json"
NOT_CAPTURED = "not captured"
"""In place of an answer that no source gives: it is shown and passes no judgement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    name: str
    request: Mapping[str, Any]
    """`method`, `target`, and `headers`, `body` or `size` where they matter."""
    expected: Any
    """The members of the answer that count, or NOT_CAPTURED."""
    differs_on_emulator: bool

    def bytes(self, host: str) -> bytes:
        """The request as it goes over the wire. `size` makes a body of so many bytes."""
        asked = self.request
        body = b"x" * asked["size"] if "size" in asked else asked.get("body", "").encode("latin-1")
        lines = [f"{asked['method']} {asked['target']} HTTP/1.1", f"Host: {host}", "Connection: close"]
        lines += [f"{name}: {_filled(value)}" for name, value in asked.get("headers", ())]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def cases(path: Path = FILE) -> Iterable[Case]:
    for each in json.loads(path.read_text(encoding="utf-8")):
        yield Case(
            name=each["name"],
            request=each["request"],
            expected=each["expected"],
            differs_on_emulator=each.get("differs_on_emulator", False),
        )


def answer_of(received: bytes) -> dict[str, Any]:
    """The status and, if the echo answered, what it shows."""
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1]) if head.startswith(b"HTTP/") else 0
    answer: dict[str, Any] = {"status": status}
    if b"transfer-encoding: chunked" in head.lower():
        body = _unchunked(body)
    try:
        shown = json.loads(body)
    except ValueError:
        return answer
    return answer | (shown if isinstance(shown, dict) else {})


def differences(expected: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The members that differ: what was expected, and what came."""
    return {name: (value, answer.get(name)) for name, value in expected.items() if answer.get(name) != value}


def _filled(value: str) -> str:
    """`@11000` stands for so many letters."""
    return "x" * int(value[1:]) if value.startswith("@") else value


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        if not length:
            break
        whole, body = whole + rest[:length], rest[length + 2 :]
    return whole
