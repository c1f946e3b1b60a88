"""Checks what was told of outcomes: each that was asked for, none that was not, never before it stands, and truly."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.verdicts import Fault, Verdict

Told = Mapping[str, list[Arrival]]


def check_notifications(evidence: Evidence, known: Mapping[str, Order]) -> Iterator[Fault]:
    """Everything that was told of jobs that a client knows."""
    told: dict[str, list[Arrival]] = defaultdict(list)
    for arrival in evidence.told:
        told[str(_data(arrival)["execution_id"])].append(arrival)
    for job_id, order in known.items():
        if order.acked_at is None:
            continue
        records = {record.execution_id: record for record in evidence.history.get(job_id, [])}
        for record in records.values():
            yield from _one_record(evidence, order, record, told)
        for execution_id, arrivals in told.items():
            if arrivals[0].job_id == job_id and execution_id not in records:
                yield _fault("told of what has no record", arrivals[0])


def _one_record(evidence: Evidence, order: Order, record: Record, told: Told) -> Iterator[Fault]:
    arrivals = told.get(record.execution_id, [])
    if record.state not in order.told_of:
        if arrivals:
            yield _fault(f"told though {record.state}, which nobody asked for", arrivals[0])
        return
    if not any(arrival.status == 200 for arrival in arrivals):
        yield Fault(
            verdict=Verdict.NOTIFICATION,
            text=f"{record.state}, and no notification tells it",
            job_id=record.job_id,
            execution_id=record.execution_id,
        )
        return
    if len({arrival.execution_id for arrival in arrivals}) > 1:
        yield _fault("told by two notifications", arrivals[0])
    heard = [arrival.status for arrival in arrivals].index(200)
    if evidence.weather.is_calm and len(arrivals) > heard + 1:
        yield _fault("told again after it was heard", arrivals[heard + 1])
    for arrival in arrivals:
        yield from _truth(order, record, arrival)
    yield from _order_of_time(evidence, order, record, arrivals)


def _truth(order: Order, record: Record, arrival: Arrival) -> Iterator[Fault]:
    data = _data(arrival)
    outcomes = [(one["number"], one["status"], one["reason"]) for one in data["attempts"]]
    expected = [(one.attempt, one.status, one.reason) for one in record.outcomes]
    if arrival.url != order.told_url(record.state):
        yield _fault(f"{order.told_url(record.state)} was to be told, and {arrival.url} was", arrival)
    if (data["outcome"], data["attempts_begun"], outcomes) != (record.state, record.attempt, expected):
        yield _fault(
            f"told {data['outcome']} after {outcomes}, and it is {record.state}: {expected}", arrival
        )
    if (data["job_id"], data["end_reason"]) != (record.job_id, record.reason):
        yield _fault(f"told {data['end_reason']} of {data['job_id']}", arrival)


def _order_of_time(
    evidence: Evidence, order: Order, record: Record, arrivals: list[Arrival]
) -> Iterator[Fault]:
    """Not before the answer that decided; a receiver that reports later may do so before it has answered."""
    if order.async_accepted or not record.outcomes or record.outcomes[-1].attempt != record.attempt:
        return
    final = [
        call
        for call in evidence.calls
        if call.execution_id == record.execution_id and call.attempt == record.attempt
    ]
    ended_at = [call.ended_at for call in final if call.ended_at is not None]
    if ended_at and min(arrival.began_at for arrival in arrivals) < min(ended_at):
        yield _fault("told before the outcome stood", arrivals[0])


def _data(arrival: Arrival) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(arrival.body)["data"]
    return told


def _fault(text: str, arrival: Arrival) -> Fault:
    return Fault(
        verdict=Verdict.NOTIFICATION, text=text, job_id=arrival.job_id, execution_id=arrival.execution_id
    )
