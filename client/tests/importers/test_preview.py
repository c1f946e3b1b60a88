"""The instants that are read from the API are those of the engine, page by page, to the end of the schedule."""

from typing import Any

import pytest

from client.tests.importers.engine import NOW, SPAN, EngineInstants
from client.tests.sdk.deployment import Deployment
from punctual.importers import PreviewInstants, ScheduleRefusedError, preview_instants

DAY = 86_400


@pytest.fixture(scope="module")
def api() -> PreviewInstants:
    deployment = Deployment()
    deployment.world.world.clock.time_ms = NOW * 1000
    return preview_instants(deployment.client())


@pytest.mark.parametrize(
    "schedule",
    [
        {"cron": "0 9 * * *", "timezone": "Europe/Berlin"},
        {"cron": "*/20 1-3 * * *", "timezone": "Europe/Berlin", "dst_gap": "skip", "dst_overlap": "both"},
        {"cron": "0 9 * * *", "start_at": "2026-02-10T12:00:00Z", "end_at": "2026-02-20T12:00:00Z"},
        {"expression": "cron(0 9 * * ? 2026)", "end_at": "2026-01-25T12:00:00Z"},
        {"expression": "rate(6 hours)", "start_at": "2025-12-01T08:20:11Z"},
        {"expression": "rate(6 hours)", "start_at": "2026-02-01T08:20:11Z", "end_at": "2026-02-09T08:20:11Z"},
        {"rate_seconds": 86_400 * 30, "start_at": "2025-12-01T08:20:11Z"},
    ],
)
@pytest.mark.parametrize(
    ("first", "last", "limit"),
    [(0, 100, 10_000), (20, 21, 10_000), (40, 90, 7), (0, 100, 10), (300, 400, 60)],
)
def test_pages_of_the_api_have_the_instants_of_the_engine(
    api: PreviewInstants, schedule: dict[str, Any], first: int, last: int, limit: int
) -> None:
    window = (SPAN.start + first * DAY, SPAN.start + last * DAY, limit)
    assert api.between(schedule, *window) == EngineInstants().between(schedule, *window)


@pytest.mark.parametrize("schedule", [{"cron": "61 * * * *"}, {"expression": "rate(0 days)"}])
def test_refused_schedule_is_told_apart_from_one_that_has_ended(
    api: PreviewInstants, schedule: dict[str, Any]
) -> None:
    with pytest.raises(ScheduleRefusedError):
        api.between(schedule, SPAN.start, SPAN.end, 10)
