"""Identity tokens of OpenID Connect: JWTs that tell a receiver which tenant of which deployment calls it.

The audience is the caller's choice, so receivers check the subject, too. A token says nothing of the job or the
execution: the signature of the call does.
"""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from shared.dataclass import dataclass
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError

MAX_AUDIENCE_CHARACTERS = 255
AUDIENCE = r"^[!-~]{1,255}$"
"""The form of an audience."""
AUDIENCE_TEXT = "must be 1 to 255 printable characters of ASCII, without spaces"
LIFE_SECONDS = 3_600
BACKDATED_SECONDS = 60
"""Receivers refuse tokens of the future, and the clocks of some are behind."""
REUSED_MS = LIFE_SECONDS * 1000 // 2
"""A token is replaced when less of its life is left."""
PUBLISHED_SECONDS = 900
"""How long a process, and a cache behind it, keep the public keys. A new key is published longer before it signs."""
UNREAD_PAUSE_SECONDS = 10
"""The same for keys of which some could not be read."""
SPARE_MS = 300_000
"""A token with less of its life left is not used, even if there is no other: a call and its receiver need time."""
AUTHORIZATION = "Authorization"
ALGORITHM = "RS256"
_CLAIMS = ("iss", "sub", "aud", "iat", "exp")


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcAuth:
    """A call with an identity token for this audience."""

    audience: str

    @property
    def kind(self) -> AuthKind:
        return AuthKind.OIDC


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """An RSA key with which tokens are verified."""

    id: str
    modulus: int
    exponent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedKeys:
    """The keys with which receivers verify tokens: never none, and with the one that signs, unless it is disabled."""

    keys: tuple[PublicKey, ...]
    is_complete: bool
    """False while a key cannot be read. It may have signed tokens that are still valid, so caches must ask soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityToken:
    """A signed token, which any holder may use until its end."""

    text: str = field(repr=False)
    ends_at: int
    """In UTC ms."""


def key_id(number: int) -> str:
    """The `kid` of a key of the stage."""
    return str(number)


def oidc_errors(auth: OidcAuth, policy: TargetPolicy) -> Iterator[InvalidValueError]:
    """Yield an error for each rule that it breaks; paths start at `request`."""
    path = ("request", "auth", AuthKind.OIDC.value)
    if not policy.issues_tokens:
        yield InvalidValueError(
            "this deployment issues no identity tokens: its operator gives the stage token_keys = [1]",
            path=path,
        )
    if not re.fullmatch(AUDIENCE, auth.audience):
        yield InvalidValueError(AUDIENCE_TEXT, path=(*path, "audience"))


def unsigned_token(*, issuer: str, key: str, tenant_id: str, audience: str, now_ms: int) -> tuple[bytes, int]:
    """What is signed, and the end of the token in UTC ms."""
    issued_at = now_ms // 1000 - BACKDATED_SECONDS
    ends_at = issued_at + LIFE_SECONDS
    header = {"alg": ALGORITHM, "typ": "JWT", "kid": key}
    claims = dict(zip(_CLAIMS, (issuer, tenant_id, audience, issued_at, ends_at), strict=True))
    return b".".join(_base64(_json(part)) for part in (header, claims)), ends_at * 1000


def signed_token(unsigned: bytes, signature: bytes, ends_at: int) -> IdentityToken:
    """The token from what was signed, and its signature with RSASSA-PKCS1-v1_5 and SHA-256."""
    return IdentityToken(text=b".".join((unsigned, _base64(signature))).decode(), ends_at=ends_at)


def key_set(keys: Sequence[PublicKey]) -> dict[str, Any]:
    """The document of the public keys (RFC 7517)."""
    return {
        "keys": [
            {
                "kty": "RSA",
                "use": "sig",
                "alg": ALGORITHM,
                "kid": key.id,
                "n": _unsigned(key.modulus),
                "e": _unsigned(key.exponent),
            }
            for key in keys
        ]
    }


def configuration(issuer: str) -> dict[str, Any]:
    """The discovery document (OpenID Connect Discovery 1.0) of an issuer that has no other endpoint than its keys."""
    return {
        "issuer": issuer,
        "jwks_uri": f"{issuer}/.well-known/jwks.json",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
        "scopes_supported": ["openid"],
        "claims_supported": [*_CLAIMS],
    }


def _unsigned(number: int) -> str:
    return _base64(number.to_bytes((number.bit_length() + 7) // 8)).decode()


def _base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
