"""Signatures, with the standardwebhooks package as the oracle."""

import base64
import hashlib
import hmac
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from shared.domain.delivery.signing import new_secret, sign, signed_headers

NEW = new_secret(bytes(range(32)))
OLD = new_secret(b"\xff" * 24)
TIMESTAMP = 1_790_000_000


@given(body=st.text(max_size=200), message_id=st.from_regex(r"[0-9A-Z]{1,40}", fullmatch=True))
def test_signature_equals_the_oracle(body: str, message_id: str) -> None:
    expected = Webhook(NEW).sign(message_id, datetime.fromtimestamp(TIMESTAMP, UTC), body)
    assert sign(message_id=message_id, timestamp_s=TIMESTAMP, body=body.encode(), secrets=[NEW]) == expected


def test_the_vector_that_the_standard_publishes() -> None:
    signature = sign(
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp_s=1_614_265_330,
        body=b'{"test": 2432232314}',
        secrets=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("secrets", [[NEW, OLD], [OLD, NEW]])
def test_while_rotating_either_secret_verifies_and_no_other(secrets: list[str]) -> None:
    now = int(time.time())
    headers = {
        "webhook-id": "EXEC1",
        "webhook-timestamp": str(now),
        "webhook-signature": sign(message_id="EXEC1", timestamp_s=now, body=b'{"a":1}', secrets=secrets),
    }
    assert Webhook(NEW).verify(b'{"a":1}', headers) == {"a": 1}
    assert Webhook(OLD).verify(b'{"a":1}', headers) == {"a": 1}
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret(b"x" * 32)).verify(b'{"a":1}', headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(NEW).verify(b'{"a":2}', headers)


def test_signatures_stand_in_the_order_of_the_secrets() -> None:
    both = sign(message_id="E", timestamp_s=1, body=b"", secrets=[NEW, OLD])
    first = sign(message_id="E", timestamp_s=1, body=b"", secrets=[NEW])
    second = sign(message_id="E", timestamp_s=1, body=b"", secrets=[OLD])
    assert both == f"{first} {second}"


def test_bodies_that_are_not_text_are_signed_as_they_are() -> None:
    digest = hmac.digest(bytes(range(32)), b"E.7.\xff\x00", hashlib.sha256)
    expected = "v1," + base64.b64encode(digest).decode()
    assert sign(message_id="E", timestamp_s=7, body=b"\xff\x00", secrets=[NEW]) == expected


def test_signed_headers_are_exactly_these() -> None:
    headers = signed_headers(
        message_id="EXEC1",
        timestamp_s=TIMESTAMP,
        body=b"{}",
        secrets=[NEW, OLD],
        job_id="JOB1",
        attempt=3,
        scheduled_at="2026-09-21T13:33:20.000Z",
        traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    )
    compact = hmac.new(NEW.encode(), f"{TIMESTAMP}.{{}}".encode(), hashlib.sha256).hexdigest()
    assert headers == (
        ("webhook-id", "EXEC1"),
        ("webhook-timestamp", str(TIMESTAMP)),
        (
            "webhook-signature",
            sign(message_id="EXEC1", timestamp_s=TIMESTAMP, body=b"{}", secrets=[NEW, OLD]),
        ),
        ("X-Job-Id", "JOB1"),
        ("X-Attempt", "3"),
        ("X-Scheduled-At", "2026-09-21T13:33:20.000Z"),
        ("X-Scheduler-Signature", f"t={TIMESTAMP},v1={compact}"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ("Idempotency-Key", "EXEC1"),
    )


def test_compact_signature_of_a_chosen_body_is_no_standard_signature_of_another_call() -> None:
    """Both schemes join their parts by dots, so that the body could supply the time and the body of another."""
    now = int(time.time())
    signed_at, forged = now - 30 * 86_400, b'{"pay":"attacker"}'
    headers = dict(
        signed_headers(
            message_id="EXEC1",
            timestamp_s=signed_at,
            body=f"{now}.".encode() + forged,
            secrets=[NEW],
            job_id="JOB1",
            attempt=1,
            scheduled_at="",
            traceparent="",
        )
    )
    compact = bytes.fromhex(headers["X-Scheduler-Signature"].partition("v1=")[2])
    forgery = {
        "webhook-id": str(signed_at),
        "webhook-timestamp": str(now),
        "webhook-signature": "v1," + base64.b64encode(compact).decode(),
    }
    with pytest.raises(WebhookVerificationError):
        Webhook(NEW).verify(forged, forgery)


@pytest.mark.parametrize(
    "secrets",
    [[], (), ["whsec_"], ["c2VjcmV0"], ["whsec_not base64"], ["whsec_c2VjcmV0!"], [NEW, "whsec_"], NEW],
)
def test_signing_without_a_valid_secret_is_refused(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="secret"):
        sign(message_id="E", timestamp_s=1, body=b"", secrets=secrets)
    with pytest.raises(ValueError, match="secret"):
        signed_headers(
            message_id="E",
            timestamp_s=1,
            body=b"",
            secrets=secrets,
            job_id="J",
            attempt=1,
            scheduled_at="",
            traceparent="",
        )


def test_an_error_never_quotes_the_secret() -> None:
    with pytest.raises(ValueError, match="secret") as caught:
        sign(message_id="E", timestamp_s=1, body=b"", secrets=["whsec_hunter2hunter2!"])
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("size", [24, 32, 64])
def test_new_secret_is_read_by_the_oracle(size: int) -> None:
    secret = new_secret(b"k" * size)
    assert secret == "whsec_" + base64.b64encode(b"k" * size).decode()
    oracle = Webhook(secret).sign("E", datetime.fromtimestamp(1, UTC), "x")
    assert sign(message_id="E", timestamp_s=1, body=b"x", secrets=[secret]) == oracle


@pytest.mark.parametrize("size", [0, 23, 65])
def test_new_secret_refuses_weak_or_overlong_randomness(size: int) -> None:
    with pytest.raises(ValueError, match="24 to 64 bytes"):
        new_secret(b"k" * size)
