"""Verify a call: Standard Webhooks, version v1, with HMAC-SHA256."""

import base64
import hmac
import re
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from typing import Protocol, TypeAlias

from punctual.webhooks._keys import signing_keys
from punctual.webhooks.call import Call
from punctual.webhooks.errors import (
    MalformedHeaderError,
    MissingHeaderError,
    SignatureError,
    TimestampError,
)

DEFAULT_TOLERANCE_SECONDS = 300
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
VERSION = "v1,"
# With a dot in the id, the border between id, timestamp and body could be moved inside of the signed text.
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TIMESTAMP = re.compile(r"[0-9]{1,11}")


class HasItems(Protocol):
    """Any mapping of header names to values: a dict, or the headers of any framework."""

    def items(self) -> Iterable[tuple[str, str]]: ...


Headers: TypeAlias = HasItems | Iterable[tuple[str | bytes, str | bytes]]
"""A mapping, or pairs such as those of ASGI. Names may be in any case."""
Secrets: TypeAlias = str | Iterable[str]
"""One `whsec_...` text, or all that are active, as during a rotation."""


def verify(
    headers: Headers,
    body: bytes | bytearray | memoryview,
    secrets: Secrets,
    tolerance: float = DEFAULT_TOLERANCE_SECONDS,
    *,
    clock: Callable[[], float] = time.time,
) -> Call:
    """Return the call if Punctual has signed it with one of these secrets, at most `tolerance` seconds ago.

    `body` is the raw bytes as received, before anything parses them; it may be empty. `clock` returns seconds
    since 1970. Signatures are compared in constant time, and nothing of the body is parsed.

    A subclass of VerificationError says which part is wrong: MissingHeaderError, MalformedHeaderError,
    TimestampError or SignatureError. SecretError if a secret is none, and TypeError for a body that is text.
    """
    if not isinstance(body, bytes | bytearray | memoryview):
        raise TypeError(f"pass the raw bytes of the body, not {type(body).__name__}")
    keys, given, raw = signing_keys(secrets), lower_case(headers), bytes(body)
    message_id = _required(given, ID, _ID, "the id of an execution has letters, digits, _ and -, once")
    timestamp = _required(given, TIMESTAMP, _TIMESTAMP, "it is the whole seconds since 1970, once")
    signatures = _signatures(given)
    age = clock() - int(timestamp)
    if not abs(age) <= tolerance:
        raise TimestampError(age, tolerance)
    signed = signed_content(message_id, timestamp, raw)
    accepted = [signature_of(signed, key) for key in keys]
    # No early exit: the time depends on the number of secrets and signatures only.
    if not any([hmac.compare_digest(own, each) for own in accepted for each in signatures]):  # noqa: C419
        raise SignatureError
    signed_at = datetime.fromtimestamp(int(timestamp), timezone.utc)
    return Call(id=message_id, signed_at=signed_at, body=raw, headers=given)


def signed_content(message_id: str, timestamp: str, body: bytes) -> bytes:
    """The bytes that a signature covers."""
    return f"{message_id}.{timestamp}.".encode() + body


def signature_of(signed: bytes, key: bytes) -> bytes:
    """One entry of `webhook-signature`: `v1,` and base64."""
    return VERSION.encode() + base64.b64encode(hmac.digest(key, signed, "sha256"))


def lower_case(headers: Headers) -> dict[str, str]:
    """Headers by lower-case name; those that occur more than once are joined with commas, as HTTP reads them."""
    pairs = headers.items() if hasattr(headers, "items") else headers
    found: dict[str, str] = {}
    for each, content in pairs:
        name, value = _text(each).lower(), _text(content)
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def _text(part: object) -> str:
    if isinstance(part, bytes):
        return part.decode("latin-1")
    if not isinstance(part, str):
        raise TypeError(f"names and values of headers are text, not {type(part).__name__}")
    return part


def _required(headers: dict[str, str], name: str, form: re.Pattern[str], expected: str) -> str:
    if name not in headers:
        raise MissingHeaderError(name)
    if not form.fullmatch(headers[name]):
        raise MalformedHeaderError(name, f"the header is malformed: {expected}")
    return headers[name]


def _signatures(headers: dict[str, str]) -> list[bytes]:
    if SIGNATURE not in headers:
        raise MissingHeaderError(SIGNATURE)
    entries = [each for each in headers[SIGNATURE].split(" ") if each.startswith(VERSION)]
    if not entries:
        raise MalformedHeaderError(SIGNATURE, "the header has no signature of version v1: v1,<base64>")
    return [each.encode("utf-8", "backslashreplace") for each in entries]
