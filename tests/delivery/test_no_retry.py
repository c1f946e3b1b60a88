"""The sender: which answers say that another attempt would not help."""

import pytest

from shared.domain.delivery.callback import Reason
from tests.support.delivery.sending import answer_to
from tests.support.fakes.receiver import replies, replies_and_closes, reply

NO_RETRY = "X-Punctual-No-Retry: true"
FAILING = [301, 400, 404, 409, 410, 422, 429, 500, 503]


@pytest.mark.parametrize("status", FAILING)
@pytest.mark.parametrize("header", [NO_RETRY, "x-punctual-no-retry: TRUE", "X-PUNCTUAL-NO-RETRY:  true  "])
def test_a_failing_answer_with_the_header_is_the_last_one(status: int, header: str) -> None:
    answer, _ = answer_to(replies(reply(status, b"why", header)))
    assert (answer.reason, answer.status, answer.body) == (Reason.RECEIVER_GAVE_UP, status, b"why")


@pytest.mark.parametrize(
    "header",
    [
        "X-Other: true",
        "X-Punctual-No-Retry: false",
        "X-Punctual-No-Retry: 1",
        "X-Punctual-No-Retry: yes",
        "X-Punctual-No-Retry:",
        "X-Punctual-No-Retry: true, false",
    ],
)
def test_failure_without_the_no_retry_header_is_classified_by_its_status(header: str) -> None:
    answer, _ = answer_to(replies(reply(500, b"", header)))
    assert (answer.reason, answer.status) == (Reason.HTTP_STATUS, 500)


@pytest.mark.parametrize("status", [200, 201, 202])
def test_with_a_success_the_header_means_nothing(status: int) -> None:
    answer, _ = answer_to(replies(reply(status, b"", NO_RETRY)))
    assert (answer.reason, answer.succeeded) == (Reason.OK, True)


def test_no_retry_header_counts_even_when_the_body_is_cut() -> None:
    cut = f"HTTP/1.1 500 Status\r\nContent-Length: 10\r\n{NO_RETRY}\r\n\r\nwh".encode()
    answer, _ = answer_to(replies_and_closes(cut))
    assert (answer.reason, answer.status) == (Reason.RECEIVER_GAVE_UP, 500)
