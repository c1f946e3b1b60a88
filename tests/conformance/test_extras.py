"""JobStore: executions that are filed beside their job's schedule, and the records by which the job finds them."""

from dataclasses import replace

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import IndexPosition, history_position
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    execution_id,
    expiry_for,
    job,
    occurrence,
    with_changes,
)
from tests.support.conformance.labs import Lab

JOB = job()
AT = DUE_AT + 1_234


def extra(number: int = 1, *, of: Job = JOB, at: int = AT) -> Execution:
    """An execution that no schedule asked for."""
    return with_changes(
        occurrence(of, at), id=execution_id(number, dispatch_at=at), state=State.QUEUED, recurrence=None
    )


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


def test_an_execution_beside_the_schedule_is_filed_and_found(lab: Lab) -> None:
    definition = created(lab)
    assert lab.jobs.file_beside(definition, extra(), EXPIRES_AT_S)
    assert lab.executions.get(extra().id) == extra()
    assert lab.expiry(extra().id) is None
    assert lab.jobs.extras(TENANT, JOB.id, before=None, limit=10) == [history_position(extra())]
    assert lab.jobs.get(TENANT, JOB.id) == definition


def test_execution_beside_the_schedule_is_filed_for_a_paused_job(lab: Lab) -> None:
    assert lab.jobs.file_beside(in_job_state(lab, JobState.PAUSED), extra(), EXPIRES_AT_S)
    assert lab.executions.get(extra().id) is not None


@pytest.mark.parametrize("state", sorted(set(JobState) - {JobState.ACTIVE, JobState.PAUSED}))
def test_extra_execution_is_not_filed_for_a_job_that_ends_or_changes(lab: Lab, state: JobState) -> None:
    definition = in_job_state(lab, state)
    before = lab.contents()
    assert not lab.jobs.file_beside(definition, extra(), EXPIRES_AT_S)
    assert lab.contents() == before


def test_extra_execution_is_not_filed_for_a_job_at_another_revision(lab: Lab) -> None:
    created(lab)
    before = lab.contents()
    assert not lab.jobs.file_beside(replace(JOB, revision=2), extra(), EXPIRES_AT_S)
    assert not lab.jobs.file_beside(replace(JOB, revision=0), extra(), EXPIRES_AT_S)
    assert lab.contents() == before


def test_extra_execution_is_not_filed_for_a_missing_job(lab: Lab) -> None:
    assert not lab.jobs.file_beside(JOB, extra(), EXPIRES_AT_S)
    assert lab.executions.get(extra().id) is None
    assert lab.jobs.extras(TENANT, JOB.id, before=None, limit=10) == []


def test_an_execution_that_stands_is_not_written_again_and_gets_no_record(lab: Lab) -> None:
    definition = created(lab)
    running = replace(extra(), fingerprint=b"another request!")
    lab.executions.put_if_absent(running, expires_at_s=expiry_for(running))
    before = lab.contents()
    assert not lab.jobs.file_beside(definition, extra(), EXPIRES_AT_S)
    assert lab.contents() == before


def test_extras_come_latest_first_and_by_id_within_an_instant(lab: Lab) -> None:
    definition = created(lab)
    filed = [extra(3, at=AT), extra(1, at=AT), extra(2, at=AT + 1), extra(4, at=AT - 60_000), extra(9, at=AT)]
    for one in filed:
        assert lab.jobs.file_beside(definition, one, EXPIRES_AT_S)
    expected = sorted((history_position(one) for one in filed), reverse=True)
    assert lab.jobs.extras(TENANT, JOB.id, before=None, limit=10) == expected
    for limit in (1, 2, 4, 5):
        listed = lab.jobs.extras(TENANT, JOB.id, before=None, limit=limit)
        assert listed == expected[:limit]
        while page := lab.jobs.extras(TENANT, JOB.id, before=listed[-1], limit=limit):
            assert len(page) <= limit
            listed += page
        assert listed == expected


def test_extras_before_an_instant_leave_out_the_instant_itself(lab: Lab) -> None:
    definition = created(lab)
    for number, at in ((1, AT - 1), (2, AT), (3, AT), (4, AT + 1)):
        lab.jobs.file_beside(definition, extra(number, at=at), EXPIRES_AT_S)
    assert lab.jobs.extras(TENANT, JOB.id, before=IndexPosition(at=AT), limit=10) == [
        history_position(extra(1, at=AT - 1))
    ]


def test_a_place_that_names_nothing_any_more_may_still_be_gone_on_from(lab: Lab) -> None:
    definition = created(lab)
    lab.jobs.file_beside(definition, extra(1), EXPIRES_AT_S)
    gone = history_position(extra(2))
    assert lab.jobs.extras(TENANT, JOB.id, before=gone, limit=10) == [history_position(extra(1))]


def test_extras_are_those_of_one_job_of_one_tenant(lab: Lab) -> None:
    created(lab)
    created(lab, job(2))
    assert lab.jobs.file_beside(JOB, extra(1), EXPIRES_AT_S)
    assert lab.jobs.extras(TENANT, job(2).id, before=None, limit=10) == []
    assert lab.jobs.extras("acme-2", JOB.id, before=None, limit=10) == []


def test_records_of_extras_are_neither_jobs_nor_chains(lab: Lab) -> None:
    definition = created(lab)
    lab.jobs.file_beside(definition, extra(), EXPIRES_AT_S)
    assert lab.queries.definitions(TENANT, after=None, limit=100).jobs == (definition,)
    assert lab.jobs.past_chains(TENANT, JOB.id, limit=10) == []
