"""Which part of a stored request is wrong: for `punctual verify < request.http`."""

import hmac
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from punctual.webhooks._verification import (
    DEFAULT_TOLERANCE_SECONDS,
    SIGNATURE,
    TIMESTAMP,
    Secrets,
    lower_case,
    verify,
)
from punctual.webhooks.call import Call
from punctual.webhooks.errors import SignatureError, TimestampError, VerificationError
from punctual.webhooks.signing import compact_signature

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request as it arrived, or as it was saved."""

    headers: list[tuple[str, str]] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a part of a request."""

    part: str
    """The name of a header, or `body`."""
    detail: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The call, if the request is genuine and fresh, and everything that is odd about the request."""

    call: Call | None
    problems: tuple[Problem, ...]


def diagnose(
    raw: bytes,
    secrets: Secrets,
    tolerance: float = DEFAULT_TOLERANCE_SECONDS,
    *,
    clock: Callable[[], float] = time.time,
) -> Diagnosis:
    """Verify a request that was saved as text, as `judge` does. ValueError if it cannot be read as a request."""
    return judge(parse_request(raw), secrets, tolerance, clock=clock)


def judge(
    request: StoredRequest,
    secrets: Secrets,
    tolerance: float = DEFAULT_TOLERANCE_SECONDS,
    *,
    clock: Callable[[], float] = time.time,
) -> Diagnosis:
    """Verify a request, and look for the reason if that fails.

    An old request is named as such, and its signature is judged all the same. SecretError as for `verify`. No
    problem contains a secret, a signature or the value of a header.
    """
    texts = [secrets] if isinstance(secrets, str) else list(secrets)
    problems = list(_length_problems(request))
    try:
        return Diagnosis(
            verify(request.headers, request.body, texts, tolerance, clock=clock), tuple(problems)
        )
    except VerificationError as error:
        problems.append(Problem(error.part, str(error).removeprefix(f"{error.part}: ")))
        is_old = isinstance(error, TimestampError)
        if isinstance(error, TimestampError | SignatureError):
            problems += _signature_problems(request, texts, is_named=not is_old)
    return Diagnosis(None, tuple(problems))


def parse_request(raw: bytes) -> StoredRequest:
    """Read a request line, headers, a blank line and the body, whose bytes are kept as they are.

    The lines may end with LF alone. ValueError names the line that is malformed, without its value.
    """
    head, _, body = _split(raw)
    line, *lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    if not re.fullmatch(r"[A-Z]+ \S+( HTTP/[0-9.]+)?", line):
        raise ValueError("the first line is no request line, such as POST /hooks/report HTTP/1.1")
    headers = []
    for number, each in enumerate(lines, start=2):
        found = _HEADER.fullmatch(each)
        if found is None:
            raise ValueError(f"line {number} is no header, such as webhook-id: exe_..., and no blank line")
        headers.append((found[1], found[2].rstrip(" \t")))
    return StoredRequest(headers, body)


def _split(raw: bytes) -> tuple[bytes, bytes, bytes]:
    blank = _BLANK_LINE.search(raw)
    if blank is None:
        return raw.rstrip(b"\r\n"), b"", b""
    return raw[: blank.start()], blank.group(), raw[blank.end() :]


def _length_problems(request: StoredRequest) -> Iterator[Problem]:
    text = lower_case(request.headers).get("content-length", "")
    if text.isdecimal() and text.isascii() and len(text) < 10 and int(text) != len(request.body):
        yield Problem("body", f"Content-Length is {int(text)}, and the body has {len(request.body)} bytes")


def _signature_problems(request: StoredRequest, secrets: list[str], *, is_named: bool) -> Iterator[Problem]:
    """Why the signature does not match; nothing if it matches. `is_named`: that it does not is known already."""
    if _matches(request, request.body, secrets):
        return
    if not is_named:
        yield Problem(SIGNATURE, "no signature matches either")
    for detail, body in _likely_bodies(request.body):
        if _matches(request, body, secrets):
            yield Problem(
                "body", f"the signature matches the body {detail}: it was changed when it was saved"
            )
            return
    if _compact_matches(request, secrets):
        yield Problem(
            "webhook-id", "X-Scheduler-Signature, which does not cover the id, matches: the id was changed"
        )


def _likely_bodies(body: bytes) -> Iterator[tuple[str, bytes]]:
    """What editors and terminals make of a body, undone."""
    yield "without the line break at its end", re.sub(rb"\r?\n\Z", b"", body)
    yield "without white space around it", body.strip()
    yield "with a line break at its end", body + b"\n"
    yield "with LF in place of CRLF", body.replace(b"\r\n", b"\n")
    yield "with CRLF in place of LF", re.sub(rb"\r?\n", b"\r\n", body)
    yield "without a byte order mark", body.removeprefix(b"\xef\xbb\xbf")


def _matches(request: StoredRequest, body: bytes, secrets: list[str]) -> bool:
    signed_at = float(lower_case(request.headers)[TIMESTAMP])
    try:
        verify(request.headers, body, secrets, clock=lambda: signed_at)
    except VerificationError:
        return False
    return True


def _compact_matches(request: StoredRequest, secrets: list[str]) -> bool:
    headers = lower_case(request.headers)
    given = headers.get("x-scheduler-signature", "").encode("utf-8", "backslashreplace")
    signed_at = int(headers[TIMESTAMP])
    own = [
        compact_signature(signed_at=signed_at, body=request.body, secret=each).encode() for each in secrets
    ]
    return any([hmac.compare_digest(each, given) for each in own])  # noqa: C419 - no early exit
