"""The oracle of backfills finds what it is there to find: a forged log for each verdict."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.changed_evidence import CREATED_AT, STEP_MS, call, change, evidence, order, record
from tests.simulation.evidence import Arrival, Evidence, Hold, Order, Range, Record
from tests.simulation.habits import Habits, Version
from tests.simulation.oracle_backfills import check_backfill, check_origins
from tests.simulation.rhythms import CRONS, every
from tests.simulation.verdicts import Fault, Verdict

JOB, BACKFILL = "job_rparent", "job_rparent_bchild"
ASKED_AT = CREATED_AT + 10 * STEP_MS
MADE_AT = ASKED_AT + 30
PACE_MS = 5_000
WANTED = [CREATED_AT + number * STEP_MS for number in range(5)]
"""Every minute from the second in which the job was made."""
BEGUN = [MADE_AT + number * PACE_MS for number in range(5)]
DELETED_AT = MADE_AT + 600_000


def parent(**fields: Any) -> Order:
    habits = Habits(versions={1: Version(number=1, rhythm=every(60), since=CREATED_AT, start_at=CREATED_AT)})
    return order(job_id=JOB, habits=habits, **fields)


def arrival(number: int, **fields: Any) -> Arrival:
    at = BEGUN[number]
    made: dict[str, Any] = {"job_id": BACKFILL, "scheduled_at": WANTED[number], "backfill_of": JOB}
    made |= {"began_at": at + 50, "caller_began_at": at + 50, "ended_at": at + 250}
    return call(number, execution_id=f"exe_b{number}", **made | fields)


def told(number: int, **fields: Any) -> Record:
    own: dict[str, Any] = {"execution_id": f"exe_b{number}", "nominal_at": WANTED[number]}
    return record(number, job_id=BACKFILL, **own | fields)


def unrun(number: int, state: str, reason: str, **fields: Any) -> Record:
    return told(number, state=state, reason=reason, attempt=0, outcomes=(), **fields)


def honest() -> Evidence:
    """Five runs, five seconds apart, of which the last was for an instant before the end of the range."""
    of = parent()
    asked = Range(of=of, from_at=CREATED_AT - 999_999, to_at=WANTED[-1] + 1, every_seconds=PACE_MS // 1000)
    made = order(
        job_id=BACKFILL, asked_at=ASKED_AT, created_at=MADE_AT, acked_at=MADE_AT + 20, backfill=asked
    )
    case = evidence(made, [arrival(number) for number in range(5)], [told(number) for number in range(5)])
    case.orders.append(of)
    return case


def faults(case: Evidence) -> list[Fault]:
    made = case.orders[0]
    known = {each.job_id or "": each for each in case.orders}
    own = [each for each in case.calls if each.job_id == BACKFILL]
    return [*check_backfill(case, made, case.history[BACKFILL], own), *check_origins(case, known)]


def verdicts(case: Evidence) -> set[Verdict]:
    return {fault.verdict for fault in faults(case)}


def of(case: Evidence) -> Order:
    asked = case.orders[0].backfill
    assert asked is not None
    return asked.of


def answer(case: Evidence, number: int, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(case.calls[number], name, value)


def forget(case: Evidence, *numbers: int) -> None:
    kept = [number for number in range(5) if number not in numbers]
    case.calls[:] = [case.calls[number] for number in kept]
    case.history[BACKFILL][:] = [case.history[BACKFILL][number] for number in kept]


def put(case: Evidence, number: int, entry: Record) -> None:
    case.history[BACKFILL][number] = entry


def hold(case: Evidence, verb: str, at: int, state: str) -> None:
    asked = case.orders[0].backfill
    assert asked is not None
    asked.holds.append(Hold(verb=verb, asked_at=at, acked_at=at + 100, state=state))


def delete(who: Order, at: int) -> None:
    who.cancel_asked_at, who.cancel_acked_at, who.cancelled = at, at + 100, True


def called_in_a_pause(case: Evidence) -> None:
    hold(case, "pause", BEGUN[1] + 500, "paused")


def resumed_behind_what_was_held(case: Evidence) -> None:
    hold(case, "pause", BEGUN[1] + 500, "paused")
    hold(case, "resume", BEGUN[3] - 300, "active")
    case.calls[:] = [case.calls[number] for number in (0, 1, 3, 4)]
    put(case, 2, unrun(2, "cancelled", "job_paused"))


def skipped(case: Evidence) -> None:
    """A record tells of two instants that were left out, and the rest was run."""
    forget(case, 2, 3)
    case.history[BACKFILL].append(unrun(2, "skipped", "coalesced", missed=(WANTED[2], WANTED[3]), count=2))


def old_description(case: Evidence) -> None:
    habits = of(case).habits
    assert habits is not None
    habits.versions[2] = replace(habits.versions[1], number=2)
    habits.changes.append(change("update", ASKED_AT - 5_000, 1, shown=2, versions=[2]))


def deleted_but_lost(case: Evidence) -> None:
    delete(of(case), BEGUN[1] - 60_000)
    answer(case, 4, job_id="job_lost")


FORGERIES: list[tuple[Verdict, Callable[[Evidence], None]]] = [
    (Verdict.LOST, lambda case: forget(case, 2)),
    (Verdict.LOST, lambda case: forget(case, 4)),
    (Verdict.LOST, lambda case: forget(case, 0, 1, 2, 3, 4)),
    (Verdict.INSTANTS, lambda case: answer(case, 1, scheduled_at=WANTED[1] + 1_000)),
    (Verdict.INSTANTS, lambda case: answer(case, 4, scheduled_at=WANTED[4] + STEP_MS)),
    (Verdict.INSTANTS, lambda case: put(case, 4, told(4, nominal_at=WANTED[4] + STEP_MS))),
    (Verdict.DOUBLED, lambda case: case.history[BACKFILL].append(told(1, execution_id="exe_other"))),
    (Verdict.SKIPPED, skipped),
    (Verdict.SKIPPED, resumed_behind_what_was_held),
    (Verdict.PAUSE, called_in_a_pause),
    (Verdict.EARLY, lambda case: answer(case, 3, caller_began_at=BEGUN[3] - 1)),
    (Verdict.BACKFILL, lambda case: answer(case, 2, body="2")),
    (Verdict.BACKFILL, old_description),
    (Verdict.BACKFILL, lambda case: answer(case, 2, backfill_of=None)),
    (Verdict.BACKFILL, lambda case: answer(case, 2, backfill_of="job_rother")),
    (Verdict.BACKFILL, lambda case: answer(case, 2, job_id=JOB)),
    (Verdict.CANCEL, lambda case: delete(case.orders[0], BEGUN[1] - 60_000)),
    (Verdict.CANCEL, lambda case: delete(of(case), BEGUN[1] - 60_000)),
    (Verdict.CANCEL, deleted_but_lost),
]


def test_an_honest_log_is_found_in_order() -> None:
    assert faults(honest()) == []


@pytest.mark.parametrize(("expected", "forge"), FORGERIES)
def test_a_forged_log_is_found_out(expected: Verdict, forge: Callable[[Evidence], None]) -> None:
    case = honest()
    forge(case)
    assert expected in verdicts(case)


def test_a_run_that_comes_late_in_mild_weather_is_found_out() -> None:
    case = honest()
    asked = case.orders[0].backfill
    assert asked is not None
    asked.every_seconds = 60
    for number, each in enumerate(case.calls):
        each.began_at = each.caller_began_at = MADE_AT + number * 60_000 + 50
    assert verdicts(case) == set()
    case.calls[3].began_at += 9_000
    assert verdicts(case) == {Verdict.LATE}


def test_oracle_needs_no_record_of_instants_after_a_deletion() -> None:
    case = honest()
    forget(case, 3, 4)
    delete(of(case), BEGUN[2] + 2_000)
    case.history[BACKFILL].append(unrun(3, "cancelled", "job_deleted"))
    assert faults(case) == []


def test_a_backfill_that_was_paused_and_went_on_is_in_order_at_another_pace() -> None:
    case = honest()
    hold(case, "pause", BEGUN[1] + 2_600, "paused")
    hold(case, "resume", BEGUN[1] + 90_000, "active")
    for each in case.calls[2:]:
        each.began_at += 90_000
    assert faults(case) == []


def test_backfill_paused_for_good_is_in_order_without_its_last_runs() -> None:
    case = honest()
    hold(case, "pause", BEGUN[1] + 2_600, "paused")
    forget(case, 2, 3, 4)
    case.history[BACKFILL].append(unrun(2, "cancelled", "job_paused"))
    assert faults(case) == []


def test_the_range_of_a_cron_line_is_counted_from_before_its_job_was_made() -> None:
    case = honest()
    made = case.orders[0]
    made.rhythm = CRONS[0]
    assert made.backfill is not None
    made.backfill.from_at = WANTED[0] - 2 * STEP_MS
    assert "nothing tells of" in str(faults(case)[0])
