"""RecurringJobs: how many of a tenant's definitions have not ended."""

from shared.domain.jobs.job import ENDED, JobState
from tests.support.builders import DUE_AT, TENANT, job
from tests.support.conformance.labs import Lab


def create(lab: Lab, number: int, **fields: object) -> None:
    made = job(number, **fields)
    assert lab.jobs.create(made, made.occurrence(DUE_AT, created_at=DUE_AT)) is None


def test_tenant_has_no_recurring_jobs_at_first(lab: Lab) -> None:
    assert lab.recurring_jobs.count(TENANT, 10) == 0


def test_only_jobs_that_have_not_ended_are_counted(lab: Lab) -> None:
    for number, state in enumerate(JobState):
        create(lab, number, state=state)
    create(lab, 99, tenant_id="acme-2")
    assert lab.recurring_jobs.count(TENANT, 100) == len(JobState) - len(ENDED)
    assert lab.recurring_jobs.count("acme-2", 100) == 1


def test_counting_stops_at_what_was_asked_for(lab: Lab) -> None:
    for number in range(5):
        create(lab, number)
    assert [lab.recurring_jobs.count(TENANT, most) for most in (0, 3, 5, 9)] == [0, 3, 5, 5]


def test_large_requests_and_idempotency_records_are_no_jobs(lab: Lab) -> None:
    create(lab, 1)
    lab.jobs.put_payload(TENANT, "job_1", b"x" * 5_000, stored_at=0)
    assert lab.recurring_jobs.count(TENANT, 10) == 1
