"""What redrives need of the stores: marks that are made once, requests that stay, and undone ones that never start."""

from dataclasses import replace

import pytest

from shared.domain.errors import NotFoundError, UnknownVersionError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy, RedriveOf
from shared.domain.executions.states import NOT_STARTED, REDRIVABLE, EndReason, State, Transition
from shared.domain.listings.position import history_position
from shared.ports.jobs import Payload
from tests.support.builders import (
    EXPIRES_AT_S,
    TENANT,
    expiry_for,
    in_every_state,
    in_state,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

MARK = RedrivenBy(execution=one_off(2).id)
OF_TASK = RedrivenBy(execution=one_off(3).id, task="rdr_1")
FAILED = with_changes(in_state(one_off(), State.FAILED), attempt=1, end_reason=EndReason.ATTEMPTS_USED_UP)


def put(lab: Lab, execution: Execution) -> Execution:
    lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    return execution


@pytest.mark.parametrize("mark", [MARK, OF_TASK])
def test_a_mark_changes_nothing_else(lab: Lab, mark: RedrivenBy) -> None:
    put(lab, FAILED)
    assert lab.executions.mark_redriven(FAILED.id, mark) is None
    assert lab.executions.get(FAILED.id) == with_changes(FAILED, redriven_by=mark)
    assert lab.expiry(FAILED.id) == EXPIRES_AT_S


def test_the_first_mark_stays_and_is_shown_to_the_others(lab: Lab) -> None:
    put(lab, FAILED)
    lab.executions.mark_redriven(FAILED.id, MARK)
    before = lab.contents()
    for other in (OF_TASK, MARK):
        standing = lab.executions.mark_redriven(FAILED.id, other)
        assert standing == with_changes(FAILED, redriven_by=MARK)
    assert lab.contents() == before


@pytest.mark.parametrize("state", sorted(set(State) - REDRIVABLE))
def test_open_or_succeeded_execution_is_not_marked_redriven(lab: Lab, state: State) -> None:
    (execution,) = [one for one in in_every_state() if one.state is state]
    put(lab, execution)
    before = lab.contents()
    assert lab.executions.mark_redriven(execution.id, MARK) == execution
    assert lab.contents() == before


def test_a_redrive_that_was_cancelled_is_marked_as_well(lab: Lab) -> None:
    cancelled = put(lab, in_state(one_off(), State.CANCELLED))
    assert lab.executions.mark_redriven(cancelled.id, MARK) is None


def test_missing_execution_is_not_marked_redriven(lab: Lab) -> None:
    before = lab.contents()
    with pytest.raises(NotFoundError):
        lab.executions.mark_redriven(FAILED.id, MARK)
    assert lab.contents() == before


def test_execution_of_a_newer_version_is_not_marked_redriven(lab: Lab) -> None:
    put(lab, FAILED)
    lab.make_newer(FAILED.id)
    before = lab.contents()
    with pytest.raises(UnknownVersionError):
        lab.executions.mark_redriven(FAILED.id, MARK)
    assert lab.contents() == before


def test_a_redrive_keeps_what_it_is_of(lab: Lab) -> None:
    redrive = put(lab, replace(one_off(4), redrive_of=RedriveOf(original=FAILED.id, number=7)))
    assert lab.executions.get(redrive.id) == redrive


@pytest.mark.parametrize("state", sorted(State))
def test_exactly_what_has_not_started_is_undone(lab: Lab, state: State) -> None:
    (execution,) = [one for one in in_every_state() if one.state is state]
    put(lab, execution)
    standing = lab.executions.cancel(
        execution.id, Transition.UNDO, reason=EndReason.CANCELLED, expires_at_s=EXPIRES_AT_S
    )
    found = lab.executions.get(execution.id)
    assert found is not None
    if state in NOT_STARTED:
        assert standing is None
        assert (found.state, found.progress.end_reason) == (State.CANCELLED, EndReason.CANCELLED)
        assert lab.expiry(execution.id) == EXPIRES_AT_S
    else:
        assert standing == found == execution


def test_a_payload_that_is_to_go_is_kept_for_longer_and_never_for_less(lab: Lab) -> None:
    lab.jobs.put_payload(Payload(TENANT, "name", b"sealed", stored_at=0))
    lab.jobs.expire_payload(TENANT, "name", EXPIRES_AT_S)
    assert lab.jobs.keep_payload(TENANT, "name", EXPIRES_AT_S + 100)
    assert lab.payload_expiry(TENANT, "name") == EXPIRES_AT_S + 100
    assert lab.jobs.keep_payload(TENANT, "name", EXPIRES_AT_S + 50)
    lab.jobs.expire_payload(TENANT, "name", EXPIRES_AT_S)
    assert lab.payload_expiry(TENANT, "name") == EXPIRES_AT_S + 100
    assert lab.jobs.get_payload(TENANT, "name") == b"sealed"


def test_a_payload_that_is_to_stay_gets_no_end_by_being_kept(lab: Lab) -> None:
    lab.jobs.put_payload(Payload(TENANT, "name", b"sealed", stored_at=0))
    assert lab.jobs.keep_payload(TENANT, "name", EXPIRES_AT_S)
    assert lab.payload_expiry(TENANT, "name") is None


def test_a_payload_that_has_gone_cannot_be_kept(lab: Lab) -> None:
    lab.jobs.put_payload(Payload("somebody-else", "name", b"sealed", stored_at=0))
    before = lab.contents()
    assert not lab.jobs.keep_payload(TENANT, "name", EXPIRES_AT_S)
    assert lab.contents() == before


def test_a_record_beside_the_schedule_needs_neither_the_job_nor_the_execution(lab: Lab) -> None:
    redrive = one_off(4)
    for _ in range(2):
        lab.jobs.note_beside(redrive, EXPIRES_AT_S)
    assert lab.jobs.extras(TENANT, redrive.job_id, before=None, limit=10) == [history_position(redrive)]
    assert lab.executions.get(redrive.id) is None
