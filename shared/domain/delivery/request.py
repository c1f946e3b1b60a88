"""The HTTP request that a job stands for, and its stored form."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass

from shared.domain.delivery.outcome_callbacks import NO_CALLBACK
from shared.domain.delivery.target import check_headers, check_target
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import CallbackUrlNotAllowedError, InvalidValueError, UnreadableItemError

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
    on_success: str | None = None
    """The URL that is told when the call has succeeded, or SILENT; None leaves it to the tenant."""
    on_failure: str | None = None


def new_payload_id(job_id: str, entropy: int) -> str:
    """A new name for a request that stands apart, when a job is changed; at its creation that is the job's id.

    Chance tells apart what rivals store for the same revision: the loser must not write over the winner's.
    """
    return f"{job_id}.{entropy:020x}"


def check_request(request: Request, policy: TargetPolicy) -> None:
    """Refuse what must not or cannot be sent: InvalidValueError or CallbackUrlNotAllowedError."""
    if request.method not in METHODS:
        raise InvalidValueError(f"method must be one of {', '.join(METHODS)}")
    if len(request.body) > MAX_BODY_BYTES:
        raise InvalidValueError(f"the body may be {MAX_BODY_BYTES} bytes at most")
    check_target(request.url, policy)
    check_headers(dict(request.headers))
    check_callback_target("on_success", request.on_success, policy)
    check_callback_target("on_failure", request.on_failure, policy)


def check_callback_target(name: str, url: str | None, policy: TargetPolicy) -> None:
    """Refuse a URL that may not be told of outcomes, as one that may not be called: CallbackUrlNotAllowedError."""
    if url is None or url == NO_CALLBACK:
        return
    try:
        check_target(url, policy)
    except CallbackUrlNotAllowedError as refused:
        raise CallbackUrlNotAllowedError(str(refused), member=name) from None


def encode_request(request: Request) -> bytes:
    """The stored form, before sealing; the same request always gives the same bytes."""
    try:
        body = {"t": request.body.decode()}
    except UnicodeDecodeError:
        body = {"b": b64encode(request.body).decode()}
    parts = {"m": request.method, "u": request.url, "h": request.headers, **body}
    told = {"s": request.on_success, "f": request.on_failure}
    parts |= {name: url for name, url in told.items() if url is not None}
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
            on_success=parts.get("s"),
            on_failure=parts.get("f"),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableItemError("the stored request cannot be read") from error
