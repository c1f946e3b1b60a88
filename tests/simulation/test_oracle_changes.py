"""The oracle of jobs that are changed finds what it is there to find: a forged log for each verdict."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.changed_evidence import (
    CREATED_AT,
    DUE_AT,
    ONCE,
    STEP_MS,
    call,
    change,
    evidence,
    instant,
    order,
    record,
)
from tests.simulation.evidence import Evidence, Record
from tests.simulation.habits import Change, Habits, Version
from tests.simulation.oracle import verdict
from tests.simulation.rhythms import every
from tests.simulation.verdicts import Verdict

PAUSED, RESUMED, UPDATED, DELETED = (CREATED_AT + minutes * STEP_MS + 20_000 for minutes in (3, 6, 9, 12))
EDITED = CREATED_AT + 20_000
MOVED_TO = CREATED_AT + 5 * STEP_MS
TRIGGERED_AT = CREATED_AT + STEP_MS // 2 + 7


def unrun(number: int, state: str, reason: str, **fields: Any) -> Record:
    return record(number, state=state, reason=reason, attempt=0, outcomes=(), **fields)


def series() -> Evidence:
    """Fired at 1 to 3, paused over 4 to 6, resumed for 7 to 9, under another payload at 10 to 12, deleted."""
    versions = {
        number: Version(number=number, rhythm=every(60), since=CREATED_AT, start_at=CREATED_AT)
        for number in (1, 2)
    }
    trigger = Change(
        verb="trigger", asked_at=TRIGGERED_AT, acked_at=TRIGGERED_AT + 90, tries=1, answers={"exe_t"}
    )
    changes = [
        trigger,
        change("pause", PAUSED, 1, "paused"),
        change("resume", RESUMED, 2),
        change("update", UPDATED, 3, shown=2, versions=[2]),
    ]
    job = order(
        habits=Habits(versions=versions, changes=changes),
        cancel_asked_at=DELETED,
        cancel_acked_at=DELETED + 100,
        cancelled=True,
    )
    triggered = call(
        0,
        execution_id="exe_t",
        scheduled_at=TRIGGERED_AT,
        began_at=TRIGGERED_AT + 50,
        caller_began_at=TRIGGERED_AT + 50,
        ended_at=TRIGGERED_AT + 99,
    )
    run = [1, 2, 3, 7, 8, 9, 10, 11, 12]
    calls = [triggered, *(call(number, 1 if number < 10 else 2) for number in run)]
    records = [
        record(0, execution_id="exe_t", nominal_at=TRIGGERED_AT),
        *(record(number) for number in run),
        unrun(4, "cancelled", "job_paused"),
        unrun(5, "skipped", "job_paused", missed=(instant(5), instant(6)), count=2),
        unrun(13, "cancelled", "job_deleted"),
    ]
    return evidence(job, calls, records)


def edited() -> Evidence:
    """Another payload and another time, before it was due."""
    habits = Habits(dues={1: DUE_AT, 2: MOVED_TO}, changes=[change("edit", EDITED, 1, shown=2, versions=[2])])
    job = order(rhythm=None, delay_seconds=60, job_id=ONCE, due_at=DUE_AT, habits=habits)
    return evidence(job, [call(5, 2, job_id=ONCE)], [record(5, job_id=ONCE)])


def habits_of(case: Evidence) -> Habits:
    habits = case.orders[0].habits
    assert habits is not None
    return habits


def records_of(case: Evidence) -> list[Record]:
    return case.history[case.orders[0].job_id or ""]


def drop(case: Evidence, number: int) -> None:
    case.calls[:] = [one for one in case.calls if one.scheduled_at != instant(number)]
    records_of(case)[:] = [one for one in records_of(case) if one.nominal_at != instant(number)]


def alter(case: Evidence, number: int, **fields: Any) -> None:
    told = records_of(case)
    told[:] = [replace(one, **fields) if one.nominal_at == instant(number) else one for one in told]


def answer(case: Evidence, number: int, **fields: Any) -> None:
    for one in case.calls:
        if one.scheduled_at == instant(number):
            for name, value in fields.items():
                setattr(one, name, value)


def run_in_a_pause(case: Evidence) -> None:
    alter(case, 4, state="succeeded", attempt=1, reason=None, outcomes=record(4).outcomes)
    case.calls.append(call(4))


def catch_up_with_a_pause(case: Evidence) -> None:
    run_in_a_pause(case)
    answer(case, 4, began_at=RESUMED + 900, caller_began_at=RESUMED + 900, ended_at=RESUMED + 999)


def overlap(case: Evidence, policy: str) -> None:
    habits_of(case).overlap_policy = policy
    answer(case, 7, ended_at=instant(8) + 70)


def skip_without_reason(case: Evidence) -> None:
    habits_of(case).overlap_policy = "skip"
    drop(case, 8)
    records_of(case).append(unrun(8, "skipped", "overlap"))


def trigger_twice(case: Evidence) -> None:
    records_of(case).append(record(0, execution_id="exe_u", nominal_at=TRIGGERED_AT + 1))
    at = TRIGGERED_AT + 50
    case.calls.append(
        call(0, execution_id="exe_u", scheduled_at=TRIGGERED_AT + 1, began_at=at, caller_began_at=at)
    )


def lose_the_triggered_run(case: Evidence) -> None:
    case.calls[:] = [one for one in case.calls if one.execution_id != "exe_t"]
    records_of(case)[:] = [one for one in records_of(case) if one.execution_id != "exe_t"]


def run_by_two_definitions(case: Evidence) -> None:
    records_of(case).append(record(10, execution_id="exe_old"))
    case.calls.append(call(10, 2, execution_id="exe_old"))


def resume_later(case: Evidence) -> None:
    drop(case, 7)
    alter(case, 5, missed=(instant(5), instant(7)), count=3)


SERIES_FORGERIES: list[tuple[Verdict, Callable[[Evidence], None]]] = [
    (Verdict.PAUSE, run_in_a_pause),
    (Verdict.PAUSE, catch_up_with_a_pause),
    (Verdict.LOST, lambda case: drop(case, 4)),
    (Verdict.LOST, lambda case: drop(case, 7)),
    (Verdict.LOST, resume_later),
    (Verdict.LOST, lambda case: drop(case, 11)),
    (Verdict.DOUBLED, run_by_two_definitions),
    (Verdict.UPDATE, lambda case: answer(case, 10, body="1")),
    (Verdict.INSTANTS, lambda case: answer(case, 10, body="7")),
    (Verdict.UPDATE, lambda case: setattr(habits_of(case).changes[3], "made_from", 2)),
    (Verdict.SKIPPED, lambda case: alter(case, 5, count=3)),
    (Verdict.SKIPPED, lambda case: alter(case, 5, reason="coalesced_wrongly")),
    (Verdict.SKIPPED, skip_without_reason),
    (Verdict.OVERLAP, lambda case: overlap(case, "skip")),
    (Verdict.OVERLAP, lambda case: overlap(case, "queue_one")),
    (Verdict.INSTANTS, lambda case: setattr(habits_of(case), "max_runs", 8)),
    (Verdict.TRIGGER, trigger_twice),
    (Verdict.TRIGGER, lose_the_triggered_run),
    (Verdict.TRIGGER, lambda case: habits_of(case).changes[0].answers.add("exe_v")),
    (Verdict.LATE, lambda case: answer(case, 11, began_at=instant(11) + 9_000)),
]

EDIT_FORGERIES: list[tuple[Verdict, Callable[[Evidence], None]]] = [
    (Verdict.UPDATE, lambda case: answer(case, 5, body="1")),
    (Verdict.UPDATE, lambda case: answer(case, 5, scheduled_at=DUE_AT)),
    (Verdict.LATE, lambda case: case.calls.clear()),
    (Verdict.LATE, lambda case: answer(case, 5, began_at=instant(5) + 9_000)),
    (Verdict.SKIPPED, lambda case: alter(case, 5, state="skipped", reason="late", attempt=0, outcomes=())),
]


@pytest.mark.parametrize("case", [series(), edited()], ids=["series", "edited"])
def test_an_honest_log_is_found_in_order(case: Evidence) -> None:
    assert verdict(case) == []


@pytest.mark.parametrize(("expected", "forge"), SERIES_FORGERIES)
def test_a_forged_log_of_a_recurring_job_is_found_out(
    expected: Verdict, forge: Callable[[Evidence], None]
) -> None:
    case = series()
    forge(case)
    assert expected in {fault.verdict for fault in verdict(case)}


@pytest.mark.parametrize(("expected", "forge"), EDIT_FORGERIES)
def test_a_forged_log_of_an_edited_job_is_found_out(
    expected: Verdict, forge: Callable[[Evidence], None]
) -> None:
    case = edited()
    forge(case)
    assert expected in {fault.verdict for fault in verdict(case)}


def test_oracle_accepts_either_outcome_of_an_unanswered_change() -> None:
    case = series()
    run_in_a_pause(case)
    habits_of(case).changes[1].acked_at = None
    assert Verdict.PAUSE not in {fault.verdict for fault in verdict(case)}


def test_a_run_beside_an_open_one_is_no_fault_where_that_is_allowed() -> None:
    case = series()
    overlap(case, "allow")
    assert verdict(case) == []


def test_a_run_that_ended_after_its_deadline_began_too_late() -> None:
    case = edited()
    habits_of(case).start_deadline_seconds = 3
    late = instant(5) + 60_000
    answer(case, 5, began_at=late, caller_began_at=late, ended_at=late + 50)
    assert "begun after its deadline" in {fault.text for fault in verdict(case)}


def test_trigger_in_the_millisecond_of_an_instant_is_no_second_execution_of_it() -> None:
    """A forged run of that instant is still found: its execution is no answer of a trigger."""
    case = series()
    case.calls[0].scheduled_at = instant(2)
    assert [fault for fault in verdict(case) if fault.verdict is Verdict.DOUBLED] == []
    answer(case, 3, scheduled_at=instant(2))
    assert Verdict.DOUBLED in {fault.verdict for fault in verdict(case)}
