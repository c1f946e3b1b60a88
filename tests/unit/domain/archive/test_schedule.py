"""When units are passed, and when the writers of late records are certainly done."""

from dataclasses import replace

from shared.domain.archive.schedule import (
    FIRST_PASS_MS,
    QUIET_MS,
    Reading,
    UnitState,
    is_due,
    is_quiet,
    next_pass_at,
    sealable_from,
)
from shared.domain.archive.unit import DAY_MS, SEALED_AFTER_MS, ArchiveUnit
from shared.domain.bucket import WRITER_LIFE_MS

UNIT = ArchiveUnit(hour=500_000, group=0)
SEAL = UNIT.end_ms + SEALED_AFTER_MS
STATE = UnitState(unit=UNIT, version=1, next_pass_at=UNIT.end_ms + FIRST_PASS_MS, sealable_from=SEAL)


def test_first_pass_is_early_where_nothing_is_open() -> None:
    before = STATE.next_pass_at - 1
    assert is_due(STATE, before, has_open_shards=False)
    assert not is_due(STATE, before, has_open_shards=True)
    assert is_due(STATE, STATE.next_pass_at, has_open_shards=True)


def test_later_passes_come_at_their_time_and_none_of_a_sealed_unit() -> None:
    passed = replace(STATE, passes=1)
    assert not is_due(passed, STATE.next_pass_at - 1, has_open_shards=False)
    assert not is_due(replace(STATE, sealed=True), SEAL, has_open_shards=False)


def test_next_pass_is_a_day_later_or_the_sealing_one() -> None:
    now_ms = STATE.next_pass_at
    assert next_pass_at(STATE, Reading(), now_ms, is_quiet=True) == SEAL
    for reading in (Reading(unended=1), Reading(unreadable=1), Reading(open_shards=1)):
        assert next_pass_at(STATE, reading, now_ms, is_quiet=True) == now_ms + DAY_MS
        assert next_pass_at(STATE, reading, SEAL - 1, is_quiet=True) == SEAL
        assert next_pass_at(STATE, reading, SEAL, is_quiet=True) == SEAL + DAY_MS
    assert next_pass_at(STATE, Reading(), SEAL, is_quiet=False) == SEAL + QUIET_MS


def test_unit_is_quiet_once_its_counter_has_stood_for_longer_than_writers_live() -> None:
    assert QUIET_MS > WRITER_LIFE_MS
    assert is_quiet(STATE, None, SEAL)
    assert not is_quiet(STATE, 7, SEAL)
    seen = replace(STATE, counter=7, counter_since=SEAL)
    assert not is_quiet(seen, 7, SEAL + QUIET_MS - 1)
    assert is_quiet(seen, 7, SEAL + QUIET_MS)
    assert not is_quiet(seen, 8, SEAL + QUIET_MS)


def test_unit_that_is_listed_late_may_be_sealed_at_once() -> None:
    assert sealable_from(UNIT, UNIT.end_ms) == SEAL
    assert sealable_from(UNIT, SEAL + 5) == SEAL + 5
