"""The HTTP request of a job: what is refused, and its stored form."""

from ipaddress import ip_network

import pytest

from shared.domain.delivery.request import (
    METHODS,
    Request,
    check_request,
    decode_request,
    encode_request,
)
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import CallbackUrlNotAllowedError, InvalidValueError, UnreadableItemError
from shared.names import MAX_PAYLOAD_BYTES

URL = "https://receiver.example/hook"


@pytest.mark.parametrize("method", METHODS)
def test_lawful_requests_are_accepted(method: str) -> None:
    check_request(Request(method=method, url=URL, headers=(("X-A", "1"),)), TargetPolicy())


def test_a_body_may_be_200_kib_and_not_a_byte_more() -> None:
    check_request(Request(method="POST", url=URL, body=bytes(MAX_PAYLOAD_BYTES)), TargetPolicy())
    with pytest.raises(InvalidValueError):
        check_request(Request(method="POST", url=URL, body=bytes(MAX_PAYLOAD_BYTES + 1)), TargetPolicy())


@pytest.mark.parametrize("method", ["", "get", "TRACE", "CONNECT", "OPTIONS", "POST\n"])
def test_unsupported_http_method_is_refused(method: str) -> None:
    with pytest.raises(InvalidValueError):
        check_request(Request(method=method, url=URL), TargetPolicy())


def test_target_and_headers_are_judged_too() -> None:
    with pytest.raises(CallbackUrlNotAllowedError):
        check_request(Request(method="POST", url="http://receiver.example/"), TargetPolicy())
    with pytest.raises(InvalidValueError):
        check_request(Request(method="POST", url=URL, headers=(("Host", "x"),)), TargetPolicy())


def test_plain_http_is_a_matter_of_the_deployment() -> None:
    check_request(
        Request(method="POST", url="http://localhost:8080/"),
        TargetPolicy(exceptions=(ip_network("127.0.0.0/8"),)),
    )


@pytest.mark.parametrize(
    "request_",
    [
        Request(method="GET", url=URL),
        Request(method="POST", url=URL, body=b'{"a": "\xc3\xa4\\n"}'),
        Request(method="POST", url=URL, body=bytes(range(256))),
        Request(method="POST", url=URL, headers=(("X-B", "2"), ("X-A", "1"), ("x-c", "a\tb"))),
    ],
    ids=["empty", "text", "bytes", "headers"],
)
def test_a_request_survives_its_stored_form(request_: Request) -> None:
    assert decode_request(encode_request(request_)) == request_


def test_the_same_request_always_has_the_same_stored_form() -> None:
    first, second = (Request(method="POST", url=URL, headers=(("A", "1"),), body=b"x") for _ in range(2))
    assert encode_request(first) == encode_request(second)


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"m":"POST","u":"https://x/","h":[]}',
        b'{"m":"POST","u":"https://x/","h":[["a"]],"t":""}',
        b'{"m":"POST","u":"https://x/","h":[],"b":"x"}',
        b"\xff\xfe",
    ],
)
def test_malformed_stored_request_is_unreadable(stored: bytes) -> None:
    with pytest.raises(UnreadableItemError):
        decode_request(stored)
