"""Evidence of a run in which nothing is broken, for tests of the oracle to break."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tests.crashes.arrivals import Arrival
from tests.crashes.oracle import Oracle
from tests.crashes.orders import Order, Version
from tests.crashes.reports import Report

T0 = 1_800_000_000_000
DUE_AT = T0 + 60_000
DELETED = {"rate_seconds": 60, "cancel_asked_at": T0 + 185_000, "cancel_acked_at": T0 + 185_020}


def order(**changes: Any) -> Order:
    """A job that runs once and was acknowledged."""
    given: dict[str, Any] = {"path": "/ok/1", "max_attempts": 3, "key": "k", "job_id": "job_1"}
    versions = [Version(payload="", due_at=DUE_AT, acked_at=T0 + 5)]
    return Order(**given | {"created_at": T0, "versions": versions, "acked_at": T0 + 5} | changes)


def arrival(**changes: Any) -> Arrival:
    """Its call, in time."""
    given: dict[str, Any] = {"path": "/ok/1", "job_id": "job_1", "execution_id": "exe_1", "attempt": 1}
    times = {"scheduled_at": DUE_AT, "began_at": DUE_AT + 20}
    return Arrival(**given | times | {"status": 200, "genuine": True} | changes)


def record(**changes: Any) -> dict[str, Any]:
    """What the API tells of it."""
    attempts = [attempted(1, "ok")]
    given = {"id": "exe_1", "state": "succeeded", "attempts_begun": 1, "attempts": attempts}
    links = {"redrive_of": None, "redriven_by": None, "notification": None}
    times = {"scheduled_at": text(DUE_AT), "due_at": text(DUE_AT)}
    return given | links | times | {"end_reason": None, "missed": None} | changes


def attempted(number: int, reason: str, *, duration_ms: int = 6_000) -> dict[str, Any]:
    """One attempt as it is recorded."""
    return {"number": number, "reason": reason, "started_at": text(DUE_AT), "duration_ms": duration_ms}


def text(instant_ms: int) -> str:
    """As the API spells an instant."""
    return datetime.fromtimestamp(instant_ms / 1000, UTC).isoformat()


def verdict(
    asked: Order,
    records: list[dict[str, Any]],
    arrivals: list[Arrival],
    blows: int = 0,
    reports: Sequence[Report] = (),
    **evidence: Any,
) -> list[str]:
    """What the oracle makes of one order."""
    return Oracle(
        orders=[asked],
        history={"job_1": records},
        arrivals=arrivals,
        blows=blows,
        reports=list(reports),
        **{"deaths": blows} | evidence,
    ).verdict()


def series(*minutes: int, **last: Any) -> tuple[list[dict[str, Any]], list[Arrival]]:
    """A record and a call for each of these instants of a job that fires each minute."""
    instants = [T0 + minute * 60_000 for minute in minutes]
    records = [record(id=f"exe_{instant}", scheduled_at=text(instant)) for instant in instants]
    records[-1].update(last)
    calls = [
        arrival(execution_id=f"exe_{instant}", scheduled_at=instant, began_at=instant + 9)
        for instant in instants
    ]
    return records, calls
