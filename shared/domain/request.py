"""The HTTP request that a job stands for, and its stored form."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass

from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.target import check_headers, check_target

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
MAX_BODY_BYTES = 200 * 1024
INLINE_BYTES = 3 * 1024
"""A sealed request above this stands in an item of its own: the execution is rewritten at every step, it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to call. Headers keep their order and spelling."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def payload_id(job_id: str, entropy: int) -> str:
    """A new name for a request that stands apart, when a job is changed; at its creation that is the job's id.

    Chance tells apart what rivals store for the same revision: the loser must not write over the winner's.
    """
    return f"{job_id}.{entropy:020x}"


def check_request(request: Request, *, allow_http: bool) -> None:
    """Refuse what must not or cannot be sent: InvalidValueError or CallbackUrlNotAllowedError."""
    if request.method not in METHODS:
        raise InvalidValueError(f"method must be one of {', '.join(METHODS)}")
    if len(request.body) > MAX_BODY_BYTES:
        raise InvalidValueError(f"the body may be {MAX_BODY_BYTES} bytes at most")
    check_target(request.url, allow_http=allow_http)
    check_headers(dict(request.headers))


def encode_request(request: Request) -> bytes:
    """The stored form, before sealing; the same request always gives the same bytes."""
    try:
        body = {"t": request.body.decode()}
    except UnicodeDecodeError:
        body = {"b": b64encode(request.body).decode()}
    parts = {"m": request.method, "u": request.url, "h": request.headers, **body}
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()


def decode_request(stored: bytes) -> Request:
    """Read the stored form; UnreadableItemError for anything else."""
    try:
        parts = json.loads(stored)
        return Request(
            method=parts["m"],
            url=parts["u"],
            headers=tuple((name, value) for name, value in parts["h"]),
            body=b64decode(parts["b"]) if "b" in parts else parts["t"].encode(),
        )
    except (ValueError, KeyError, TypeError) as fault:
        raise UnreadableItemError("the stored request cannot be read") from fault
