"""The oracle finds what it is there to find: a forged log for each verdict, and none for an honest one."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.bounds import CALM_LAG_MS, CATCH_UP_MS, MILD_LAG_MS
from tests.simulation.evidence import Evidence, Order, Outcome, Sighting
from tests.simulation.faults import FaultMix
from tests.simulation.honest_evidence import (
    CREATED_AT,
    DELETED_AT,
    DUE_AT,
    ENDED_AT,
    FIRED,
    GRAVE,
    ONCE,
    SERIES,
    STEP_MS,
    call,
    honest,
    occurrence,
    order,
    record,
    set_record,
)
from tests.simulation.oracle import verdict
from tests.simulation.test_oracle_backfills import FORGERIES as BACKFILL_FORGERIES
from tests.simulation.test_oracle_changes import EDIT_FORGERIES, SERIES_FORGERIES
from tests.simulation.test_oracle_redrives import FORGED as REDRIVE_FORGERIES
from tests.simulation.verdicts import Verdict

MILD = FaultMix(throttle=0.1)


def drop_record(evidence: Evidence, job_id: str, index: int) -> None:
    del evidence.history[job_id][index], evidence.kept[job_id][index]
    evidence.sightings, evidence.leftovers = [], {}


def cancelled(evidence: Evidence) -> Order:
    """The one-off was cancelled before it was due."""
    evidence.orders[0] = order(
        cancel_asked_at=CREATED_AT + 500, cancel_acked_at=CREATED_AT + 600, cancelled=True
    )
    set_record(evidence, ONCE, 0, state="cancelled", attempt=0, outcomes=())
    return evidence.orders[0]


@pytest.mark.parametrize(("seen_lead_ms", "found"), [(50, []), (51, [Verdict.EARLY]), (-1, [])])
def test_call_may_be_early_only_by_the_lead_that_no_message_showed(
    seen_lead_ms: int, found: list[Verdict]
) -> None:
    evidence = honest()
    evidence.calls[0] = call(began_at=DUE_AT - 4_950, seen_lead_ms=seen_lead_ms)
    assert [fault.verdict for fault in verdict(evidence)] == found


@pytest.mark.parametrize("weather", [FaultMix(), MILD, GRAVE])
def test_honest_log_gets_no_verdict(weather: FaultMix) -> None:
    assert verdict(honest(weather)) == []


@pytest.mark.parametrize(
    ("weather", "is_unanswered", "found"),
    [
        (FaultMix(lose_answer=0.1), True, [Verdict.ATTEMPTS]),
        (FaultMix(throttle_streak=0.1), False, [Verdict.ATTEMPTS]),
        (FaultMix(lose_answer=0.1, throttle_streak=0.1), False, [Verdict.ATTEMPTS]),
        (FaultMix(lose_answer=0.1, throttle_streak=0.1), True, []),
        (FaultMix(crash=0.1), False, []),
    ],
)
def test_attempt_counts_without_a_call_only_if_its_worker_died_or_was_not_told_of_its_claim(
    weather: FaultMix, is_unanswered: bool, found: list[Verdict]
) -> None:
    evidence = honest(weather)
    if is_unanswered:
        evidence.unanswered_claims = frozenset({evidence.history[ONCE][0].execution_id})
    evidence.calls[0] = call(attempt=2)
    set_record(evidence, ONCE, 0, attempt=2, outcomes=(Outcome(attempt=2, status=200, reason="ok"),))
    assert [fault.verdict for fault in verdict(evidence)] == found


def test_a_cancellation_that_held_is_nothing_to_find() -> None:
    evidence = honest()
    cancelled(evidence)
    del evidence.calls[0]
    assert verdict(evidence) == []


def lost_one_off(evidence: Evidence) -> None:
    evidence.calls.pop(0)
    drop_record(evidence, ONCE, 0)


def lost_for_ever_running(evidence: Evidence) -> None:
    set_record(evidence, ONCE, 0, state="running", outcomes=())


def lost_instant(evidence: Evidence) -> None:
    evidence.calls.pop(2)
    drop_record(evidence, SERIES, 1)


def lost_instant_beside_a_gap(evidence: Evidence) -> None:
    lost_instant(evidence)
    lies = CREATED_AT + 3 * STEP_MS
    set_record(evidence, SERIES, 1, missed=(lies, lies))


def lost_by_nobodys_cancellation(evidence: Evidence) -> None:
    evidence.calls.pop(0)
    set_record(evidence, ONCE, 0, state="cancelled", attempt=0, outcomes=())


def lost_to_a_reader(evidence: Evidence) -> None:
    evidence.sightings = [Sighting(tenant="acme", job_id=ONCE, asked_at=CREATED_AT + 21, records=None)]


def early(evidence: Evidence) -> None:
    evidence.calls[0] = call(caller_began_at=DUE_AT - 1)


def late_in_calm(evidence: Evidence) -> None:
    evidence.weather = FaultMix()
    evidence.calls[0] = call(began_at=DUE_AT + CALM_LAG_MS + 1)


def late_in_mild(evidence: Evidence) -> None:
    evidence.weather = MILD
    evidence.calls[0] = call(began_at=DUE_AT + MILD_LAG_MS + 1)


def late_for_ever(evidence: Evidence) -> None:
    evidence.weather = MILD
    evidence.calls.pop(0)
    set_record(
        evidence, ONCE, 0, state="failed", outcomes=(Outcome(attempt=1, status=None, reason="timeout"),)
    )
    evidence.dead_letters["acme"] = [evidence.history[ONCE][0]]


def late_occurrence(evidence: Evidence) -> None:
    evidence.weather = MILD
    last = evidence.calls[-1]
    assert last.scheduled_at > CREATED_AT + CATCH_UP_MS
    last.began_at = last.scheduled_at + MILD_LAG_MS + 1
    evidence.orders[1].cancel_acked_at = last.began_at


def late_retry(evidence: Evidence) -> None:
    evidence.weather = MILD
    began_at = DUE_AT + 250 + 1_000 + MILD_LAG_MS + 1
    evidence.calls[0].status = 500
    evidence.calls.append(call(attempt=2, began_at=began_at, caller_began_at=began_at, ended_at=began_at + 5))
    outcomes = (
        Outcome(attempt=1, status=500, reason="http_status"),
        Outcome(attempt=2, status=200, reason="ok"),
    )
    set_record(evidence, ONCE, 0, attempt=2, outcomes=outcomes)


def doubled_attempt(evidence: Evidence) -> None:
    evidence.calls.append(call(began_at=DUE_AT + 60_000, ended_at=DUE_AT + 60_100))


def doubled_outcome(evidence: Evidence) -> None:
    evidence.weather = FaultMix()
    evidence.calls.append(call(attempt=2, began_at=DUE_AT + 60_000, ended_at=DUE_AT + 60_100))
    outcomes = (
        Outcome(attempt=1, status=200, reason="ok"),
        Outcome(attempt=2, status=200, reason="ok"),
    )
    set_record(evidence, ONCE, 0, attempt=2, outcomes=outcomes)


def doubled_instant_in_the_calls(evidence: Evidence) -> None:
    evidence.calls.append(replace(evidence.calls[1], execution_id="exe_1elsewhere"))


def doubled_instant_in_the_history(evidence: Evidence) -> None:
    again = replace(evidence.history[SERIES][0], execution_id="exe_1elsewhere")
    evidence.history[SERIES].append(again)
    evidence.kept[SERIES].append(again)


def doubled_one_off(evidence: Evidence) -> None:
    again = record(execution_id="exe_1elsewhere")
    evidence.history[ONCE].append(again)
    evidence.kept[ONCE].append(again)


def overlap(evidence: Evidence) -> None:
    evidence.calls[0].ended_at = None
    evidence.calls.append(call(attempt=2, began_at=DUE_AT + 1_000, caller_began_at=DUE_AT + 1_000))
    set_record(evidence, ONCE, 0, attempt=2, outcomes=(Outcome(attempt=2, status=200, reason="ok"),))


def one_attempt_too_many(evidence: Evidence) -> None:
    evidence.calls[0] = call(attempt=4)
    set_record(evidence, ONCE, 0, attempt=3, outcomes=(Outcome(attempt=3, status=200, reason="ok"),))


def one_recorded_attempt_too_many(evidence: Evidence) -> None:
    set_record(evidence, ONCE, 0, attempt=4, outcomes=(Outcome(attempt=4, status=200, reason="ok"),))


def called_after_its_cancellation(evidence: Evidence) -> None:
    cancelled(evidence).cancel_acked_at = DUE_AT + 49
    set_record(evidence, ONCE, 0, attempt=1)


def cancelled_and_succeeded(evidence: Evidence) -> None:
    evidence.orders[0] = order(cancel_asked_at=DUE_AT + 5_000, cancel_acked_at=DUE_AT + 6_000, cancelled=True)


def called_after_its_deletion(evidence: Evidence) -> None:
    evidence.calls[-1].began_at = DELETED_AT + 30_000


def wrong_instant(evidence: Evidence) -> None:
    set_record(evidence, SERIES, 1, nominal_at=CREATED_AT + 2 * STEP_MS + 1)


def called_at_a_wrong_instant(evidence: Evidence) -> None:
    evidence.calls[2].scheduled_at += 1


def success_that_nobody_saw(evidence: Evidence) -> None:
    evidence.calls[0].status = 500


def success_without_its_outcome(evidence: Evidence) -> None:
    set_record(evidence, ONCE, 0, outcomes=())


def outcome_left_out(evidence: Evidence) -> None:
    evidence.weather = FaultMix()
    evidence.calls[0] = call(attempt=2)
    evidence.calls.insert(0, call(status=500, began_at=DUE_AT + 10, ended_at=DUE_AT + 20))
    set_record(evidence, ONCE, 0, attempt=2, outcomes=(Outcome(attempt=2, status=200, reason="ok"),))


def outcome_recorded_twice(evidence: Evidence) -> None:
    outcomes = (
        Outcome(attempt=2, status=500, reason="http_status"),
        Outcome(attempt=2, status=200, reason="ok"),
    )
    set_record(evidence, ONCE, 0, attempt=2, outcomes=outcomes)


def called_though_it_was_skipped(evidence: Evidence) -> None:
    set_record(evidence, ONCE, 0, state="skipped", attempt=0, outcomes=())


def failure_without_an_attempt(evidence: Evidence) -> None:
    evidence.calls.pop(0)
    set_record(evidence, ONCE, 0, state="failed", attempt=0, outcomes=())
    evidence.dead_letters["acme"] = [evidence.history[ONCE][0]]


def call_without_a_record(evidence: Evidence) -> None:
    stray = CREATED_AT + (FIRED + 1) * STEP_MS
    evidence.calls.append(
        replace(occurrence(FIRED + 1)[0], execution_id="exe_1stray", scheduled_at=stray, began_at=DELETED_AT)
    )


def end_that_was_unsaid(evidence: Evidence) -> None:
    evidence.sightings = [
        Sighting(tenant="acme", job_id=ONCE, asked_at=DUE_AT, records=(record(state="failed"),))
    ]


def record_dropped_too_soon(evidence: Evidence) -> None:
    evidence.kept[ONCE] = []


def record_changed_late(evidence: Evidence) -> None:
    evidence.leftovers[ONCE] = [record(state="failed")]


def dead_letter_that_is_not_listed(evidence: Evidence) -> None:
    evidence.calls[0].status = 500
    set_record(
        evidence, ONCE, 0, state="failed", outcomes=(Outcome(attempt=1, status=500, reason="http_status"),)
    )


def live_dead_letter(evidence: Evidence) -> None:
    evidence.dead_letters["acme"] = [record()]


def leaked_call(evidence: Evidence) -> None:
    evidence.calls[0] = call(url="https://globex.example.com/0")


def call_signed_by_another_role(evidence: Evidence) -> None:
    evidence.calls[0].signer = "ASIAGLOBEX"


def leaked_history(evidence: Evidence) -> None:
    evidence.foreign = [Sighting(tenant="globex", job_id=ONCE, asked_at=ENDED_AT, records=())]


def leaked_sighting(evidence: Evidence) -> None:
    evidence.sightings = [Sighting(tenant="globex", job_id=ONCE, asked_at=DUE_AT, records=(record(),))]


def leaked_dead_letter(evidence: Evidence) -> None:
    dead_letter_that_is_not_listed(evidence)
    evidence.dead_letters = {"acme": evidence.history[ONCE], "globex": evidence.history[ONCE]}


def more_calls_at_once_than_allowed(evidence: Evidence) -> None:
    evidence.weather = FaultMix()
    evidence.limits = {"acme": {"destination_concurrency": 1, "concurrency": 5}}
    evidence.calls.append(call(attempt=2))


def more_calls_in_ten_seconds_than_allowed(evidence: Evidence) -> None:
    evidence.weather = FaultMix()
    evidence.limits = {"acme": {"calls_per_second": 1}}
    evidence.calls += [call(attempt=number) for number in range(2, 20)]


def broken_answer(evidence: Evidence) -> None:
    evidence.broken = ["DelaySeconds 901"]


FORGERIES: dict[Verdict, tuple[Callable[[Evidence], None], ...]] = {
    Verdict.LOST: (
        lost_one_off,
        lost_for_ever_running,
        lost_instant,
        lost_instant_beside_a_gap,
        lost_by_nobodys_cancellation,
        lost_to_a_reader,
    ),
    Verdict.EARLY: (early,),
    Verdict.LATE: (late_in_calm, late_in_mild, late_for_ever, late_occurrence, late_retry),
    Verdict.DOUBLED: (
        doubled_attempt,
        doubled_outcome,
        doubled_instant_in_the_calls,
        doubled_instant_in_the_history,
        doubled_one_off,
    ),
    Verdict.OVERLAP: (overlap,),
    Verdict.ATTEMPTS: (one_attempt_too_many, one_recorded_attempt_too_many),
    Verdict.CANCEL: (called_after_its_cancellation, cancelled_and_succeeded, called_after_its_deletion),
    Verdict.INSTANTS: (wrong_instant, called_at_a_wrong_instant),
    Verdict.HISTORY: (
        success_that_nobody_saw,
        success_without_its_outcome,
        outcome_left_out,
        outcome_recorded_twice,
        called_though_it_was_skipped,
        failure_without_an_attempt,
        call_without_a_record,
        end_that_was_unsaid,
        record_dropped_too_soon,
        record_changed_late,
        dead_letter_that_is_not_listed,
        live_dead_letter,
    ),
    Verdict.LEAK: (
        leaked_call,
        call_signed_by_another_role,
        leaked_history,
        leaked_sighting,
        leaked_dead_letter,
    ),
    Verdict.LIMIT: (more_calls_at_once_than_allowed, more_calls_in_ten_seconds_than_allowed),
    Verdict.BROKEN: (broken_answer,),
}


@pytest.mark.parametrize(
    ("expected", "forge"),
    [(expected, forge) for expected, forgeries in FORGERIES.items() for forge in forgeries],
    ids=lambda value: value.__name__ if callable(value) else str(value),
)
def test_forged_log_gets_its_verdict(expected: Verdict, forge: Callable[[Evidence], None]) -> None:
    evidence = honest()
    forge(evidence)
    found = [fault for fault in verdict(evidence) if fault.verdict is expected]
    assert found
    if expected is not Verdict.BROKEN:
        assert all(fault.job_id in (ONCE, SERIES) for fault in found)


@pytest.mark.parametrize(
    ("exceed", "answering", "hot"),
    [
        (more_calls_at_once_than_allowed, "BudgetStore", "LimitStore"),
        (more_calls_in_ten_seconds_than_allowed, "LimitStore", "BudgetStore"),
    ],
)
def test_limit_is_judged_unless_its_own_table_throttles_for_minutes(
    exceed: Callable[[Evidence], None], answering: str, hot: str
) -> None:
    evidence = honest()
    exceed(evidence)
    evidence.hot_places = frozenset({answering})
    assert Verdict.LIMIT in {fault.verdict for fault in verdict(evidence)}
    evidence.hot_places = frozenset({hot})
    assert Verdict.LIMIT not in {fault.verdict for fault in verdict(evidence)}


def test_every_verdict_of_the_judge_has_a_forgery() -> None:
    of_others = {expected for expected, _ in (*SERIES_FORGERIES, *EDIT_FORGERIES, *BACKFILL_FORGERIES)}
    of_others |= {expected for _, expected in REDRIVE_FORGERIES.values()}
    of_others |= {Verdict.NOTIFICATION, Verdict.PATIENCE}  # see test_oracle_notifications
    of_others.add(Verdict.ALERT)  # see test_oracle_alerts
    of_others.add(Verdict.PAYLOAD)  # see test_payload_audit
    of_others.add(Verdict.STATISTICS)  # see test_oracle_statistics
    of_others.add(Verdict.WORKFLOW)  # of the judge of workflows, which mutants of workflows test
    assert set(Verdict) - set(FORGERIES) - of_others == {Verdict.RECONCILER, Verdict.RESTLESS}
