"""JobStore and Queries: backfills, which are made while their job stands, and are found by its id."""

from dataclasses import replace

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import backfill_job_id
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_backfill import ALL_RUNS
from shared.domain.schedules.schedule import Backfill
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, expiry_for, job, occurrence, with_changes
from tests.support.conformance.labs import Lab

JOB = job()
LASTING = (JobState.ACTIVE, JobState.PAUSED, JobState.COMPLETED)


def backfill(number: int = 1, *, of: Job = JOB, **overrides: object) -> Job:
    """Five past instants of a job, made up for from DUE_AT on."""
    schedule = Backfill(
        of=replace(of.schedule, anchor=0),  # type: ignore[arg-type]
        from_at=DUE_AT - 600_000,
        to_at=DUE_AT - 300_000,
        count=5,
        interval_ms=1_000,
        anchor=DUE_AT,
    )
    fields = {"id": backfill_job_id(of.id, DUE_AT, number), "schedule": schedule, "catch_up": ALL_RUNS}
    return with_changes(of, **fields | {"history_from": DUE_AT} | overrides)


def first_of(made: Job) -> Execution:
    return with_changes(made.occurrence(DUE_AT, created_at=DUE_AT), state=State.QUEUED)


def created(lab: Lab, of: Job = JOB) -> Job:
    """A job with its first execution."""
    lab.jobs.create(of, occurrence(of))
    return of


def in_job_state(lab: Lab, state: JobState) -> Job:
    """A job that came into that state."""
    before = created(lab)
    after = replace(before, state=state, revision=2)
    assert lab.jobs.replace(before, after)
    return after


def test_a_backfill_is_written_with_its_first_execution(lab: Lab) -> None:
    made = backfill()
    assert lab.jobs.create_backfill(created(lab), made, first_of(made))
    assert lab.jobs.get(TENANT, made.id) == made
    assert lab.executions.get(first_of(made).id) == first_of(made)
    assert lab.jobs.get(TENANT, JOB.id) == JOB
    assert lab.jobs.backfills(TENANT, JOB.id) == [made.id]


@pytest.mark.parametrize("state", LASTING)
def test_backfill_is_written_while_its_job_lasts(lab: Lab, state: JobState) -> None:
    made = backfill()
    standing = created(lab) if state is JobState.ACTIVE else in_job_state(lab, state)
    assert lab.jobs.create_backfill(standing, made, first_of(made))
    assert lab.jobs.get(TENANT, made.id) == made


@pytest.mark.parametrize("state", sorted(set(JobState) - set(LASTING)))
def test_backfill_is_not_written_for_a_job_that_ends_or_changes(lab: Lab, state: JobState) -> None:
    standing = in_job_state(lab, state)
    before = lab.contents()
    assert not lab.jobs.create_backfill(standing, backfill(), first_of(backfill()))
    assert lab.contents() == before
    assert lab.jobs.backfills(TENANT, JOB.id) == []


@pytest.mark.parametrize("revision", [0, 2])
def test_backfill_is_not_written_for_a_job_at_another_revision(lab: Lab, revision: int) -> None:
    created(lab)
    before = lab.contents()
    seen = replace(JOB, revision=revision)
    assert not lab.jobs.create_backfill(seen, backfill(), first_of(backfill()))
    assert lab.contents() == before


def test_backfill_is_not_written_for_a_missing_job(lab: Lab) -> None:
    assert not lab.jobs.create_backfill(JOB, backfill(), first_of(backfill()))
    assert lab.jobs.get(TENANT, backfill().id) is None
    assert lab.executions.get(first_of(backfill()).id) is None


def test_a_backfill_that_stands_is_not_written_again(lab: Lab) -> None:
    made = backfill()
    assert lab.jobs.create_backfill(created(lab), made, first_of(made))
    before = lab.contents()
    other = with_changes(made, timeout_ms=1_000)
    assert not lab.jobs.create_backfill(JOB, other, with_changes(first_of(other), timeout_ms=1_000))
    assert lab.contents() == before


def test_backfill_is_not_written_where_its_first_execution_exists(lab: Lab) -> None:
    made = backfill()
    created(lab)
    standing = replace(first_of(made), fingerprint=b"another request!")
    lab.executions.put_if_absent(standing, expires_at_s=expiry_for(standing))
    before = lab.contents()
    assert not lab.jobs.create_backfill(JOB, made, first_of(made))
    assert lab.contents() == before


def test_only_undeleted_backfills_of_the_job_are_found_in_order(lab: Lab) -> None:
    other, longer = job(2), job(3)
    for parent in (JOB, other, longer):
        created(lab, parent)
    wanted = []
    for number, state in enumerate(JobState):
        made = backfill(number, state=state)
        assert lab.jobs.create(made, first_of(made)) is None
        wanted += [made.id] if state is not JobState.DELETED else []
    foreign = backfill(50, of=other)
    assert lab.jobs.create_backfill(other, foreign, first_of(foreign))
    assert lab.jobs.backfills(TENANT, JOB.id) == sorted(wanted)
    assert lab.jobs.backfills(TENANT, other.id) == [foreign.id]
    assert lab.jobs.backfills(TENANT, longer.id) == []
    assert lab.jobs.backfills("acme-2", JOB.id) == []
    assert lab.jobs.backfills(TENANT, wanted[0]) == []


def test_deleted_backfill_keeps_its_definition_but_is_not_listed(lab: Lab) -> None:
    made = backfill()
    assert lab.jobs.create_backfill(created(lab), made, first_of(made))
    deleted = replace(made, state=JobState.DELETED, revision=2)
    assert lab.jobs.replace(made, deleted, expires_at_s=EXPIRES_AT_S)
    assert lab.jobs.backfills(TENANT, JOB.id) == []
    assert lab.jobs.get(TENANT, made.id) == deleted


def test_backfills_are_found_over_more_than_a_page_of_definitions(lab: Lab) -> None:
    created(lab)
    bulky = [backfill(number, request=b"x" * 300_000) for number in range(5)]
    for made in bulky:
        lab.jobs.create(made, with_changes(first_of(made), request=b"small"))
    assert lab.jobs.backfills(TENANT, JOB.id) == [made.id for made in bulky]


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_the_definitions_of_backfills_are_listed_page_by_page(lab: Lab, limit: int) -> None:
    made = [backfill(number) for number in range(3)]
    created(lab)
    created(lab, job(2))
    for each in made:
        assert lab.jobs.create_backfill(JOB, each, first_of(each))
    shown: list[Job] = []
    after: str | None = None
    while True:
        page = lab.queries.definitions(TENANT, after=after, limit=limit, backfill_of=JOB.id)
        shown += page.jobs
        after = page.next_after
        if after is None:
            break
    assert shown == made
    every = lab.queries.definitions(TENANT, after=None, limit=100).jobs
    assert [each.id for each in every] == sorted([JOB.id, job(2).id, *(each.id for each in made)])
    assert lab.queries.definitions("acme-2", after=None, limit=100, backfill_of=JOB.id).jobs == ()


def test_a_backfill_is_counted_as_a_recurring_job(lab: Lab) -> None:
    made = backfill()
    assert lab.jobs.create_backfill(created(lab), made, first_of(made))
    assert lab.recurring_jobs.count(TENANT, 10) == 2
