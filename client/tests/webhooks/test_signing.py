"""Signing, against the server's own."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.tests.support.calls import EXECUTION, NEW, NOW, OLD, clock
from punctual.webhooks import SecretError, verify
from punctual.webhooks.signing import sign, signed_headers
from shared.domain.delivery import signing as server
from shared.domain.schedules.schedule import format_instant

instants = st.datetimes(min_value=datetime(2000, 1, 1), timezones=st.just(timezone.utc))  # noqa: DTZ001


@given(
    body=st.binary(max_size=100),
    secrets=st.lists(st.sampled_from([OLD, NEW]), min_size=1, max_size=2),
    attempt=st.integers(1, 20),
    instant=instants,
)
def test_headers_are_those_of_the_server(
    body: bytes, secrets: list[str], attempt: int, instant: datetime
) -> None:
    scheduled_ms = (instant - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)
    expected = dict(
        server.signed_headers(
            message_id=EXECUTION,
            timestamp_s=NOW,
            body=body,
            secrets=secrets,
            job_id="job_1",
            attempt=attempt,
            scheduled_at=format_instant(scheduled_ms),
            traceparent="",
        )
    )
    made = signed_headers(
        body=body,
        secrets=secrets,
        execution_id=EXECUTION,
        job_id="job_1",
        scheduled_at=instant,
        signed_at=NOW,
        attempt=attempt,
    )
    del expected["traceparent"]
    assert made == expected
    assert verify(made, body, secrets[-1], clock=clock).attempt == attempt


def test_instant_of_another_zone_is_sent_in_utc() -> None:
    berlin = timezone(timedelta(hours=1))
    made = signed_headers(
        body=b"",
        secrets=NEW,
        execution_id=EXECUTION,
        job_id="job_1",
        scheduled_at=datetime(2027, 1, 15, 9, tzinfo=berlin),
        signed_at=NOW,
    )
    assert made["X-Scheduled-At"] == "2027-01-15T08:00:00.000Z"


def test_instant_without_a_zone_and_malformed_secret_are_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        signed_headers(
            body=b"",
            secrets=NEW,
            execution_id=EXECUTION,
            job_id="job_1",
            scheduled_at=datetime(2027, 1, 15),  # noqa: DTZ001
            signed_at=NOW,
        )
    with pytest.raises(SecretError):
        sign(execution_id=EXECUTION, signed_at=NOW, body=b"", secrets=["whsec_"])
