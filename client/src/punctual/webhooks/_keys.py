"""The HMAC keys that signing secrets encode."""

import base64
import binascii
from collections.abc import Iterable

from punctual.webhooks.errors import SecretError

SECRET_PREFIX = "whsec_"  # noqa: S105 - the public prefix of every secret, not a secret
MIN_KEY_BYTES = 24
MAX_KEY_BYTES = 64


def signing_keys(secrets: str | Iterable[str]) -> list[bytes]:
    """The key of each secret, in order; one text is one secret. White space around a secret is removed.

    SecretError without a secret, and for a secret that is not `whsec_` and the base64 of 24 to 64 bytes.
    """
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise SecretError("no signing secret is given: pass the whsec_... text of each active secret")
    return keys


def _key(secret: str) -> bytes:
    # `from None` keeps the secret out of chained tracebacks.
    text = secret.strip()
    if not text.startswith(SECRET_PREFIX):
        raise SecretError(f"a signing secret begins with {SECRET_PREFIX}: pass its whole text")
    try:
        key = base64.b64decode(text[len(SECRET_PREFIX) :], validate=True)
    except (binascii.Error, ValueError):
        raise SecretError(
            f"a signing secret is base64 after {SECRET_PREFIX}: it was cut or changed"
        ) from None
    if not MIN_KEY_BYTES <= len(key) <= MAX_KEY_BYTES:
        raise SecretError(
            f"a signing secret has {MIN_KEY_BYTES} to {MAX_KEY_BYTES} bytes: it was cut or changed"
        )
    return key
