"""A nightly job, and requests to backfill it."""

from typing import Any

from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import post

NIGHTLY: dict[str, Any] = {
    "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
    "name": "nightly",
    "tags": ["billing"],
}
FROM, TO = "2025-02-15T00:00:00+01:00", "2025-02-18T00:00:00+01:00"
RANGE: dict[str, Any] = {"from": FROM, "to": TO}


def backfilled(world: ApiWorld, **fields: Any) -> tuple[Any, Any]:
    """A nightly job, and its backfill."""
    job = world.create(**NIGHTLY)
    answer = post(world, job, "backfill", RANGE | fields)
    assert answer.status == 201, answer.text
    return job, answer.json
