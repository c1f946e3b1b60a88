"""Punctual's own engine as the port `Instants`, and the span that the tests compare over."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from functions.api.resources.schedules.models import ScheduleIn
from punctual.importers.models.clock import zone_clock
from punctual.importers.ports import ScheduleRefusedError
from punctual.importers.span import Span, span_from
from shared.domain.delivery.request import Request
from shared.domain.errors import ScheduleError
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import first_after

NOW = int(datetime(2026, 1, 15, 12, 0, tzinfo=UTC).timestamp())
SPAN: Span = span_from(NOW)
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",
    "America/Santiago",
    "Africa/Casablanca",
    "Africa/Cairo",
    "Asia/Beirut",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Europe/Dublin",
)
"""Clocks that change at midnight, by half an hour, by two hours, four times a year, and not at all."""
_REQUEST = Request(method="POST", url="https://example.com/")


class EngineInstants:
    """The instants that a deployment computes, without its API."""

    def between(self, schedule: Mapping[str, Any], after: int, until: int, limit: int) -> list[int]:
        try:
            timing = ScheduleIn.model_validate(dict(schedule)).timing
            made = NewJob(timing=timing, request=_REQUEST).schedule_at(SPAN.start * 1000)
        except (ValidationError, ScheduleError) as error:
            raise ScheduleRefusedError(str(error)) from error
        found: list[int] = []
        instant = first_after(made, after * 1000)
        while instant is not None and instant <= until * 1000 and len(found) < limit:
            found.append(instant // 1000)
            instant = first_after(made, instant)
        return found


def at(text: str, zone: str = "UTC", *, second_pass: bool = False) -> int:
    """Return the instant of a local time such as `2026-03-29 03:00`."""
    wall = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    return zone_clock(zone, *SPAN).instants_of(wall)[-1 if second_pass else 0]
