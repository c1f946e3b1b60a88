"""Calls as a deployment would make them, signed with a secret of this machine: for `send` and `replay`."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from punctual.hooks.calling import Outgoing
from punctual.hooks.target import Target
from punctual.webhooks.signing import signed_headers

USER_AGENT = "Punctual/0.1"
"""What a deployment sends if a job has no header of this name."""
SECRET_BYTES = 32
METHODS = ("POST", "GET", "PUT", "PATCH", "DELETE", "HEAD")
_BODILESS = ("GET", "HEAD")
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t -~]*")
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_OWN = re.compile(
    "host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|idempotency-key"
    "|x-job-id|x-attempt|x-backfill-of|x-callback-token|x-scheduled-at|x-scheduler-signature|traceparent"
    "|tracestate|http2-settings|(webhook|punctual)-.*"
)
"""Headers that no job can have, since the deployment makes them."""


@dataclass(frozen=True, slots=True)
class LocalCall:
    """A call, before it is signed."""

    call_id: str
    """The value of `webhook-id`."""
    job_id: str
    attempt: int
    scheduled_at: datetime
    method: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    """Those of the job."""
    body: bytes = field(repr=False)
    backfill_of: str | None = None


def new_secret(random_bytes: bytes) -> str:
    """A signing secret of this machine, from `SECRET_BYTES` random bytes."""
    return "whsec_" + base64.b64encode(random_bytes).decode()


def check_headers(headers: Mapping[str, str]) -> None:
    """ValueError for headers that no job has; its text has no value."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a header: give one such as X-Shop")
        if not _VALUE.fullmatch(value):
            raise ValueError(f"the value of the header {name} has characters that are no printable ASCII")
        if _OWN.fullmatch(name.lower().replace("_", "-")):
            raise ValueError(f"the deployment makes the header {name} itself, so no job has it")


def compose(call: LocalCall, target: Target, *, secrets: Sequence[str], now: datetime) -> Outgoing:
    """The signed request, with the headers that a deployment sends, but for those that only one can make:
    `X-Callback-Token`, `Punctual-Depth` and `traceparent`.

    ValueError for a malformed id, method or attempt; SecretError without a secret, or for one that is none.
    """
    if not _ID.fullmatch(call.call_id):
        raise ValueError("the id of a call has 1 to 128 letters, digits, _ and -")
    if call.method not in METHODS:
        raise ValueError(f"a job has one of the methods {', '.join(METHODS)}")
    if not 1 <= call.attempt <= 9999:
        raise ValueError("an attempt is a number from 1")
    signed = signed_headers(
        body=call.body,
        secrets=list(secrets),
        execution_id=call.call_id,
        job_id=call.job_id,
        scheduled_at=call.scheduled_at,
        signed_at=int(now.astimezone(timezone.utc).timestamp()),
        attempt=call.attempt,
    )
    lines = [("Host", target.authority), *call.headers, *signed.items()]
    if call.backfill_of is not None:
        lines.append(("X-Backfill-Of", call.backfill_of))
    if not any(name.lower() == "user-agent" for name, _ in call.headers):
        lines.append(("User-Agent", USER_AGENT))
    if call.body or call.method not in _BODILESS:
        lines.append(("Content-Length", str(len(call.body))))
    return Outgoing(
        method=call.method.encode(),
        request_target=target.request_target,
        headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in lines],
        body=call.body,
    )


def meaning(status: int, headers: Sequence[tuple[bytes, bytes]]) -> str:
    """What an answer would mean for the execution."""
    given = {name.lower(): value.strip().lower() for name, value in headers}
    if status == 202 and given.get(b"x-punctual-async") == b"true":
        return "accepted: the execution would run on, until the receiver reports its outcome"
    if 200 <= status < 300:
        return "succeeded"
    if status == 410:
        return "gone: the execution would fail at once, and a recurring job would be paused"
    if given.get(b"x-punctual-no-retry") == b"true":
        return "refused: the execution would fail at once, without a retry"
    return "failed: the execution would be retried, while attempts are left"
