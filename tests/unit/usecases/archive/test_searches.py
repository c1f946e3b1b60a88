"""Searches: each execution of the range on one line, in records and archive alike, whatever breaks in between."""

import random
from contextlib import suppress
from dataclasses import replace

import pytest

from shared.domain.archive import search_task
from shared.domain.archive.reading import RowFilter
from shared.domain.archive.row import row_of
from shared.domain.archive.search_task import LONGEST_MS, RESULT_DAYS, SearchState, SearchTask
from shared.domain.errors import InvalidStateError, InvalidValueError, NotFoundError
from shared.domain.executions.states import EndReason, State
from shared.usecases.archive import find_matching
from shared.usecases.archive.manage_searches import URL_SECONDS
from shared.usecases.archive.start_search import MAX_OPEN, NewSearch
from shared.usecases.bulk.lease_page import LEASE_MS
from shared.usecases.bulk.process_bulk_tasks import BulkReport, Rest
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.archived import archive
from tests.support.usecases.searches import DAY_MS, Searched
from tests.support.usecases.steps import Crash

DAYS = (0.1, 3, 12.5, 13.2, 13.9, 14.1, 20, 20.001, 39)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of a few lines, and files of a few pages."""
    monkeypatch.setattr(find_matching, "ROWS_OF_SEARCH", 2)
    monkeypatch.setattr(find_matching, "PAGE_ROWS", 3)
    monkeypatch.setattr(search_task, "FULL_ROWS", 5)


def filled(**settings: int) -> Searched:
    world = Searched(**settings)
    for number, days in enumerate(DAYS * 2):
        world.add(days + number / 100, State.FAILED if number % 3 else State.SUCCEEDED)
    return world


def test_execution_of_records_or_archive_is_on_one_line_newest_first() -> None:
    world = filled()
    task = world.start()
    world.work()
    ended = world.stored(task)
    assert world.ids(task) == world.wanted()
    assert (ended.state, ended.found, ended.truncated_at) == (SearchState.FINISHED, len(DAYS) * 2, None)
    assert {line["archived"] for line in world.lines(task)} == {True, False}
    assert len(ended.files) == 3, "files that are not full grow"


@pytest.mark.parametrize("seed", range(10))
def test_any_history_is_found_whole_whatever_the_pages(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, world = random.Random(seed), Searched()
    monkeypatch.setattr(find_matching, "ROWS_OF_SEARCH", rng.choice([1, 4, 100]))
    monkeypatch.setattr(find_matching, "PAGE_ROWS", rng.choice([1, 7, 50]))
    world.archive_reader.at_once = rng.choice([3, 1_000])
    for _ in range(rng.randint(0, 70)):
        days = rng.choice([rng.uniform(0.01, 40), 20, 30])
        world.add(days, rng.choice([State.SUCCEEDED, State.CANCELLED]))
    every, some = world.start(), world.start(rows=RowFilter(state="cancelled"))
    world.work()
    assert world.ids(every) == world.wanted()
    assert world.ids(some) == world.wanted(State.CANCELLED)


def test_lines_are_those_of_the_lists_without_the_response() -> None:
    world = Searched()
    world.add(1, State.FAILED)
    world.add(30, State.FAILED)
    task = world.start()
    world.work()
    for line in world.lines(task):
        assert "last_response_body" not in line
        assert (line["state"], line["end_reason"], line["lag_ms"]) == ("failed", "too_old", None)


def test_runs_have_the_name_of_their_job_and_match_its_tags() -> None:
    world = Searched()
    job = world.recurring(name="nightly", tags=("billing",))
    plain = world.recurring(2, tags=("other",))
    run = world.add(2, job_id=job.id)
    old = world.add(25, job_id=job.id)
    one_off = world.add(3, tags=("billing", "eu"))
    for number in (4, 26):
        world.add(number, job_id=plain.id)
    task = world.start(tag="billing")
    world.work()
    assert world.ids(task) == [str(each.id) for each in (run, one_off, old)]
    assert [line["name"] for line in world.lines(task)] == ["nightly", one_off.name, "nightly"]


@pytest.mark.parametrize("days", [3, 30])
@pytest.mark.parametrize(
    ("rows", "is_found"),
    [
        (RowFilter(), True),
        (RowFilter(state="failed"), True),
        (RowFilter(state="succeeded"), False),
        (RowFilter(reason="too_old"), True),
        (RowFilter(reason="timeout"), False),
        (RowFilter(status=503), False),
        (RowFilter(lane="standard"), True),
        (RowFilter(lane="bulk"), False),
        (RowFilter(job_id="job_r001jmg0r03szjym089eyz6ab9d1"), False),
    ],
)
def test_records_and_rows_match_by_the_same_rules(days: int, rows: RowFilter, is_found: bool) -> None:
    world = Searched()
    execution = world.add(days, State.FAILED)
    tasks = [world.start(rows=rows), world.start(rows=replace(rows, job_id=rows.job_id or execution.job_id))]
    world.work()
    for task in tasks:
        assert world.ids(task) == ([str(execution.id)] if is_found else [])


def test_forwarding_records_and_executions_of_others_are_not_found() -> None:
    world = Searched()
    for days in (2, 20):
        world.add(days, State.MOVED)
        world.add(days, tenant_id="globex")
    own = world.add(5)
    task = world.start()
    world.work()
    assert world.ids(task) == [str(own.id)]


def test_row_of_another_tenant_is_dropped_even_if_the_reader_returns_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Searched()
    own, foreign = world.add(20), world.add(20.1)
    page = world.archive_reader.newest

    def confused(*args: object, **kwargs: object) -> object:
        found = page(*args, **kwargs)  # type: ignore[arg-type]
        rows = (replace(row, tenant="globex") if row.id == str(foreign.id) else row for row in found.rows)
        return replace(found, rows=tuple(rows))

    monkeypatch.setattr(world.archive_reader, "newest", confused)
    task = world.start()
    world.work()
    assert world.ids(task) == [str(own.id)]


def test_reader_of_an_earlier_release_compares_the_state_alone_and_the_search_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Searched()
    wanted, other = world.add(20, State.FAILED), world.add(20.1, State.FAILED)
    newest = world.archive_reader.newest

    def earlier(*args: object, only: RowFilter, **kwargs: object) -> object:
        return newest(*args, only=RowFilter(state=only.state), **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(world.archive_reader, "newest", earlier)
    task = world.start(rows=RowFilter(state="failed", job_id=wanted.job_id))
    world.work()
    assert world.ids(task) == [str(wanted.id)]
    assert str(other.id) not in world.ids(task)


def test_range_includes_its_beginning_and_excludes_its_end() -> None:
    world = Searched()
    later, inside, first, before = (world.add(days) for days in (18, 19, 20, 20.5))
    task = world.start(from_at=first.id.dispatch_at, until_at=later.id.dispatch_at)
    world.work()
    assert world.ids(task) == [str(inside.id), str(first.id)]
    assert str(before.id) not in world.ids(task)


def test_range_is_cut_to_what_is_kept_and_to_the_present() -> None:
    world = Searched()
    task = world.start(until_at=DUE_AT + DAY_MS)
    assert (task.criteria.from_at, task.criteria.until_at) == (DUE_AT - 400 * DAY_MS, DUE_AT)
    for fields in ({"from_at": DUE_AT}, {"until_at": DUE_AT - 400 * DAY_MS}):
        with pytest.raises(InvalidValueError, match=r"nothing of the last 400 days"):
            world.start(**fields)
    assert len(world.search_tasks.tasks) == 1


def test_search_without_a_match_has_no_file() -> None:
    world = filled()
    task = world.start(rows=RowFilter(state="skipped"))
    world.work()
    assert (world.stored(task).state, world.stored(task).files) == (SearchState.FINISHED, ())
    assert world.search_files.files == {}


def crashes(world: Searched, step: int) -> bool:
    """Whether a worker that crashes at this step was reached."""
    steps, reached = world.steps, list[int]()

    def strike(moment: int, _: str) -> None:
        if moment == step + 2 * before:
            reached.append(moment)
            raise Crash

    before = len(steps.taken)
    steps.at_each = strike
    with suppress(Crash):
        world.work()
    steps.calm()
    return bool(reached)


def test_crash_before_or_after_any_call_neither_loses_nor_doubles_a_line() -> None:
    step = 0
    while True:
        world = filled()
        task = world.start()
        is_reached = crashes(world, step)
        world.clock.time_ms += LEASE_MS
        world.work()
        assert world.ids(task) == world.wanted(), f"step {step}"
        assert world.stored(task).state is SearchState.FINISHED
        if not is_reached:
            return
        step += 1


def test_call_that_fails_anywhere_leaves_a_search_that_goes_on() -> None:
    for name in (
        "queries.index_pages",
        "store.get_many",
        "history.newest",
        "archive_reader.newest",
        "search_files.put",
        "search_files.get",
        "search_tasks.replace",
    ):
        for fail in ("fail", "lose_answer"):
            world = filled()
            task = world.start()
            getattr(world.steps, fail)(name)
            world.work()
            world.clock.time_ms += LEASE_MS
            world.work()
            assert world.ids(task) == world.wanted(), (name, fail)


def test_worker_that_thaws_late_changes_no_line_of_the_result() -> None:
    """Its lease was taken over while it wrote. What it writes afterwards is named by no version."""
    world = filled()
    task = world.start()

    def take_over() -> None:
        world.clock.time_ms += LEASE_MS
        while world.stored(task).is_open:
            world.cases.searches.process.advance(TENANT, task.id, BulkReport())

    world.steps.before("search_files.put", take_over)
    assert world.cases.searches.process.advance(TENANT, task.id, BulkReport()) is Rest.HELD
    assert world.ids(task) == world.wanted()


def test_search_in_the_hands_of_another_worker_is_left_alone() -> None:
    world = filled()
    task = world.start()
    leased = task.leased(world.clock.time_ms + LEASE_MS)
    world.search_tasks.replace(task, leased)
    assert world.cases.searches.process.advance(TENANT, task.id, BulkReport()) is Rest.HELD
    assert world.stored(task) == leased


def test_page_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    world = filled()
    task = world.start()
    monkeypatch.setattr(find_matching, "PAGE_ROWS", 1_000)

    def slow() -> None:
        world.clock.time_ms += find_matching.PAGE_MS

    world.steps.before("queries.index_pages", slow)
    report = BulkReport()
    step = world.cases.searches.process.advance(TENANT, task.id, report)
    assert (step, report.found) == (world.clock.time_ms, world.stored(task).found)
    assert 0 < report.found < len(DAYS) * 2
    world.work()
    assert world.ids(task) == world.wanted()


def test_too_large_result_says_where_another_search_finds_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_task, "MOST_FOUND", 4)
    world = Searched()
    for days in (1, 2, 20, 20, 20, 20, 20, 25, 30):
        world.add(days)
    first = world.start()
    world.work()
    ended = world.stored(first)
    assert ended.truncated_at == DUE_AT - 20 * DAY_MS
    assert world.ids(first) == world.wanted()[:7], "the instant is whole"
    second = world.start(until_at=ended.truncated_at)
    world.work()
    assert world.ids(first) + world.ids(second) == world.wanted()
    assert world.stored(second).truncated_at is None


def test_search_that_takes_a_day_is_truncated() -> None:
    world = filled()
    task = world.start()
    world.clock.time_ms += LONGEST_MS
    world.work()
    ended = world.stored(task)
    assert (ended.state, ended.truncated_at is not None) == (SearchState.FINISHED, True)
    assert world.ids(task) == world.wanted()[: ended.found]


def test_search_that_has_not_ended_when_its_files_expire_is_cancelled() -> None:
    world = filled()
    task = world.start()
    world.clock.time_ms += RESULT_DAYS * DAY_MS
    world.work()
    assert world.stored(task).state is SearchState.CANCELLED


def test_tenant_may_have_some_open_searches() -> None:
    world = filled()
    for _ in range(MAX_OPEN):
        world.start()
    with pytest.raises(InvalidStateError, match=r"^3 searches are open"):
        world.start()
    world.work()
    assert world.start().is_open


def test_same_key_is_the_same_search_and_another_body_is_refused() -> None:
    world = filled()
    new = NewSearch(rows=RowFilter(), from_at=0)
    first = world.start_search.execute(world.tenant, new, "key")
    world.work()
    world.clock.time_ms += 60_000
    again = world.start_search.execute(world.tenant, new, "key")
    assert (again.replayed, again.task) == (True, world.stored(first.task))
    for other in (replace(new, tag="x"), replace(new, rows=RowFilter(status=500)), replace(new, from_at=1)):
        with pytest.raises(Exception, match="Idempotency-Key was used before"):
            world.start_search.execute(world.tenant, other, "key")


def test_start_that_crashed_is_completed_by_its_repetition() -> None:
    new = NewSearch(rows=RowFilter(), from_at=0)
    for name in ("idempotency.claim", "search_tasks.create"):
        world = filled()
        world.steps.crash_after(name)
        with pytest.raises(Crash):
            world.start_search.execute(world.tenant, new, "key")
        world.start_search.execute(world.tenant, new, "key")
        assert len(world.search_tasks.tasks) == 1


def test_cancelled_search_does_no_more_and_offers_nothing() -> None:
    world = filled()
    task = world.start()
    world.cases.searches.process.advance(TENANT, task.id, BulkReport())
    cancelled = world.manage_searches.cancel(TENANT, task.id)
    assert (cancelled.state, cancelled.found > 0) == (SearchState.CANCELLED, True)
    assert world.manage_searches.cancel(TENANT, task.id) == cancelled
    world.work()
    assert world.stored(task) == cancelled
    assert world.manage_searches.urls(cancelled) == {}


def test_cancellation_that_meets_a_page_takes_effect() -> None:
    world = filled()
    task = world.start()
    world.steps.before("search_files.put", lambda: world.manage_searches.cancel(TENANT, task.id))
    world.work()
    assert world.stored(task).state is SearchState.CANCELLED


def test_finished_search_is_not_cancelled_and_foreign_ones_are_not_found() -> None:
    world = filled()
    task = world.start()
    world.work()
    with pytest.raises(InvalidStateError):
        world.manage_searches.cancel(TENANT, task.id)
    for owner, search_id in (("globex", task.id), (TENANT, "srh_x"), (TENANT, "")):
        with pytest.raises(NotFoundError):
            world.manage_searches.find(owner, search_id)


def test_urls_are_new_with_each_request_until_the_files_expire() -> None:
    world = filled()
    task = world.start()
    assert world.manage_searches.urls(task) == {}
    world.work()
    ended = world.stored(task)
    first, second = world.manage_searches.urls(ended), world.manage_searches.urls(ended)
    assert list(first) == list(second) == list(ended.files)
    assert set(first.values()).isdisjoint(second.values())
    assert all(f"for={URL_SECONDS}" in url and f"/{TENANT}/{task.id}/" in url for url in first.values())
    world.clock.time_ms += RESULT_DAYS * DAY_MS
    assert world.manage_searches.urls(ended) == {}


def mark_deleted(world: Searched) -> None:
    tenants = world.tenants.tenants
    tenants[TENANT] = replace(tenants[TENANT], is_being_deleted=True)
    world.clock.time_ms += REMEMBER_MS


def test_search_of_a_tenant_that_is_being_deleted_ends() -> None:
    world = filled()
    task = world.start()
    mark_deleted(world)
    world.work()
    assert (world.stored(task).state, world.search_files.files) == (SearchState.CANCELLED, {})


def test_search_of_a_tenant_that_is_gone_ends() -> None:
    world = filled()
    task = world.start()
    del world.tenants.tenants[TENANT]
    world.clock.time_ms += REMEMBER_MS
    world.work()
    assert world.stored(task).state is SearchState.CANCELLED


def test_file_that_is_lost_is_reported_and_no_line_is_left_out() -> None:
    world = filled()
    task = world.start()
    world.cases.searches.process.advance(TENANT, task.id, BulkReport())
    present: SearchTask = world.stored(task)
    assert present.grows
    world.search_files.files.clear()
    assert world.process_bulk_tasks.execute().unreadable == [task.id]
    assert world.stored(task).files == present.files


def test_searches_of_tenants_take_turns() -> None:
    world = filled()
    own = world.start()
    world.create_tenant.execute("globex")
    theirs = world.start_search.execute(
        world.tenants.tenants["globex"], NewSearch(rows=RowFilter(), from_at=0)
    ).task
    left = iter([True, True, False])
    world.process_bulk_tasks.execute(lambda: next(left))
    assert not world.search_tasks.tasks["globex", theirs.id].is_open
    assert 0 < world.stored(own).found < len(DAYS) * 2


def test_record_is_searched_before_its_row() -> None:
    """A row that is in both places is on one line."""
    world = Searched()
    execution = world.add(13.5, State.FAILED, end_reason=EndReason.STOPPED)
    archive(world.archive_reader, world.history, [row_of(execution)])
    task = world.start()
    world.work()
    (line,) = world.lines(task)
    assert (line["archived"], line["end_reason"]) == (False, "stopped")
