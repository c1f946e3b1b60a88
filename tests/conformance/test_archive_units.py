"""The list of unsealed units: every change is conditional, and a lease keeps two passes apart."""

from dataclasses import replace

import pytest

from shared.domain.archive.schedule import UnitState
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import LEAST_COUNTS, ShardCounts
from shared.ports.archive import PlanMark
from tests.support.builders import DUE_AT
from tests.support.conformance.labs import Lab
from tests.support.fakes.archive import LEASE_MS

UNIT = ArchiveUnit(hour=483_333, group=2)
NEXT, SEALABLE = DUE_AT + 1_000, DUE_AT + 2_000
WIDE = ShardCounts(normal=4, quarter=8, midnight=16)


def opened(lab: Lab, unit: ArchiveUnit = UNIT) -> UnitState:
    lab.archive_units.open(unit, next_pass_at=NEXT, sealable_from=SEALABLE)
    return next(state for state in lab.archive_units.listed() if state.unit == unit)


def taken(lab: Lab, state: UnitState, now_ms: int = NEXT) -> UnitState:
    lease = lab.archive_units.take(state, now_ms)
    assert lease is not None
    return lease


def test_units_are_listed_in_order_and_each_once(lab: Lab) -> None:
    later, upper = ArchiveUnit(hour=483_334, group=0), ArchiveUnit(hour=483_333, group=10)
    for unit in (later, upper, UNIT, UNIT):
        lab.archive_units.open(unit, next_pass_at=NEXT, sealable_from=SEALABLE)
    listed = lab.archive_units.listed()
    assert [state.unit for state in listed] == [UNIT, upper, later]
    assert listed[0] == UnitState(unit=UNIT, version=SEALABLE, next_pass_at=NEXT, sealable_from=SEALABLE)


def test_closed_unit_is_listed_again_as_one_that_was_passed(lab: Lab) -> None:
    lab.archive_units.open(UNIT, next_pass_at=NEXT, sealable_from=SEALABLE, is_passed=True)
    (state,) = lab.archive_units.listed()
    assert (state.passes, state.next_pass_at, state.sealed) == (1, NEXT, False)


def test_unit_that_is_listed_keeps_its_state(lab: Lab) -> None:
    lease = taken(lab, opened(lab))
    assert lab.archive_units.record(lease, next_pass_at=NEXT + 5, counter=None, counter_since=None)
    lab.archive_units.open(UNIT, next_pass_at=1, sealable_from=1)
    (state,) = lab.archive_units.listed()
    assert (state.next_pass_at, state.passes) == (NEXT + 5, 1)


def test_lease_belongs_to_one_run_until_it_ends(lab: Lab) -> None:
    state = opened(lab)
    first = taken(lab, state)
    assert first.version > state.version
    assert lab.archive_units.take(state, NEXT) is None
    (leased,) = lab.archive_units.listed()
    assert lab.archive_units.take(leased, NEXT + LEASE_MS - 1) is None
    second = taken(lab, leased, NEXT + LEASE_MS)
    assert not lab.archive_units.record(first, next_pass_at=1, counter=None, counter_since=None)
    assert not lab.archive_units.seal(first, None)
    assert lab.archive_units.seal(second, None)


def test_recorded_pass_ends_the_lease_and_keeps_the_counter(lab: Lab) -> None:
    lease = taken(lab, opened(lab))
    assert lab.archive_units.record(lease, next_pass_at=NEXT + 7, counter=DUE_AT, counter_since=NEXT)
    (state,) = lab.archive_units.listed()
    assert (state.counter, state.counter_since, state.next_pass_at) == (DUE_AT, NEXT, NEXT + 7)
    again = taken(lab, state)
    assert lab.archive_units.record(again, next_pass_at=NEXT, counter=None, counter_since=None)
    (state,) = lab.archive_units.listed()
    assert (state.counter, state.counter_since, state.passes) == (None, None, 2)


@pytest.mark.parametrize("counter", [None, DUE_AT])
def test_sealed_unit_leaves_the_list_and_its_counter_stays(lab: Lab, counter: int | None) -> None:
    assert lab.archive_units.seal(taken(lab, opened(lab)), counter)
    (state,) = lab.archive_units.listed()
    assert (state.sealed, state.counter) == (True, counter)
    lab.archive_units.close(state, NEXT)
    assert lab.archive_units.listed() == []
    assert lab.archive_units.sealed_counters() == ({UNIT: counter} if counter else {})


def test_sealed_unit_that_was_reopened_is_not_closed(lab: Lab) -> None:
    assert lab.archive_units.seal(taken(lab, opened(lab)), None)
    (sealed,) = lab.archive_units.listed()
    lab.archive_units.reopen(sealed, next_pass_at=NEXT + 9)
    lab.archive_units.close(sealed, NEXT)
    lab.archive_units.reopen(sealed, next_pass_at=1)
    (state,) = lab.archive_units.listed()
    assert (state.sealed, state.next_pass_at) == (False, NEXT + 9)


def test_unit_that_is_listed_again_has_another_version(lab: Lab) -> None:
    assert lab.archive_units.seal(taken(lab, opened(lab)), None)
    (sealed,) = lab.archive_units.listed()
    lab.archive_units.close(sealed, NEXT)
    lab.archive_units.open(UNIT, next_pass_at=SEALABLE, sealable_from=SEALABLE + 100_000)
    lab.archive_units.close(replace(sealed), NEXT)
    assert [state.unit for state in lab.archive_units.listed()] == [UNIT]


def test_mark_of_listed_hours_moves_forward_and_carries_the_latest_counts(lab: Lab) -> None:
    assert lab.archive_units.planned() is None
    for mark in (PlanMark(hour=5, recorded=LEAST_COUNTS), PlanMark(hour=5, recorded=WIDE)):
        lab.archive_units.note_planned(mark)
        assert lab.archive_units.planned() == mark
    lab.archive_units.note_planned(PlanMark(hour=4, recorded=LEAST_COUNTS))
    assert lab.archive_units.planned() == PlanMark(hour=5, recorded=WIDE)
    assert lab.archive_units.listed() == []


def test_many_units_are_all_listed(lab: Lab) -> None:
    units = [ArchiveUnit(hour=400_000 + number // 40, group=number % 40) for number in range(120)]
    for unit in units:
        lab.archive_units.open(unit, next_pass_at=NEXT, sealable_from=SEALABLE)
    assert [state.unit for state in lab.archive_units.listed()] == units


def test_comparisons_go_on_after_the_tenant_that_the_latest_one_has_noted(lab: Lab) -> None:
    assert lab.archive_units.looked_up_to() is None
    lab.archive_units.note_looked_up("globex", after="acme")
    assert lab.archive_units.looked_up_to() is None
    lab.archive_units.note_looked_up("acme", after=None)
    lab.archive_units.note_looked_up("globex", after="acme")
    assert lab.archive_units.looked_up_to() == "globex"
    for stale in ("acme", None):
        lab.archive_units.note_looked_up("umbrella", after=stale)
    assert lab.archive_units.looked_up_to() == "globex"
    lab.archive_units.note_looked_up("acme", after="globex")
    assert lab.archive_units.looked_up_to() == "acme"
    assert lab.archive_units.listed() == []
