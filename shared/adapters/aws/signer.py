"""AWS Signature Version 4 of JSON requests, with a signing key that is derived once a day.

The rules: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
"""

import hmac
from dataclasses import field
from datetime import UTC, datetime
from hashlib import sha256

from shared.adapters.aws.credentials import Credentials
from shared.dataclass import dataclass

ALGORITHM = "AWS4-HMAC-SHA256"
_SIGNED = "content-type;host;x-amz-date;x-amz-target"
_TARGET = ";x-amz-target"
_SIGNED_WITH_TOKEN = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"  # noqa: S105 - names


@dataclass(slots=True)
class Signer:
    """Signs POST requests to the root of one service in one region."""

    service: str
    region: str
    host: str
    """As the Host header spells it: with the port, unless it is the scheme's own."""
    content_type: str
    _key: tuple[str, str, bytes] = field(default=("", "", b""), repr=False)
    """The day and the secret key that the signing key was derived from, and the signing key."""

    def headers(self, target: str, body: bytes, credentials: Credentials, now_s: float) -> dict[str, str]:
        """All headers of the request; `target` is the value of X-Amz-Target, empty for a service that has none."""
        stamp = _stamp(now_s)
        token = credentials.token
        signed, token_line = (
            (_SIGNED_WITH_TOKEN, f"x-amz-security-token:{token}\n") if token else (_SIGNED, "")
        )
        target_line = f"x-amz-target:{target}\n"
        if not target:
            signed, target_line = signed.removesuffix(_TARGET), ""
        request = (
            f"POST\n/\n\ncontent-type:{self.content_type}\nhost:{self.host}\nx-amz-date:{stamp}\n{token_line}"
            f"{target_line}\n{signed}\n{sha256(body).hexdigest()}"
        )
        scope = f"{stamp[:8]}/{self.region}/{self.service}/aws4_request"
        text = f"{ALGORITHM}\n{stamp}\n{scope}\n{sha256(request.encode()).hexdigest()}"
        signature = hmac.digest(self._signing_key(credentials, stamp[:8]), text.encode(), "sha256").hex()
        headers = {
            "Content-Type": self.content_type,
            "Host": self.host,
            "X-Amz-Date": stamp,
            "Authorization": f"{ALGORITHM} Credential={credentials.access_key}/{scope}, "
            f"SignedHeaders={signed}, Signature={signature}",
        }
        if target:
            headers["X-Amz-Target"] = target
        if token:
            headers["X-Amz-Security-Token"] = token
        return headers

    def _signing_key(self, credentials: Credentials, day: str) -> bytes:
        known_day, known_secret, key = self._key
        if (known_day, known_secret) != (day, credentials.secret_key):
            key = b"AWS4" + credentials.secret_key.encode()
            for part in (day, self.region, self.service, "aws4_request"):
                key = hmac.digest(key, part.encode(), "sha256")
            self._key = day, credentials.secret_key, key
        return key


def _stamp(now_s: float) -> str:
    """Such as 20260301T120000Z; a third of the time that `strftime` takes."""
    text = datetime.fromtimestamp(int(now_s), UTC).isoformat()
    return f"{text[:19].replace('-', '').replace(':', '')}Z"
