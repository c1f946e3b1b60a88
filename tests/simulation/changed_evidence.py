"""What an honest run of one changed job leaves to the oracle, for forgers."""

from typing import Any

from tests.simulation.evidence import Arrival, Evidence, Order, Outcome, Record
from tests.simulation.faults import FaultMix
from tests.simulation.habits import Change
from tests.simulation.rhythms import every

CREATED_AT = 1_800_000_000_000
STEP_MS = 60_000
SERIES, ONCE = "job_rseries", "job_1once"
DUE_AT = CREATED_AT + STEP_MS
CALM = FaultMix()


def instant(number: int) -> int:
    """The n-th instant of the series."""
    return CREATED_AT + number * STEP_MS


def call(number: int, version: int = 1, **fields: Any) -> Arrival:
    """The call at an instant, with the payload of a version."""
    at = instant(number)
    defaults: dict[str, Any] = {
        "execution_id": f"exe_{number}",
        "job_id": SERIES,
        "attempt": 1,
        "scheduled_at": at,
        "url": "https://acme.example.com/0",
        "began_at": at + 50,
        "caller_began_at": at + 50,
        "ended_at": at + 250,
        "status": 200,
        "body": str(version),
    }
    return Arrival(**defaults | fields)


def record(number: int, **fields: Any) -> Record:
    """The record of an instant."""
    defaults: dict[str, Any] = {
        "execution_id": f"exe_{number}",
        "job_id": SERIES,
        "nominal_at": instant(number),
        "state": "succeeded",
        "attempt": 1,
        "outcomes": (Outcome(attempt=1, status=200, reason="ok"),),
    }
    return Record(**defaults | fields)


def change(
    verb: str, at: int, made_from: int, state: str = "active", shown: int = 1, **fields: Any
) -> Change:
    """An acknowledged change that was asked for once."""
    return Change(
        verb=verb,
        asked_at=at,
        acked_at=at + 100,
        tries=1,
        made_from=made_from,
        revision=made_from + 1,
        state=state,
        shown=shown,
        **fields,
    )


def order(**fields: Any) -> Order:
    """The series, unless told otherwise."""
    defaults: dict[str, Any] = {
        "tenant": "acme",
        "number": 0,
        "lane": "standard",
        "delay_seconds": None,
        "rhythm": every(STEP_MS // 1000),
        "timeout_seconds": 10,
        "max_attempts": 3,
        "base_seconds": 1,
        "cap_seconds": 30,
        "key": "k",
        "asked_at": CREATED_AT,
        "job_id": SERIES,
        "created_at": CREATED_AT,
        "acked_at": CREATED_AT + 20,
    }
    return Order(**defaults | fields)


def evidence(orders: Order, calls: list[Arrival], records: list[Record]) -> Evidence:
    """Nothing but this job, in calm weather."""
    history = {orders.job_id or "": records}
    return Evidence(
        orders=[orders],
        calls=calls,
        sightings=[],
        history=history,
        dead_letters={"acme": []},
        foreign=[],
        kept=history,
        leftovers={},
        ended_at=CREATED_AT + 60 * STEP_MS,
        weather=CALM,
    )
