"""The oracle adds up the stages of each record: forged ones that do not fit its call."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.simulation.evidence import Evidence, Outcome, Press, StageTimes
from tests.simulation.faults import FaultMix
from tests.simulation.habits import Change, Habits
from tests.simulation.honest_evidence import CREATED_AT, DUE_AT, GRAVE, ONCE, call, honest, set_record
from tests.simulation.oracle import verdict
from tests.simulation.oracle_stages import check_stages

LATE_MS = 8_000
CALM = FaultMix()


def told(evidence: Evidence, *before_call_ms: int, cause: str | None = None, **fields: Any) -> None:
    """The one-off's call began late, and its record has these stages."""
    began_at = DUE_AT + LATE_MS
    evidence.calls[0] = call(began_at=began_at, caller_began_at=began_at, ended_at=began_at + 200)
    outcome = Outcome(attempt=1, status=200, reason="ok", started_at=began_at)
    stages = StageTimes(before_call_ms=before_call_ms, cause=cause)
    defaults = {"outcomes": (outcome,), "due_at": DUE_AT, "created_at": CREATED_AT}
    set_record(evidence, ONCE, 0, **{**defaults, "first": stages, "latest": stages, **fields})


def stages_longer_than_the_lag(evidence: Evidence) -> None:
    told(evidence, 20, LATE_MS + 400, 10, 2)


def stages_shorter_than_the_lag(evidence: Evidence) -> None:
    told(evidence, 20, 5_000, 10, 2, cause="breaker_open")


def wait_without_a_cause(evidence: Evidence) -> None:
    told(evidence, 20, LATE_MS - 30, 10, 2)


def start_of_the_preparation(evidence: Evidence) -> None:
    started = Outcome(attempt=1, status=200, reason="ok", started_at=DUE_AT + LATE_MS - 30)
    told(evidence, 20, LATE_MS - 30, 10, 2, cause="slow", outcomes=(started,))


def retry_with_stages_longer_than_its_lag(evidence: Evidence) -> None:
    told(evidence, 20, LATE_MS - 30, 10, 2, cause="slow", next_attempt_at=DUE_AT + LATE_MS - 1_000)


FORGED: dict[Callable[[Evidence], None], str] = {
    stages_longer_than_the_lag: "of a lag of 8000 ms",
    stages_shorter_than_the_lag: "do not add up to 8000 ms",
    wait_without_a_cause: "without a cause",
    start_of_the_preparation: "attempt 1 began at",
    retry_with_stages_longer_than_its_lag: "of a lag of 1000 ms",
}


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: forge.__name__)
def test_forged_stage_is_found(forge: Callable[[Evidence], None]) -> None:
    evidence = honest(CALM)
    forge(evidence)
    assert [fault for fault in verdict(evidence) if FORGED[forge] in fault.text]


def test_stages_that_add_up_are_nothing_to_find() -> None:
    evidence = honest(GRAVE)
    told(evidence, 20, LATE_MS - 30, 10, 2, cause="breaker_open")
    assert [fault for fault in verdict(evidence) if "stages" in fault.text or "began at" in fault.text] == []


def test_message_that_was_lost_and_sent_again_leaves_stages_short_of_the_lag() -> None:
    evidence = honest(GRAVE)
    told(evidence, 20, 0, 10, 2)
    assert [fault for fault in verdict(evidence) if "stages" in fault.text] == []


@pytest.mark.parametrize(
    ("asked_at", "acked_at", "faults"),
    [
        (DUE_AT - 900, DUE_AT - 500, 1),
        (DUE_AT + 7_000, DUE_AT + 7_100, 0),
        (DUE_AT - 900, None, 0),
        (DUE_AT + LATE_MS + 500, DUE_AT + LATE_MS + 600, 1),
    ],
    ids=["before it is due", "while it waits", "without an answer", "after its call"],
)
def test_resumption_while_a_message_waits_leaves_stages_short_of_the_lag(
    asked_at: int, acked_at: int | None, faults: int
) -> None:
    evidence = honest(CALM)
    resume = Change(verb="resume", asked_at=asked_at, acked_at=acked_at, tries=1)
    order = evidence.orders[0]
    order.habits = Habits(changes=[resume])
    told(evidence, 20, 0, 10, 2)
    assert len([*check_stages(evidence, order, evidence.history[ONCE], evidence.calls)]) == faults


@pytest.mark.parametrize(
    ("answered_at", "tries", "faults"),
    [
        (CREATED_AT + 100, 1, 1),
        (CREATED_AT + 100, 2, 0),
        (DUE_AT + 5_000, 1, 0),
        (DUE_AT + LATE_MS + 500, 2, 1),
    ],
    ids=["the one that made it", "twice", "after a bulk redrive", "after its call"],
)
def test_redrive_that_is_asked_for_again_leaves_stages_short_of_the_lag(
    answered_at: int, tries: int, faults: int
) -> None:
    evidence = honest(CALM)
    told(evidence, 20, 0, 10, 2)
    record = evidence.history[ONCE][0]
    evidence.presses[:] = [
        Press(
            execution_id="exe_dead",
            tenant="acme",
            tries=tries,
            answers={record.execution_id: answered_at},
        )
    ]
    assert len([*check_stages(evidence, evidence.orders[0], [record], evidence.calls)]) == faults
