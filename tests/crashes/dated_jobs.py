"""Jobs with calendars that change, and what was promised of them: they have moved, and begin on no former day."""

import itertools
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from shared.domain.schedules.instants import format_instant
from tests.crashes.arrivals import Arrival
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import Answer
from tests.crashes.reader import CREATED, OK, TRIES, Send

MARK, CALENDAR = "/dated-", "days"
EVERY_MS = 60_000
DAY_MS = 86_400_000
NEAR_DAYS = range(3)
"""From today on; no run of a scenario takes longer."""
OPEN_DAY = 3


class DatedJobs:
    """The jobs of one stage, one after the other with the same calendar."""

    _numbers = itertools.count(1)

    def __init__(self, clock: SharedClock, url: str, send: Send) -> None:
        self._clock, self._url, self._send = clock, url, send
        self.forget()

    def forget(self) -> None:
        """A new run of the stage."""
        self._path = ""
        self._closed_from = self._moved_at = 0
        self._faults: list[str] = []

    def create(self) -> None:
        """A job that runs every minute, today and on the days after."""
        number = next(self._numbers)
        self._put(dates_in=[*self._days(NEAR_DAYS), self._day(OPEN_DAY)])
        answer = self._until(
            CREATED,
            "POST",
            "/v1/jobs",
            {
                "schedule": {"cron": "* * * * *", "calendar": CALENDAR},
                "request": {"url": f"{self._url}/ok{MARK}{number}", "json": "dated"},
            },
            {"idempotency-key": f"dated-{number}"},
        )
        self._path = f"/v1/jobs/{answer.body['id']}"

    def close_tomorrow(self) -> None:
        """The job runs today, and not on the days after."""
        self._put(dates_in=[self._day(0), self._day(OPEN_DAY)], dates_out=self._days(NEAR_DAYS[1:]))

    def close(self) -> None:
        """The job runs no more today, and again in some days."""
        self._put(dates_in=[self._day(OPEN_DAY)], dates_out=self._days(NEAR_DAYS))
        self._closed_from = (self._clock.now_ms() // DAY_MS + OPEN_DAY) * DAY_MS

    def state(self) -> str:
        """As the job shows it."""
        return str(self._until(OK, "GET", self._path).body["state"])

    def are_at_rest(self) -> bool:
        """Whether the job waits for the day that its calendar has now."""
        if not self._closed_from or self._moved_at:
            return True
        job = self._until(OK, "GET", self._path).body
        if job["state"] == "active" and job["next_due_at"] == format_instant(self._closed_from):
            self._moved_at = self._clock.now_ms()
        return bool(self._moved_at)

    def faults(self, calls: Sequence[Arrival]) -> list[str]:
        """What is broken at the end; the job is deleted."""
        if not self._path:
            return []
        found = list(self._faults)
        if not self._moved_at:
            found.append("calendar: its job did not move")
        seen: dict[int, str] = {}
        for call in (call for call in calls if is_dated(call)):
            if call.scheduled_at % EVERY_MS or call.scheduled_at > self._moved_at:
                found.append(
                    f"calendar: a call of {call.scheduled_at}, though its job moved by {self._moved_at}"
                )
            if seen.setdefault(call.scheduled_at, call.execution_id) != call.execution_id:
                found.append(f"calendar: {call.scheduled_at} has begun twice")
        if not seen:
            found.append("calendar: its job was not called before the change")
        self._until(OK, "DELETE", self._path)
        return found

    def _put(self, **days: list[str]) -> None:
        self._until(OK, "PUT", f"/v1/calendars/{CALENDAR}", days)

    def _until(self, status: int, *request: Any) -> Answer:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        if answer.status != status:
            self._faults.append(f"calendar: {request[:2]} was answered with {answer.status}: {answer.body}")
        return answer

    def _days(self, distances: range) -> list[str]:
        return [self._day(distance) for distance in distances]

    def _day(self, distance: int) -> str:
        today = date(1970, 1, 1) + timedelta(days=self._clock.now_ms() // DAY_MS)
        return (today + timedelta(days=distance)).isoformat()


def is_dated(call: Arrival) -> bool:
    """Whether a call is one of these jobs."""
    return MARK in call.path
