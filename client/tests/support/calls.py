"""Calls as the server signs them."""

import base64

from shared.domain.delivery.signing import new_secret, signed_headers

OLD, NEW, FOREIGN = (new_secret(bytes([number]) * 32) for number in (1, 2, 3))
NOW = 1_800_000_000
EXECUTION = "exe_1001jmg0r03s0009xjjb7t357kf8p8b"
SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")
TOKEN = "ct1_1_0123456789abcdef_" + "a" * 43


def headers_of(
    body: bytes,
    *secrets: str,
    at: int = NOW,
    execution: str = EXECUTION,
    attempt: int = 1,
    token: str = TOKEN,
) -> dict[str, str]:
    """The headers of a call with this body, signed at this instant; with NEW if no secret is named."""
    signed = signed_headers(
        message_id=execution,
        timestamp_s=at,
        body=body,
        secrets=secrets or [NEW],
        job_id="job_1001",
        attempt=attempt,
        scheduled_at="2027-01-15T08:00:00.000Z",
        traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    )
    return {**dict(signed), "X-Callback-Token": token, "Content-Type": "application/json"}


def secret_of(key: bytes) -> str:
    """The text of a secret, whatever its length."""
    return "whsec_" + base64.b64encode(key).decode()


def clock() -> float:
    """The instant at which calls are signed here."""
    return float(NOW)
