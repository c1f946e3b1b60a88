"""What is read from a call, whatever its headers are."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.tests.support.calls import EXECUTION, NEW, NOW, headers_of
from punctual.hooks.arrival import Arrival, arrival_of
from punctual.webhooks import SecretError

ARRIVED = datetime(2027, 1, 15, 8, 0, 0, 24_000, tzinfo=timezone.utc)


def arrival(changed: dict[str, str | None] | None = None, *secrets: str, at: datetime = ARRIVED) -> Arrival:
    headers = {**headers_of(b"{}"), **(changed or {})}
    raw = [(name.encode(), value.encode()) for name, value in headers.items() if value is not None]
    return arrival_of(b"POST", b"/report?a=1", raw, b"{}", secrets=secrets, arrived_at=at)


def test_call_of_the_deployment_is_read() -> None:
    found = arrival(None, NEW)
    assert (found.method, found.path, found.call_id, found.job_id, found.attempt) == (
        "POST",
        "/report?a=1",
        EXECUTION,
        "job_1001",
        1,
    )
    assert found.lag_ms == pytest.approx(24)
    assert found.is_genuine


def test_lag_is_that_of_first_attempts_at_their_own_instants_alone() -> None:
    assert arrival({"X-Attempt": "2"}).lag_ms is None
    assert arrival({"X-Backfill-Of": "job_1"}).lag_ms is None
    assert arrival({"X-Scheduled-At": "2027-01-15T09:00:00+01:00"}).lag_ms == pytest.approx(24)
    assert arrival(at=ARRIVED - timedelta(milliseconds=30)).lag_ms == pytest.approx(-6)


def test_without_a_secret_there_is_no_verdict() -> None:
    assert arrival({"webhook-signature": None}).is_genuine is None


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"webhook-signature": None}, "webhook-signature"),
        ({"webhook-id": None}, "webhook-id"),
        ({"webhook-timestamp": str(NOW - 301)}, "webhook-timestamp"),
        ({"webhook-signature": "v1,AAAA"}, "webhook-signature"),
    ],
)
def test_part_that_is_wrong_is_named(changed: dict[str, str | None], part: str) -> None:
    found = arrival(changed, NEW)
    assert found.is_genuine is False
    assert part in [problem.part for problem in found.problems or ()]


def test_secret_that_is_none_is_an_error() -> None:
    with pytest.raises(SecretError):
        arrival(None, "whsec_")


@given(
    headers=st.lists(
        st.tuples(
            st.sampled_from(
                [b"webhook-id", b"X-Attempt", b"x-scheduled-at", b"X-JOB-ID", b"webhook-timestamp"]
            ),
            st.binary(max_size=40),
        ),
        max_size=6,
    )
)
def test_headers_of_any_form_are_read(headers: list[tuple[bytes, bytes]]) -> None:
    for secrets in ((), (NEW,)):
        found = arrival_of(b"GET", b"/\xff", headers, b"", secrets=secrets, arrived_at=ARRIVED)
        assert not found.is_genuine
