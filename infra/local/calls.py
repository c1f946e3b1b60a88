"""A callback as its receiver sees it: ids, scheduled time, arrival time, and the check of its signature."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    method: str
    path: str
    headers: Mapping[str, str]
    """Keys are lower-case names."""
    body: bytes
    arrived_at: datetime
    genuine: bool | None
    """Whether the signature is valid; None without a secret to check it."""

    @property
    def execution_id(self) -> str:
        """The execution id, equal for all attempts."""
        return self.headers.get("webhook-id", "")

    @property
    def job_id(self) -> str:
        return self.headers.get("x-job-id", "")

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1; 0 without the header."""
        return int(self.headers.get("x-attempt", "0"))

    @property
    def scheduled_at(self) -> datetime | None:
        """The nominal instant of the execution."""
        text = self.headers.get("x-scheduled-at")
        return datetime.fromisoformat(text) if text else None

    @property
    def lag_ms(self) -> float | None:
        """Delay of the call after its nominal instant; negative if the call is early."""
        if self.scheduled_at is None:
            return None
        return (self.arrived_at - self.scheduled_at).total_seconds() * 1000


def is_genuine(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Check a Standard Webhooks signature as a receiver must; `secret` has the form `whsec_…`.

    The age of the signed timestamp is not checked here; a receiver should refuse old timestamps.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{headers.get('webhook-timestamp', '')}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return any(
        hmac.compare_digest(expected, signature)
        for signature in headers.get("webhook-signature", "").split(" ")
    )
