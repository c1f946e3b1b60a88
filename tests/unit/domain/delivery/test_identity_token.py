"""Identity tokens: their claims and forms, what is stored of them, and which requests may have them."""

import json
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from shared.domain.delivery.aws_target import AwsTarget, TargetKind
from shared.domain.delivery.identity_token import (
    LIFE_SECONDS,
    OidcAuth,
    PublicKey,
    configuration,
    key_set,
    signed_token,
    unsigned_token,
)
from shared.domain.delivery.request import (
    Request,
    check_request,
    decode_request,
    encode_request,
    request_errors,
)
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError, UnreadableItemError
from tests.support.delivery.tokens import header_of, verified
from tests.support.fakes.identity_tokens import private_key

ISSUER = "https://api.example.com"
NOW = 1_900_000_000_123
PLAIN = Request(method="POST", url="https://example.com/")
WITH_TOKEN = replace(PLAIN, auth=OidcAuth(audience="https://reports.example.com"))
ISSUES = TargetPolicy(issues_tokens=True)


def token(tenant: str = "acme", audience: str = "https://r.example.com", now_ms: int = NOW) -> str:
    unsigned, ends_at = unsigned_token(
        issuer=ISSUER, key="1", tenant_id=tenant, audience=audience, now_ms=now_ms
    )
    return signed_token(unsigned, private_key().sign(unsigned, PKCS1v15(), SHA256()), ends_at).text


def published() -> dict[str, Any]:
    numbers = private_key().public_key().public_numbers()
    found: dict[str, Any] = json.loads(
        json.dumps(key_set([PublicKey(id="1", modulus=numbers.n, exponent=numbers.e)]))
    )
    return found


def test_token_has_these_claims_and_the_signature_of_the_published_key() -> None:
    assert verified(token(), published()) == {
        "iss": ISSUER,
        "sub": "acme",
        "aud": "https://r.example.com",
        "iat": NOW // 1000 - 60,
        "exp": NOW // 1000 - 60 + LIFE_SECONDS,
    }
    assert header_of(token()) == {"alg": "RS256", "typ": "JWT", "kid": "1"}


def test_token_with_another_claim_has_no_valid_signature() -> None:
    mine, other = token(), token("globex")
    forged = ".".join((mine.split(".")[0], other.split(".")[1], mine.split(".")[2]))
    with pytest.raises(AssertionError, match="not that of the key"):
        verified(forged, published())


@pytest.mark.parametrize("audience", ['"},{"sub":"globex"', "\\", "x" * 255])
def test_audience_stays_inside_its_claim(audience: str) -> None:
    claims = verified(token(audience=audience), published())
    assert (claims["aud"], claims["sub"]) == (audience, "acme")


def test_token_is_in_no_representation() -> None:
    text = token()
    made = signed_token(b"a.b", b"c", NOW)
    assert "a.b" not in repr(made)
    assert text


def test_discovery_document_names_the_issuer_and_the_keys_below_it() -> None:
    document = configuration(ISSUER)
    assert document["issuer"] == ISSUER
    assert document["jwks_uri"] == f"{ISSUER}/.well-known/jwks.json"
    assert document["id_token_signing_alg_values_supported"] == ["RS256"]
    assert document["subject_types_supported"] == ["public"]
    assert document["response_types_supported"] == ["id_token"]
    assert set(document["claims_supported"]) == set(verified(token(), published()))


def test_numbers_of_a_key_have_no_leading_zeros() -> None:
    (key,) = key_set([PublicKey(id="7", modulus=0x80, exponent=65_537)])["keys"]
    assert (key["n"], key["e"], key["kid"]) == ("gA", "AQAB", "7")


def test_stored_request_has_the_audience_and_other_requests_no_further_byte() -> None:
    assert decode_request(encode_request(WITH_TOKEN)) == WITH_TOKEN
    assert encode_request(PLAIN) == b'{"m":"POST","u":"https://example.com/","h":[],"t":""}'
    assert encode_request(WITH_TOKEN).endswith(b',"au":{"oidc":"https://reports.example.com"}}')


@pytest.mark.parametrize("stored", [{}, {"sigv9": "x"}, {"oidc": 7}, {"oidc": "a", "b": 1}, [], "oidc"])
def test_stored_request_with_another_authentication_is_not_called_without_it(stored: object) -> None:
    document = json.loads(encode_request(WITH_TOKEN)) | {"au": stored}
    with pytest.raises(UnreadableItemError):
        decode_request(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("request_", "path", "says"),
    [
        (replace(WITH_TOKEN, auth=OidcAuth(audience="")), "auth/oidc/audience", "1 to 255"),
        (replace(WITH_TOKEN, auth=OidcAuth(audience="x" * 256)), "auth/oidc/audience", "1 to 255"),
        (replace(WITH_TOKEN, auth=OidcAuth(audience="a b")), "auth/oidc/audience", "without spaces"),
        (replace(WITH_TOKEN, auth=OidcAuth(audience="a\n")), "auth/oidc/audience", "printable"),
        (replace(WITH_TOKEN, auth=OidcAuth(audience="ä")), "auth/oidc/audience", "ASCII"),
        (
            replace(WITH_TOKEN, headers=(("aUthorization", "Basic eA=="),)),
            "headers/aUthorization",
            "leave out the header, or auth",
        ),
        (replace(WITH_TOKEN, method="", url="", workflow_id="wfl_1"), "auth", "only an HTTP request"),
        (
            Request(
                target=AwsTarget(kind=TargetKind.SQS, arn="arn:aws:sqs:eu-west-1:111122223333:q"),
                body=b"x",
                auth=WITH_TOKEN.auth,
            ),
            "auth",
            "only an HTTP request",
        ),
    ],
)
def test_request_with_a_token_that_breaks_a_rule_is_refused_with_its_path(
    request_: Request, path: str, says: str
) -> None:
    (error,) = request_errors(request_, ISSUES)
    assert error.path == ("request", *path.split("/"))
    assert says in str(error)


def test_request_with_a_token_is_accepted_where_tokens_are_issued_and_nowhere_else() -> None:
    check_request(WITH_TOKEN, ISSUES)
    with pytest.raises(InvalidValueError, match=r"token_keys = \[1\]") as refused:
        check_request(WITH_TOKEN, TargetPolicy())
    assert refused.value.path == ("request", "auth", "oidc")
    check_request(replace(PLAIN, headers=(("Authorization", "Basic eA=="),)), TargetPolicy())
