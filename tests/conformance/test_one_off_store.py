"""OneOffStore: a one-off job is changed only as long as it is what its changer has seen."""

from dataclasses import replace

import pytest

from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    execution_id,
    expiry_for,
    in_state,
    one_off,
    with_changes,
)
from tests.support.conformance.labs import Lab

BEFORE = one_off()
AFTER = with_changes(
    BEFORE, request=b"another request", name="other", tags=("a", "b"), timeout_ms=7_000, revision=2
)


def elsewhere(number: int, *, revision: int = 2) -> ExecutionId:
    return execution_id(number, dispatch_at=DUE_AT + revision * 3_600_000)


@pytest.mark.parametrize("state", sorted(NOT_STARTED))
def test_an_edit_takes_the_place_of_what_was_seen(lab: Lab, state: State) -> None:
    before, after = with_changes(BEFORE, state=state), with_changes(AFTER, state=state)
    lab.executions.put_if_absent(before)
    assert lab.one_offs.edit(before, after)
    assert lab.executions.get(BEFORE.id) == after
    assert lab.expiry(BEFORE.id) is None


@pytest.mark.parametrize("state", sorted(set(State) - NOT_STARTED))
def test_started_execution_is_neither_edited_nor_moved(lab: Lab, state: State) -> None:
    standing = in_state(BEFORE, state)
    lab.executions.put_if_absent(standing, expires_at_s=expiry_for(standing))
    before = lab.contents()
    assert not lab.one_offs.edit(BEFORE, AFTER)
    assert not lab.one_offs.move(BEFORE, replace(AFTER, id=elsewhere(1)), EXPIRES_AT_S)
    assert lab.contents() == before


def test_execution_at_another_revision_is_neither_edited_nor_moved(lab: Lab) -> None:
    lab.executions.put_if_absent(replace(BEFORE, revision=2))
    before = lab.contents()
    assert not lab.one_offs.edit(BEFORE, AFTER)
    assert not lab.one_offs.move(BEFORE, replace(AFTER, id=elsewhere(1)), EXPIRES_AT_S)
    assert lab.contents() == before


def test_missing_execution_is_neither_edited_nor_moved(lab: Lab) -> None:
    assert not lab.one_offs.edit(BEFORE, AFTER)
    assert not lab.one_offs.move(BEFORE, replace(AFTER, id=elsewhere(1)), EXPIRES_AT_S)
    assert lab.executions.get(BEFORE.id) is None
    assert lab.executions.get(elsewhere(1)) is None


def test_a_job_of_a_newer_version_is_left_alone(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    lab.make_newer(BEFORE.id)
    before = lab.contents()
    assert not lab.one_offs.edit(BEFORE, AFTER)
    assert not lab.one_offs.move(BEFORE, replace(AFTER, id=elsewhere(1)), EXPIRES_AT_S)
    assert lab.contents() == before


def test_a_move_leaves_word_where_the_job_went(lab: Lab) -> None:
    after = replace(AFTER, id=elsewhere(1), job_created_at=BEFORE.created_at)
    lab.executions.put_if_absent(BEFORE)
    assert lab.one_offs.move(BEFORE, after, EXPIRES_AT_S)
    assert lab.executions.get(after.id) == after
    assert lab.executions.get(BEFORE.id) == with_changes(
        BEFORE, state=State.MOVED, moved_to=after.id, name=after.name, tags=after.tags
    )
    assert (lab.expiry(BEFORE.id), lab.expiry(after.id)) == (EXPIRES_AT_S, None)


def test_the_first_place_always_names_the_last(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    places = [BEFORE]
    for number in range(1, 4):
        after = replace(places[-1], id=elsewhere(number, revision=number + 1), revision=number + 1)
        assert lab.one_offs.move(places[-1], after, EXPIRES_AT_S + number)
        places.append(after)
    standing = [lab.executions.get(place.id) for place in places]
    assert [each.progress.moved_to if each else None for each in standing] == [
        places[3].id,
        places[2].id,
        places[3].id,
        None,
    ]
    assert lab.expiry(BEFORE.id) == EXPIRES_AT_S + 3


@pytest.mark.parametrize(("name", "tags"), [("renamed", ("x", "y")), (None, ())])
def test_edit_of_a_moved_job_gives_its_first_place_the_name_and_tags(
    lab: Lab, name: str | None, tags: tuple[str, ...]
) -> None:
    lab.executions.put_if_absent(BEFORE)
    moved = replace(AFTER, id=elsewhere(1))
    assert lab.one_offs.move(BEFORE, moved, EXPIRES_AT_S)
    edited = replace(moved, revision=3, name=name, tags=tags)
    assert lab.one_offs.edit(moved, edited)
    assert lab.executions.get(moved.id) == edited
    assert lab.executions.get(BEFORE.id) == with_changes(
        BEFORE, state=State.MOVED, moved_to=moved.id, name=name, tags=tags
    )
    assert lab.expiry(BEFORE.id) == EXPIRES_AT_S


def test_move_gives_the_first_place_the_name_and_tags(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    moved = replace(AFTER, id=elsewhere(1))
    assert lab.one_offs.move(BEFORE, moved, EXPIRES_AT_S)
    again = replace(moved, id=elsewhere(2, revision=3), revision=3, name="again", tags=("z",))
    assert lab.one_offs.move(moved, again, EXPIRES_AT_S)
    origin = lab.executions.get(BEFORE.id)
    assert origin is not None
    assert (origin.name, origin.tags) == ("again", ("z",))


def test_refused_edit_of_a_moved_job_changes_neither_place(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    moved = replace(AFTER, id=elsewhere(1))
    assert lab.one_offs.move(BEFORE, moved, EXPIRES_AT_S)
    before = lab.contents()
    stale = replace(moved, revision=7)
    assert not lab.one_offs.edit(stale, replace(stale, revision=8, name="late", tags=("late",)))
    assert lab.contents() == before


def test_edit_of_a_moved_job_is_refused_where_its_first_place_has_a_newer_version(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    moved = replace(AFTER, id=elsewhere(1))
    assert lab.one_offs.move(BEFORE, moved, EXPIRES_AT_S)
    lab.make_newer(BEFORE.id)
    before = lab.contents()
    assert not lab.one_offs.edit(moved, replace(moved, revision=3, name="other name"))
    assert lab.contents() == before


def test_a_place_that_is_taken_is_not_moved_to(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    taken = replace(AFTER, id=elsewhere(1))
    lab.executions.put_if_absent(taken)
    before = lab.contents()
    assert not lab.one_offs.move(BEFORE, replace(taken, name="mine"), EXPIRES_AT_S)
    assert lab.contents() == before


def test_only_the_first_of_two_moves_of_the_same_revision_succeeds(lab: Lab) -> None:
    lab.executions.put_if_absent(BEFORE)
    first, second = (replace(AFTER, id=elsewhere(number)) for number in (1, 2))
    assert [lab.one_offs.move(BEFORE, after, EXPIRES_AT_S) for after in (first, second)] == [True, False]
    assert lab.executions.get(second.id) is None
