"""What answers of the API mean to a worker, and to which URL reports go."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from client.tests.support.calls import NOW
from client.tests.support.long_work import instant
from punctual.errors import ConfigurationError
from punctual.receivers import AttemptLostError, CallFailedError, LongWork, ReportError
from punctual.receivers._reports import Lost, Recorded, Rejected, Tries, Unanswered, judge, outcome_of


def heartbeat(**members: object) -> bytes:
    return json.dumps({"id": "exe_1", "attempt": 1} | members).encode()


def test_lease_is_measured_by_the_clock_of_the_api() -> None:
    body = heartbeat(lease_until=instant(NOW + 60.5), deadline_at=instant(NOW + 600))
    dated = {"date": format_datetime(datetime.fromtimestamp(NOW, UTC), usegmt=True)}
    assert judge(200, dated, body, now=NOW + 5_000) == Recorded(60.5)
    assert judge(200, {}, body, now=NOW + 10) == Recorded(50.5)
    for date in ("yesterday", "Mon, 01 Jan 99999999999 00:00:00 GMT"):
        assert judge(200, {"date": date}, body, now=NOW + 10) == Recorded(50.5)


@pytest.mark.parametrize("until", [None, 5, "", "soon", "2027-01-15", {}, []])
def test_recorded_answer_without_a_lease_has_none(until: object) -> None:
    body = heartbeat() if until is None else heartbeat(lease_until=until)
    answer = judge(200, {}, body, NOW)
    assert isinstance(answer, Recorded)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b"\xff", b"{"])
def test_answer_of_something_else_than_the_api_is_none(body: bytes) -> None:
    assert isinstance(judge(200, {}, body, NOW), Unanswered)


@pytest.mark.parametrize("status", [429, 408, 500, 502, 503, 504])
def test_temporary_failures_are_repeated_after_the_time_that_they_name(status: int) -> None:
    answer = judge(status, {"retry-after": "7"}, b'{"detail": "later"}', NOW)
    assert answer == Unanswered(f"the API answered {status}: later", 7.0)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "٣", "Wed, 21 Oct 2026 07:28:00 GMT", "9" * 30])
def test_malformed_retry_after_is_ignored(text: str) -> None:
    assert judge(503, {"retry-after": text}, b"", NOW) == Unanswered(
        "the API answered 503: no problem document", 0.0
    )


def test_conflict_ends_the_attempt() -> None:
    assert judge(409, {}, b'{"detail": "attempt 1 is over"}', NOW) == Lost(
        "the API answered 409: attempt 1 is over"
    )


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 413, 415, 422])
def test_report_that_is_rejected_is_final(status: int) -> None:
    answer = judge(status, {}, b"", NOW)
    assert isinstance(answer, Rejected)
    assert ("deployment" in answer.detail) is (status == 404)


@given(status=st.integers(100, 599), body=st.binary(max_size=50), date=st.text(max_size=30))
def test_no_answer_is_an_error_of_the_worker(status: int, body: bytes, date: str) -> None:
    judge(status, {"date": date, "retry-after": date}, body, NOW)


@given(answers=st.lists(st.floats(0, 30), max_size=30), within=st.floats(0, 100), random=st.floats(0, 1))
def test_outcome_is_repeated_within_its_time_and_never_before_retry_after(
    answers: list[float], within: float, random: float
) -> None:
    tries, now = Tries(started_at=0, within_seconds=within), 0.0
    for retry_after in answers:
        try:
            pause = tries.pause_after(Unanswered("503", retry_after), now, random)
        except ReportError:
            return
        assert pause is not None
        assert pause >= max(retry_after, 0.25)
        now += pause
        assert now <= within


def test_outcome_is_recorded_lost_or_rejected() -> None:
    tries = Tries(started_at=0, within_seconds=60)
    assert tries.pause_after(Recorded(), 0, 0) is None
    with pytest.raises(AttemptLostError, match="over"):
        tries.pause_after(Lost("over"), 0, 0)
    with pytest.raises(ReportError, match="token"):
        tries.pause_after(Rejected("token"), 0, 0)


@pytest.mark.parametrize(
    ("error", "report"),
    [
        (None, ("complete", {})),
        (ValueError("no stock"), ("fail", {"reason": "ValueError: no stock", "retryable": True})),
        (CallFailedError("closed", retryable=False), ("fail", {"reason": "closed", "retryable": False})),
        (CallFailedError("busy", retry_after_seconds=9), ("fail", {"reason": "busy", "retryable": True})),
        (KeyboardInterrupt(), ("fail", {"reason": "KeyboardInterrupt: ", "retryable": True})),
    ],
)
def test_exception_becomes_the_reason_of_the_failure(
    error: BaseException | None, report: tuple[str, dict[str, object]]
) -> None:
    assert outcome_of(error) == report


@given(text=st.text(alphabet=st.characters(), max_size=400))
@example(text="x" * 300)
@example(text="€" * 100)
def test_reason_fits_the_limit_of_the_api_at_the_border_of_a_character(text: str) -> None:
    _, body = outcome_of(CallFailedError(text))
    assert isinstance(body["reason"], str)
    assert len(body["reason"].encode()) <= 256
    json.dumps(body).encode()


@pytest.mark.parametrize(
    "url",
    [
        "https://punctual.example",
        "https://punctual.example/stage/",
        "http://127.0.0.1:8080",
        "http://[::1]:8080",
        "http://localhost:8080/",
        "http://api.localhost",
    ],
)
def test_https_and_loopback_are_urls_of_an_api(url: str) -> None:
    assert LongWork(api_url=url).api_url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "punctual.example",
        "http://punctual.example",
        "http://10.0.0.1",
        "http://localhost.evil.example",
        "ftp://localhost",
        "https://",
        "https://user:hunter2@punctual.example",
        "https://punctual.example?x=1",
        "https://punctual.example#x",
        "//punctual.example",
    ],
)
def test_url_to_which_a_token_must_not_be_sent_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        LongWork(api_url=url)
    assert "hunter2" not in str(caught.value)
