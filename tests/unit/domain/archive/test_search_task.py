"""Searches: what is left of a range, when a search ends, and which files are its result."""

from dataclasses import replace

import pytest

from shared.domain.archive.reading import RowFilter
from shared.domain.archive.search_task import (
    FULL_ROWS,
    LONGEST_MS,
    MOST_FOUND,
    RESULT_DAYS,
    ResultFile,
    SearchFilter,
    SearchState,
    is_search_task_id,
    search_task_id,
)
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.listings.position import IndexPosition, PositionRange
from tests.support.builders import DUE_AT, one_off, search_task

TASK = search_task()
FROM_AT = TASK.criteria.from_at
ROW = one_off(due_at=DUE_AT - 1_000)
POSITION = IndexPosition(at=DUE_AT - 1_000, id=ROW.id)
FULL = ResultFile(2, FULL_ROWS, 900_000)


def test_whole_range_is_left_at_the_beginning() -> None:
    assert TASK.rest == PositionRange(after=IndexPosition(at=FROM_AT), before=IndexPosition(at=DUE_AT))


def test_page_moves_the_position_and_frees_the_search() -> None:
    after = TASK.leased(DUE_AT + 30_000).after_page(ResultFile(2, 3, 99), POSITION, DUE_AT)
    assert (after.rest.before, after.lease_until, after.version) == (POSITION, 0, 3)
    assert (after.found, after.is_open) == (3, True)


@pytest.mark.parametrize("position", [None, IndexPosition(at=FROM_AT)])
def test_search_ends_with_its_range(position: IndexPosition | None) -> None:
    after = TASK.after_page(None, position, DUE_AT + 5)
    assert (after.state, after.ended_at, after.truncated_at) == (SearchState.FINISHED, DUE_AT + 5, None)


def test_file_grows_until_it_is_full() -> None:
    first = TASK.after_page(ResultFile(1, 3, 99), POSITION, DUE_AT)
    assert (TASK.grows, first.grows) == (False, True)
    grown = first.after_page(ResultFile(2, 7, 200), POSITION, DUE_AT)
    assert grown.files == (ResultFile(2, 7, 200),)
    full = replace(TASK, files=(FULL,))
    assert not full.grows
    assert full.after_page(ResultFile(9, 1, 9), POSITION, DUE_AT).files == (FULL, ResultFile(9, 1, 9))
    assert full.after_page(None, POSITION, DUE_AT).files == (FULL,)


@pytest.mark.parametrize(
    ("found", "later_ms", "is_truncated"),
    [
        (MOST_FOUND - 1, LONGEST_MS - 1, False),
        (MOST_FOUND, 0, True),
        (1, LONGEST_MS, True),
    ],
)
def test_search_that_is_too_long_ends_with_the_instant_that_it_has_reached(
    found: int, later_ms: int, is_truncated: bool
) -> None:
    after = TASK.after_page(ResultFile(1, found, 9), POSITION, DUE_AT + later_ms)
    assert (after.truncated_at is not None) == is_truncated
    assert after.is_open, "others may have been due at the same instant"
    assert after.rest.after == IndexPosition(at=POSITION.at if is_truncated else FROM_AT)
    assert after.rest.before == POSITION


def test_truncated_search_finishes_its_instant_and_says_where_it_ended() -> None:
    cut = TASK.after_page(ResultFile(1, MOST_FOUND, 9), POSITION, DUE_AT)
    later = IndexPosition(at=POSITION.at, id=one_off(0, due_at=POSITION.at).id)
    on = cut.after_page(None, later, DUE_AT)
    assert on.truncated_at == POSITION.at, "it is cut once"
    ended = on.after_page(None, None, DUE_AT)
    assert (ended.state, ended.truncated_at) == (SearchState.FINISHED, POSITION.at)


def test_search_that_is_cut_between_two_instants_ends_at_once() -> None:
    edge = IndexPosition(at=POSITION.at)
    after = TASK.after_page(ResultFile(1, MOST_FOUND, 9), edge, DUE_AT)
    assert (after.state, after.truncated_at) == (SearchState.FINISHED, POSITION.at)


@pytest.mark.parametrize("position", [None, IndexPosition(at=FROM_AT, id=one_off(due_at=FROM_AT).id)])
def test_search_of_the_whole_range_is_not_truncated_however_much_it_found(
    position: IndexPosition | None,
) -> None:
    assert TASK.after_page(ResultFile(1, MOST_FOUND, 9), position, DUE_AT).truncated_at is None


def test_files_are_offered_for_a_week_once_all_are_there() -> None:
    week_ms = RESULT_DAYS * 86_400_000
    assert not TASK.has_result(DUE_AT)
    ended = TASK.after_page(FULL, None, DUE_AT)
    assert ended.has_result(DUE_AT + week_ms - 1)
    assert not ended.has_result(DUE_AT + week_ms)


def test_only_an_open_search_is_cancelled() -> None:
    cancelled = TASK.leased(DUE_AT).cancelled(DUE_AT + 1)
    assert (cancelled.state, cancelled.ended_at, cancelled.lease_until) == (
        SearchState.CANCELLED,
        DUE_AT + 1,
        0,
    )
    assert not cancelled.has_result(DUE_AT + 1)
    with pytest.raises(InvalidStateError):
        TASK.after_page(None, None, DUE_AT).cancelled(DUE_AT)


@pytest.mark.parametrize("bounds", [(5, 5), (5, 4), (-1, 4)])
def test_empty_range_is_refused(bounds: tuple[int, int]) -> None:
    with pytest.raises(InvalidValueError):
        SearchFilter(rows=RowFilter(), from_at=bounds[0], until_at=bounds[1])


def test_ids_sort_by_the_time_of_creation_and_are_told_from_others() -> None:
    first, second = search_task_id(DUE_AT, 2), search_task_id(DUE_AT + 1, 1)
    assert first < second
    assert is_search_task_id(first)
    for text in ("", "srh_", first.upper(), first + "0", first.replace("srh", "blk"), f"{first}\n"):
        assert not is_search_task_id(text)
