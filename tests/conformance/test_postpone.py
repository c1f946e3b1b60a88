"""ExecutionStore.postpone: the run of several events gets the latest one, until it is claimed or ends."""

from dataclasses import replace

import pytest

from shared.domain.errors import NotFoundError
from shared.domain.executions.execution import EventRef, Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.listings.position import PositionRange
from shared.names import FAILURE_PARTITIONS
from shared.ports.executions import Claim, ClaimRejected
from shared.ports.listings import TenantIndex
from tests.support.builders import DUE_AT, EXPIRES_AT_S, OWNER, TENANT, one_off, with_changes
from tests.support.conformance.labs import Lab

FIRST = EventRef(trigger="orders", source="shop", id="größe", recorded_at=DUE_AT - 60_000)
LATER = replace(FIRST, id="order-2", recorded_at=DUE_AT - 30_000, due_at=DUE_AT + 30_000)


def waiting(event: EventRef, **changes: object) -> Execution:
    due_at = event.due_at or DUE_AT
    execution = with_changes(one_off(), state=State.WAITING, next_attempt_at=due_at, **changes)
    return replace(execution, event=event)


def retries(lab: Lab) -> int:
    pages = lab.queries.index_pages(
        TenantIndex.RETRY, TENANT, FAILURE_PARTITIONS, PositionRange(), newest_first=False, limit=10
    )
    return sum(len(page.positions) for page in pages)


@pytest.mark.parametrize("event", [FIRST, LATER, replace(FIRST, recorded_at=None)])
def test_event_of_a_run_is_read_as_it_was_filed(lab: Lab, event: EventRef) -> None:
    execution = replace(one_off(), event=event)
    lab.executions.put_if_absent(execution)
    assert lab.executions.get(execution.id) == execution


def test_waiting_run_gets_a_later_event_and_its_due_time(lab: Lab) -> None:
    lab.executions.put_if_absent(waiting(FIRST))
    assert retries(lab) == 1
    later = waiting(LATER, request=b"later")
    assert lab.executions.postpone(later) is None
    assert lab.executions.get(later.id) == later
    assert retries(lab) == 1
    (early,) = lab.claimer.claim([Claim(execution_id=later.id, owner=OWNER)], DUE_AT)
    assert early == ClaimRejected(later)
    (claimed,) = lab.claimer.claim([Claim(execution_id=later.id, owner=OWNER)], DUE_AT + 30_000)
    assert isinstance(claimed, Execution)
    assert (claimed.call.request, claimed.event) == (b"later", LATER)


def test_event_that_is_not_later_changes_nothing(lab: Lab) -> None:
    lab.executions.put_if_absent(waiting(LATER))
    for event in (FIRST, LATER):
        assert lab.executions.postpone(waiting(event, request=b"other")) == waiting(LATER)
    assert lab.executions.get(one_off().id) == waiting(LATER)


def test_claimed_run_cannot_be_postponed(lab: Lab) -> None:
    lab.executions.put_if_absent(waiting(FIRST))
    (claimed,) = lab.claimer.claim([Claim(execution_id=one_off().id, owner=OWNER)], DUE_AT)
    assert isinstance(claimed, Execution)
    assert lab.executions.postpone(waiting(LATER)) == claimed
    assert lab.executions.get(one_off().id) == claimed


def test_ended_run_cannot_be_postponed(lab: Lab) -> None:
    lab.executions.put_if_absent(waiting(FIRST))
    cancelled = EndReason.CANCELLED
    lab.executions.cancel(one_off().id, Transition.CANCEL, reason=cancelled, expires_at_s=EXPIRES_AT_S)
    existing = lab.executions.postpone(waiting(LATER))
    assert existing is not None
    assert (existing.state, existing.event) == (State.CANCELLED, FIRST)
    assert retries(lab) == 0


def test_run_that_is_not_filed_cannot_be_postponed(lab: Lab) -> None:
    with pytest.raises(NotFoundError):
        lab.executions.postpone(waiting(LATER))


def test_run_of_a_single_event_cannot_be_postponed(lab: Lab) -> None:
    single = replace(one_off(), event=replace(FIRST, recorded_at=None))
    lab.executions.put_if_absent(single)
    assert lab.executions.postpone(waiting(LATER)) == single
