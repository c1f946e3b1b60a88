"""Verifies calls as their receivers do: the Standard Webhooks scheme, version v1."""

import hmac
from collections.abc import Mapping

from shared.domain.delivery.signing import SIGNATURE_HEADER, sign

TOLERANCE_S = 300
"""How far the timestamp of a call may be from the receiver's clock, in either direction."""
_MOST_SIGNATURES = 10
_LONGEST_TIMESTAMP = 12


def is_genuine(headers: Mapping[str, str], body: bytes, secret: str, now_ms: int) -> bool:
    """Whether the tenant with this secret signed the call, less than five minutes ago.

    Names of headers are in lower case. Constant time for any signature; False, and no error, for any header.
    """
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > _LONGEST_TIMESTAMP:
        return False
    if abs(now_ms / 1000 - int(timestamp)) > TOLERANCE_S:
        return False
    try:
        expected = sign(message_id=message_id, timestamp_s=int(timestamp), body=body, secrets=[secret])
        given = headers.get(SIGNATURE_HEADER, "").encode("ascii").split(b" ")[:_MOST_SIGNATURES]
    except UnicodeEncodeError:
        return False
    return any(hmac.compare_digest(each, expected.encode()) for each in given)
