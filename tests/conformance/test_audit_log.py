"""AuditLog: what was appended stays, and is read newest first, page by page, by one tenant alone."""

from dataclasses import replace

import pytest

from shared.domain.tenancy.audit import Actor, AuditRecord
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT
from tests.support.conformance.labs import Lab

FOREVER = 10**14


def record(number: int = 1, **overrides: object) -> AuditRecord:
    plain = AuditRecord(
        id=f"aud_{number:03d}",
        tenant_id=TENANT,
        at=DUE_AT + number,
        actor=Actor(tenant_id=TENANT, key_id="k1"),
        operation="cancelJob",
        target=f"job_{number % 3}",
        before="b" * 64,
        after="a" * 64,
        request_id="request-1",
    )
    return replace(plain, **overrides)  # type: ignore[arg-type]


def append(lab: Lab, *records: AuditRecord) -> None:
    for each in records:
        lab.audit.append(each, EXPIRES_AT_S)


def pages(
    lab: Lab, limit: int, *, from_at: int = 0, until_at: int = FOREVER, target: str | None = None
) -> list[tuple[AuditRecord, ...]]:
    found, after = [], None
    while True:
        page = lab.audit.page(
            TENANT, from_at=from_at, until_at=until_at, target=target, limit=limit, after=after
        )
        found.append(page.records)
        after = page.next_after
        if after is None:
            return found


def test_every_field_is_read_back(lab: Lab) -> None:
    full = record(1)
    bare = record(2, actor=Actor(tenant_id="operator", key_id=None), before=None, after=None)
    append(lab, full, bare)
    assert pages(lab, 10) == [(bare, full)]


def test_audit_record_is_not_overwritten(lab: Lab) -> None:
    append(lab, record(1), record(1, operation="forged"))
    assert pages(lab, 10) == [(record(1),)]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_every_record_is_on_one_page(lab: Lab, limit: int) -> None:
    append(lab, *map(record, range(4)))
    found = pages(lab, limit)
    assert [each for page in found for each in page] == [record(number) for number in (3, 2, 1, 0)]
    assert all(len(page) <= limit for page in found)


def test_an_interval_has_its_first_instant_and_not_its_last(lab: Lab) -> None:
    append(lab, *map(record, range(5)))
    (found,) = pages(lab, 10, from_at=DUE_AT + 1, until_at=DUE_AT + 3)
    assert found == (record(2), record(1))


def test_records_of_one_target_are_found_among_the_others(lab: Lab) -> None:
    append(lab, *map(record, range(7)))
    found = [each for page in pages(lab, 2, target="job_0") for each in page]
    assert found == [record(6), record(3), record(0)]
    assert [each for page in pages(lab, 2, target="job_9") for each in page] == []


def test_a_tenant_reads_its_own_records_alone(lab: Lab) -> None:
    append(lab, record(1), record(2, tenant_id="acme-2"), record(3, tenant_id=f"{TENANT}0"))
    assert pages(lab, 10) == [(record(1),)]
