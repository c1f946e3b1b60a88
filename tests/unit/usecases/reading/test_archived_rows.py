"""Lists go on behind the records that have expired, and show each execution once."""

import random
from dataclasses import replace

import pytest

from shared.domain.archive.row import row_of
from shared.domain.errors import NotFoundError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import ExecutionId
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import PositionRange, due_position
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.reading import archived_rows
from shared.usecases.reading.archived_rows import ArchivedRows
from shared.usecases.reading.find_execution import FindExecution
from shared.usecases.reading.find_shown import FindShown
from shared.usecases.reading.shown import Shown
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, in_state, one_off, tenant, with_changes
from tests.support.fakes.archive_reader import FakeArchiveReader
from tests.support.fakes.history import FakeHistoryStore
from tests.support.fakes.queries import FakeQueries
from tests.support.usecases.archived import archive
from tests.support.usecases.ports import FakePorts

DAY_MS = 86_400_000


class Old:
    """Executions of forty days, whose records expire after fourteen."""

    def __init__(self) -> None:
        self.fakes = FakePorts(DUE_AT)
        self.history, self.reader = FakeHistoryStore(), FakeArchiveReader()
        self.kept = ArchivedRows(
            store=self.fakes.store,
            history=self.history,
            reader=self.reader,
            clock=self.fakes.clock,
            retention=self.fakes.retention,
        )
        self.listing = ListByTime(queries=FakeQueries(self.fakes.table), kept=self.kept)
        self.executions: dict[ExecutionId, Execution] = {}
        self._number = 0

    def add(self, days: float, state: State = State.SUCCEEDED, owner: str = TENANT) -> Execution:
        """An execution that was due so many days ago, and has ended."""
        self._number += 1
        due_at = DUE_AT - round(days * DAY_MS)
        execution = in_state(one_off(self._number, due_at=due_at), state, end_reason=EndReason.TOO_OLD)
        execution = with_changes(execution, tenant_id=owner)
        self.executions[execution.id] = execution
        return execution

    def store(self, execution: Execution) -> None:
        self.fakes.table.insert(execution, EXPIRES_AT_S if execution.state.is_terminal else None)

    def archive(self, *executions: Execution) -> None:
        """Into files, and into the sums of their hours."""
        archive(self.reader, self.history, map(row_of, executions))

    def listed(self, *, limit: int = 7, state: State | None = None, owner: Tenant | None = None) -> list[str]:
        """All pages."""
        found: list[Shown] = []
        before = None
        for _ in range(10_000):
            page = self.listing.execute(
                owner or tenant(), limit=limit, criteria=ExecutionFilter(state=state), before=before
            )
            assert len(page.executions) <= limit
            found += page.executions
            if page.next_before is None:
                return [str(each.id) for each in found]
            assert before is None or page.next_before < before
            before = page.next_before
        raise AssertionError("the list does not end")

    def wanted(self, state: State | None = None) -> list[str]:
        own = [
            each
            for each in self.executions.values()
            if each.tenant_id == TENANT and state in (None, each.state)
        ]
        return [str(each.id) for each in sorted(own, key=lambda each: due_position(each.id), reverse=True)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("state", [None, State.CANCELLED])
def test_list_has_each_execution_once_in_order(
    seed: int, state: State | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, old = random.Random(seed), Old()
    monkeypatch.setattr(archived_rows, "MOST_HOURS", rng.choice([2, 400]))
    old.reader.at_once = rng.choice([3, 1_000])
    archived = []
    for _ in range(rng.randint(1, 80)):
        days = rng.choice([rng.uniform(0, 40), 20, 30])
        execution = old.add(
            days, rng.choice([State.SUCCEEDED, State.CANCELLED]), rng.choice([TENANT, "globex"])
        )
        # Passes begin soon after the hour, and records expire late: most are in both places for a while.
        if days < 13.5 or rng.random() < 0.2:
            old.store(execution)
        if days > 12.9:
            archived.append(execution)
    old.archive(*archived)
    assert old.listed(limit=rng.choice([1, 5, 100]), state=state) == old.wanted(state)


def test_page_with_something_of_the_hot_range_asks_the_archive_nothing() -> None:
    old = Old()
    for days in (1, 2, 3):
        old.store(old.add(days))
    old.archive(old.add(20))
    assert len(old.listed(limit=3)) == 4
    old.reader.asked = 0
    page = old.listing.execute(tenant(), limit=50, criteria=ExecutionFilter())
    assert (len(page.executions), old.reader.asked) == (3, 0)
    assert page.next_before is not None


def test_execution_that_is_still_open_after_its_hour_was_archived_is_listed_from_its_record() -> None:
    old = Old()
    waiting = in_state(old.add(20), State.WAITING)
    old.executions[waiting.id] = waiting
    old.store(waiting)
    old.archive(old.add(20.001), old.add(19.999))
    assert old.listed() == old.wanted()


def test_record_is_shown_before_its_row() -> None:
    old = Old()
    execution = old.add(14)
    old.store(execution)
    old.archive(execution)
    (shown,) = old.listing.execute(tenant(), limit=5, criteria=ExecutionFilter()).executions
    assert isinstance(shown, Execution)


def test_forwarding_records_are_not_shown() -> None:
    old = Old()
    moved = old.add(20, State.MOVED)
    old.archive(moved, old.add(21))
    del old.executions[moved.id]
    assert old.listed() == old.wanted()


def test_hours_without_the_state_are_not_read() -> None:
    old = Old()
    old.archive(*(old.add(20 + number / 24) for number in range(30)))
    assert old.listed(state=State.FAILED) == []
    assert old.reader.asked == 0


def test_page_asks_the_reader_twice_at_most() -> None:
    old = Old()
    old.reader.at_once = 1
    old.archive(*(old.add(20 + number / 24) for number in range(30)))
    page = old.listing.execute(tenant(), limit=30, criteria=ExecutionFilter())
    assert (len(page.executions), old.reader.asked) == (2, 2)
    assert page.next_before is not None


def test_reader_without_an_answer_is_no_end_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Old()
    old.archive(old.add(20))

    def fail(*_: object, **__: object) -> None:
        raise UnavailableError("injected")

    monkeypatch.setattr(old.reader, "newest", fail)
    with pytest.raises(UnavailableError):
        old.listed()


def test_span_limits_the_hours_that_are_read() -> None:
    old = Old()
    old.archive(old.add(20), old.add(25), old.add(30))
    span = PositionRange(
        after=due_position(old.executions[next(iter(reversed(old.executions)))].id),
        before=due_position(next(iter(old.executions))),
    )
    page = old.listing.execute(tenant(), limit=5, criteria=ExecutionFilter(span=span))
    assert [str(each.id) for each in page.executions] == old.wanted()[1:2]


def find(old: Old, execution_id: str, tenant_id: str = TENANT) -> Shown:
    return FindShown(find=FindExecution(old.fakes.store), kept=old.kept).execute(tenant_id, execution_id)


def test_execution_is_found_in_the_archive_by_its_id() -> None:
    old = Old()
    execution = old.add(20)
    old.archive(execution)
    assert find(old, str(execution.id)) == row_of(execution)


def test_young_foreign_unknown_and_malformed_ids_are_not_found() -> None:
    old = Old()
    foreign, young = old.add(20, owner="globex"), old.add(2)
    old.archive(foreign, young)
    for text in (str(foreign.id), str(young.id), str(old.add(22).id), "exe_x", "", "exe_" + "9" * 500):
        with pytest.raises(NotFoundError):
            find(old, text)


def test_moved_execution_is_found_at_its_new_place() -> None:
    old = Old()
    first, hot, last = old.add(30, State.MOVED), old.add(1), old.add(25)
    row = row_of(first)
    old.archive(last)
    old.store(hot)
    for target in (hot, last):
        old.reader.keep(replace(row, moved_to=str(target.id)))
        assert str(find(old, str(first.id)).id) == str(target.id)


def test_rows_that_point_to_each_other_are_not_followed_for_ever() -> None:
    old = Old()
    first, second = old.add(30), old.add(31)
    old.reader.keep(replace(row_of(first), moved_to=str(second.id)))
    old.reader.keep(replace(row_of(second), moved_to=str(first.id)))
    with pytest.raises(NotFoundError):
        find(old, str(first.id))
