"""Headers of a call: every way to spell them, and every form that is malformed."""

from email.message import Message

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from werkzeug.datastructures import EnvironHeaders

from client.tests.support.calls import EXECUTION, NEW, SIGNED, clock, headers_of
from punctual.webhooks import MalformedHeaderError, MissingHeaderError, VerificationError, verify


def test_space_around_signatures_and_other_versions_do_no_harm() -> None:
    genuine = headers_of(b"{}")
    signature = genuine["webhook-signature"]
    for each in (f"v1a,abc {signature}", f" {signature} ", f"v1,AAAA {signature} v2,x", f"{signature} v1,"):
        assert verify({**genuine, "webhook-signature": each}, b"{}", NEW, clock=clock).id == EXECUTION


@pytest.mark.parametrize("value", ["v1a,AAAA", "v2,AAAA", "AAAA", "v1", " "])
def test_header_without_a_signature_of_version_1_is_malformed(value: str) -> None:
    with pytest.raises(MalformedHeaderError, match="v1,<base64>"):
        verify({**headers_of(b""), "webhook-signature": value}, b"", NEW, clock=clock)


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


@pytest.mark.parametrize("value", [["a"], None, 1])
def test_header_whose_value_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="text"):
        verify({**headers_of(b""), "X": value}, b"", NEW, clock=clock)  # type: ignore[arg-type]


@given(
    headers=st.dictionaries(st.sampled_from([*SIGNED, "x-attempt"]), st.text(max_size=80)),
    body=st.binary(max_size=20),
)
def test_hostile_requests_raise_nothing_but_verification_errors(headers: dict[str, str], body: bytes) -> None:
    with pytest.raises(VerificationError):
        verify(headers, body, NEW, clock=clock)
