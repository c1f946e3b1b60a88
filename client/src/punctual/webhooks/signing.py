"""Sign calls as Punctual does: for `punctual send`, and for tests of receivers."""

import hmac
from datetime import datetime, timezone

from punctual.webhooks._keys import signing_keys
from punctual.webhooks._verification import Secrets, signature_of, signed_content


def sign(*, execution_id: str, signed_at: int, body: bytes, secrets: Secrets) -> str:
    """The value of `webhook-signature`: an entry for each secret, separated by spaces.

    `signed_at` is seconds since 1970. SecretError without a secret, or for a malformed one.
    """
    signed = signed_content(execution_id, str(signed_at), body)
    return " ".join(signature_of(signed, key).decode() for key in signing_keys(secrets))


def signed_headers(
    *,
    body: bytes,
    secrets: Secrets,
    execution_id: str,
    job_id: str,
    scheduled_at: datetime,
    signed_at: int,
    attempt: int = 1,
) -> dict[str, str]:
    """The headers with which Punctual would call now, but for those that only a deployment can make: no
    `X-Callback-Token`, `Punctual-Depth` and `traceparent`.

    `signed_at` is seconds since 1970, and `scheduled_at` has a zone. The first secret is the newest one.
    SecretError as for `sign`, ValueError for an instant without a zone.
    """
    if scheduled_at.tzinfo is None:
        raise ValueError("scheduled_at needs a time zone, such as datetime.timezone.utc")
    texts = [secrets] if isinstance(secrets, str) else list(secrets)
    signature = sign(execution_id=execution_id, signed_at=signed_at, body=body, secrets=texts)
    instant = scheduled_at.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return {
        "webhook-id": execution_id,
        "webhook-timestamp": str(signed_at),
        "webhook-signature": signature,
        "X-Job-Id": job_id,
        "X-Attempt": str(attempt),
        "X-Scheduled-At": instant.replace("+00:00", "Z"),
        "X-Scheduler-Signature": compact_signature(signed_at=signed_at, body=body, secret=texts[0]),
        "Idempotency-Key": execution_id,
    }


def compact_signature(*, signed_at: int, body: bytes, secret: str) -> str:
    """The value of `X-Scheduler-Signature`, whose key is the text of the secret. It does not cover the id."""
    digest = hmac.digest(secret.strip().encode(), f"{signed_at}.".encode() + body, "sha256")
    return f"t={signed_at},v1={digest.hex()}"
