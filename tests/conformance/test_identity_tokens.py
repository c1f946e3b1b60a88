"""Identity tokens: what is signed is verified with the published keys, by code that knows nothing of the signer.

The fake, and the real adapters over the KMS of moto and of ministack, which the laptop has.
"""

import json
import time
from contextlib import suppress
from typing import Any

import pytest

from shared.adapters.aws.errors import NoAnswerError
from shared.domain.delivery.identity_token import key_set
from shared.domain.errors import UnavailableError
from tests.support.conformance.tokens import KmsTokenLab, TokenLab
from tests.support.delivery.tokens import header_of, verified
from tests.support.settings import ISSUER

AUDIENCE = "https://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q"


def published(lab: TokenLab) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(key_set(lab.keys.public_keys().keys)))
    return found


def test_token_is_verified_with_the_published_key_that_it_names(token_lab: TokenLab) -> None:
    token = token_lab.tokens.token("acme", AUDIENCE)
    claims = verified(token, published(token_lab))
    assert (claims["iss"], claims["sub"], claims["aud"]) == (ISSUER, "acme", AUDIENCE)
    assert header_of(token)["kid"] == token_lab.signs
    now = time.time()
    assert claims["iat"] < now < claims["exp"]
    assert claims["exp"] - claims["iat"] == 3_600


def test_token_of_the_longest_audience_is_signed(token_lab: TokenLab) -> None:
    audience = "~" * 255
    assert verified(token_lab.tokens.token("t" * 64, audience), published(token_lab))["aud"] == audience


def test_tokens_of_two_tenants_differ(token_lab: TokenLab) -> None:
    subjects = [
        verified(token_lab.tokens.token(tenant, AUDIENCE), published(token_lab))["sub"]
        for tenant in ("acme", "globex")
    ]
    assert subjects == ["acme", "globex"]


def test_published_keys_are_of_2048_bits_and_show_nothing_private(token_lab: TokenLab) -> None:
    for key in published(token_lab)["keys"]:
        assert set(key) == {"kty", "use", "alg", "kid", "n", "e"}
        assert len(key["n"]) == 342


def test_key_of_no_other_number_verifies_a_token(token_lab: TokenLab) -> None:
    assert isinstance(token_lab, KmsTokenLab)
    token, both = token_lab.tokens.token("acme", AUDIENCE), published(token_lab)["keys"]
    assert [key["kid"] for key in both] == ["2", "1"]
    swapped = [{**key, "kid": other["kid"]} for key, other in zip(both, reversed(both), strict=True)]
    with pytest.raises(AssertionError, match="not that of the key"):
        verified(token, {"keys": swapped})


def test_disabled_key_signs_no_token(token_lab: TokenLab) -> None:
    assert isinstance(token_lab, KmsTokenLab)
    with suppress(NoAnswerError):  # moto answers `null`
        token_lab.client.disable_key(KeyId=token_lab.key(2)["KeyId"])
    with pytest.raises(UnavailableError):
        token_lab.tokens.token("acme", AUDIENCE)
