"""Verification of calls, against the server's own signing and the package standardwebhooks."""

import base64
import time
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from client.tests.support.calls import EXECUTION, FOREIGN, NEW, NOW, OLD, SIGNED, clock, headers_of, secret_of
from punctual.webhooks import (
    MalformedHeaderError,
    SignatureError,
    TimestampError,
    VerificationError,
    verify,
)

BODIES = (b"", b'{"n":1}', "€".encode(), b"\xff\x00", b"\r\n")
ids = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True)
keys = st.binary(min_size=24, max_size=64)


@pytest.mark.parametrize("body", BODIES)
def test_call_of_the_server_is_verified(body: bytes) -> None:
    call = verify(headers_of(body), body, NEW, clock=clock)
    assert (call.id, call.body, call.attempt, call.job_id) == (EXECUTION, body, 1, "job_1001")
    assert call.signed_at == datetime.fromtimestamp(NOW, UTC)
    assert call.scheduled_at == datetime(2027, 1, 15, 8, tzinfo=UTC)
    assert call.traceparent is not None and call.callback_token is not None
    assert (call.backfill_of, call.depth) == (None, None)


@given(body=st.binary(max_size=200), message_id=ids, key=keys)
def test_call_signed_by_the_package_of_the_standard_is_verified(
    body: bytes, message_id: str, key: bytes
) -> None:
    """The package signs text only, so its input here is text."""
    text = body.decode("latin-1")
    signature = Webhook(secret_of(key)).sign(message_id, datetime.fromtimestamp(NOW, UTC), text)
    headers = {"webhook-id": message_id, "webhook-timestamp": str(NOW), "webhook-signature": signature}
    assert verify(headers, text.encode(), [secret_of(key)], clock=clock).id == message_id


@given(
    body=st.binary(max_size=50),
    signers=st.lists(st.sampled_from([OLD, NEW, FOREIGN]), min_size=1, max_size=3),
    known=st.lists(st.sampled_from([OLD, NEW, FOREIGN]), min_size=1, max_size=3),
    # Far from the border, because the package reads the clock of the machine.
    age=st.integers(-600, 600).filter(lambda age: abs(abs(age) - 300) > 60),
)
def test_verdict_is_that_of_the_package_of_the_standard(
    body: bytes, signers: list[str], known: list[str], age: int
) -> None:
    now = int(time.time())
    headers = headers_of(body, *signers, at=now - age)
    expected = any(_package_accepts(secret, headers, body) for secret in known)
    assert _accepts(headers, body, known, now) is expected
    assert expected is (bool(set(signers) & set(known)) and abs(age) <= 300)


def _package_accepts(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        Webhook(secret).verify(body.decode("latin-1").encode("latin-1"), lower, json_parse=False)
    except WebhookVerificationError:
        return False
    except UnicodeDecodeError:  # the package takes text only
        return bool(_accepts(headers, body, [secret], time.time()))
    return True


def _accepts(headers: Mapping[str, str], body: bytes, known: list[str], now: float) -> bool:
    try:
        verify(headers, body, known, clock=lambda: now)
    except VerificationError:
        return False
    return True


def test_every_changed_bit_of_the_body_is_noticed() -> None:
    headers = headers_of(b'{"n":1}')
    for position in range(len(b'{"n":1}')):
        for bit in range(8):
            body = bytearray(b'{"n":1}')
            body[position] ^= 1 << bit
            with pytest.raises(SignatureError):
                verify(headers, bytes(body), NEW, clock=clock)


@pytest.mark.parametrize("name", SIGNED)
def test_every_changed_removed_or_added_character_of_a_signed_header_is_noticed(name: str) -> None:
    genuine = headers_of(b"{}")
    value = genuine[name]
    tampered = {
        value[:at] + other + value[at + 1 :] for at in range(len(value)) for other in "0aZ+/=. ,-_é\n"
    }
    tampered |= {value[:at] + value[at + 1 :] for at in range(len(value))}
    tampered |= {value[:at] + other + value[at:] for at in range(len(value) + 1) for other in "0a=.,"}
    for each in tampered - {value}:
        with pytest.raises(VerificationError):
            verify({**genuine, name: each}, b"{}", NEW, clock=clock)


def test_border_between_id_timestamp_and_body_cannot_be_moved() -> None:
    """The signed text joins its parts with dots; a body may have any."""
    body = f"{NOW}.forged".encode()
    genuine = headers_of(body, at=NOW - 86_400)
    moved = {**genuine, "webhook-id": f"{EXECUTION}.{NOW - 86_400}", "webhook-timestamp": str(NOW)}
    with pytest.raises(MalformedHeaderError, match="webhook-id"):
        verify(moved, b"forged", NEW, clock=clock)


def test_compact_signature_does_not_pass_as_a_signature_of_the_standard() -> None:
    genuine = headers_of(b"{}")
    compact = bytes.fromhex(genuine["X-Scheduler-Signature"].partition("v1=")[2])
    forged = "v1," + base64.b64encode(compact).decode()
    with pytest.raises(SignatureError):
        verify({**genuine, "webhook-signature": forged}, b"{}", NEW, clock=clock)


@pytest.mark.parametrize(
    ("age", "tolerance", "accepted"),
    [
        (300, 300, True),
        (301, 300, False),
        (-300, 300, True),
        (-301, 300, False),
        (11, 10, False),
        (0, 0, True),
        (0, float("nan"), False),
        (86_400, 86_400, True),
    ],
)
def test_call_is_accepted_within_the_tolerance(age: int, tolerance: float, accepted: bool) -> None:
    headers = headers_of(b"", at=NOW - age)
    if accepted:
        verify(headers, b"", NEW, tolerance, clock=clock)
    else:
        with pytest.raises(TimestampError) as caught:
            verify(headers, b"", NEW, tolerance, clock=clock)
        assert caught.value.age_seconds == age


@pytest.mark.parametrize("body", ["{}", None, 1, ["{}"]])
def test_body_that_was_decoded_is_refused_with_what_to_pass_instead(body: object) -> None:
    with pytest.raises(TypeError, match="raw bytes"):
        verify(headers_of(b"{}"), body, NEW, clock=clock)  # type: ignore[arg-type]
