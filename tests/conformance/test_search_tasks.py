"""SearchTasks: every field is read back, changes are on condition of the version, and kinds of tasks are apart."""

from dataclasses import replace

import pytest

from shared.domain.archive.reading import RowFilter
from shared.domain.archive.search_task import ResultFile, SearchFilter, SearchTask
from shared.domain.listings.position import IndexPosition
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job_task, one_off, search_task
from tests.support.conformance.labs import Lab

TASK, OTHER = search_task(), search_task(2)
NARROW = SearchFilter(
    rows=RowFilter(state="failed", job_id="job_x", reason="timeout", status=503, lane="bulk"),
    from_at=0,
    until_at=DUE_AT,
    tag="billing",
)


@pytest.mark.parametrize(
    "task",
    [
        TASK,
        replace(TASK, criteria=NARROW),
        replace(TASK, position=IndexPosition(at=DUE_AT - 5, id=one_off().id), lease_until=DUE_AT),
        replace(TASK, files=(ResultFile(2, 20_000, 99), ResultFile(7, 1, 5)), truncated_at=DUE_AT - 9),
    ],
)
def test_search_is_read_as_it_was_written_and_is_open(lab: Lab, task: SearchTask) -> None:
    assert lab.search_tasks.create(task) is None
    assert lab.search_tasks.get(TENANT, task.id) == task
    assert lab.search_tasks.open() == [(TENANT, task.id)]
    assert lab.search_tasks.open_of(TENANT) == [task.id]
    assert (lab.job_tasks.open(), lab.redrives.open()) == ([], [])


def test_search_changes_at_its_version_alone_and_leaves_the_list_at_its_end(lab: Lab) -> None:
    lab.search_tasks.create(TASK)
    leased = TASK.leased(DUE_AT)
    assert lab.search_tasks.replace(TASK, leased)
    assert not lab.search_tasks.replace(TASK, TASK.after_page(None, None, DUE_AT), EXPIRES_AT_S)
    ended = leased.after_page(ResultFile(2, 1, 1), None, DUE_AT)
    assert lab.search_tasks.replace(leased, ended, EXPIRES_AT_S)
    assert (lab.search_tasks.get(TENANT, TASK.id), lab.search_tasks.open()) == (ended, [])


def test_latest_searches_come_first_page_by_page(lab: Lab) -> None:
    lab.job_tasks.create(job_task())
    for task in (TASK, OTHER, replace(OTHER, tenant_id="acme-2")):
        lab.search_tasks.create(task)
    first, before = lab.search_tasks.latest(TENANT, before=None, limit=1)
    assert (first, before) == ([OTHER], OTHER.id)
    assert lab.search_tasks.latest(TENANT, before=before, limit=5) == ([TASK], None)
