"""TriggerStore: a tenant's triggers, each version written over the one before."""

from dataclasses import replace

from shared.domain.triggers.trigger import Trigger
from tests.support.builders import DUE_AT, TENANT
from tests.support.conformance.labs import Lab

FIRST = Trigger(
    name="orders",
    version=1,
    changed_at=DUE_AT,
    pattern='{"source":["shop"],"data":{"größe":[{"numeric":[">",1.5]}]}}',
    job_id="job_r" + "0" * 27,
    delay_seconds=60,
)
SECOND = replace(FIRST, version=2, pattern='{"type":[""]}', delay_seconds=0)
THIRD = replace(FIRST, version=3, job_id="job_r" + "1" * 27)


def test_trigger_is_read_as_it_was_put(lab: Lab) -> None:
    assert lab.triggers.get(TENANT, "orders") is None
    for before, trigger in ((None, FIRST), (FIRST, SECOND), (SECOND, THIRD)):
        assert lab.triggers.put(TENANT, trigger, before)
        assert lab.triggers.get(TENANT, "orders") == trigger
    assert lab.triggers.get("acme-2", "orders") is None
    assert lab.triggers.get(TENANT, "order") is None


def test_trigger_is_written_over_the_one_that_was_read_alone(lab: Lab) -> None:
    assert not lab.triggers.put(TENANT, SECOND, FIRST)
    assert lab.triggers.put(TENANT, FIRST, None)
    assert not lab.triggers.put(TENANT, SECOND, None)
    assert not lab.triggers.put(TENANT, THIRD, SECOND)
    assert not lab.triggers.put(TENANT, THIRD, replace(FIRST, changed_at=DUE_AT + 1))
    assert lab.triggers.get(TENANT, "orders") == FIRST


def test_trigger_write_succeeds_again_when_its_answer_was_lost(lab: Lab) -> None:
    for _ in range(2):
        assert lab.triggers.put(TENANT, FIRST, None)
    for _ in range(2):
        assert lab.triggers.put(TENANT, SECOND, FIRST)
    for _ in range(2):
        assert lab.triggers.delete(TENANT, SECOND)


def test_deleted_trigger_leaves_nothing_behind(lab: Lab) -> None:
    lab.triggers.put(TENANT, FIRST, None)
    assert not lab.triggers.delete(TENANT, SECOND)
    assert lab.triggers.delete(TENANT, FIRST)
    assert lab.triggers.get(TENANT, "orders") is None
    assert lab.triggers.all(TENANT) == []
    assert lab.tenant_records.delete_definitions(TENANT) == {}
    assert lab.triggers.put(TENANT, FIRST, None)


def test_triggers_of_a_tenant_are_listed_by_name(lab: Lab) -> None:
    others = [replace(FIRST, name=name) for name in ("b-2", "works", "b")]
    for trigger in (FIRST, *others):
        lab.triggers.put(TENANT, trigger, None)
    lab.triggers.put("acme-2", replace(FIRST, name="theirs"), None)
    assert [each.name for each in lab.triggers.all(TENANT)] == ["b", "b-2", "orders", "works"]
    assert [each.name for each in lab.triggers.all("acme-2")] == ["theirs"]


def test_triggers_are_deleted_with_the_definitions_of_their_tenant(lab: Lab) -> None:
    lab.triggers.put(TENANT, FIRST, None)
    lab.triggers.put("acme-2", FIRST, None)
    assert lab.tenant_records.delete_definitions(TENANT) == {"records": 1}
    assert lab.tenant_records.delete_definitions(TENANT) == {}
    assert lab.triggers.get(TENANT, "orders") is None
    assert lab.triggers.get("acme-2", "orders") == FIRST
