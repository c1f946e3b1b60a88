"""Signs callbacks with the Standard Webhooks scheme, version v1, and a compact scheme of equal strength.

A secret is written as `whsec_` and the base64 of its bytes. The bytes are the key of Standard Webhooks, and
the text is the key of the compact scheme. With one key for both, a compact signature over a chosen body would
be a standard signature over another id, time and body. During a rotation, both the new and the old secret
sign, so a receiver may use either.
"""

import base64
import binascii
import hmac
from collections.abc import Sequence

SECRET_PREFIX = "whsec_"  # noqa: S105 - the public prefix of every secret, not a secret
SIGNATURE_HEADER = "webhook-signature"
"""Every callback has this header."""
SECRET_NAME = r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"  # noqa: S105 - a pattern, not a secret
"""The pattern of the name of a signing secret."""
MIN_SECRET_BYTES = 24
MAX_SECRET_BYTES = 64


def new_secret(random_bytes: bytes) -> str:
    """Encode random bytes as a secret.

    ValueError unless there are 24 to 64 bytes, as Standard Webhooks requires.
    """
    if not MIN_SECRET_BYTES <= len(random_bytes) <= MAX_SECRET_BYTES:
        raise ValueError(f"a signing secret has {MIN_SECRET_BYTES} to {MAX_SECRET_BYTES} bytes")
    return SECRET_PREFIX + base64.b64encode(random_bytes).decode("ascii")


def sign(*, message_id: str, timestamp_s: int, body: bytes, secrets: Sequence[str]) -> str:
    """Return the value of `webhook-signature`: one `v1,<base64>` per secret, separated by spaces.

    ValueError without a secret or with a malformed secret, so no callback is ever sent unsigned.
    """
    signed = f"{message_id}.{timestamp_s}.".encode() + body
    digests = [hmac.digest(key, signed, "sha256") for key in _keys(secrets)]
    return " ".join("v1," + base64.b64encode(digest).decode("ascii") for digest in digests)


def signed_headers(
    *,
    message_id: str,
    timestamp_s: int,
    body: bytes,
    secrets: Sequence[str],
    job_id: str,
    attempt: int,
    scheduled_at: str,
    traceparent: str,
    backfill_of: str | None = None,
) -> tuple[tuple[str, str], ...]:
    """Return all headers that Punctual adds to a callback.

    `message_id` is the execution id, equal for all attempts. `backfill_of` is the original job, for a
    callback of a backfill. ValueError as for `sign`.
    """
    return (
        ("webhook-id", message_id),
        ("webhook-timestamp", str(timestamp_s)),
        (
            SIGNATURE_HEADER,
            sign(message_id=message_id, timestamp_s=timestamp_s, body=body, secrets=secrets),
        ),
        ("X-Job-Id", job_id),
        ("X-Attempt", str(attempt)),
        ("X-Scheduled-At", scheduled_at),
        ("X-Scheduler-Signature", _scheduler_signature(timestamp_s, body, secrets)),
        ("traceparent", traceparent),
        ("Idempotency-Key", message_id),
        *((("X-Backfill-Of", backfill_of),) if backfill_of is not None else ()),
    )


def _scheduler_signature(timestamp_s: int, body: bytes, secrets: Sequence[str]) -> str:
    """Return `t=<timestamp>,v1=<hex>` over `<timestamp>.<body>`, with the text of the first secret as key."""
    digest = hmac.digest(secrets[0].encode("ascii"), f"{timestamp_s}.".encode() + body, "sha256")
    return f"t={timestamp_s},v1={digest.hex()}"


def _keys(secrets: Sequence[str]) -> list[bytes]:
    if not secrets:
        raise ValueError("a callback needs at least one signing secret")
    return [_key(secret) for secret in secrets]


def _key(secret: str) -> bytes:
    # Error texts never contain the secret, and `from None` keeps it out of chained tracebacks.
    if not secret.startswith(SECRET_PREFIX):
        raise ValueError(f"a signing secret begins with {SECRET_PREFIX}")
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("a signing secret is base64 after its prefix") from None
    if not key:
        raise ValueError("a signing secret is not empty")
    return key
