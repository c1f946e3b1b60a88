"""Verify the calls that Punctual makes. Standard library only.

    call = verify(request.headers, raw_body, [os.environ["SIGNING_SECRET"]])

`punctual.receivers` does this for FastAPI, Starlette, Flask, Django and AWS Lambda, and deduplicates as well.
"""

from punctual.webhooks._verification import DEFAULT_TOLERANCE_SECONDS, Headers, Secrets, verify
from punctual.webhooks.call import Call
from punctual.webhooks.errors import (
    MalformedHeaderError,
    MissingHeaderError,
    SecretError,
    SignatureError,
    TimestampError,
    VerificationError,
)

__all__ = [
    "DEFAULT_TOLERANCE_SECONDS",
    "Call",
    "Headers",
    "MalformedHeaderError",
    "MissingHeaderError",
    "SecretError",
    "Secrets",
    "SignatureError",
    "TimestampError",
    "VerificationError",
    "verify",
]
