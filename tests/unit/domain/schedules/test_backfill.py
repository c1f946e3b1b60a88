"""Backfills: which past instant each run is for, over changes of the clocks too, and what ranges may be asked for."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from shared.domain.errors import (
    ScheduleError,
    ScheduleInPastError,
    ScheduleNeverFiresError,
    ScheduleTooFarError,
    UnreadableItemError,
)
from shared.domain.ids import (
    DEFAULT_CELL,
    backfill_job_id,
    backfilled_job,
    is_recurring_job_id,
    recurring_job_id,
)
from shared.domain.jobs.misfire import succession
from shared.domain.jobs.new_backfill import ALL_RUNS, NewBackfill
from shared.domain.schedules.backfill import backfilled_instants, resume_backfill, scheduled_at
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.instants import FARTHEST_MS
from shared.domain.schedules.recurrence import Recurrence
from shared.domain.schedules.schedule import (
    Backfill,
    Cron,
    Rate,
    count_between,
    decode_series,
    encode_series,
    first_after,
    instants_before,
    latest_at_or_before,
)
from shared.domain.schedules.zone_rules import frozen_rules
from tests.support.builders import ONE_SHARD
from tests.support.property.wall_clock_oracle import Line, any_day, at, instants, minutes_of

NOW = 1_780_000_000_000
HOUR, DAY = 3_600_000, 86_400_000
DECEMBER_2015 = 1_448_928_000_000
HALF_PAST = Line("30 1-3 * * *", frozenset({30}), frozenset({1, 2, 3}), any_day, is_interval=False)
QUARTERS = Line("*/15 * * * *", frozenset(range(0, 60, 15)), frozenset(range(24)), any_day, is_interval=True)
EXPRESSION = replace(HALF_PAST, text="cron(30 1-3 * * ? *)")
CHANGES = [
    ("America/New_York", "2025-03-08T12:00", "2025-11-01T12:00"),
    ("Australia/Lord_Howe", "2025-10-04T00:00", "2025-04-05T00:00"),
    ("America/Havana", "2025-03-08T12:00", "2025-11-01T12:00"),
    ("Europe/Berlin", "2025-03-29T12:00", "2025-10-25T12:00"),
]
RATE = Rate(interval_ms=1_000, anchor=NOW - 20 * FARTHEST_MS // 10)


def made(of: Rate | Cron, from_at: int, to_at: int, every_seconds: int = 1, anchor: int = NOW) -> Backfill:
    new = NewBackfill(from_at=from_at, to_at=to_at, every_seconds=every_seconds)
    return new.schedule_of(of, anchor, NOW)


def three_hours(every_seconds: int = 60, first: int = 0) -> Backfill:
    of = Cron(line="0 * * * *", timezone="UTC")
    from_at = NOW // HOUR * HOUR - 10 * HOUR
    return replace(made(of, from_at, from_at + 3 * HOUR, every_seconds), first=first)


def runs(backfill: Backfill) -> list[int]:
    """The instants at which it runs, one after the other."""
    found: list[int] = []
    following = first_after(backfill, 0)
    while following is not None:
        found.append(following)
        following = first_after(backfill, following)
    return found


@pytest.mark.parametrize("line", [HALF_PAST, QUARTERS, EXPRESSION], ids=["cron", "interval", "expression"])
@pytest.mark.parametrize(("gap", "overlap"), list(product(Gap, Overlap)))
@pytest.mark.parametrize("zone", CHANGES, ids=[zone for zone, *_ in CHANGES])
def test_the_runs_are_for_the_instants_of_the_range_in_order(
    line: Line, gap: Gap, overlap: Overlap, zone: tuple[str, str, str]
) -> None:
    name, *starts = zone
    of = Cron(line=line.text, timezone=name, gap=gap, overlap=overlap)
    for start in starts:
        minutes = minutes_of(name, at(start), 2)
        wanted = instants(line, minutes, gap.value, overlap.value)
        backfill = made(of, minutes[0].at_ms, minutes[-1].at_ms + 60_000, every_seconds=7)
        assert backfill.count == len(wanted)
        assert runs(backfill) == [NOW + 7_000 * number for number in range(len(wanted))]
        assert [scheduled_at(backfill, run) for run in runs(backfill)] == wanted


def test_the_range_has_its_beginning_and_not_its_end() -> None:
    of = Rate(interval_ms=60_000, anchor=NOW - HOUR)
    backfill = made(of, NOW - HOUR, NOW - HOUR + 3 * 60_000)
    assert [scheduled_at(backfill, run) for run in runs(backfill)] == [
        NOW - HOUR + 60_000 * number for number in range(3)
    ]
    assert made(of, NOW - HOUR, NOW - HOUR + 1).count == 1
    with pytest.raises(ScheduleNeverFiresError):
        made(of, NOW - HOUR + 1, NOW - HOUR + 60_000)


def test_backfill_uses_the_zone_rules_of_its_range_not_of_its_job() -> None:
    """The clocks of Istanbul changed until 2016; the rules of a job of ten years later know nothing of that."""
    of = Cron(line="30 12 * * *", timezone="Europe/Istanbul")
    ours = replace(of, rules=frozen_rules(of.timezone, NOW, NOW))
    new = NewBackfill(from_at=DECEMBER_2015, to_at=DECEMBER_2015 + DAY)
    backfill = new.schedule_of(ours, NOW, DECEMBER_2015 + 365 * DAY)
    assert scheduled_at(backfill, NOW) == DECEMBER_2015 + 10 * HOUR + HOUR // 2
    assert isinstance(backfill.of, Cron)
    assert backfill.of.rules is not None


def test_the_bounds_of_the_schedule_bound_its_backfill() -> None:
    of = Cron(line="0 * * * *", timezone="UTC", start_at=NOW - 5 * HOUR, end_at=NOW - 2 * HOUR)
    backfill = made(of, NOW - 50 * HOUR, NOW)
    told = [scheduled_at(backfill, run) for run in runs(backfill)]
    assert len(told) == backfill.count == 3
    assert min(told) >= NOW - 5 * HOUR
    assert max(told) <= NOW - 2 * HOUR


def test_every_question_to_the_schedule_is_answered_alike() -> None:
    backfill = three_hours()
    listed = [NOW, NOW + 60_000, NOW + 120_000]
    assert runs(backfill) == listed
    assert backfill.end_at == listed[-1]
    for after, until in product(range(NOW - 1, NOW + 180_002, 30_000), repeat=2):
        between = [instant for instant in listed if after < instant <= until]
        assert count_between(backfill, after, until, 10) == len(between)
        assert instants_before(backfill, until + 1, after + 1, 10) == between[::-1]
        assert latest_at_or_before(backfill, until, after + 1) == (between[-1] if between else None)
    assert instants_before(backfill, NOW + HOUR, 0, 2) == listed[:0:-1]


def test_a_chain_that_is_late_leaves_no_instant_of_a_backfill_out() -> None:
    backfill, nominal_at, told = three_hours(every_seconds=1), NOW - 1_000, []
    while following := succession(backfill, nominal_at, NOW + 300 * 24 * HOUR, ALL_RUNS, filed_at=nominal_at):
        assert following.missed is None
        nominal_at = following.nominal_at
        told.append(scheduled_at(backfill, nominal_at))
    assert told == list(backfilled_instants(backfill.of, backfill.from_at, backfill.to_at, 3))


@pytest.mark.parametrize("started", [0, 1, 2, 3])
def test_resumed_backfill_continues_with_the_first_instant_that_had_not_started(started: int) -> None:
    before = three_hours()
    after_at = NOW + (started - 1) * 60_000
    after = resume_backfill(before, after_at, NOW + 5 * HOUR)
    told = [scheduled_at(before, run) for run in runs(before)]
    assert runs(after) == [NOW + 5 * HOUR + 60_000 * number for number in range(3 - started)]
    assert [scheduled_at(after, run) for run in runs(after)] == told[started:]
    assert after.count == before.count


def test_resumed_backfill_keeps_its_pace_after_a_short_pause() -> None:
    after = resume_backfill(three_hours(), NOW, NOW + 5_000)
    assert runs(after) == [NOW + 60_000, NOW + 120_000]
    again = resume_backfill(after, NOW + 60_000, NOW + 61_000)
    assert runs(again) == [NOW + 120_000]
    assert scheduled_at(again, NOW + 120_000) == scheduled_at(three_hours(), NOW + 120_000)


@pytest.mark.parametrize(
    ("from_at", "to_at", "error", "field"),
    [
        (NOW, NOW, ScheduleError, "to"),
        (NOW, NOW - 1, ScheduleError, "to"),
        (NOW - HOUR, NOW + 1, ScheduleTooFarError, "to"),
        (NOW + HOUR, NOW + 2 * HOUR, ScheduleTooFarError, "to"),
        (NOW - FARTHEST_MS - 1, NOW, ScheduleInPastError, "from"),
        (NOW - HOUR, NOW - HOUR + 1, ScheduleNeverFiresError, "from"),
        (NOW - 1_001_000, NOW, ScheduleError, "to"),
        (NOW - FARTHEST_MS, NOW, ScheduleError, "to"),
    ],
)
def test_a_range_that_cannot_be_backfilled_is_refused(
    from_at: int, to_at: int, error: type[ScheduleError], field: str
) -> None:
    of = Rate(interval_ms=1_000, anchor=NOW - 2 * FARTHEST_MS + 500)
    with pytest.raises(ScheduleError) as refused:
        made(of, from_at, to_at)
    assert type(refused.value) is error
    assert refused.value.field == field


def test_a_range_of_a_thousand_instants_is_accepted_and_one_more_is_not() -> None:
    of = Rate(interval_ms=1_000, anchor=0)
    assert made(of, NOW - 1_000_000, NOW).count == 1_000
    with pytest.raises(ScheduleError, match="more than 1000"):
        made(of, NOW - 1_001_000, NOW)


@pytest.mark.parametrize(
    "changed",
    [
        {"interval_ms": 0},
        {"interval_ms": 1_500},
        {"interval_ms": 86_401_000},
        {"count": 0},
        {"count": 1_001},
        {"first": -1},
        {"first": 4},
        {"to_at": 0},
    ],
)
def test_no_backfill_breaks_its_own_rules(changed: dict[str, Any]) -> None:
    with pytest.raises(ScheduleError):
        replace(three_hours(), **changed)


@pytest.mark.parametrize("of", [RATE, Cron(line="0 3 * * *", timezone="Asia/Kathmandu", gap=Gap.SKIP)])
@pytest.mark.parametrize("first", [0, 1])
def test_encoded_backfill_is_decoded_unchanged(of: Rate | Cron, first: int) -> None:
    backfill = replace(three_hours(first=first), of=of)
    assert decode_series(encode_series(backfill)) == backfill
    assert decode_series(encode_series(of)) == of


@pytest.mark.parametrize(
    "hostile", [{"n": "3"}, {"n": 5_000}, {"o": {"k": "o", "t": 1}}, {"o": 7}, {"i": None}, {"h": 9}]
)
def test_malformed_stored_backfill_is_unreadable(hostile: dict[str, object]) -> None:
    stored = encode_series(three_hours()) | hostile
    with pytest.raises(UnreadableItemError):
        decode_series({name: value for name, value in stored.items() if value is not None})


def test_only_a_backfill_run_stands_for_another_instant_than_its_own() -> None:
    rules = Recurrence(schedule=RATE, counts=ONE_SHARD)
    assert rules.scheduled_at(NOW) == NOW
    assert replace(rules, schedule=three_hours()).scheduled_at(NOW) == three_hours().from_at


def test_a_backfill_has_the_id_of_its_job_in_its_own() -> None:
    job_id = recurring_job_id(NOW, 7, cell=DEFAULT_CELL)
    earlier, later = backfill_job_id(job_id, NOW, 9), backfill_job_id(job_id, NOW + 1, 1)
    assert backfilled_job(earlier) == backfilled_job(later) == job_id
    assert job_id < earlier < later
    assert is_recurring_job_id(earlier)
    assert backfilled_job(job_id) is None
    for other in (
        f"{earlier}0",
        earlier[:-1],
        f"{earlier}_b{'0' * 26}",
        f"{job_id}_c{'0' * 26}",
        "job_1",
        "",
    ):
        assert not is_recurring_job_id(other)
        assert backfilled_job(other) is None
