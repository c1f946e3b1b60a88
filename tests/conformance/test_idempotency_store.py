"""IdempotencyStore: the first request with a key chooses, until its record expires."""

from dataclasses import replace

from shared.ports.jobs import IdempotencyRecord
from tests.support.builders import DUE_AT, TENANT
from tests.support.conformance.labs import Lab

FIRST = IdempotencyRecord(
    fingerprint=b"fingerprint one.",
    job_id="job_1",
    created_at=DUE_AT,
    due_at=DUE_AT + 1,
    expires_at=DUE_AT + 604_800_000,
)
SECOND = replace(FIRST, fingerprint=b"fingerprint two.", job_id="job_2", expires_at=FIRST.expires_at * 2)


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
        record = replace(FIRST, job_id=f"job_{number}")
        assert lab.idempotency.claim(tenant_id, key, record, DUE_AT) == record
    found = [lab.idempotency.find(tenant_id, key, DUE_AT) for tenant_id, key in places]
    assert [record.job_id if record else None for record in found] == [f"job_{n}" for n in range(len(places))]


def test_a_key_may_hold_any_text(lab: Lab) -> None:
    for key in ("x" * 255, "ключ", "a#b|c", "\u0000", "💥" * 50):
        assert lab.idempotency.claim(TENANT, key, FIRST, DUE_AT) == FIRST
        assert lab.idempotency.find(TENANT, key, DUE_AT) == FIRST
