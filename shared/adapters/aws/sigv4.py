"""AWS Signature Version 4 of any request: method, path, query and headers of any service.

`Signer` is faster, for POST requests to the root of a service alone.
The rules: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
"""

import hmac
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import quote

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.signer import ALGORITHM
from shared.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsignedRequest:
    """A request as it will be sent, but for the headers of its signature."""

    method: str
    path: str
    """As in the request line: with its percent-encoding, and without the query."""
    query: str = ""
    """As in the request line, without the question mark."""
    headers: Mapping[str, str] = field(repr=False)
    """Those that are signed, Host among them."""
    body: bytes = field(repr=False)


def signature_headers(
    request: UnsignedRequest, service: str, region: str, credentials: Credentials, now_s: float
) -> dict[str, str]:
    """The headers to add: the time, the token of the session, and the signature."""
    stamp = datetime.fromtimestamp(int(now_s), UTC).strftime("%Y%m%dT%H%M%SZ")
    added = {"X-Amz-Date": stamp}
    if credentials.token:
        added["X-Amz-Security-Token"] = credentials.token
    lines = sorted(
        (name.lower(), " ".join(value.split())) for name, value in {**request.headers, **added}.items()
    )
    signed = ";".join(name for name, _ in lines)
    canonical = "\n".join(
        (
            request.method,
            # A path is encoded again, but by S3.
            quote(request.path, safe="/~"),
            _canonical_query(request.query),
            *(f"{name}:{value}" for name, value in lines),
            "",
            signed,
            sha256(request.body).hexdigest(),
        )
    )
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    text = f"{ALGORITHM}\n{stamp}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
    key = b"AWS4" + credentials.secret_key.encode()
    for part in (stamp[:8], region, service, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    added["Authorization"] = (
        f"{ALGORITHM} Credential={credentials.access_key}/{scope}, SignedHeaders={signed}, Signature={signature}"
    )
    return added


def _canonical_query(query: str) -> str:
    """The parameters in order, each with an equals sign."""
    pairs = (part.partition("=") for part in query.split("&") if part)
    return "&".join(f"{name}={value}" for name, value in sorted((name, value) for name, _, value in pairs))
