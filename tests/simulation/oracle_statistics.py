"""Checks the statistics that are shown of a run against records, and against the calls that receivers saw.

Nothing is read from the archive here: a record counts in the statistics whether it still exists or not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from math import log2

from tests.simulation.evidence import Arrival, Evidence, Reading, Record, Statistics
from tests.simulation.verdicts import Fault, Verdict

MINUTE_MS = 60_000
STEPS_PER_DOUBLING = 11
MOVED = "moved"
LAST_STEP = 254
"""Of the steps in which a lag is counted."""
FirstCalls = Mapping[str, Arrival]
"""The first attempts by their executions."""


def check_statistics(evidence: Evidence) -> Iterator[Fault]:
    """What was shown after each pass of the archiver, and that no record and no call is left out."""
    for reading in evidence.readings[:1]:
        yield from _left_out(evidence, reading)
    # The record of an attempt whose receiver reports later has the instant of its claim.
    reporting = {order.url for order in evidence.orders if order.async_accepted}
    calls = (*evidence.calls, *evidence.told, *evidence.alerts)
    yield from check_counts(evidence.readings, [call for call in calls if call.url not in reporting])


def check_counts(readings: Iterable[Reading], calls: Iterable[Arrival]) -> Iterator[Fault]:
    """Compare what was shown with the records, whose first attempts are among the calls, the latest last."""
    first = {call.execution_id: call for call in calls if call.attempt == 1}
    for reading in readings:
        for shown in reading.statistics:
            tenants = reading.stored if shown.tenant is None else [shown.tenant]
            records = [record for tenant in tenants for record in reading.stored.get(tenant, [])]
            yield from _compared(shown, counted(shown.tenant, records, first))


def _compared(shown: Statistics, wanted: Statistics) -> Iterator[Fault]:
    for name in (field.name for field in fields(Statistics)):
        if getattr(shown, name) != getattr(wanted, name):
            text = f"{name} of {shown.tenant}: {_difference(getattr(shown, name), getattr(wanted, name))}"
            yield Fault(verdict=Verdict.STATISTICS, text=text)


def counted(tenant: str | None, records: Iterable[Record], calls: FirstCalls) -> Statistics:
    """The statistics of these records, which have ended. One that was moved is in no sum but that of its state."""
    every = list(records)
    records = [record for record in every if record.state != MOVED]
    last = [record.outcomes[-1] for record in records if record.outcomes]
    by_minute: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_minute[record.due_at // MINUTE_MS].append(record)
    return Statistics(
        tenant=tenant,
        states=dict(Counter(record.state for record in every)),
        reasons=dict(Counter(record.reason for record in records if record.reason is not None)),
        statuses=dict(Counter(f"{one.status // 100}xx" if one.status else "none" for one in last)),
        attempts=sum(record.attempt for record in records),
        minutes={
            minute: (
                len(own),
                sum(record.state == "failed" for record in own),
                dict(Counter(_step(lag) for record in own if (lag := _lag_ms(record, calls)) is not None)),
            )
            for minute, own in by_minute.items()
        },
        is_complete=True,
    )


def _left_out(evidence: Evidence, reading: Reading) -> Iterator[Fault]:
    """The records that count are those that clients are shown, and each call belongs to one of them."""
    stored = {record.execution_id: record for records in reading.stored.values() for record in records}
    shown = [record for records in evidence.history.values() for record in records]
    for record in (*shown, *evidence.strays):
        if stored.get(record.execution_id) != record:
            yield _fault("shown to its client, and not counted as it is", record)
    for call in (*evidence.calls, *evidence.told, *evidence.alerts):
        if call.execution_id not in stored:
            yield _fault("called, and not counted", call)


def _lag_ms(record: Record, calls: FirstCalls) -> int | None:
    """None where the first attempt is not recorded. By the clock of the caller, as receivers were told it."""
    first = record.outcomes[0] if record.outcomes else None
    if first is None or first.attempt != 1:
        return None
    call = calls.get(record.execution_id)
    began_at = call.caller_began_at if call is not None else first.started_at
    return max(0, began_at - record.due_at) if began_at is not None else None


def _step(lag_ms: int) -> int:
    return min(LAST_STEP, round(STEPS_PER_DOUBLING * log2(1 + lag_ms)))


def _difference(shown: object, wanted: object) -> str:
    if isinstance(shown, dict) and isinstance(wanted, dict):
        keys = sorted(key for key in shown.keys() | wanted.keys() if shown.get(key) != wanted.get(key))
        shown, wanted = ({key: each.get(key) for key in keys} for each in (shown, wanted))
    return f"{shown} in place of {wanted}"


def _fault(text: str, about: Record | Arrival) -> Fault:
    return Fault(verdict=Verdict.STATISTICS, text=text, job_id=about.job_id, execution_id=about.execution_id)
