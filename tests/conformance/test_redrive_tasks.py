"""RedriveTasks: one of a tenant's open, each change on condition of its version, and the list of what is open."""

from dataclasses import replace

import pytest

from shared.domain.dead_letters.redrive_task import RedriveTask, TaskCounts
from shared.domain.executions.states import EndReason
from shared.domain.listings.filters import DeadLetterFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.names import Lane
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, one_off, redrive_task
from tests.support.conformance.labs import Lab

TASK = redrive_task()
OTHER = redrive_task(2)
NARROW = DeadLetterFilter(
    job_id=job().id,
    tag="nightly",
    reason=EndReason.WORKER_LOST.value,
    status=503,
    lane=Lane.CRITICAL,
    span=PositionRange(after=IndexPosition(at=5), before=IndexPosition(at=DUE_AT - 1)),
)


def ended(lab: Lab, task: RedriveTask) -> RedriveTask:
    after = task.ended(DUE_AT)
    assert lab.redrives.replace(task, after, EXPIRES_AT_S)
    return after


@pytest.mark.parametrize("criteria", [TASK.criteria, NARROW])
def test_redrive_task_is_read_as_it_was_written_and_is_open(lab: Lab, criteria: DeadLetterFilter) -> None:
    task = replace(TASK, criteria=criteria)
    assert lab.redrives.create(task) is None
    assert lab.redrives.get(TENANT, task.id) == task
    assert lab.redrives.open() == [(TENANT, task.id)]


def test_tenant_has_a_single_open_redrive_task(lab: Lab) -> None:
    lab.redrives.create(TASK)
    before = lab.contents()
    for other in (OTHER, TASK, replace(TASK, rate=3)):
        assert lab.redrives.create(other) == TASK.id
    assert lab.contents() == before
    assert lab.redrives.get(TENANT, OTHER.id) is None


def test_lease_is_granted_once_for_each_version_and_ends_with_the_page(lab: Lab) -> None:
    lab.redrives.create(TASK)
    leased = TASK.leased(DUE_AT + 30_000)
    assert lab.redrives.replace(TASK, leased)
    assert lab.redrives.get(TENANT, TASK.id) == leased
    assert not lab.redrives.replace(TASK, TASK.leased(DUE_AT + 40_000))
    after = leased.advanced_to(None, TaskCounts(redriven=1), DUE_AT)
    assert lab.redrives.replace(leased, after)
    assert lab.redrives.get(TENANT, TASK.id) == after
    assert after.lease_until == 0


def test_tenants_do_not_hold_each_other_up(lab: Lab) -> None:
    theirs = replace(OTHER, tenant_id="acme-2")
    assert lab.redrives.create(TASK) is None
    assert lab.redrives.create(theirs) is None
    assert sorted(lab.redrives.open()) == [(TENANT, TASK.id), ("acme-2", theirs.id)]
    assert lab.redrives.get("acme-2", TASK.id) is None


def test_ended_redrive_task_is_not_created_again(lab: Lab) -> None:
    lab.redrives.create(TASK)
    after = ended(lab, TASK)
    assert lab.redrives.create(TASK) == TASK.id
    assert lab.redrives.get(TENANT, TASK.id) == after
    assert lab.redrives.open() == []


def test_a_page_is_ticked_off_by_one_alone(lab: Lab) -> None:
    lab.redrives.create(TASK)
    place = IndexPosition(at=DUE_AT - 5, id=one_off().id)
    after = TASK.advanced_to(place, TaskCounts(redriven=5, refused=1), DUE_AT + 500, DUE_AT + 400)
    assert lab.redrives.replace(TASK, after)
    assert not lab.redrives.replace(TASK, TASK.advanced_to(None, TaskCounts(), DUE_AT))
    assert lab.redrives.get(TENANT, TASK.id) == after
    assert lab.redrives.open() == [(TENANT, TASK.id)]


def test_the_end_of_one_makes_room_for_the_next(lab: Lab) -> None:
    lab.redrives.create(TASK)
    ended(lab, TASK)
    assert lab.redrives.create(OTHER) is None
    assert lab.redrives.open() == [(TENANT, OTHER.id)]


def test_an_end_at_another_version_is_refused_whole(lab: Lab) -> None:
    lab.redrives.create(TASK)
    lab.redrives.replace(TASK, TASK.advanced_to(None, TaskCounts(), DUE_AT))
    before = lab.contents()
    assert not lab.redrives.replace(TASK, TASK.ended(DUE_AT), EXPIRES_AT_S)
    assert lab.contents() == before


def test_redrive_task_undone_after_its_end_is_open_again(lab: Lab) -> None:
    lab.redrives.create(TASK)
    before = ended(lab, TASK)
    undoing = before.undoing(DUE_AT + 9)
    assert lab.redrives.replace(before, undoing)
    assert lab.redrives.get(TENANT, TASK.id) == undoing
    assert lab.redrives.open() == [(TENANT, TASK.id)]


def test_ended_redrive_task_is_not_undone_while_another_is_open(lab: Lab) -> None:
    lab.redrives.create(TASK)
    before = ended(lab, TASK)
    lab.redrives.create(OTHER)
    contents = lab.contents()
    assert not lab.redrives.replace(before, before.undoing(DUE_AT + 9))
    assert lab.contents() == contents
    assert lab.redrives.open() == [(TENANT, OTHER.id)]


def test_missing_redrive_task_is_not_found_and_not_listed(lab: Lab) -> None:
    assert lab.redrives.get(TENANT, TASK.id) is None
    assert lab.redrives.open() == []
