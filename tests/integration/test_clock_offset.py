"""A stack of its own, whose clock is behind this machine's."""

import time
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from infra.local.receiver import Receiver
from infra.local.stack import local_stack

pytestmark = pytest.mark.integration

OFFSET = -600
SLOW_SECONDS = 120


def test_client_and_receiver_see_one_shifted_clock_and_waits_keep_their_length(tmp_path: Path) -> None:
    with local_stack(tmp_path / "local", fresh=True, clock_offset=OFFSET, warm_up=False) as stack:
        tenant = stack.create_tenant("acme", scopes="read,write,admin")
        with Receiver(secret=tenant.signing_secret) as receiver:
            made = stack.api(tenant.api_key).request(
                "POST", "/v1/jobs", {"schedule": {"delay_seconds": 1}, "request": {"url": receiver.url}}
            )
            [call] = receiver.wait_for(1, timeout=SLOW_SECONDS)
            listed = stack.api(tenant.api_key).request("GET", "/v1/keys").json()
    assert made.status == 201
    assert call.genuine
    assert call.scheduled_at is not None
    arrived = call.arrived_at.timestamp()
    shown = {
        "Date": parsedate_to_datetime(made.headers["date"]).timestamp(),
        "created_at": datetime.fromisoformat(made.json()["created_at"]).timestamp(),
        "webhook-timestamp": int(call.headers["webhook-timestamp"]),
        "X-Scheduled-At": call.scheduled_at.timestamp(),
        "key": datetime.fromisoformat(listed["keys"][0]["created_at"]).timestamp(),
    }
    for name, seconds in shown.items():
        assert abs(seconds - arrived - OFFSET) < SLOW_SECONDS, (name, time.time() - seconds)
