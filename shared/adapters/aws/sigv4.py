"""AWS Signature Version 4 of any request: method, path, query and headers of any service.

`Signer` is faster, for POST requests to the root of a service alone.
The rules: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import quote, unquote_to_bytes

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.signer import ALGORITHM
from shared.dataclass import dataclass

_UNSIGNED = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "x-amzn-trace-id",
    }
)
"""Headers that a connection or a proxy may change or add. The SDK of AWS signs none of them."""
_BODILESS = frozenset({"vpc-lattice-svcs"})
"""Services that leave the body out of the signature, and whose path is that of S3:
https://docs.aws.amazon.com/vpc-lattice/latest/ug/sigv4-authenticated-requests.html"""
_AS_IT_IS = _BODILESS | {"s3", "s3express", "s3-object-lambda", "s3-outposts"}
"""Services that take the path, such as the name of an object, as it is."""
_HASHED = _AS_IT_IS | {"aoss"}
"""Services that refuse a request without a header for the hash of its body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsignedRequest:
    """A request as it will be sent, but for the headers of its signature."""

    method: str
    path: str
    """As in the request line: with its percent-encoding, and without the query."""
    query: str = ""
    """As in the request line, without the question mark."""
    headers: Mapping[str, str] = field(repr=False)
    """All of them, Host included; `folded` makes one of repeated headers."""
    body: bytes = field(repr=False)


def signature_headers(
    request: UnsignedRequest, service: str, region: str, credentials: Credentials, now_s: float
) -> dict[str, str]:
    """The headers to add: the time, the token of the session, and the signature."""
    stamp = datetime.fromtimestamp(int(now_s), UTC).strftime("%Y%m%dT%H%M%SZ")
    body_hash = "UNSIGNED-PAYLOAD" if service in _BODILESS else sha256(request.body).hexdigest()
    added = {"X-Amz-Date": stamp}
    if service in _HASHED:
        added["X-Amz-Content-SHA256"] = body_hash
    if credentials.token:
        added["X-Amz-Security-Token"] = credentials.token
    lines = sorted(
        (name.lower(), " ".join(value.split()))
        for name, value in {**request.headers, **added}.items()
        if name.lower() not in _UNSIGNED
    )
    signed = ";".join(name for name, _ in lines)
    canonical = "\n".join(
        (
            request.method,
            _canonical_path(request.path, service),
            _canonical_query(request.query),
            *(f"{name}:{value}" for name, value in lines),
            "",
            signed,
            body_hash,
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


def folded(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by name, in which a repeated one has all its values."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(" ".join(value.split()))
    return {name: ",".join(values) for name, values in found.items()}


def _canonical_path(path: str, service: str) -> str:
    """Most services resolve dots, and encode the encoded path again."""
    if service in _AS_IT_IS:
        return quote(unquote_to_bytes(path), safe="/-_.~") or "/"
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    end = "/" if path.endswith("/") and parts else ""
    return quote(f"/{'/'.join(parts)}{end}", safe="/~")


def _canonical_query(query: str) -> str:
    """The parameters in order, each with an equals sign, and with nothing but letters and digits unencoded."""
    pairs = (part.partition("=") for part in query.split("&") if part)
    encoded = sorted((_encoded(name), _encoded(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _encoded(text: str) -> str:
    return quote(unquote_to_bytes(text), safe="-_.~")
