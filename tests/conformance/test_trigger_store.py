"""TriggerStore: a tenant's triggers, each version written over the one before."""

from dataclasses import replace

import pytest

from shared.domain.triggers.trigger import Started, Throttle, Trigger
from shared.ports.triggers import StartRecord
from tests.support.builders import DUE_AT, TENANT, execution_id
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
THIRD = replace(FIRST, version=3, job_id="job_r" + "1" * 27, set_name="billing")


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


LIMITED = replace(
    FIRST,
    delay_seconds=0,
    debounce_seconds=60,
    debounce_max_seconds=90,
    throttle=Throttle(count=2, per_seconds=60),
)
EVENT = "e" * 32
ONE, TWO, THREE = (execution_id(number) for number in (1, 2, 3))


@pytest.mark.parametrize("changes", [{}, {"debounce_max_seconds": None}, {"throttle": None}])
def test_trigger_with_limits_is_read_as_it_was_put(lab: Lab, changes: dict[str, None]) -> None:
    trigger = replace(LIMITED, **changes)  # type: ignore[arg-type]
    assert lab.triggers.put(TENANT, trigger, None)
    assert lab.triggers.get(TENANT, "orders") == trigger
    assert lab.triggers.all(TENANT) == [trigger]


def test_start_is_recorded_until_the_window_of_the_throttle_is_full(lab: Lab) -> None:
    trigger = replace(FIRST, throttle=Throttle(count=2, per_seconds=60))
    lab.triggers.put(TENANT, trigger, None)
    first = lab.triggers.start(TENANT, trigger, ONE, EVENT, DUE_AT)
    assert first.is_recorded
    assert first.stored == replace(
        trigger, started=Started(run=ONE, event=EVENT, window_from=DUE_AT, count=1)
    )
    assert first.stored is not None
    assert lab.triggers.start(TENANT, first.stored, TWO, EVENT, DUE_AT + 1).is_recorded
    # It knows of one run of the window alone, but the stored count decides.
    stored = first.stored
    full = lab.triggers.start(TENANT, stored, THREE, EVENT, DUE_AT + 2)
    assert not full.is_recorded
    assert full.stored is not None
    assert full.stored.throttled_until(DUE_AT + 59_999) == DUE_AT + 60_000
    after = lab.triggers.start(TENANT, full.stored, THREE, EVENT, DUE_AT + 60_000)
    assert after.stored is not None
    assert after.is_recorded
    assert after.stored.started == Started(run=THREE, event=EVENT, window_from=DUE_AT + 60_000, count=1)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("debounce_seconds", [0, 30])
def test_start_whose_response_was_lost_is_counted_once(lab: Lab, count: int, debounce_seconds: int) -> None:
    throttle = Throttle(count=count, per_seconds=60)
    trigger = replace(FIRST, delay_seconds=0, debounce_seconds=debounce_seconds, throttle=throttle)
    lab.triggers.put(TENANT, trigger, None)
    first = lab.triggers.start(TENANT, trigger, ONE, EVENT, DUE_AT)
    assert lab.triggers.start(TENANT, trigger, ONE, EVENT, DUE_AT) == first
    assert first.is_recorded
    assert first.stored is not None
    assert first.stored.started == Started(run=ONE, event=EVENT, window_from=DUE_AT, count=1)
    again = lab.triggers.start(TENANT, first.stored, TWO, EVENT, DUE_AT + 1)
    assert again.is_recorded == (count > 1)
    if again.stored is not None and again.is_recorded:
        assert lab.triggers.start(TENANT, first.stored, TWO, EVENT, DUE_AT + 1) == again
        assert again.stored.started.count == 2


def test_start_of_a_debounced_run_follows_the_run_that_was_read_alone(lab: Lab) -> None:
    trigger = replace(LIMITED, throttle=None)
    lab.triggers.put(TENANT, trigger, None)
    first = lab.triggers.start(TENANT, trigger, ONE, EVENT, DUE_AT)
    assert (first.is_recorded, first.stored) == (
        True,
        replace(trigger, started=Started(run=ONE, event=EVENT)),
    )
    second = lab.triggers.start(TENANT, trigger, TWO, EVENT, DUE_AT)
    assert (second.is_recorded, second.stored) == (False, first.stored)
    assert second.stored is not None
    assert lab.triggers.start(TENANT, second.stored, TWO, EVENT, DUE_AT).is_recorded
    stored = lab.triggers.get(TENANT, "orders")
    assert stored is not None
    assert stored.started == Started(run=TWO, event=EVENT)


def test_trigger_write_succeeds_again_though_the_trigger_has_started_a_run_meanwhile(lab: Lab) -> None:
    assert lab.triggers.put(TENANT, LIMITED, None)
    assert lab.triggers.start(TENANT, LIMITED, ONE, EVENT, DUE_AT).is_recorded
    started = lab.triggers.get(TENANT, "orders")
    assert lab.triggers.put(TENANT, LIMITED, None)
    assert lab.triggers.get(TENANT, "orders") == started
    assert not lab.triggers.put(TENANT, replace(LIMITED, debounce_seconds=61), None)
    assert lab.triggers.get(TENANT, "orders") == started


def test_start_counts_a_debounced_run_in_the_window(lab: Lab) -> None:
    lab.triggers.put(TENANT, LIMITED, None)
    first = lab.triggers.start(TENANT, LIMITED, ONE, EVENT, DUE_AT).stored
    assert first is not None
    second = lab.triggers.start(TENANT, first, TWO, EVENT, DUE_AT + 1).stored
    assert second is not None
    assert second.started == Started(run=TWO, event=EVENT, window_from=DUE_AT, count=2)
    assert lab.triggers.start(TENANT, second, THREE, EVENT, DUE_AT + 2) == StartRecord(False, second)


def test_start_is_refused_for_another_version_of_the_trigger(lab: Lab) -> None:
    assert lab.triggers.start(TENANT, LIMITED, ONE, EVENT, DUE_AT) == StartRecord(False, None)
    changed = replace(LIMITED, version=2, changed_at=DUE_AT + 1)
    lab.triggers.put(TENANT, LIMITED, None)
    lab.triggers.put(TENANT, changed, LIMITED)
    assert lab.triggers.start(TENANT, LIMITED, ONE, EVENT, DUE_AT) == StartRecord(False, changed)


def test_change_of_a_trigger_forgets_what_it_has_started(lab: Lab) -> None:
    lab.triggers.put(TENANT, LIMITED, None)
    lab.triggers.start(TENANT, LIMITED, ONE, EVENT, DUE_AT)
    stored = lab.triggers.get(TENANT, "orders")
    changed = replace(LIMITED, version=2)
    assert lab.triggers.put(TENANT, changed, stored)
    assert lab.triggers.get(TENANT, "orders") == changed
    assert lab.triggers.delete(TENANT, changed)


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
