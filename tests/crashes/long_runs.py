"""What reports of receivers that worked on must have come to: what was acknowledged, once, and nothing of itself."""

from collections.abc import Iterator
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.behaviours import ASYNC_ACCEPTED
from tests.crashes.reader import CONFLICT, OK
from tests.crashes.reports import Report, Verb

ROUNDING_MS = 2_000
"""Long attempts are recorded to the second."""
RECORDED = {Verb.COMPLETE: "ok", Verb.FAIL: "receiver_failed", Verb.GIVE_UP: "receiver_gave_up"}


def long_run_faults(
    name: str, record: dict[str, Any], calls: list[Arrival], reports: list[Report]
) -> Iterator[str]:
    """What is broken in one execution."""
    recorded = {attempt["number"]: attempt["reason"] for attempt in record["attempts"]}
    if list(recorded.values()).count("ok") > 1:
        yield f"doubled: {name} succeeded more than once: {recorded}"
    for call in calls:
        reason = recorded.get(call.attempt)
        asked = {RECORDED.get(report.verb) for report in reports if report.attempt == call.attempt}
        is_told = reason in RECORDED.values() and (call.status == ASYNC_ACCEPTED or reason != "ok")
        if is_told and reason not in asked:
            yield f"history: {name} tells of attempt {call.attempt} that it was {reason}, which nobody reported"
    yield from _haste_faults(name, record, calls, reports)
    for report in reports:
        yield from _answer_faults(name, record, recorded.get(report.attempt), report)
        yield from _lease_faults(name, calls, report, recorded.get(report.attempt))


def _haste_faults(
    name: str, record: dict[str, Any], calls: list[Arrival], reports: list[Report]
) -> Iterator[str]:
    """An attempt that its receiver went on with is not over before anybody said so."""
    went_on = {call.attempt for call in calls if call.status == ASYNC_ACCEPTED}
    for attempt in record["attempts"]:
        asked = [
            report.asked_at
            for report in reports
            if (report.attempt, RECORDED.get(report.verb)) == (attempt["number"], attempt["reason"])
        ]
        if attempt["number"] in went_on and asked:
            ended_at = instant_ms(attempt["started_at"]) + attempt["duration_ms"]
            if ended_at + ROUNDING_MS < min(asked):
                yield f"history: {name} was {attempt['reason']} before that was reported: {attempt}"


def _answer_faults(name: str, record: dict[str, Any], reason: str | None, report: Report) -> Iterator[str]:
    """An acknowledged outcome is the recorded one; to be told that it is too late, an attempt must be over."""
    criteria = RECORDED.get(report.verb)
    if report.status == OK:
        if criteria is not None and reason != criteria:
            yield f"report: {name} was told {report.verb} of attempt {report.attempt}, which is {reason}"
    elif report.status != CONFLICT:
        yield f"answer: a receiver of {name} got {report.status}"
    else:
        is_over = reason is not None or record["attempts_begun"] > report.attempt
        is_lost = record["end_reason"] == "worker_lost"
        if not (is_over or is_lost) or (criteria is not None and reason == criteria):
            yield f"report: {name} refused {report.verb} of attempt {report.attempt}, which is {reason}"


def _lease_faults(name: str, calls: list[Arrival], report: Report, reason: str | None) -> Iterator[str]:
    """While a heartbeat carries an attempt that nobody has reported on, no other begins."""
    if reason is not None:
        return
    for call in calls:
        if call.attempt > report.attempt and call.began_at < report.lease_until:
            yield f"lease: {name} was heard of until {report.lease_until}, and then called by {call}"
