"""JobTasks and BulkPages: changes on condition of the version, and records that the first writer chooses."""

from dataclasses import replace

import pytest

from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import JobTask, JobTaskCounts
from shared.domain.bulk.members import CALLBACKS, Member
from shared.domain.bulk.pages import BulkEntry, BulkPage
from shared.domain.bulk.patch import FormerMembers, JobPatch
from shared.domain.delivery.alerts import NO_ALERTS, AlertTarget
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnavailableError
from shared.domain.listings.filters import JobFilter, Kind
from shared.domain.listings.position import IndexPosition, JobPosition
from shared.domain.schedules.catch_up import CatchUp
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, job_task, one_off
from tests.support.conformance.labs import Lab

TASK = job_task()
OTHER = job_task(2)
TARGET = CallbackTarget(sealed_url=b"sealed", destination="0123456789")
VALUES = {
    Member.LANE: Lane.BULK,
    Member.TIMEOUT: 5_000,
    Member.RETRY: RetryPolicy(max_attempts=3, delays_seconds=(60, 600), give_up_after_seconds=3_600),
    Member.ASYNC_DEADLINE: 7_200,
    Member.HEARTBEAT: 30,
    Member.JITTER: 0,
    Member.CATCH_UP: CatchUp.ALL,
    Member.CATCH_UP_LIMIT: 7,
    Member.CATCH_UP_WINDOW: 0,
    Member.LATE_TOLERANCE: 1_000,
    Member.OVERLAP_POLICY: OverlapPolicy.QUEUE_ONE,
    Member.ON_SUCCESS: TARGET,
    Member.ON_FAILURE: NO_TARGET,
    Member.ALERTS: AlertTarget(target=TARGET, key="k"),
    Member.SIGNING_SECRET: "billing",
}
NOTHING = dict.fromkeys((*CALLBACKS, Member.ALERTS, Member.SIGNING_SECRET))
NARROW = JobFilter(
    state="active",
    tag="billing",
    set_name="nightly",
    name_prefix="rep",
    kind=Kind.CRON,
    created_from=5,
    created_before=DUE_AT,
    recurs=True,
    is_live=True,
)
COUNTS = JobTaskCounts(
    done=1, unchanged=2, refused={Refusal.CHANGED: 3}, deleted=4, undone=5, changed_since=6
)
ENTRIES = (
    BulkEntry(job_id=job().id, revision=3),
    BulkEntry(job_id=job(2).id, revision=3, was_held=True, pause_reason="moving"),
    BulkEntry(
        job_id=job(3).id,
        revision=1,
        execution=one_off().id,
        former=FormerMembers(values=VALUES, tags=("a", "b")),
    ),
)
PAGE = BulkPage(
    tenant_id=TENANT,
    task_id=TASK.id,
    number=0,
    recorded_at=DUE_AT,
    entries=ENTRIES,
    next_position=JobPosition(job_id=job(3).id),
)
FINISHED = PAGE.finished(
    [
        ENTRIES[0].left_at(4, is_changed=True),
        ENTRIES[1].left_at(3, is_changed=False),
        ENTRIES[2].refused(Refusal.BACKFILL),
    ]
)


@pytest.mark.parametrize(
    "task",
    [
        TASK,
        replace(TASK, criteria=NARROW, action=BulkAction.TRIGGER, is_total=False),
        replace(TASK, action=BulkAction.DELETE, grace_ms=3_600_000, reason="moving"),
        replace(TASK, position=JobPosition(job_id=job().id), page=3, pages=3, counts=COUNTS),
        replace(TASK, position=JobPosition(index_position=IndexPosition(at=5, id=one_off().id))),
        replace(TASK, position=JobPosition(index_position=IndexPosition(at=0))),
        replace(TASK, position=None, lease_until=DUE_AT),
        replace(TASK, action=BulkAction.PATCH, patch=JobPatch(values=VALUES)),
        replace(
            TASK, action=BulkAction.PATCH, patch=JobPatch(values=NOTHING | {Member.RETRY: RetryPolicy()})
        ),
        replace(TASK, action=BulkAction.PATCH, patch=JobPatch(values={Member.ALERTS: NO_ALERTS})),
        replace(
            TASK, action=BulkAction.PATCH, patch=JobPatch(add_tags=("a",), remove_tags=("b",), max_tags=3)
        ),
        TASK.undoing(DUE_AT),
        replace(TASK, grace_ms=3_600_000).ended(DUE_AT),
    ],
)
def test_job_task_is_read_as_it_was_written_and_is_open(lab: Lab, task: JobTask) -> None:
    assert lab.job_tasks.create(task) is None
    assert lab.job_tasks.get(TENANT, task.id) == task
    assert lab.job_tasks.open() == [(TENANT, task.id)]
    assert lab.job_tasks.open_of(TENANT) == [task.id]


def test_tenant_may_have_several_open_job_tasks_in_order(lab: Lab) -> None:
    theirs = replace(OTHER, tenant_id="acme-2")
    for task in (OTHER, TASK, theirs):
        assert lab.job_tasks.create(task) is None
    assert lab.job_tasks.open() == [(TENANT, TASK.id), (TENANT, OTHER.id), ("acme-2", theirs.id)]
    assert lab.job_tasks.open_of(TENANT) == [TASK.id, OTHER.id]
    assert lab.job_tasks.open_of("acm") == []


def test_job_task_is_created_once(lab: Lab) -> None:
    lab.job_tasks.create(TASK)
    leased = TASK.leased(DUE_AT)
    assert lab.job_tasks.replace(TASK, leased)
    assert lab.job_tasks.create(TASK) == TASK.id
    assert lab.job_tasks.get(TENANT, TASK.id) == leased
    ended = leased.cancelled(DUE_AT)
    assert lab.job_tasks.replace(leased, ended, EXPIRES_AT_S)
    assert lab.job_tasks.create(TASK) == TASK.id
    assert lab.job_tasks.get(TENANT, TASK.id) == ended


def test_job_task_changes_at_its_version_alone(lab: Lab) -> None:
    lab.job_tasks.create(TASK)
    assert lab.job_tasks.replace(TASK, TASK.leased(DUE_AT))
    before = lab.contents()
    assert not lab.job_tasks.replace(TASK, TASK.without_page(None))
    assert not lab.job_tasks.replace(TASK, TASK.cancelled(DUE_AT), EXPIRES_AT_S)
    assert lab.contents() == before


def test_ended_job_task_leaves_the_list_and_an_undo_lists_it_again(lab: Lab) -> None:
    lab.job_tasks.create(TASK)
    lab.job_tasks.create(OTHER)
    ended = TASK.cancelled(DUE_AT)
    assert lab.job_tasks.replace(TASK, ended, EXPIRES_AT_S)
    assert lab.job_tasks.open_of(TENANT) == [OTHER.id]
    undoing = ended.undoing(DUE_AT)
    assert lab.job_tasks.replace(ended, undoing)
    assert lab.job_tasks.open_of(TENANT) == [TASK.id, OTHER.id]


def test_latest_job_tasks_come_first_page_by_page(lab: Lab) -> None:
    tasks = [job_task(number) for number in range(3)]
    for task in tasks:
        lab.job_tasks.create(task)
    lab.job_tasks.create(replace(OTHER, tenant_id="acme-2"))
    lab.bulk_pages.begin(PAGE, EXPIRES_AT_S)
    first, before = lab.job_tasks.latest(TENANT, before=None, limit=2)
    assert (first, before) == ([tasks[2], tasks[1]], tasks[1].id)
    assert lab.job_tasks.latest(TENANT, before=before, limit=2) == ([tasks[0]], None)


def test_record_of_a_page_is_chosen_by_its_first_writer(lab: Lab) -> None:
    assert lab.bulk_pages.get(TENANT, TASK.id, 0) is None
    assert lab.bulk_pages.begin(PAGE, EXPIRES_AT_S) == PAGE
    other = replace(PAGE, entries=ENTRIES[:1], next_position=None)
    assert lab.bulk_pages.begin(other, EXPIRES_AT_S) == PAGE
    assert lab.bulk_pages.get(TENANT, TASK.id, 0) == PAGE
    assert lab.bulk_pages.get(TENANT, TASK.id, 1) is None
    assert lab.bulk_pages.get(TENANT, OTHER.id, 0) is None


def test_results_of_a_page_are_those_of_the_first_to_finish_it(lab: Lab) -> None:
    with pytest.raises(UnavailableError):
        lab.bulk_pages.finish(FINISHED, EXPIRES_AT_S)
    lab.bulk_pages.begin(PAGE, EXPIRES_AT_S)
    assert lab.bulk_pages.finish(FINISHED, EXPIRES_AT_S) == FINISHED
    late = PAGE.finished([entry.refused(Refusal.CHANGED) for entry in ENTRIES])
    assert lab.bulk_pages.finish(late, EXPIRES_AT_S) == FINISHED
    assert lab.bulk_pages.begin(PAGE, EXPIRES_AT_S) == FINISHED
    assert lab.bulk_pages.get(TENANT, TASK.id, 0) == FINISHED


def test_every_member_of_a_patch_is_read_as_it_was_written() -> None:
    assert VALUES.keys() == set(Member)
