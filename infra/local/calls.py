"""What a receiver learns from one callback: who was called, for when, when it came, and whether it is genuine."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One callback as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    arrived_at: datetime
    genuine: bool | None
    """Whether the signature is the tenant's; None where no secret is known."""

    @property
    def execution_id(self) -> str:
        """The same for every attempt of an execution."""
        return self.headers.get("webhook-id", "")

    @property
    def job_id(self) -> str:
        """The job that the execution is of."""
        return self.headers.get("x-job-id", "")

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1; 0 where the header is missing."""
        return int(self.headers.get("x-attempt", "0"))

    @property
    def scheduled_at(self) -> datetime | None:
        """The moment that the execution is for."""
        text = self.headers.get("x-scheduled-at")
        return datetime.fromisoformat(text) if text else None

    @property
    def lag_ms(self) -> float | None:
        """How long after its moment the call came; negative would be too early."""
        if self.scheduled_at is None:
            return None
        return (self.arrived_at - self.scheduled_at).total_seconds() * 1000


def is_genuine(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Check a Standard Webhooks signature, as a receiver of callbacks has to; `secret` is spelled `whsec_…`.

    The timestamp is signed, but its age is not judged here: a receiver should refuse old ones.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{headers.get('webhook-timestamp', '')}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return any(
        hmac.compare_digest(expected, signature)
        for signature in headers.get("webhook-signature", "").split(" ")
    )
