"""Checks what was announced of executions: each event that was asked for, none that was not, and once."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from tests.simulation.evidence import LATE_AFTER_SECONDS, Arrival, Evidence, Order, Record
from tests.simulation.verdicts import Fault, Verdict

SKIPS = ("overlap", "late")
"""The reasons of skips that are announced."""
MARGIN_MS = 5_000
"""What clocks and steps of a worker may add to an instant, besides the error of its clock."""


def check_alerts(evidence: Evidence, known: Mapping[str, Order]) -> Iterator[Fault]:
    """Everything that was announced of jobs that a client knows."""
    announced: dict[str, list[Arrival]] = defaultdict(list)
    missing: dict[str, list[Fault]] = defaultdict(list)
    for arrival in evidence.alerts:
        if "count" not in _data(arrival):
            announced[str(_data(arrival)["execution_id"])].append(arrival)
    for job_id, order in known.items():
        if order.acked_at is None:
            continue
        records = {record.execution_id: record for record in evidence.history.get(job_id, [])}
        for record in records.values():
            arrivals = announced.get(record.execution_id, [])
            if arrivals:
                yield from _content(evidence, order, record, arrivals)
            else:
                missing[order.alerts_url] += _silence(evidence, order, record)
        yield from _recoveries(evidence, order, records, announced)
        for execution_id, arrivals in announced.items():
            if arrivals[0].job_id == job_id and execution_id not in records:
                yield _fault("announced of what has no record", arrivals[0])
    for url, faults in missing.items():
        if len(faults) > _summarized(evidence, url):
            yield from faults


def _summarized(evidence: Evidence, url: str) -> int:
    """How many alerts to a URL were counted in place of being sent."""
    heard = {
        arrival.execution_id: int(_data(arrival)["count"])
        for arrival in evidence.alerts
        if arrival.url == url and "count" in _data(arrival) and arrival.status == 200
    }
    return sum(heard.values())


def _silence(evidence: Evidence, order: Order, record: Record) -> Iterator[Fault]:
    """What had to be announced of a record of which nothing was."""
    expected = _expected(order, record) & order.alerted_of
    if expected or _was_late(evidence, order, record):
        yield Fault(
            verdict=Verdict.ALERT,
            text=f"{record.state}, {sorted(expected)}, and nothing was announced",
            job_id=record.job_id,
            execution_id=record.execution_id,
        )


def _expected(order: Order, record: Record) -> frozenset[str]:
    """The events that follow from the record alone."""
    found = {"failed"} if record.state == "failed" else set()
    if record.state == "skipped" and record.reason in SKIPS and record.missed is None:
        found.add("skipped")
    last = record.outcomes[-1] if record.outcomes else None
    is_gone = record.reason == "not_retryable" and last is not None and last.status == 410
    if order.rhythm is not None and record.state == "failed" and is_gone:
        found.add("gone")
    return frozenset(found)


def _content(evidence: Evidence, order: Order, record: Record, arrivals: list[Arrival]) -> Iterator[Fault]:
    expected = _expected(order, record) & order.alerted_of
    if not any(arrival.status == 200 for arrival in arrivals):
        yield _fault("announced in vain", arrivals[0])
    if len({arrival.execution_id for arrival in arrivals}) > 1:
        yield _fault("announced by two notifications", arrivals[0])
    if any(arrival.url != order.alerts_url for arrival in arrivals):
        yield _fault("announced elsewhere", arrivals[0])
    heard = [arrival.status for arrival in arrivals].index(200) if not _is_unheard(arrivals) else 0
    if evidence.weather.is_calm and not _is_unheard(arrivals) and len(arrivals) > heard + 1:
        yield _fault("announced again after it was heard", arrivals[heard + 1])
    data = _data(arrivals[0])
    events, lag_ms = frozenset(data["events"]), data["lag_ms"]
    is_late = "late" in order.alerted_of and lag_ms is not None and lag_ms > LATE_AFTER_SECONDS * 1000
    surely = expected | (frozenset({"late"}) if is_late else frozenset())
    if events - {"recovered"} != surely:
        yield _fault(f"announced {sorted(events)}, and it is {sorted(surely)}", arrivals[0])
    if not events or not events <= order.alerted_of:
        yield _fault(f"announced {sorted(events)}, which nobody asked for", arrivals[0])
    if "recovered" in events and record.state != "succeeded":
        yield _fault(f"a recovery that is {record.state}", arrivals[0])
    if (data["job_id"], data["outcome"], data["end_reason"]) != (record.job_id, record.state, record.reason):
        yield _fault(f"announced {data['outcome']}, and it is {record.state}", arrivals[0])


def _was_late(evidence: Evidence, order: Order, record: Record) -> bool:
    """Whether the first attempt began too late by any clock, and its record shows it."""
    if "late" not in order.alerted_of or not record.outcomes or record.outcomes[0].attempt != 1:
        return False
    if record.state not in ("succeeded", "failed") or record.redrive_of is not None:
        return False
    jitter_ms = order.habits.jitter_seconds * 1000 if order.habits else 0
    late_from = record.nominal_at + jitter_ms + LATE_AFTER_SECONDS * 1000 + MARGIN_MS
    late_from += 2 * evidence.weather.clock_error_ms
    is_past = order.backfill is not None
    first = [
        call for call in evidence.calls if call.execution_id == record.execution_id and call.attempt == 1
    ]
    return not is_past and bool(first) and min(call.began_at for call in first) > late_from


def _recoveries(
    evidence: Evidence, order: Order, records: Mapping[str, Record], announced: Mapping[str, list[Arrival]]
) -> Iterator[Fault]:
    """There are no more recoveries than failures, and one for each failure that was followed by a success."""
    if "recovered" not in order.alerted_of:
        return
    own = [arrivals[0] for execution_id, arrivals in announced.items() if execution_id in records]
    failures = [each for each in own if "failed" in _data(each)["events"]]
    recoveries = [each for each in own if "recovered" in _data(each)["events"]]
    if len(recoveries) > len(failures) + _summarized(evidence, order.alerts_url):
        yield _fault(f"{len(recoveries)} recoveries of {len(failures)} failures", recoveries[0])
    if not failures or recoveries or _summarized(evidence, order.alerts_url):
        return
    noted_at = min(each.began_at for each in failures) + MARGIN_MS + 2 * evidence.weather.clock_error_ms
    for call in evidence.calls:
        record = records.get(call.execution_id)
        if record is not None and record.state == "succeeded" and call.began_at > noted_at:
            is_last = call.attempt == record.attempt and call.status == 200
            if is_last:
                yield _fault("a success after a failure, and no recovery", failures[0])
                return


def _is_unheard(arrivals: list[Arrival]) -> bool:
    return all(arrival.status != 200 for arrival in arrivals)


def _data(arrival: Arrival) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(arrival.body)["data"]
    return told


def _fault(text: str, arrival: Arrival) -> Fault:
    return Fault(verdict=Verdict.ALERT, text=text, job_id=arrival.job_id, execution_id=arrival.execution_id)
