"""The receiver of the guide to identity tokens, against tokens of the issuer and against forged ones."""

import base64
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from shared.adapters.clock import SystemClock
from shared.domain.delivery.identity_token import key_set
from tests.support.documents.blocks import BLOCKS
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.identity_tokens import FakeIdentityTokens

PAGE = "docs/guides/identity-tokens.md"
ISSUER, AUDIENCE = "https://punctual.example.com", "https://reports.example.com"
Check = Callable[[str], None]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Check:
    """The function of the guide, whose client gets the published keys from no network."""
    document = json.loads(json.dumps(key_set(FakeIdentityTokens(SystemClock()).public_keys().keys)))
    monkeypatch.setattr(jwt.PyJWKClient, "fetch_data", lambda _: document)
    (block,) = [each for each in BLOCKS if str(each).startswith(PAGE) and each.language == "python"]
    namespace: dict[str, Any] = {}
    exec(block.text, namespace)
    found: Check = namespace["check_caller"]
    return found


def token(tenant: str = "acme", audience: str = AUDIENCE, issuer: str = ISSUER, ago_seconds: int = 0) -> str:
    clock = VirtualClock(int(time.time() - ago_seconds) * 1000)
    return f"Bearer {FakeIdentityTokens(clock, issuer).token(tenant, audience)}"


def test_receiver_of_the_guide_accepts_the_token_of_its_tenant(check: Check) -> None:
    check(token())
    check(token(ago_seconds=1_700))


def test_receiver_of_the_guide_refuses_another_tenant_with_its_own_audience(check: Check) -> None:
    with pytest.raises(PermissionError):
        check(token("globex"))


@pytest.mark.parametrize(
    "other",
    [
        {"audience": "https://other.example.com"},
        {"audience": AUDIENCE + "/"},
        {"issuer": "https://evil.example.com"},
        {"ago_seconds": 3_600},
    ],
    ids=["audience", "slash", "issuer", "expired"],
)
def test_receiver_of_the_guide_refuses_a_token_that_is_not_for_it(
    check: Check, other: dict[str, Any]
) -> None:
    with pytest.raises(jwt.InvalidTokenError):
        check(token(**other))


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_receiver_of_the_guide_refuses_a_token_with_another_algorithm(check: Check, algorithm: str) -> None:
    claims = token().removeprefix("Bearer ").split(".")[1]
    unsigned = f"{_part({'alg': algorithm, 'kid': '1', 'typ': 'JWT'})}.{claims}"
    mac = base64.urlsafe_b64encode(hmac.digest(b"public", unsigned.encode(), "sha256")).rstrip(b"=").decode()
    with pytest.raises(jwt.InvalidTokenError):
        check(f"Bearer {unsigned}.{mac if algorithm == 'HS256' else ''}")


@pytest.mark.parametrize("header", ["", "Bearer ", "Basic eA==", "Bearer a.b.c"])
def test_receiver_of_the_guide_refuses_a_header_without_a_token(check: Check, header: str) -> None:
    with pytest.raises(jwt.PyJWTError):
        check(header)
