"""Receivers that said that they work on, and what they report by the token of the attempt that they were called for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import TOKEN
from tests.crashes.reader import OK, TRIES, Send


class Verb(StrEnum):
    """What is reported."""

    HEARTBEAT = "heartbeat"
    COMPLETE = "complete"
    FAIL = "fail"
    GIVE_UP = "give up"
    """To fail, and to say that another attempt would, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One report on one attempt, asked again until it was answered."""

    execution_id: str
    attempt: int
    verb: Verb
    asked_at: int
    answered_at: int
    status: int
    lease_until: int = 0
    """Until when the attempt goes on without another sign of life, as a heartbeat was told."""


class Receivers:
    """They report when the test says so, each by an API process that other clients may share."""

    def __init__(self, clock: SharedClock, send: Send) -> None:
        self._clock = clock
        self._send = send
        self.reports: list[Report] = []

    def heartbeat(self, call: Arrival) -> None:
        """Still at work."""
        self.report(call, Verb.HEARTBEAT)

    def complete(self, call: Arrival) -> None:
        """Done."""
        self.report(call, Verb.COMPLETE)

    def fail(self, call: Arrival) -> None:
        """Failed, and to be tried again."""
        self.report(call, Verb.FAIL)

    def give_up(self, call: Arrival) -> None:
        """Failed for good."""
        self.report(call, Verb.GIVE_UP)

    def report(self, call: Arrival, verb: Verb) -> None:
        """Send the same until there is an answer."""
        body: dict[str, Any] | None = None
        if verb in (Verb.FAIL, Verb.GIVE_UP):
            body = {"reason": "the warehouse is closed", "retryable": verb is Verb.FAIL}
        path = f"/v1/executions/{call.execution_id}/{'fail' if body else verb}"
        asked_at = self._clock.now_ms()
        for _ in range(TRIES):
            answer = self._send("POST", path, body, {TOKEN: call.token})
            if answer.is_final:
                break
        is_heard = answer.status == OK and verb is Verb.HEARTBEAT
        report = Report(
            execution_id=call.execution_id,
            attempt=call.attempt,
            verb=verb,
            asked_at=asked_at,
            answered_at=self._clock.now_ms(),
            status=answer.status,
            lease_until=instant_ms(answer.body["lease_until"]) if is_heard else 0,
        )
        self.reports.append(report)
