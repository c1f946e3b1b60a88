"""RecurringJobs: how many of a tenant's definitions have not ended."""

from dataclasses import replace
from typing import Any

from shared.adapters.dynamodb.codec.job_items import job_item
from shared.domain.jobs.job import ENDED, JobState
from shared.ports.jobs import Payload
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.interference import changing_answers
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


def test_definition_that_ends_is_counted_no_more(lab: Lab) -> None:
    for number in range(3):
        create(lab, number)
    for number, state in enumerate(sorted(ENDED)):
        before = job(number)
        after = replace(before, state=state, revision=2)
        executions = [occurrence(before, DUE_AT + 60_000)] * number
        assert lab.jobs.replace(before, after, executions=executions, expires_at_s=EXPIRES_AT_S)
        assert lab.recurring_jobs.count(TENANT, 10) == 2 - number
    ended = job(0, state=JobState.COMPLETED, revision=2)
    deleted = replace(ended, state=JobState.DELETED, revision=3)
    assert lab.jobs.replace(ended, deleted, expires_at_s=EXPIRES_AT_S)
    assert lab.recurring_jobs.count(TENANT, 10) == 1


def test_refused_end_changes_no_count(lab: Lab) -> None:
    create(lab, 1)
    before = job(1, revision=9)
    assert not lab.jobs.replace(before, replace(before, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert lab.recurring_jobs.count(TENANT, 10) == 1


def test_end_that_is_written_twice_is_one_end(lab: Lab) -> None:
    create(lab, 1)
    before, after = job(1), job(1, state=JobState.COMPLETED, revision=2)
    for _ in range(2):
        assert lab.jobs.replace(before, after, expires_at_s=EXPIRES_AT_S)
    assert lab.recurring_jobs.count(TENANT, 10) == 0


def test_paused_and_backfilling_definitions_are_counted(lab: Lab) -> None:
    create(lab, 1)
    before, paused = job(1), job(1, state=JobState.PAUSED, revision=2)
    assert lab.jobs.replace(before, paused)
    backfill = replace(paused, id=f"{paused.id}_1", state=JobState.ACTIVE)
    assert lab.jobs.create_backfill(paused, backfill, backfill.occurrence(DUE_AT, created_at=DUE_AT))
    assert lab.recurring_jobs.count(TENANT, 10) == 2


def test_definitions_that_have_ended_cost_no_reads(engine_lab: DynamoLab) -> None:
    """A count that reads them would cost a read unit for every four."""
    for number in range(2):
        create(engine_lab, number)
    recurring, client, examined = engine_lab.recurring_jobs, engine_lab.client, list[int]()
    ended = [job_item(job(number, state=JobState.COMPLETED), EXPIRES_AT_S) for number in range(2, 502)]
    for start in range(0, len(ended), 25):
        puts: Any = [{"PutRequest": {"Item": item}} for item in ended[start : start + 25]]
        client.batch_write_item(RequestItems={engine_lab.names.jobs: puts})
    with changing_answers(client, "Query", lambda answer: examined.append(answer["ScannedCount"])):
        assert recurring.count(TENANT, 1_000) == 2
    assert examined == [2]


def test_counting_stops_at_what_was_asked_for(lab: Lab) -> None:
    for number in range(5):
        create(lab, number)
    assert [lab.recurring_jobs.count(TENANT, most) for most in (0, 3, 5, 9)] == [0, 3, 5, 5]


def test_large_requests_and_idempotency_records_are_no_jobs(lab: Lab) -> None:
    create(lab, 1)
    lab.jobs.put_payload(Payload(TENANT, "job_1", b"x" * 5_000, stored_at=0))
    assert lab.recurring_jobs.count(TENANT, 10) == 1
