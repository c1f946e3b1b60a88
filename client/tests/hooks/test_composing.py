"""Calls of `send` and `replay` are those of a deployment, byte by byte, but for what only a deployment can make."""

from dataclasses import replace
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.tests.support.calls import EXECUTION, FOREIGN, NEW, NOW, OLD, clock
from punctual.hooks.calling import Outgoing
from punctual.hooks.composing import SECRET_BYTES, LocalCall, check_headers, compose, meaning, new_secret
from punctual.hooks.target import parse_target
from punctual.webhooks import SecretError, verify
from shared.adapters.http.request import encode_request
from shared.domain.delivery.callback import Callback
from shared.domain.delivery.signing import signed_headers
from shared.domain.delivery.target import header_errors

URL = "http://localhost:3000/hooks/report?a=1"
AT = datetime.fromtimestamp(NOW, timezone.utc)
CALL = LocalCall(
    call_id=EXECUTION,
    job_id="job_1001",
    attempt=2,
    scheduled_at=datetime(2027, 1, 15, 8, tzinfo=timezone.utc),
    method="POST",
    headers=(("X-Shop", "berlin"), ("Content-Type", "application/json")),
    body=b'{"n":1}',
)


def composed(call: LocalCall = CALL, *secrets: str) -> Outgoing:
    return compose(call, parse_target(URL), secrets=secrets or (NEW,), now=AT)


def of_the_server(call: LocalCall, *secrets: str) -> bytes:
    """The same call as a deployment sends it, without its trace."""
    headers = signed_headers(
        message_id=call.call_id,
        timestamp_s=NOW,
        body=call.body,
        secrets=secrets or (NEW,),
        job_id=call.job_id,
        attempt=call.attempt,
        scheduled_at="2027-01-15T08:00:00.000Z",
        traceparent="",
        backfill_of=call.backfill_of,
    )
    kept = tuple((name, value) for name, value in headers if name != "traceparent")
    callback = Callback(
        tenant_id="acme", method=call.method, url=URL, headers=(*call.headers, *kept), body=call.body
    )
    return encode_request(callback).data


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        replace(CALL, method="GET", body=b"", headers=()),
        replace(CALL, method="GET"),
        replace(CALL, method="DELETE", body=b""),
        replace(CALL, headers=(("USER-agent", "own"),), body=b"\xff\x00"),
        replace(CALL, backfill_of="job_2"),
    ],
    ids=["POST", "GET", "GET with a body", "DELETE", "own agent", "backfill"],
)
def test_call_has_the_bytes_of_a_deployment(call: LocalCall) -> None:
    made = composed(call, NEW, OLD)
    lines = [b"%b: %b" % header for header in made.headers]
    head = b"\r\n".join([b"%b %b HTTP/1.1" % (made.method, made.request_target), *lines])
    assert head + b"\r\n\r\n" + made.body == of_the_server(call, NEW, OLD)


@given(body=st.binary(max_size=100))
def test_call_verifies_with_each_of_its_secrets_and_no_other(body: bytes) -> None:
    made = composed(replace(CALL, body=body), NEW, OLD)
    for secret in (NEW, OLD):
        call = verify(made.headers, made.body, secret, clock=clock)
        assert (call.id, call.attempt, call.job_id) == (EXECUTION, 2, "job_1001")
    with pytest.raises(Exception, match="no signature matches"):
        verify(made.headers, made.body, FOREIGN, clock=clock)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"call_id": "exe 1"}, "letters, digits"),
        ({"call_id": ""}, "letters, digits"),
        ({"call_id": "exe_1\r\nX: 1"}, "letters, digits"),
        ({"method": "CONNECT"}, "POST, GET"),
        ({"attempt": 0}, "from 1"),
    ],
)
def test_call_that_no_deployment_makes_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        composed(replace(CALL, **changed))  # type: ignore[arg-type]


def test_call_without_a_secret_is_refused() -> None:
    with pytest.raises(SecretError):
        compose(CALL, parse_target(URL), secrets=(), now=AT)


def test_new_secret_is_one() -> None:
    secret = new_secret(bytes(range(SECRET_BYTES)))
    assert verify(composed(CALL, secret).headers, CALL.body, secret, clock=clock).id == EXECUTION


def test_representations_have_no_secret_header_or_body() -> None:
    call = replace(CALL, headers=(("X-Token", "hunter2"),), body=b"hunter2")
    assert "hunter2" not in repr(call) + repr(composed(call))


def test_headers_of_a_job_are_taken() -> None:
    check_headers({"X-Shop": "berlin", "user-agent": "a\tb", "X-Empty": ""})


@pytest.mark.parametrize(
    "headers", [{"": "a"}, {"X Shop": "a"}, {"X": "hunter2\r\nY: 1"}, {"X": "hünter2"}, {"é": "a"}]
)
def test_header_that_no_request_has_is_refused_without_its_value(headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="header") as caught:
        check_headers(headers)
    assert "nter2" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "Content-Length",
        "transfer-encoding",
        "Connection",
        "Keep-Alive",
        "Upgrade",
        "TE",
        "Trailer",
        "Expect",
        "Idempotency-Key",
        "X-Job-Id",
        "X-Attempt",
        "X-Backfill-Of",
        "X-Callback-Token",
        "X-Scheduled-At",
        "X-Scheduler-Signature",
        "traceparent",
        "tracestate",
        "x_attempt",
        "webhook-id",
        "Punctual-Depth",
    ],
)
def test_header_of_the_deployment_itself_is_refused_here_and_there(name: str) -> None:
    with pytest.raises(ValueError, match="makes the header"):
        check_headers({name: "1"})
    assert list(header_errors({name: "1"}))


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (200, [], "succeeded"),
        (299, [(b"X-Punctual-No-Retry", b"true")], "succeeded"),
        (202, [], "succeeded"),
        (202, [(b"x-punctual-ASYNC", b" True ")], "accepted"),
        (200, [(b"X-Punctual-Async", b"true")], "succeeded"),
        (302, [], "failed"),
        (410, [], "gone"),
        (422, [(b"X-Punctual-No-Retry", b"true")], "refused"),
        (503, [(b"X-Punctual-Async", b"true")], "failed"),
    ],
)
def test_meaning_of_an_answer(status: int, headers: list[tuple[bytes, bytes]], expected: str) -> None:
    assert meaning(status, headers).startswith(expected)
