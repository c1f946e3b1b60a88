"""The sender: which answers say that the receiver works on."""

import pytest

from shared.domain.delivery.callback import Reason
from tests.support.delivery.sending import answer_to
from tests.support.fakes.receiver import replies, replies_and_closes, reply

BEGUN = "X-Punctual-Async: true"


@pytest.mark.parametrize("header", [BEGUN, "x-punctual-async: TRUE", "X-PUNCTUAL-ASYNC:  true  "])
@pytest.mark.parametrize("body", [b"", b"begun"])
def test_a_202_with_the_header_says_that_it_works_on(header: str, body: bytes) -> None:
    answer, _ = answer_to(replies(reply(202, body, header)))
    assert (answer.reason, answer.status, answer.async_accepted) == (Reason.OK, 202, True)


@pytest.mark.parametrize(
    "header",
    [
        "X-Other: true",
        "X-Punctual-Async: false",
        "X-Punctual-Async: 1",
        "X-Punctual-Async: yes",
        "X-Punctual-Async:",
        "X-Punctual-Async: true, false",
        "X-Punctual-Async: truetrue",
    ],
)
def test_status_202_without_the_async_header_is_a_plain_success(header: str) -> None:
    answer, _ = answer_to(replies(reply(202, b"", header)))
    assert (answer.succeeded, answer.async_accepted) == (True, False)


@pytest.mark.parametrize("status", [200, 201, 203, 204, 206, 302, 400, 410, 429, 500, 503])
def test_with_any_other_status_the_header_means_nothing(status: int) -> None:
    raw = f"HTTP/1.1 {status} Status\r\n{BEGUN}\r\n".encode()
    raw += b"\r\n" if status == 204 else b"Content-Length: 0\r\n\r\n"
    answer, _ = answer_to(replies(raw))
    assert (answer.status, answer.async_accepted) == (status, False)


def test_a_202_whose_body_is_cut_off_is_no_answer_to_build_on() -> None:
    cut = f"HTTP/1.1 202 Status\r\nContent-Length: 10\r\n{BEGUN}\r\n\r\nbeg".encode()
    answer, _ = answer_to(replies_and_closes(cut))
    assert (answer.reason, answer.async_accepted) == (Reason.PROTOCOL_ERROR, False)
