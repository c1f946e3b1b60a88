"""ExecutionStore: cancellation, tombstones, dead letters and items that cannot be read."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from shared.domain.errors import NotFoundError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import IndexPage, IndexPosition, PositionRange, due_position, merge
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import Claim, Finish
from shared.ports.listings import TenantIndex
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    OWNER,
    TENANT,
    execution_id,
    expiry_for,
    in_every_state,
    in_state,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

CANCELLATIONS = [Transition.CANCEL, Transition.END_CHAIN, Transition.SKIP]


def cancel(lab: Lab, wanted: ExecutionId, transition: Transition = Transition.CANCEL) -> Execution | None:
    return lab.executions.cancel(wanted, transition, reason=EndReason.JOB_DELETED, expires_at_s=EXPIRES_AT_S)


def file_all(lab: Lab) -> list[Execution]:
    executions = in_every_state()
    for execution in executions:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    return executions


@pytest.mark.parametrize("transition", CANCELLATIONS)
def test_a_cancellation_holds_from_the_states_of_the_table(lab: Lab, transition: Transition) -> None:
    for execution in file_all(lab):
        if execution.state in transition.sources:
            assert cancel(lab, execution.id, transition) is None
            assert lab.executions.get(execution.id) == with_changes(
                execution,
                state=transition.target,
                end_reason=EndReason.JOB_DELETED,
                ends_chain=transition is Transition.END_CHAIN,
            )
            assert lab.expiry(execution.id) == EXPIRES_AT_S


@pytest.mark.parametrize("transition", CANCELLATIONS)
def test_a_cancellation_is_refused_from_every_other_state(lab: Lab, transition: Transition) -> None:
    executions = file_all(lab)
    before = lab.contents()
    refused = [execution for execution in executions if execution.state not in transition.sources]
    assert [cancel(lab, execution.id, transition) for execution in refused] == refused
    assert lab.contents() == before


def test_no_attempt_begins_after_a_cancellation(lab: Lab) -> None:
    cancelled = [execution for execution in file_all(lab) if execution.state in Transition.CANCEL.sources]
    for execution in cancelled:
        cancel(lab, execution.id)
    lab.claimer.claim([Claim(execution_id=each.id, owner=OWNER) for each in cancelled], DUE_AT * 2)
    for execution in cancelled:
        standing = lab.executions.get(execution.id)
        assert standing is not None
        assert (standing.state, standing.attempt) == (State.CANCELLED, execution.attempt)


def test_a_conditional_cancellation_holds_at_its_revision_alone(lab: Lab) -> None:
    lab.executions.put_if_absent(replace(one_off(), revision=3))
    for seen in (2, 4):
        standing = _cancel_at(lab, seen)
        assert standing is not None
        assert (standing.state, standing.revision) == (State.PENDING, 3)
    assert _cancel_at(lab, 3) is None


def _cancel_at(lab: Lab, revision: int) -> Execution | None:
    return lab.executions.cancel(
        one_off().id,
        Transition.CANCEL,
        reason=EndReason.CANCELLED,
        expires_at_s=EXPIRES_AT_S,
        revision=revision,
    )


def test_cancel_of_an_unknown_execution_is_not_found(lab: Lab) -> None:
    for transition in CANCELLATIONS:
        with pytest.raises(NotFoundError):
            cancel(lab, execution_id(), transition)
    assert lab.executions.get(execution_id()) is None


def test_an_item_of_a_newer_version_is_not_cancelled(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.make_newer(one_off().id)
    before = lab.contents()
    for transition in CANCELLATIONS:
        with pytest.raises(UnknownVersionError):
            cancel(lab, one_off().id, transition)
    assert lab.contents() == before


def test_a_broken_item_is_failed_unless_it_has_ended(lab: Lab) -> None:
    executions = file_all(lab)
    for execution in executions:
        lab.damage(execution.id)
    for execution in executions:
        failed = lab.executions.mark_unreadable(execution.id, EXPIRES_AT_S + 1)
        assert failed != execution.state.is_terminal
        assert lab.expiry(execution.id) == EXPIRES_AT_S + failed


def test_an_item_that_was_failed_for_being_broken_is_never_claimed(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.damage(one_off().id)
    lab.executions.mark_unreadable(one_off().id, EXPIRES_AT_S)
    before = lab.contents()
    lab.claimer.claim([Claim(execution_id=one_off().id, owner=OWNER)], DUE_AT)
    assert lab.contents() == before
    with pytest.raises(UnreadableItemError):
        lab.executions.get(one_off().id)


def test_an_item_of_a_newer_version_is_not_failed_for_being_unreadable(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.make_newer(one_off().id)
    before = lab.contents()
    assert not lab.executions.mark_unreadable(one_off().id, EXPIRES_AT_S)
    assert lab.contents() == before


def test_an_item_that_can_be_read_is_not_failed_for_being_unreadable(lab: Lab) -> None:
    executions = file_all(lab)
    before = lab.contents()
    assert not any(lab.executions.mark_unreadable(each.id, EXPIRES_AT_S + 1) for each in executions)
    assert lab.contents() == before


def test_missing_execution_is_not_marked_unreadable(lab: Lab) -> None:
    assert not lab.executions.mark_unreadable(execution_id(), EXPIRES_AT_S)
    assert lab.executions.get(execution_id()) is None


def fail(lab: Lab, execution: Execution, transition: Transition = Transition.FAIL) -> None:
    running = in_state(execution, State.RUNNING)
    lab.executions.put_if_absent(running)
    if transition is Transition.GIVE_UP:
        late = (running.progress.lease_until or 0) + 1
        lab.executions.give_up(running, reason=EndReason.WORKER_LOST, now_ms=late, expires_at_s=EXPIRES_AT_S)
        return
    is_retry = transition is Transition.RETRY
    lab.executions.finish(
        running,
        Finish(
            transition=transition,
            outcomes=(),
            next_attempt_at=DUE_AT + 1 if is_retry else None,
            expires_at_s=None if is_retry else EXPIRES_AT_S,
        ),
    )


def test_exactly_a_failure_makes_a_dead_letter(lab: Lab) -> None:
    for number, transition in enumerate((Transition.SUCCEED, Transition.RETRY)):
        fail(lab, one_off(number), transition)
    lab.executions.put_if_absent(one_off(8))
    cancel(lab, one_off(8).id)
    assert dead_letters(lab) == []
    for number, transition in enumerate((Transition.FAIL, Transition.GIVE_UP), start=10):
        fail(lab, one_off(number), transition)
    assert dead_letters(lab) == [one_off(11).id, one_off(10).id]


def test_dead_letters_are_paged_in_either_order_and_each_comes_once(lab: Lab) -> None:
    newest_first = [one_off(number, due_at=DUE_AT - number * 45_000, shard=number % 2) for number in range(5)]
    for execution in (newest_first[index] for index in (2, 0, 4, 1, 3)):
        fail(lab, execution)
    ids = [execution.id for execution in newest_first]
    for limit in (1, 2, 4, 5, 100):
        for is_forward, wanted in ((False, ids), (True, ids[::-1])):
            pages = list(dead_letter_pages(lab, limit, is_forward=is_forward))
            assert all(len(page) <= limit * FAILURE_PARTITIONS for page in pages)
            assert [each for page in pages for each in page] == wanted


def dead_letter_pages(lab: Lab, limit: int, *, is_forward: bool) -> Iterator[list[ExecutionId]]:
    span = PositionRange()
    while True:
        page = merged(lab, TENANT, span, newest_first=not is_forward, limit=limit)
        yield [place.id for place in page.positions]
        if page.edge is None:
            return
        edge = page.positions[-1]
        span = PositionRange(after=edge) if is_forward else PositionRange(before=edge)


def test_a_span_of_dead_letters_excludes_its_ends(lab: Lab) -> None:
    made = [one_off(number, due_at=DUE_AT + number * 1_000) for number in range(4)]
    for execution in made:
        fail(lab, execution)
    span = PositionRange(after=due_position(made[0].id), before=due_position(made[3].id))
    assert dead_letters(lab, span=span) == [made[2].id, made[1].id]
    assert dead_letters(
        lab, span=PositionRange(after=IndexPosition(at=DUE_AT), before=IndexPosition(at=DUE_AT + 1))
    ) == [made[0].id]
    assert (
        dead_letters(
            lab, span=PositionRange(after=IndexPosition(at=DUE_AT + 1), before=IndexPosition(at=DUE_AT))
        )
        == []
    )


def dead_letters(lab: Lab, tenant_id: str = TENANT, span: PositionRange | None = None) -> list[ExecutionId]:
    page = merged(lab, tenant_id, span or PositionRange(), newest_first=True, limit=100)
    assert page.edge is None
    return [place.id for place in page.positions]


def merged(lab: Lab, tenant_id: str, span: PositionRange, *, newest_first: bool, limit: int) -> IndexPage:
    """One page of dead letters, from all partitions."""
    pages = lab.queries.index_pages(
        TenantIndex.FAILED, tenant_id, FAILURE_PARTITIONS, span, newest_first=newest_first, limit=limit
    )
    return merge(pages, newest_first=newest_first)


def test_dead_letters_are_shown_to_their_own_tenant_alone(lab: Lab) -> None:
    fail(lab, one_off(1))
    fail(lab, replace(one_off(2), tenant_id="acme-2"))
    assert dead_letters(lab) == [one_off(1).id]
    assert dead_letters(lab, "acme-2") == [one_off(2).id]


@pytest.mark.parametrize("transition", [Transition.SUCCEED, Transition.FAIL])
def test_notification_id_is_written_together_with_the_end(lab: Lab, transition: Transition) -> None:
    lab.executions.put_if_absent(in_state(one_off(), State.RUNNING))
    telling = execution_id(77)
    finish = Finish(transition=transition, outcomes=(), expires_at_s=EXPIRES_AT_S, notification=telling)
    assert lab.executions.finish(in_state(one_off(), State.RUNNING), finish) is None
    standing = lab.executions.get(one_off().id)
    assert standing is not None
    assert (standing.state, standing.progress.notification) == (transition.target, telling)
    (row,) = lab.executions.scan(standing.id.bucket, 0, after=None, limit=9).rows
    assert row.notification == telling
    other = replace(finish, notification=execution_id(78))
    assert lab.executions.finish(in_state(one_off(), State.RUNNING), other) == standing


@pytest.mark.parametrize("telling", [None, execution_id(77)])
def test_notification_id_is_written_with_the_end_of_a_lost_attempt(
    lab: Lab, telling: ExecutionId | None
) -> None:
    running = in_state(one_off(), State.RUNNING)
    lab.executions.put_if_absent(running)
    assert lab.executions.give_up(
        running,
        reason=EndReason.WORKER_LOST,
        now_ms=DUE_AT * 2,
        expires_at_s=EXPIRES_AT_S,
        notification=telling,
    )
    standing = lab.executions.get(running.id)
    assert standing is not None
    assert (standing.state, standing.progress.notification) == (State.FAILED, telling)


@pytest.mark.parametrize("telling", [None, execution_id(77)])
def test_notification_id_is_written_together_with_a_skip(lab: Lab, telling: ExecutionId | None) -> None:
    lab.executions.put_if_absent(one_off())
    skip = partial(
        lab.executions.cancel,
        one_off().id,
        Transition.SKIP,
        reason=EndReason.OVERLAP,
        expires_at_s=EXPIRES_AT_S,
    )
    assert skip(notification=telling) is None
    standing = lab.executions.get(one_off().id)
    assert standing is not None
    assert (standing.state, standing.progress.notification) == (State.SKIPPED, telling)
    (row,) = lab.executions.scan(standing.id.bucket, 0, after=None, limit=9).rows
    assert row.notification == telling
    assert skip(notification=execution_id(78)) == standing
