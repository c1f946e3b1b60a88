"""Verify identity tokens as a receiver does: with the published documents, and none of the code that made them."""

import json
from base64 import urlsafe_b64decode
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256


def decoded(part: str) -> bytes:
    assert "=" not in part
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def header_of(token: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(decoded(token.split(".")[0]))
    return found


def verified(token: str, key_set: dict[str, Any]) -> dict[str, Any]:
    """The claims; AssertionError unless exactly one of the keys is named and has signed them."""
    header, claims, signature = token.split(".")
    named = header_of(token)
    assert (named["alg"], named["typ"]) == ("RS256", "JWT")
    (key,) = (each for each in key_set["keys"] if each["kid"] == named["kid"])
    assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")
    numbers = RSAPublicNumbers(n=int.from_bytes(decoded(key["n"])), e=int.from_bytes(decoded(key["e"])))
    try:
        numbers.public_key().verify(decoded(signature), f"{header}.{claims}".encode(), PKCS1v15(), SHA256())
    except InvalidSignature as error:
        raise AssertionError("the signature is not that of the key") from error
    found: dict[str, Any] = json.loads(decoded(claims))
    return found
