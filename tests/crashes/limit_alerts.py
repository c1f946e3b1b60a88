"""Alerts about a limit of the tenant, and what was promised of them: one in an hour, which says what was reached."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tests.crashes.arrivals import Arrival
from tests.crashes.reader import OK, TRIES, Reader, Send

QUOTA_EXCEEDED = 429
RECURRING = {"rate_seconds": 3_600}
PREFIX = "/ok/alert-"


class LimitAlerts(Reader):
    """The tenant's subscription of one run, and a client that reaches a limit."""

    _numbers = itertools.count(1)

    def __init__(self, url: str, send: Send) -> None:
        super().__init__(send)
        self._url = url
        self._path: str | None = None
        self.forget()

    def forget(self) -> None:
        """A new run: the tenant has no subscription."""
        if self._path is not None:
            self._settings({"alerts": None})
        self._path, self._quota = None, ""
        self.is_promised = False
        """Whether the limit was reached again in the same minute, so that no crash excuses a lost alert."""
        self._faults: list[str] = []

    def subscribe(self, quota: str) -> None:
        """Alerts about this limit, and no other one, are expected at a path of their own."""
        self._path, self._quota = f"{PREFIX}{next(self._numbers)}", quota
        self._settings({"alerts": {"url": f"{self._url}{self._path}", "events": ["limit_reached"]}})

    def be_refused(self) -> None:
        """Ask for a recurring job, which the tenant may not have, until there is an answer."""
        body = {"schedule": RECURRING, "request": {"url": f"{self._url}/ok/refused"}}
        status = self._ask("POST", "/v1/jobs", body)
        if status != QUOTA_EXCEEDED:
            self._faults.append(f"alert: a job beyond the limit was answered with {status}")

    def are_at_rest(self, calls: Sequence[Arrival]) -> bool:
        """Whether what was promised has come."""
        return not self.is_promised or any(call.path == self._path and call.status == OK for call in calls)

    def faults(self, calls: Sequence[Arrival], blows: int) -> list[str]:
        """`calls` are all that came. A blow may cost an alert that is not promised."""
        if self._path is None:
            return []
        own = [call for call in calls if call.path == self._path]
        records = {call.execution_id: self.execution(call.execution_id) for call in own}
        is_due = self.is_promised or not blows
        return [*self._faults, *alert_faults(self._quota, own, records, is_due=is_due)]

    def _settings(self, patch: dict[str, Any]) -> None:
        status = self._ask("PATCH", "/v1/settings", patch)
        assert status == OK, f"the settings were answered with {status}"

    def _ask(self, *request: Any) -> int:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        return answer.status


def is_alert(call: Arrival) -> bool:
    """Also one of a former run: no run waits for an alert that a blow has delayed, and that is not promised."""
    return call.path.startswith(PREFIX)


def alert_faults(
    quota: str, calls: Sequence[Arrival], records: dict[str, dict[str, Any]], *, is_due: bool
) -> Iterator[str]:
    """What is wrong with the alerts of one hour; `records` are their executions by id."""
    if is_due and not any(call.status == OK for call in calls):
        yield f"lost: no alert tells of {quota}"
    if len(records) > 1:
        yield f"doubled: {quota} was announced as {sorted(records)}"
    for name, record in records.items():
        if record.get("state") != "succeeded":
            yield f"lost: the alert {name} is {record.get('state')}"
    for call in calls:
        told = call.payload.get("data", {})
        if not call.genuine or call.payload.get("type") != "tenant.alert" or told.get("limit") != quota:
            yield f"alert: {call} does not tell of {quota}"
