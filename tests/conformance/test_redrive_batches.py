"""RedriveBatches: many marks and records at once, each of which stands for itself."""

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import REDRIVABLE, EndReason, State
from shared.domain.listings.position import history_position
from shared.ports.executions import WriteUnknown
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

MANY = 60
MARK = RedrivenBy(execution=one_off(900).id, task="rdr_1")
OTHER = RedrivenBy(execution=one_off(901).id)


def dead(number: int) -> Execution:
    ended = in_state(one_off(number, shard=number % 3), State.FAILED)
    return with_changes(ended, attempt=1, end_reason=EndReason.ATTEMPTS_USED_UP)


def put(lab: Lab, *executions: Execution) -> None:
    for execution in executions:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))


def test_batch_of_more_than_two_requests_is_marked_whole_and_changes_nothing_else(lab: Lab) -> None:
    letters = [dead(number) for number in range(1, MANY + 1)]
    put(lab, *letters)
    marks = [RedrivenBy(execution=one_off(1_000 + number).id, task="rdr_1") for number in range(MANY)]
    pairs = [(letter.id, mark) for letter, mark in zip(letters, marks, strict=True)]
    assert lab.redrive_batches.mark_all(pairs) == [None] * MANY
    assert [lab.executions.get(letter.id) for letter in letters] == [
        with_changes(letter, redriven_by=mark) for letter, mark in zip(letters, marks, strict=True)
    ]
    assert {lab.expiry(letter.id) for letter in letters} == {EXPIRES_AT_S}


def test_empty_batch_of_marks_and_records_writes_nothing(lab: Lab) -> None:
    before = lab.contents()
    assert lab.redrive_batches.mark_all([]) == []
    lab.redrive_batches.note_all_beside([])
    assert lab.contents() == before


def test_first_mark_of_a_batch_stays_and_is_shown_to_the_next(lab: Lab) -> None:
    first, second = dead(1), dead(2)
    put(lab, first, second)
    lab.executions.mark_redriven(first.id, OTHER)
    assert lab.redrive_batches.mark_all([(first.id, MARK), (second.id, MARK)]) == [
        with_changes(first, redriven_by=OTHER),
        None,
    ]
    assert lab.executions.get(first.id) == with_changes(first, redriven_by=OTHER)


def test_batch_of_marks_leaves_open_and_succeeded_executions_alone(lab: Lab) -> None:
    every = in_every_state()
    put(lab, *every)
    results = lab.redrive_batches.mark_all([(each.id, MARK) for each in every])
    assert results == [None if each.state in REDRIVABLE else each for each in every]


@pytest.mark.parametrize("damage", ["missing", "newer"])
def test_mark_without_a_readable_execution_is_unknown_and_the_others_are_written(
    lab: Lab, damage: str
) -> None:
    first, second = dead(1), dead(2)
    put(lab, second)
    if damage == "newer":
        put(lab, first)
        lab.make_newer(first.id)
    unknown, written = lab.redrive_batches.mark_all([(first.id, MARK), (second.id, MARK)])
    assert isinstance(unknown, WriteUnknown)
    assert unknown.is_newer == (damage == "newer")
    assert written is None


def test_records_of_a_batch_lead_from_the_job_to_its_redrives(lab: Lab) -> None:
    redrives = [with_changes(one_off(number), job_id="job_of_all") for number in range(1, MANY + 1)]
    for _ in range(2):
        lab.redrive_batches.note_all_beside([(each, EXPIRES_AT_S) for each in redrives])
    found = lab.jobs.extras(TENANT, "job_of_all", before=None, limit=100)
    assert set(found) == {history_position(each) for each in redrives}
