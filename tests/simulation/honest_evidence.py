"""What an honest run leaves to the oracle, for forgers: a job that ran once, and a series that was deleted."""

from dataclasses import replace
from typing import Any

from tests.simulation.evidence import Arrival, Evidence, Order, Outcome, Record, Sighting
from tests.simulation.faults import FaultMix
from tests.simulation.rhythms import every

CREATED_AT = 1_800_000_000_000
DUE_AT = CREATED_AT + 60_000
RATE_SECONDS = 30
STEP_MS = RATE_SECONDS * 1000
FIRED = 4
DELETED_AT = CREATED_AT + STEP_MS * FIRED + 10_000
ENDED_AT = CREATED_AT + 3_600_000
ONCE, SERIES = "job_1once", "job_rseries"
GRAVE = FaultMix(crash=0.1, refuse=0.1)


def order(**fields: Any) -> Order:
    """The one-off, unless told otherwise."""
    defaults: dict[str, Any] = {
        "tenant": "acme",
        "number": 0,
        "lane": "standard",
        "delay_seconds": 60,
        "rhythm": None,
        "timeout_seconds": 10,
        "max_attempts": 3,
        "base_seconds": 1,
        "cap_seconds": 30,
        "key": None,
        "asked_at": CREATED_AT,
        "job_id": ONCE,
        "created_at": CREATED_AT,
        "due_at": DUE_AT,
        "acked_at": CREATED_AT + 20,
    }
    return Order(**defaults | fields)


def call(**fields: Any) -> Arrival:
    """The call of the one-off."""
    defaults: dict[str, Any] = {
        "execution_id": "exe_1once",
        "job_id": ONCE,
        "attempt": 1,
        "scheduled_at": DUE_AT,
        "url": "https://acme.example.com/0",
        "began_at": DUE_AT + 50,
        "caller_began_at": DUE_AT + 50,
        "ended_at": DUE_AT + 250,
        "status": 200,
    }
    return Arrival(**defaults | fields)


def record(**fields: Any) -> Record:
    """The record of the one-off."""
    defaults: dict[str, Any] = {
        "execution_id": "exe_1once",
        "job_id": ONCE,
        "nominal_at": DUE_AT,
        "state": "succeeded",
        "attempt": 1,
        "outcomes": (Outcome(attempt=1, status=200, reason="ok"),),
    }
    return Record(**defaults | fields)


def occurrence(number: int) -> tuple[Arrival, Record]:
    """The call and the record of the n-th instant of the series, as they should be."""
    at = CREATED_AT + number * STEP_MS
    execution_id = f"exe_1series{number}"
    made = call(
        execution_id=execution_id,
        job_id=SERIES,
        scheduled_at=at,
        url="https://globex.example.com/1",
        began_at=at + 50,
        caller_began_at=at + 50,
        ended_at=at + 250,
    )
    return made, record(execution_id=execution_id, job_id=SERIES, nominal_at=at)


def honest(weather: FaultMix = GRAVE) -> Evidence:
    """A one-off that was called, and a recurring job that fired four times and was deleted."""
    series = order(
        tenant="globex",
        number=1,
        delay_seconds=None,
        rhythm=every(RATE_SECONDS),
        job_id=SERIES,
        due_at=None,
        cancel_asked_at=DELETED_AT,
        cancel_acked_at=DELETED_AT + 100,
        cancelled=True,
    )
    fired = [occurrence(number) for number in range(1, FIRED + 1)]
    tombstone = record(
        execution_id="exe_1tombstone",
        job_id=SERIES,
        nominal_at=CREATED_AT + (FIRED + 1) * STEP_MS,
        state="cancelled",
        attempt=0,
        outcomes=(),
    )
    history = {ONCE: [record()], SERIES: [*(made for _, made in fired), tombstone]}
    return Evidence(
        orders=[order(), series],
        calls=[call(), *(made for made, _ in fired)],
        sightings=[Sighting(tenant="acme", job_id=ONCE, asked_at=DUE_AT + 900, records=(record(),))],
        history=history,
        dead_letters={"acme": [], "globex": []},
        foreign=[Sighting(tenant="globex", job_id=ONCE, asked_at=ENDED_AT, records=None)],
        kept={job_id: list(records) for job_id, records in history.items()},
        leftovers={ONCE: [record()], SERIES: []},
        ended_at=ENDED_AT,
        weather=weather,
    )


def set_record(evidence: Evidence, job_id: str, index: int, **fields: Any) -> None:
    """Change a record wherever it is shown, so that nothing but its own content is at fault."""
    changed = replace(evidence.history[job_id][index], **fields)
    evidence.history[job_id][index] = evidence.kept[job_id][index] = changed
    evidence.sightings, evidence.leftovers = [], {}
