"""Counters of late puts: each count is another value, and the counts in the index are those of a range of time."""

from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, TENANT, expiry_for, in_state, job, occurrence, one_off
from tests.support.conformance.labs import Lab

HOUR = 483_333


def test_hour_without_a_count_has_no_counter(lab: Lab) -> None:
    assert lab.late_puts.counter(HOUR) is None
    assert lab.late_puts.counters() == {}


def test_count_raises_the_counter_of_its_hour_alone(lab: Lab) -> None:
    seen = []
    for now_ms in (DUE_AT, DUE_AT - 5, DUE_AT + 5):
        lab.late_puts.count(HOUR, now_ms)
        seen.append(lab.late_puts.counter(HOUR))
    assert seen == [DUE_AT + 1, DUE_AT + 2, DUE_AT + 3]
    lab.late_puts.count(HOUR + 1, DUE_AT)
    assert lab.late_puts.counters() == {HOUR: DUE_AT + 3, HOUR + 1: DUE_AT + 1}


def test_counter_that_begins_later_has_no_value_of_an_earlier_one(lab: Lab) -> None:
    lab.late_puts.count(HOUR, DUE_AT)
    lab.late_puts.count(HOUR + 1, DUE_AT + 60_000)
    counters = lab.late_puts.counters()
    assert counters[HOUR] < counters[HOUR + 1]


def test_rows_of_counters_are_no_units(lab: Lab) -> None:
    lab.late_puts.count(HOUR, DUE_AT)
    assert lab.archive_units.listed() == []
    assert lab.archive_units.sealed_counters() == {}


def test_index_counts_one_off_jobs_and_runs_in_a_range_of_time(lab: Lab) -> None:
    first, last = DUE_AT - DUE_AT % 3_600_000, DUE_AT - DUE_AT % 3_600_000 + 3_599_999
    rows = [
        one_off(1, due_at=first),
        in_state(one_off(2, due_at=last), State.SUCCEEDED),
        occurrence(job(), first + 60_000),
        one_off(3, due_at=first - 1),
        one_off(4, due_at=last + 1),
        one_off(5, tenant_id="globex", due_at=first),
        one_off(6, due_at=first, index_shard=1),
    ]
    for row in rows:
        assert lab.executions.put_if_absent(row, expires_at_s=expiry_for(row)) is None
    assert lab.index_counts.due_between(TENANT, 1, first, last + 1) == 3
    assert lab.index_counts.due_between(TENANT, 2, first, last + 1) == 4
    assert lab.index_counts.due_between("globex", 1, first, last + 1) == 1
    assert lab.index_counts.due_between("nobody", 1, first, last + 1) == 0
