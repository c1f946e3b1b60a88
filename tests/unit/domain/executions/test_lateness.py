"""Why an attempt began late: its stages as spans, what they leave over, and the longest of them."""

from itertools import pairwise
from typing import Any

import pytest

from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.lateness import AttemptLateness, first_lag_ms, lateness
from shared.domain.executions.stages import (
    LONGEST_CODE,
    UNKNOWN_STAGES,
    AttemptStages,
    Stage,
    Stages,
    WaitCause,
    code_of,
)
from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, in_state, one_off

HOUR_MS = 3_600_000


def measured(*durations_ms: int | None, cause: WaitCause | None = None) -> AttemptStages:
    """Queue, wait, claim, ready, connect, head."""
    return AttemptStages(bytes(map(code_of, durations_ms)), cause)


def outcome(number: int, started_at: int, duration_ms: int = 90) -> AttemptOutcome:
    return AttemptOutcome(
        attempt=number, started_at=started_at, duration_ms=duration_ms, status=200, reason=Reason.OK
    )


def succeeded(stages: Stages | None, *outcomes: AttemptOutcome, **fields: Any) -> Execution:
    plain = one_off(created_at=fields.pop("created_at", DUE_AT - HOUR_MS))
    attempt = fields.pop("attempt", len(outcomes))
    return in_state(plain, State.SUCCEEDED, attempt=attempt, outcomes=outcomes, stages=stages, **fields)


def first_only(stages: AttemptStages) -> Stages:
    return Stages(number=1, first=stages, latest=stages)


def first_of(execution: Execution) -> AttemptLateness:
    return lateness(execution)[0]


def shown(attempt: AttemptLateness) -> dict[Stage, int | None]:
    return {span.stage: span.duration_ms for span in attempt.spans}


def late(stages: AttemptStages, lag_ms: int, **fields: Any) -> AttemptLateness:
    """The first attempt, which began `lag_ms` after its due time."""
    return first_of(succeeded(first_only(stages), outcome(1, DUE_AT + lag_ms), **fields))


def test_longest_stage_is_named_with_its_cause() -> None:
    attempt = late(measured(20, 41_000, 7, 3, 2, 60, cause=WaitCause.BREAKER_OPEN), 41_030)
    assert attempt.lag_ms == 41_030
    assert attempt.longest is not None
    assert (attempt.longest.stage, attempt.longest.cause) == (Stage.WAIT, WaitCause.BREAKER_OPEN)
    assert attempt.longest.duration_ms == 41_000, "the whole is exact, so the longest stage nearly is"
    assert Stage.SENT not in shown(attempt), "what rounding leaves over is no stage"


@pytest.mark.parametrize("wait_ms", [38_500, 40_000, 41_000])
def test_rounding_of_the_codes_is_no_stage_and_goes_to_the_longest(wait_ms: int) -> None:
    attempt = late(measured(20, wait_ms, 7, 3, 2, 60), wait_ms + 30)
    assert Stage.SENT not in shown(attempt)
    assert shown(attempt)[Stage.WAIT] == wait_ms


def test_spans_follow_one_another_from_the_due_time_to_the_end_of_the_call() -> None:
    attempt = late(measured(20, 41_000, 7, 3, 12, 60), 41_030)
    spans = attempt.spans
    assert [span.stage for span in spans] == [
        Stage.QUEUE,
        Stage.WAIT,
        Stage.CLAIM,
        Stage.READY,
        Stage.CONNECT,
        Stage.HEAD,
        Stage.DONE,
    ]
    assert spans[0].began_at == DUE_AT
    assert all(a.ended_at == b.began_at for a, b in pairwise(spans))
    assert spans[3].ended_at == spans[4].began_at == attempt.started_at == DUE_AT + 41_030
    assert spans[-1].ended_at == DUE_AT + 41_030 + 90


def test_creation_after_the_due_time_is_an_exact_stage() -> None:
    attempt = late(measured(20, 0, 7, 3, 0, 60), 9_030, created_at=DUE_AT + 9_000)
    assert shown(attempt)[Stage.FILED] == 9_000
    assert attempt.spans[0].is_exact
    assert attempt.longest == attempt.spans[0]


def test_time_before_the_message_could_be_received_is_a_stage_of_its_own() -> None:
    attempt = late(measured(20, 0, 7, 3, 0, 60), 90_030)
    assert abs((shown(attempt)[Stage.SENT] or 0) - 90_000) < 10
    assert attempt.longest is not None
    assert attempt.longest.stage is Stage.SENT
    assert not attempt.longest.is_exact


def test_refunded_claims_before_the_first_call_are_named() -> None:
    attempt = late(measured(20, 0, 7, 3, 0, 60), 30_030, refunded=2, refunded_since=DUE_AT + 10, claims=3)
    assert abs((shown(attempt)[Stage.REFUNDED] or 0) - 30_000) < 10


def test_stages_add_up_to_the_lag() -> None:
    for lag_ms in (0, 1, 30, 999, 41_030, 2 * HOUR_MS):
        wait_ms = max(0, lag_ms - 30)
        attempt = late(measured(min(20, lag_ms), wait_ms, 7, 3, 0, 60), lag_ms)
        before = [span.duration_ms or 0 for span in attempt.spans[:-3]]
        assert abs(sum(before) - lag_ms) <= 12


def test_stage_beyond_the_longest_code_gets_the_rest_of_the_lag() -> None:
    codes = bytes([code_of(20), LONGEST_CODE, code_of(7), code_of(3), 0, 10])
    attempt = late(AttemptStages(codes, WaitCause.TENANT_RATE), 7 * HOUR_MS)
    assert Stage.SENT not in shown(attempt)
    assert abs((shown(attempt)[Stage.WAIT] or 0) - 7 * HOUR_MS) < 100


def test_execution_of_an_older_release_shows_unknown_stages_and_an_exact_lag() -> None:
    attempt = first_of(succeeded(None, outcome(1, DUE_AT + 5_000)))
    assert (attempt.lag_ms, attempt.longest) == (5_000, None)
    before = [span for span in attempt.spans if span.stage is not Stage.DONE]
    assert [span.duration_ms for span in before] == [None] * 4
    assert attempt.spans[-1].is_exact
    assert shown(attempt)[Stage.DONE] == 90


def test_kept_alive_connection_takes_no_time() -> None:
    assert shown(late(measured(20, 0, 7, 3, 0, 60), 30))[Stage.CONNECT] == 0


def test_call_without_a_first_byte_waits_for_it_until_its_end() -> None:
    attempt = first_of(
        succeeded(first_only(measured(20, 0, 7, 3, 12, None)), outcome(1, DUE_AT + 30, 30_000))
    )
    assert shown(attempt)[Stage.HEAD] == 30_000 - 12
    assert Stage.DONE not in shown(attempt)


def test_latest_attempt_is_late_by_its_own_due_time() -> None:
    first, latest = measured(20, 0, 7, 3, 0, 60), measured(5_000, 0, 7, 3, 0, 60)
    execution = succeeded(
        Stages(number=3, first=first, latest=latest),
        outcome(1, DUE_AT + 30),
        outcome(2, DUE_AT + 10_000),
        outcome(3, DUE_AT + 65_010),
        next_attempt_at=DUE_AT + 60_000,
    )
    attempts = lateness(execution)
    assert [attempt.number for attempt in attempts] == [1, 3]
    assert [attempt.lag_ms for attempt in attempts] == [30, 5_010]
    assert attempts[1].longest is not None
    assert attempts[1].longest.stage is Stage.QUEUE


def test_attempt_after_a_lost_worker_names_the_lost_attempt() -> None:
    latest = measured(5, 0, 7, 3, 0, 60)
    execution = succeeded(
        Stages(number=2, first=UNKNOWN_STAGES, latest=latest), outcome(2, DUE_AT + 90_000), attempt=2
    )
    first, second = lateness(execution)
    assert (first.lag_ms, first.spans) == (None, ())
    assert second.longest is not None
    assert second.longest.stage is Stage.LOST


@pytest.mark.parametrize("state", [State.WAITING, State.CANCELLED])
def test_planned_retry_has_taken_the_due_time_of_the_latest_attempt(state: State) -> None:
    stages = Stages(number=2, first=measured(20, 0, 7, 3, 0, 60), latest=measured(1, 0, 7, 3, 0, 60))
    execution = in_state(
        one_off(created_at=DUE_AT - HOUR_MS),
        state,
        attempt=2,
        outcomes=(outcome(1, DUE_AT + 30), outcome(2, DUE_AT + 9_000)),
        stages=stages,
        next_attempt_at=DUE_AT + HOUR_MS,
    )
    first, second = lateness(execution)
    assert (first.lag_ms, second.due_at, second.lag_ms) == (30, None, None)
    assert [span.stage for span in second.spans] == [Stage.CONNECT, Stage.HEAD, Stage.DONE]


def test_accepted_call_that_has_not_ended_shows_its_stages() -> None:
    running = in_state(one_off(created_at=DUE_AT - HOUR_MS), State.RUNNING, attempt=1)
    (unknown,) = lateness(running)
    assert (unknown.started_at, unknown.spans) == (None, ())
    stages = first_only(measured(20, 0, 7, 3, 0, 60))
    (known,) = lateness(
        in_state(one_off(created_at=DUE_AT - HOUR_MS), State.RUNNING, attempt=1, stages=stages)
    )
    assert known.started_at == (running.claimed_at or 0) + 10


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.CANCELLED, State.SKIPPED])
def test_execution_without_an_attempt_has_no_stages(state: State) -> None:
    execution = in_state(one_off(), state)
    assert (lateness(execution), first_lag_ms(execution)) == ((), None)


def test_lag_of_a_list_is_that_of_the_first_attempt() -> None:
    execution = succeeded(None, outcome(1, DUE_AT + 250), outcome(2, DUE_AT + 9_000))
    assert first_lag_ms(execution) == 250
    assert first_lag_ms(succeeded(None, outcome(2, DUE_AT + 9_000), attempt=2)) is None
