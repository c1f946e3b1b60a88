"""What is said of requests that were saved, as they were and changed."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.tests.support.calls import EXECUTION, FOREIGN, NEW, NOW, OLD, TOKEN, clock, headers_of
from punctual.webhooks.diagnosis import Diagnosis, diagnose, parse_request

BODY = b'{"kind": "nightly"}'


def saved(headers: Mapping[str, str], body: bytes, line_break: bytes = b"\r\n") -> bytes:
    """A request as a file."""
    lines = [b"POST /hooks/report HTTP/1.1", b"Host: example.com"]
    lines += [f"{name}: {value}".encode() for name, value in headers.items()]
    return line_break.join([*lines, b"", body])


def parts(diagnosis: Diagnosis) -> list[str]:
    return [problem.part for problem in diagnosis.problems]


@pytest.mark.parametrize("body", [b"", BODY, b"\xff\n\n\r\n\r\n"])
@pytest.mark.parametrize("line_break", [b"\r\n", b"\n"])
def test_genuine_request_has_no_problem(body: bytes, line_break: bytes) -> None:
    diagnosis = diagnose(saved(headers_of(body), body, line_break), [OLD, NEW], clock=clock)
    assert diagnosis.problems == ()
    assert diagnosis.call is not None
    assert (diagnosis.call.id, diagnosis.call.body) == (EXECUTION, body)


def test_request_without_a_blank_line_has_an_empty_body() -> None:
    raw = saved(headers_of(b""), b"").rstrip(b"\r\n")
    assert diagnose(raw, NEW, clock=clock).call is not None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"webhook-id": "a b"}, ["webhook-id"]),
        ({"webhook-id": "exe_2"}, ["webhook-signature", "webhook-id"]),
        ({"webhook-timestamp": "now"}, ["webhook-timestamp"]),
        ({"webhook-timestamp": str(NOW - 1)}, ["webhook-signature"]),
        ({"webhook-signature": "AAAA"}, ["webhook-signature"]),
        ({"webhook-signature": "v1,AAAA", "X-Scheduler-Signature": ""}, ["webhook-signature"]),
    ],
)
def test_header_that_is_wrong_is_named(changed: dict[str, str], expected: list[str]) -> None:
    diagnosis = diagnose(saved(headers_of(BODY) | changed, BODY), NEW, clock=clock)
    assert (diagnosis.call, parts(diagnosis)) == (None, expected)


def test_missing_header_is_named() -> None:
    headers = headers_of(BODY)
    del headers["webhook-id"]
    assert parts(diagnose(saved(headers, BODY), NEW, clock=clock)) == ["webhook-id"]


def test_old_request_is_named_as_such_and_its_signature_is_judged_all_the_same() -> None:
    raw = saved(headers_of(BODY), BODY)
    old = diagnose(raw, NEW, clock=lambda: NOW + 86_400.0)
    assert (old.call, parts(old)) == (None, ["webhook-timestamp"])
    foreign = diagnose(saved(headers_of(BODY, FOREIGN), BODY), NEW, clock=lambda: NOW + 86_400.0)
    assert parts(foreign) == ["webhook-timestamp", "webhook-signature"]
    assert diagnose(raw, NEW, 100_000, clock=lambda: NOW + 86_400.0).call is not None


@pytest.mark.parametrize(
    ("stored", "sent", "detail"),
    [
        (BODY + b"\n", BODY, "without the line break"),
        (BODY + b"\r\n", BODY, "without the line break"),
        (b" " + BODY, BODY, "without white space"),
        (BODY, BODY + b"\n", "with a line break"),
        (b"a\r\nb", b"a\nb", "LF in place of CRLF"),
        (b"a\nb", b"a\r\nb", "CRLF in place of LF"),
        (b"\xef\xbb\xbf" + BODY, BODY, "byte order mark"),
    ],
)
def test_body_that_an_editor_has_changed_is_recognised(stored: bytes, sent: bytes, detail: str) -> None:
    diagnosis = diagnose(saved(headers_of(sent), stored), NEW, clock=clock)
    assert diagnosis.call is None
    assert diagnosis.problems[-1].part == "body"
    assert detail in diagnosis.problems[-1].detail


def test_length_that_does_not_fit_is_named() -> None:
    headers = headers_of(BODY) | {"Content-Length": str(len(BODY))}
    assert diagnose(saved(headers, BODY), NEW, clock=clock).problems == ()
    assert parts(diagnose(saved(headers, BODY + b"\n"), NEW, clock=clock))[0] == "body"


def test_body_that_was_changed_otherwise_is_a_wrong_signature() -> None:
    assert parts(diagnose(saved(headers_of(BODY), b"{}"), NEW, clock=clock)) == ["webhook-signature"]


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"", "first line"),
        (b"\r\n", "first line"),
        (b"webhook-id: exe_1\r\n\r\n", "first line"),
        (b"POST / HTTP/1.1\r\nno header\r\n\r\n", "line 2"),
        (b"POST / HTTP/1.1\na: b\n folded\n\n", "line 3"),
    ],
)
def test_text_that_is_no_request_is_refused_with_its_line(raw: bytes, line: str) -> None:
    with pytest.raises(ValueError, match=line) as caught:
        parse_request(raw)
    assert "folded" not in str(caught.value)


@given(raw=st.binary(max_size=200))
def test_any_file_is_a_request_or_refused(raw: bytes) -> None:
    try:
        diagnosis = diagnose(raw, NEW, clock=clock)
    except ValueError:
        return
    assert diagnosis.call is None and diagnosis.problems


@given(
    changed=st.dictionaries(
        st.sampled_from(["webhook-id", "webhook-timestamp", "webhook-signature", "X-Scheduler-Signature"]),
        st.text(alphabet=st.characters(codec="latin-1", exclude_characters="\r\n"), max_size=30),
        min_size=1,
    )
)
def test_headers_of_any_form_are_diagnosed(changed: dict[str, str]) -> None:
    headers = headers_of(BODY) | changed
    raw = b"\r\n".join(
        [
            b"POST / HTTP/1.1",
            *(f"{name}: {value}".encode("latin-1") for name, value in headers.items()),
            b"",
            BODY,
        ]
    )
    diagnosis = diagnose(raw, NEW, clock=clock)
    assert (diagnosis.call is None) is bool(set(changed) - {"X-Scheduler-Signature"})


def test_diagnosis_tells_no_secret_signature_or_value() -> None:
    headers = headers_of(BODY, FOREIGN) | {"webhook-id": "exe_2"}
    told = repr(diagnose(saved(headers, BODY), NEW, clock=clock)) + repr(parse_request(saved(headers, BODY)))
    for text in (NEW, FOREIGN, TOKEN, headers["webhook-signature"], "exe_2"):
        assert text not in told
