"""What the receiver reads from a callback."""

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook

from infra.local.calls import Call, is_genuine

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def call(**headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Call(method="POST", path="/hooks/x", headers=named, body=b"{}", arrived_at=NOW, genuine=None)


def test_lag_is_from_the_scheduled_moment_to_the_arrival() -> None:
    assert call(x_scheduled_at="2026-03-01T12:00:00.000Z").lag_ms == 250
    assert call(x_scheduled_at="2026-03-01T12:00:01.000Z").lag_ms == -750
    assert call().lag_ms is None


def test_headers_name_execution_job_and_attempt() -> None:
    came = call(webhook_id="exe_1", x_job_id="job_1", x_attempt="2")
    assert (came.execution_id, came.job_id, came.attempt) == ("exe_1", "job_1", 2)


@pytest.mark.parametrize("body", ["{}", "", "käse"])
def test_the_signature_is_that_of_standard_webhooks(body: str) -> None:
    signature = Webhook(SECRET).sign("exe_1", NOW, body)
    headers = {
        "webhook-id": "exe_1",
        "webhook-timestamp": str(int(NOW.timestamp())),
        "webhook-signature": f"v1,bm90IHRoaXM= {signature}",
    }
    assert is_genuine(headers, body.encode(), SECRET)
    assert not is_genuine(headers, body.encode() + b" ", SECRET)
    assert not is_genuine({**headers, "webhook-id": "exe_2"}, body.encode(), SECRET)
    later = str(int((NOW + timedelta(seconds=1)).timestamp()))
    assert not is_genuine({**headers, "webhook-timestamp": later}, body.encode(), SECRET)
    assert not is_genuine({}, body.encode(), SECRET)
