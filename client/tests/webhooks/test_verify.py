"""Verification of calls, against the server's own signing and the package standardwebhooks."""

import base64
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import Message

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError
from starlette.datastructures import Headers
from werkzeug.datastructures import EnvironHeaders

from client.tests.support.calls import EXECUTION, FOREIGN, NEW, NOW, OLD, clock, headers_of
from punctual.webhooks import (
    MalformedHeaderError,
    MissingHeaderError,
    SecretError,
    SignatureError,
    TimestampError,
    VerificationError,
    verify,
)

SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")
BODIES = (b"", b'{"n":1}', "€".encode(), b"\xff\x00", b"\r\n")
ids = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True)
keys = st.binary(min_size=24, max_size=64)


def secret_of(key: bytes) -> str:
    return "whsec_" + base64.b64encode(key).decode()


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


@pytest.mark.parametrize("known", [OLD, NEW, [OLD], [NEW], [FOREIGN, NEW], (OLD, NEW), iter([NEW])])
def test_secret_of_either_side_of_a_rotation_verifies(known: object) -> None:
    assert verify(headers_of(b"{}", NEW, OLD), b"{}", known, clock=clock).id == EXECUTION  # type: ignore[arg-type]


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


def test_space_around_signatures_and_other_versions_do_no_harm() -> None:
    genuine = headers_of(b"{}")
    signature = genuine["webhook-signature"]
    for each in (f"v1a,abc {signature}", f" {signature} ", f"v1,AAAA {signature} v2,x", f"{signature} v1,"):
        assert verify({**genuine, "webhook-signature": each}, b"{}", NEW, clock=clock).id == EXECUTION


@pytest.mark.parametrize("value", ["v1a,AAAA", "v2,AAAA", "AAAA", "v1", " "])
def test_header_without_a_signature_of_version_1_is_malformed(value: str) -> None:
    with pytest.raises(MalformedHeaderError, match="v1,<base64>"):
        verify({**headers_of(b""), "webhook-signature": value}, b"", NEW, clock=clock)


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


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.parametrize("absent", [True, False])
def test_missing_or_empty_header_is_named(name: str, absent: bool) -> None:
    headers = headers_of(b"")
    if absent:
        del headers[name]
    else:
        headers[name] = ""
    with pytest.raises(MissingHeaderError if absent else MalformedHeaderError) as caught:
        verify(headers, b"", NEW, clock=clock)
    assert caught.value.part == name
    assert name in str(caught.value)


@pytest.mark.parametrize(
    "timestamp", ["now", "nan", "inf", "1e9", "-1", "+1", " 1", "1_0", "9" * 400, "١٢٣", "1.5", "0x10", "1\n"]
)
def test_timestamp_that_is_no_whole_number_is_malformed(timestamp: str) -> None:
    with pytest.raises(MalformedHeaderError) as caught:
        verify({**headers_of(b""), "webhook-timestamp": timestamp}, b"", NEW, clock=clock)
    assert caught.value.part == "webhook-timestamp"


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


@pytest.mark.parametrize(
    "spelt",
    [
        lambda headers: headers,
        lambda headers: {name.upper(): value for name, value in headers.items()},
        lambda headers: {name.title(): value for name, value in headers.items()},
        lambda headers: list(headers.items()),
        lambda headers: [(name.encode(), value.encode()) for name, value in headers.items()],
        httpx.Headers,
        Headers,
        lambda headers: EnvironHeaders(
            {"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}
        ),
    ],
    ids=["dict", "upper", "title", "pairs", "bytes", "httpx", "starlette", "werkzeug"],
)
def test_headers_may_be_any_mapping_with_names_in_any_case(spelt: object) -> None:
    assert callable(spelt)
    assert verify(spelt(headers_of(b"{}")), b"{}", NEW, clock=clock).attempt == 1


def test_headers_of_the_http_server_of_the_standard_library_are_read() -> None:
    message = Message()
    for name, value in headers_of(b"{}").items():
        message[name] = value
    assert verify(message, b"{}", NEW, clock=clock).id == EXECUTION


@pytest.mark.parametrize("name", SIGNED[:2])
def test_signed_header_that_occurs_twice_is_refused(name: str) -> None:
    headers = headers_of(b"{}")
    with pytest.raises(MalformedHeaderError) as caught:
        verify([*headers.items(), (name.upper(), headers[name])], b"{}", NEW, clock=clock)
    assert caught.value.part == name


@pytest.mark.parametrize("body", ["{}", None, 1, ["{}"]])
def test_body_that_was_decoded_is_refused_with_what_to_pass_instead(body: object) -> None:
    with pytest.raises(TypeError, match="raw bytes"):
        verify(headers_of(b"{}"), body, NEW, clock=clock)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [["a"], None, 1])
def test_header_whose_value_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="text"):
        verify({**headers_of(b""), "X": value}, b"", NEW, clock=clock)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "secrets",
    [
        [],
        "",
        [""],
        "whsec_",
        "c2VjcmV0",
        "whsec_hunter2hunter2!",
        [NEW, "whsec_"],
        secret_of(b"k" * 23),
        secret_of(b"k" * 65),
        NEW[:-1],
        NEW.upper(),
        NEW[:10] + "!" + NEW[10:],
        NEW[:10] + " " + NEW[10:],
    ],
)
def test_wrong_secret_is_a_mistake_of_the_configuration_and_is_not_quoted(secrets: str | list[str]) -> None:
    """Above all, an empty secret must not verify: anyone can sign with it."""
    with pytest.raises(SecretError) as caught:
        verify(headers_of(b""), b"", secrets, clock=clock)
    told = "".join(traceback.format_exception(caught.value))
    assert "hunter2" not in told and NEW.removeprefix("whsec_") not in told


def test_newline_after_a_secret_does_no_harm() -> None:
    assert verify(headers_of(b""), b"", NEW + "\n", clock=clock).id == EXECUTION


def test_errors_and_representations_tell_no_secret_signature_or_value() -> None:
    genuine = headers_of(b"{}")
    signature, token = genuine["webhook-signature"], genuine["X-Callback-Token"]
    for tampered in (
        {**genuine, "webhook-id": "secret value"},
        {**genuine, "webhook-timestamp": "secret value"},
        {**genuine, "webhook-signature": "secret value"},
        headers_of(b"{}", FOREIGN),
        headers_of(b"{}", at=1),
    ):
        with pytest.raises(VerificationError) as caught:
            verify(tampered, b"{}", NEW, clock=clock)
        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
        assert not any(text in told for text in ("secret value", signature, signature[3:], NEW, token))
    call = verify(genuine, b"{}", NEW, clock=clock)
    assert token not in repr(call) and signature not in repr(call)
    assert EXECUTION in repr(call)


@given(
    headers=st.dictionaries(st.sampled_from([*SIGNED, "x-attempt"]), st.text(max_size=80)),
    body=st.binary(max_size=20),
)
def test_hostile_requests_raise_nothing_but_verification_errors(headers: dict[str, str], body: bytes) -> None:
    with pytest.raises(VerificationError):
        verify(headers, body, NEW, clock=clock)
