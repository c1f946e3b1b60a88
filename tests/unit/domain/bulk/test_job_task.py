"""The task of a bulk operation: its states, its pace, and what it says about the rest."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import (
    HOUR_MS,
    MAX_GRACE_HOURS,
    MAX_RATE,
    JobTask,
    JobTaskCounts,
    JobTaskState,
    Taken,
    is_job_task_id,
    job_task_id,
)
from shared.domain.bulk.pages import BulkEntry, BulkPage
from shared.domain.errors import InvalidStateError, InvalidValueError
from tests.support.builders import DUE_AT, TENANT, job, job_task

TASK = job_task(total=10)
DELETION = job_task(action=BulkAction.DELETE, grace_ms=HOUR_MS, total=10)


def page(task: JobTask, done: int, refused: int = 0) -> BulkPage:
    entry = BulkEntry(job_id=job().id, revision=1)
    entries = (entry.left_at(2, is_changed=True),) * done + (entry.refused(Refusal.CHANGED),) * refused
    return BulkPage(
        tenant_id=TENANT,
        task_id=task.id,
        number=task.page,
        recorded_at=DUE_AT,
        entries=entries,
        next_position=None,
    )


def test_page_moves_the_cursor_counts_its_jobs_and_ends_the_lease() -> None:
    leased = TASK.leased(DUE_AT + 5)
    after = leased.after_page(page(leased, 3, 1), DUE_AT)
    assert (after.position, after.page, after.pages, after.lease_until) == (None, 1, 1, 0)
    assert (after.version, after.counts.done, after.counts.refused) == (3, 3, {Refusal.CHANGED: 1})
    assert (after.next_due_at, after.left) == (DUE_AT + 400, 6)
    assert after.ends_at(DUE_AT) == DUE_AT + 400 + 600


def test_pace_makes_up_for_no_standstill() -> None:
    assert TASK.after_page(page(TASK, 5), DUE_AT + 60_000).next_due_at == DUE_AT + 60_500


def test_deletion_with_a_grace_waits_and_then_walks_over_its_records() -> None:
    worked = DELETION.after_page(page(DELETION, 4), DUE_AT)
    waiting = worked.ended(DUE_AT + 9)
    assert (worked.has_work, waiting.has_work, DELETION.has_work) == (False, False, True)
    assert (waiting.state, waiting.deletes_at, waiting.is_open) == (
        JobTaskState.WAITING,
        DUE_AT + 9 + HOUR_MS,
        True,
    )
    deleting = waiting.deleting()
    assert (deleting.page, deleting.left, deleting.is_pass_done) == (0, 4, False)
    after = deleting.after_record([Taken.DELETED, Taken.DELETED, Taken.CHANGED_SINCE, Taken.NOTHING], DUE_AT)
    assert (after.counts.deleted, after.counts.changed_since, after.is_pass_done) == (2, 1, True)
    assert after.ended(DUE_AT).state is JobTaskState.FINISHED


def test_undo_walks_one_record_further_than_is_known_and_counts_anew_in_each_pass() -> None:
    undoing = TASK.after_page(page(TASK, 3), DUE_AT).undoing(DUE_AT + 1)
    assert (undoing.page, undoing.pages, undoing.pass_began_at) == (0, 1, DUE_AT + 1)
    after = undoing.after_record([Taken.BACK, Taken.GONE, Taken.CHANGED_SINCE], DUE_AT)
    assert (after.left, after.is_pass_done, after.is_last_pass) == (0, True, False)
    again = after.next_pass(after.settles_at)
    assert (again.page, again.counts.undone, again.counts.done, again.version) == (0, 0, 3, after.version + 1)
    assert (again.is_last_pass, again.after_record((), DUE_AT).is_pass_done) == (True, False)
    assert again.after_record((), DUE_AT).after_record((), DUE_AT).is_pass_done
    assert after.ended(DUE_AT).state is JobTaskState.UNDONE


def test_ended_operation_has_nothing_left() -> None:
    for ended in (TASK.cancelled(DUE_AT), replace(TASK, position=None).ended(DUE_AT)):
        assert (ended.is_open, ended.left, ended.ends_at(DUE_AT), ended.ended_at) == (False, 0, None, DUE_AT)


def test_pause_of_a_deletion_and_of_a_pause_name_the_task() -> None:
    assert (DELETION.verb, TASK.verb) == (BulkAction.PAUSE, BulkAction.PAUSE)
    assert replace(DELETION, grace_ms=0).verb is BulkAction.DELETE
    assert (TASK.pause_reason, replace(TASK, reason="x").pause_reason) == (TASK.id, f"x ({TASK.id})")


def test_counts_that_a_new_pass_sets_back_are_no_change() -> None:
    undoing = replace(TASK, counts=JobTaskCounts(done=3, undone=2))
    assert undoing.pass_begun(DUE_AT).changed_since(undoing) == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"rate": 0},
        {"rate": MAX_RATE + 1},
        {"grace_ms": -1},
        {"grace_ms": MAX_GRACE_HOURS * HOUR_MS + 1},
        {"state": JobTaskState.UNDOING},
        {"undo_asked_at": DUE_AT},
        {"action": BulkAction.PATCH},
    ],
)
def test_operation_that_makes_no_sense_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        replace(TASK, **fields)


def test_deletion_without_a_grace_has_no_undo() -> None:
    with pytest.raises(InvalidStateError):
        replace(DELETION, grace_ms=0).undoing(DUE_AT)


def test_ids_sort_by_creation_and_are_told_from_others() -> None:
    ids = [job_task_id(DUE_AT + number, 9 - number) for number in range(3)]
    assert ids == sorted(ids)
    assert all(map(is_job_task_id, ids))
    assert not any(
        map(is_job_task_id, ("", "blk_", ids[0].replace("blk", "rdr"), ids[0] + "0", "blk_" + "u" * 26))
    )
