"""LiveItems: definitions of all tenants that have not ended, and large requests without an expiry."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.jobs.job import ENDED, JobState
from shared.names import LIVE_SEGMENTS
from shared.ports.jobs import LargeRequest, Payload
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.interference import changing_answers
from tests.support.conformance.labs import Lab
from tests.support.conformance.live_items import all_live

TENANTS = [f"tenant-{number}" for number in range(12)]


def contents(lab: Lab, limit: int = 100) -> list[Any]:
    """What is live, in an order of its own."""
    return sorted((item.content for item in all_live(lab, limit)), key=repr)


def test_index_is_empty_at_first(lab: Lab) -> None:
    assert all_live(lab) == []


@pytest.mark.parametrize("state", sorted(JobState))
def test_definition_is_live_until_it_has_ended(lab: Lab, state: JobState) -> None:
    definition = job(state=state)
    assert lab.jobs.create(definition, occurrence(definition)) is None
    assert contents(lab) == ([] if state in ENDED else [definition])


def test_definition_is_shown_as_it_is_now_and_not_at_all_when_it_has_ended(lab: Lab) -> None:
    lab.jobs.create(job(), occurrence())
    paused = job(state=JobState.PAUSED, revision=2)
    assert lab.jobs.replace(job(), paused)
    assert contents(lab) == [paused]
    assert lab.jobs.replace(paused, replace(paused, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert contents(lab) == []


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_every_item_of_every_tenant_is_listed_once(lab: Lab, limit: int) -> None:
    jobs = [job(2 * n + m, tenant_id=tenant) for n, tenant in enumerate(TENANTS) for m in range(2)]
    for definition in jobs:
        lab.jobs.create(definition, occurrence(definition))
    assert contents(lab, limit) == sorted(jobs, key=repr)


def test_tenant_is_in_one_segment_and_tenants_are_in_many(lab: Lab) -> None:
    for number in range(3 * len(TENANTS)):
        definition = job(number, tenant_id=TENANTS[number // 3])
        lab.jobs.create(definition, occurrence(definition))
    found: dict[str, set[int]] = {}
    for segment in range(LIVE_SEGMENTS):
        items, _ = lab.live_items.page(segment, after=None, limit=100)
        for item in items:
            found.setdefault(item.cursor.split("|")[0], set()).add(segment)
    assert {len(segments) for segments in found.values()} == {1}
    assert len(set.union(*found.values())) > 3


def test_walk_goes_on_after_any_item_of_a_page(lab: Lab) -> None:
    for number in range(6):
        lab.jobs.create(job(number), occurrence(job(number)))
    (segment,) = (each for each in range(LIVE_SEGMENTS) if lab.live_items.page(each, after=None, limit=9)[0])
    items, _ = lab.live_items.page(segment, after=None, limit=9)
    for place, item in enumerate(items):
        rest, _ = lab.live_items.page(segment, after=item.cursor, limit=9)
        assert rest == items[place + 1 :]


def test_large_request_is_live_until_it_has_an_expiry(lab: Lab) -> None:
    for number in range(3):
        lab.jobs.put_payload(Payload(TENANT, f"job_{number}.a", b"x" * 5_000, stored_at=number))
    lab.jobs.put_payload(Payload(TENANT, "job_3.a", b"sealed", stored_at=3, expires_at_s=EXPIRES_AT_S))
    requests = [
        LargeRequest(tenant_id=TENANT, payload_id=f"job_{number}.a", stored_at=number) for number in range(3)
    ]
    assert contents(lab) == requests
    lab.jobs.expire_payload(TENANT, "job_1.a", EXPIRES_AT_S)
    assert contents(lab) == [requests[0], requests[2]]


def test_ended_definitions_cost_no_reads(engine_lab: DynamoLab) -> None:
    """With idempotency records and large requests, a scan of their table read everything of three weeks."""
    engine_lab.jobs.create(job(), occurrence())
    for number in range(1, 30):
        ended = job(number, state=JobState.COMPLETED)
        engine_lab.jobs.create(ended, occurrence(ended, DUE_AT))
    examined: list[int] = []
    with changing_answers(engine_lab.client, "Scan", lambda answer: examined.append(answer["ScannedCount"])):
        assert contents(engine_lab) == [job()]
    assert sum(examined) == 1
