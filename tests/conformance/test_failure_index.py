"""The index of failures: entries of dead letters and waiting retries, also where the index throttles."""

from contextlib import suppress
from dataclasses import replace

import pytest

from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import ThrottledError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import PositionRange
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import Claim
from shared.ports.listings import TenantIndex
from tests.support.builders import BUCKET, DUE_AT, EXPIRES_AT_S, OWNER, TENANT, one_off
from tests.support.conformance.attempts import claimed, finish
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.interference import answering, failure, watching
from tests.support.conformance.labs import Lab

ENDINGS = (Transition.SUCCEED, Transition.FAIL, Transition.GIVE_UP, Transition.CANCEL)


def entries(lab: Lab, index: TenantIndex) -> list[ExecutionId]:
    """The entries of all partitions."""
    pages = lab.queries.index_pages(
        index, TENANT, FAILURE_PARTITIONS, PositionRange(), newest_first=False, limit=100
    )
    return sorted(place.id for page in pages for place in page.positions)


def shown(lab: Lab) -> tuple[int, int, bool]:
    """The number of waiting retries and dead letters in the index, and whether the row is marked."""
    retries, dead = (len(entries(lab, index)) for index in (TenantIndex.RETRY, TenantIndex.FAILED))
    return retries, dead, row(lab).index_is_stale


def row(lab: Lab) -> DueRow:
    (found,) = lab.executions.scan(BUCKET, 0, after=None, limit=10).rows
    return found


def claimed_again(lab: Lab) -> Execution:
    """The next attempt of the execution that waits for a retry."""
    (answer,) = lab.claimer.claim([Claim(execution_id=one_off().id, owner=OWNER)], DUE_AT + 86_400_000)
    assert isinstance(answer, Execution)
    return answer


def retried(lab: Lab) -> None:
    assert lab.executions.finish(claimed(lab), finish(Transition.RETRY)) is None


def end(lab: Lab, transition: Transition) -> None:
    """End the execution that waits for its retry."""
    if transition is Transition.CANCEL:
        cancelled = EndReason.CANCELLED
        assert (
            lab.executions.cancel(one_off().id, transition, reason=cancelled, expires_at_s=EXPIRES_AT_S)
            is None
        )
        return
    running = claimed_again(lab)
    if transition is Transition.GIVE_UP:
        lost = EndReason.WORKER_LOST
        late = (running.progress.lease_until or 0) + 1
        assert lab.executions.give_up(running, reason=lost, now_ms=late, expires_at_s=EXPIRES_AT_S)
        return
    assert lab.executions.finish(running, finish(transition)) is None


def test_dead_letters_and_retries_of_a_tenant_are_spread_over_all_partitions(lab: Lab) -> None:
    executions = [one_off(number) for number in range(FAILURE_PARTITIONS)]
    for transition, index in (
        (Transition.RETRY, TenantIndex.RETRY),
        (Transition.FAIL, TenantIndex.FAILED),
    ):
        for execution in executions:
            if transition is Transition.RETRY:
                running = claimed(lab, execution)
            else:
                (answer,) = lab.claimer.claim([Claim(execution_id=execution.id, owner=OWNER)], DUE_AT * 2)
                assert isinstance(answer, Execution)
                running = answer
            assert lab.executions.finish(running, finish(transition)) is None
        pages = lab.queries.index_pages(
            index, TENANT, FAILURE_PARTITIONS, PositionRange(), newest_first=False, limit=100
        )
        assert [len(page.positions) for page in pages] == [1] * FAILURE_PARTITIONS
        assert entries(lab, index) == [execution.id for execution in executions]


def test_outcomes_are_written_without_their_entries_while_the_index_throttles(lab: Lab) -> None:
    with lab.throttling_index():
        retried(lab)
    assert shown(lab) == (0, 0, True)
    assert row(lab).state is State.WAITING
    assert lab.executions.repair_index(row(lab))
    assert shown(lab) == (1, 0, False)


@pytest.mark.parametrize("transition", ENDINGS)
def test_ends_are_written_and_marked_while_the_index_throttles_and_are_repaired_after_it(
    lab: Lab, transition: Transition
) -> None:
    retried(lab)
    with lab.throttling_index():
        end(lab, transition)
        assert row(lab).state is transition.target
        assert lab.expiry(one_off().id) == EXPIRES_AT_S
        with pytest.raises(ThrottledError):
            lab.executions.repair_index(row(lab))
    assert shown(lab) == (1, 0, True)
    assert lab.executions.repair_index(row(lab))
    assert shown(lab) == (0, int(transition.target is State.FAILED), False)


@pytest.mark.parametrize("transition", ENDINGS)
def test_later_outcomes_clear_the_mark(lab: Lab, transition: Transition) -> None:
    with lab.throttling_index():
        retried(lab)
    end(lab, transition)
    assert shown(lab) == (0, int(transition.target is State.FAILED), False)


def test_first_success_has_nothing_to_do_with_the_index(lab: Lab) -> None:
    with lab.throttling_index():
        assert lab.executions.finish(claimed(lab), finish(Transition.SUCCEED)) is None
    assert shown(lab) == (0, 0, False)


def test_refused_outcome_leaves_no_mark(lab: Lab) -> None:
    running = claimed(lab)
    assert lab.executions.finish(running, finish(Transition.SUCCEED)) is None
    with lab.throttling_index():
        assert lab.executions.finish(running, finish(Transition.RETRY)) is not None
    assert shown(lab) == (0, 0, False)


def test_repair_is_refused_unless_the_row_is_marked_and_has_the_state_that_was_seen(lab: Lab) -> None:
    with lab.throttling_index():
        retried(lab)
    seen = row(lab)
    claimed_again(lab)
    assert not lab.executions.repair_index(seen)
    assert not lab.executions.repair_index(replace(seen, id=one_off(7).id))
    assert shown(lab) == (0, 0, True)
    assert lab.executions.finish(lab_running(lab), finish(Transition.FAIL)) is None
    assert not lab.executions.repair_index(row(lab))
    assert shown(lab) == (0, 1, False)


def lab_running(lab: Lab) -> Execution:
    running = lab.executions.get(one_off().id)
    assert running is not None
    return running


@pytest.mark.parametrize(("reason", "tries"), [("Table", 1), ("Index", 2), (None, 2)])
def test_throttled_outcome_is_tried_once_more_unless_the_table_alone_was_throttled(
    engine_lab: DynamoLab, reason: str | None, tries: int
) -> None:
    running = claimed(engine_lab)
    reasons = [{"reason": f"{reason}WriteKeyRangeThroughputExceeded", "resource": "arn"}] if reason else []
    throttled = failure("ThrottlingException", throttlingReasons=reasons)
    with (
        watching(engine_lab.client, "UpdateItem") as calls,
        answering(engine_lab.client, "UpdateItem", throttled, throttled),
        suppress(ThrottledError),
    ):
        engine_lab.executions.finish(running, finish(Transition.FAIL))
    assert len(calls.made) == tries
    assert [bool(call["UpdateExpression"].count("ft")) for call in calls.of("UpdateItem")] == [True, False][
        :tries
    ]
