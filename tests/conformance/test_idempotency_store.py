"""IdempotencyStore: the first request with a key chooses, until its record expires."""

from dataclasses import replace

from shared.domain.archive.search_task import search_task_id
from shared.domain.bulk.job_task import job_task_id
from shared.domain.dead_letters.redrive_task import redrive_task_id
from shared.domain.ids import DEFAULT_CELL, JobId, backfill_job_id, recurring_job_id
from shared.ports.jobs import IdempotencyRecord
from tests.support.builders import DUE_AT, TENANT, execution_id
from tests.support.conformance.labs import Lab

FIRST: IdempotencyRecord[JobId | str | None] = IdempotencyRecord(
    fingerprint=b"fingerprint one.",
    id=execution_id(1),
    created_at=DUE_AT,
    due_at=DUE_AT + 1,
    expires_at=DUE_AT + 604_800_000,
)
SECOND = replace(
    FIRST,
    fingerprint=b"fingerprint two.",
    id=recurring_job_id(DUE_AT, 2, cell=DEFAULT_CELL),
    expires_at=FIRST.expires_at * 2,
)


def test_the_first_record_wins_and_is_found(lab: Lab) -> None:
    assert lab.idempotency.find(TENANT, "key", DUE_AT) is None
    assert lab.idempotency.claim(TENANT, "key", FIRST, DUE_AT) == FIRST
    assert lab.idempotency.claim(TENANT, "key", SECOND, DUE_AT) == FIRST
    assert lab.idempotency.find(TENANT, "key", DUE_AT) == FIRST


def test_a_record_holds_to_its_last_millisecond_and_is_then_replaced(lab: Lab) -> None:
    lab.idempotency.claim(TENANT, "key", FIRST, DUE_AT)
    last_ms = FIRST.expires_at - 1
    assert lab.idempotency.find(TENANT, "key", last_ms) == FIRST
    assert lab.idempotency.claim(TENANT, "key", SECOND, last_ms) == FIRST
    assert lab.idempotency.find(TENANT, "key", FIRST.expires_at) is None
    assert lab.idempotency.claim(TENANT, "key", SECOND, FIRST.expires_at) == SECOND
    assert lab.idempotency.find(TENANT, "key", FIRST.expires_at) == SECOND


def test_a_claim_whose_answer_was_lost_finds_its_own_record(lab: Lab) -> None:
    lab.idempotency.claim(TENANT, "key", FIRST, DUE_AT)
    assert lab.idempotency.claim(TENANT, "key", FIRST, DUE_AT + 1) == FIRST


def test_keys_and_tenants_are_kept_apart(lab: Lab) -> None:
    places = [(TENANT, "key"), (TENANT, "Key"), ("acme-2", "key"), (TENANT, "key#idempotency"), (TENANT, "")]
    for number, (tenant_id, key) in enumerate(places):
        record = replace(FIRST, id=execution_id(number))
        assert lab.idempotency.claim(tenant_id, key, record, DUE_AT) == record
    found = [lab.idempotency.find(tenant_id, key, DUE_AT) for tenant_id, key in places]
    assert [record.id if record else None for record in found] == [
        execution_id(n) for n in range(len(places))
    ]


def test_ids_of_every_kind_come_back_as_they_were(lab: Lab) -> None:
    backfill_id = backfill_job_id(recurring_job_id(DUE_AT, 1, cell=DEFAULT_CELL), DUE_AT, 2)
    for chosen in (
        execution_id(1),
        recurring_job_id(DUE_AT, 1, cell=DEFAULT_CELL),
        backfill_id,
        redrive_task_id(DUE_AT, 1),
        job_task_id(DUE_AT, 1),
        search_task_id(DUE_AT, 1),
        None,
    ):
        record = replace(FIRST, id=chosen)
        lab.idempotency.claim(TENANT, f"key {chosen}", record, DUE_AT)
        found = lab.idempotency.find(TENANT, f"key {chosen}", DUE_AT)
        assert found == record
        assert found is not None
        assert type(found.id) is type(chosen)


def test_a_key_may_hold_any_text(lab: Lab) -> None:
    for key in ("x" * 255, "ключ", "a#b|c", "\u0000", "💥" * 50):
        assert lab.idempotency.claim(TENANT, key, FIRST, DUE_AT) == FIRST
        assert lab.idempotency.find(TENANT, key, DUE_AT) == FIRST
