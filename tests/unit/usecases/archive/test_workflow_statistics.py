"""Statistics of a workflow: the executions of its tasks, exact by the rows of the archive and before it has them."""

from collections import Counter
from dataclasses import replace

import pytest

from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.statistics import Sums
from shared.domain.executions.execution import Execution, TaskRef
from shared.domain.executions.states import EndReason, State
from shared.usecases.archive import read_statistics
from shared.usecases.archive.read_statistics import StatReport
from shared.usecases.archive.verify_sample import Part, SampleMismatch
from tests.support.builders import DUE_AT, TENANT, execution_id, in_state, one_off
from tests.support.usecases.archive import END, HOUR_MS, SEAL, UNIT, ArchiveWorld
from tests.unit.usecases.archive.test_statistics import outcome
from tests.unit.usecases.archive.test_verify_sample import sample

FLOW, OTHER = (f"wfl_1{number:027d}" for number in range(2))
WINDOW = StatWindow(from_at=UNIT.start_ms, until_at=END, step=Step.HOUR)


def task(number: int, workflow: str = FLOW, tenant: str = TENANT, due_at: int = DUE_AT) -> Execution:
    run = TaskRef(run=execution_id(900), key="charge", epoch=1)
    return replace(one_off(number, due_at=due_at, tenant_id=tenant), job_id=workflow, task=run)


def ended(world: ArchiveWorld, execution: Execution, state: State = State.SUCCEEDED) -> None:
    reason = {"end_reason": EndReason.ATTEMPTS_USED_UP} if state is State.FAILED else {}
    late_ms = 40 + execution.id.entropy % 7
    progress = {"attempt": 1, "outcomes": (outcome(execution.id.dispatch_at + late_ms),), **reason}
    world.put(in_state(execution, state, **progress))


def mixed(world: ArchiveWorld) -> None:
    """Tasks of two workflows and of another tenant, a plain execution, and the notification of a run."""
    for number in (1, 2, 3):
        ended(world, task(number))
    ended(world, task(4), State.FAILED)
    ended(world, task(5, OTHER))
    ended(world, task(6, tenant="globex"))
    ended(world, one_off(7))
    told = one_off(8)
    ended(world, replace(told, job_id=FLOW, notification_of=told.id))


def read(world: ArchiveWorld, of: str = FLOW, window: StatWindow = WINDOW) -> StatReport:
    return world.cases.archive.read_statistics.execute(world.tenant, window, of)


def test_archived_hour_has_the_tasks_of_the_workflow_alone() -> None:
    world = ArchiveWorld()
    mixed(world)
    before = read(world)
    world.tick()
    report = read(world)
    (bucket,) = report.buckets
    assert bucket.sums.states == Counter(succeeded=3, failed=1)
    assert bucket.sums.lag.total == 4
    assert (bucket.uncounted.due, bucket.uncounted.failed) == (0, 0)
    assert (bucket.is_complete, report.complete_until) == (True, END)
    # What was counted from the executions is what the archive counts.
    assert before.buckets[0].sums == bucket.sums
    assert not before.buckets[0].is_complete
    assert read(world, OTHER).buckets[0].sums.states == Counter(succeeded=1)


def test_sums_of_a_workflow_are_those_of_the_rows_of_the_file() -> None:
    world = ArchiveWorld()
    mixed(world)
    world.tick()
    rows = [row for row in world.rows() if row["tenant"] == TENANT and row["job_id"] == FLOW and row["task"]]
    stored = world.history.of_unit(TENANT, UNIT, FLOW)
    assert stored is not None
    assert stored.rows == len(rows) == 4


def test_hour_with_an_open_task_is_not_complete_and_that_of_another_workflow_is() -> None:
    world = ArchiveWorld()
    ended(world, task(1))
    ended(world, task(2, OTHER))
    world.put(in_state(task(3), State.WAITING))
    world.tick()
    (bucket,) = read(world).buckets
    assert (bucket.sums.ended, bucket.sums.unended, bucket.is_complete) == (1, 1, False)
    assert read(world, OTHER).buckets[0].is_complete


def test_hour_whose_tasks_are_all_open_is_not_complete() -> None:
    world = ArchiveWorld()
    world.put(in_state(task(3), State.WAITING))
    world.tick()
    (bucket,) = read(world).buckets
    assert (bucket.sums.ended, bucket.sums.unended, bucket.is_complete) == (0, 1, False)


def test_repeated_pass_counts_no_task_twice() -> None:
    world = ArchiveWorld()
    ended(world, task(1))
    world.put(in_state(task(3), State.WAITING))
    world.tick()
    world.table.executions.pop(task(1).id)  # It has expired.
    ended(world, task(3))
    world.clock.time_ms += 24 * HOUR_MS
    world.tick()
    assert read(world).buckets[0].sums.states == Counter(succeeded=2)


def test_last_hours_are_read_by_minute_and_open_tasks_are_not_counted() -> None:
    world = ArchiveWorld()
    mixed(world)
    world.put(in_state(task(9), State.RUNNING, attempt=1))
    world.put(in_state(task(10, OTHER), State.WAITING))
    world.put(in_state(one_off(11), State.WAITING))
    window = StatWindow(from_at=UNIT.start_ms, until_at=END, step=Step.MINUTE)
    minute = (DUE_AT - UNIT.start_ms) // Step.MINUTE.ms
    report = read(world, window=window)
    assert [sum(each.ended for each in bucket.sums.minutes.values()) for bucket in report.buckets] == [
        4 if index == minute else 0 for index in range(60)
    ]
    assert [bucket.uncounted.due for bucket in report.buckets] == [
        1 if index == minute else 0 for index in range(60)
    ]
    assert read(world, window=window) == report


def test_last_hours_with_too_many_executions_of_the_tenant_are_said_to_be_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_statistics, "MOST_OF_WORKFLOW", 7)
    world = ArchiveWorld()
    for number in range(1, 9):
        ended(world, one_off(number))
    (bucket,) = read(world).buckets
    assert (bucket.uncounted.due, bucket.uncounted.failed, bucket.sums.ended) == (None, None, 0)
    assert not bucket.is_complete


def test_sample_finds_sums_of_a_workflow_that_differ() -> None:
    world = ArchiveWorld()
    ended(world, task(1))
    world.tick()
    world.tick(SEAL)
    setattr(world.entropy, "draw", lambda: 0.0)  # noqa: B010 - the first hour is the one with a file
    assert sample(world) is None
    stored = world.history.of_workflows[TENANT, FLOW][UNIT]
    stored.sums = replace(stored.sums, sums=Sums())
    assert sample(world) == SampleMismatch(unit=UNIT, part=Part.STATISTICS, tenant_id=TENANT)
