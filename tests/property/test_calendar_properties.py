"""Properties of schedules with a calendar, checked against an enumeration of every day and minute."""

from datetime import date, datetime, timedelta
from functools import cache, partial

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.domain.schedules.blackouts import MAX_BLACKOUT_DAYS, Blackout, merged, thawed
from shared.domain.schedules.business_days import (
    date_of,
    day_of,
    freeze,
    from_frozen,
    with_windows,
)
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.country_calendars import country_days
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.schedule import (
    Cron,
    count_between,
    decode_schedule,
    encode_schedule,
    first_after,
    instants_before,
    latest_at_or_before,
)
from shared.domain.schedules.zone_changes import with_frozen_rules
from tests.support.property import business_day_oracle as oracle
from tests.support.property.line_strategies import lines
from tests.support.property.wall_clock_oracle import Line, any_day, at, instants, minutes_of

DAYS = 40
"""Longer than a month, so that each window has a first and a last business day."""
EVERY = 5
"""Minutes; lines and clock changes of this suite fall on them."""
WINDOWS = [
    ("Africa/Cairo", "2025-04-10T12:00"),
    ("Africa/Casablanca", "2026-02-05T00:00"),
    ("America/Havana", "2025-02-26T00:00"),
    ("America/Havana", "2025-10-20T00:00"),
    ("America/New_York", "2026-02-25T00:00"),
    ("America/New_York", "2025-10-20T00:00"),
    ("America/Santiago", "2025-08-25T00:00"),
    ("America/Sao_Paulo", "2026-04-01T00:00"),
    ("America/Scoresbysund", "2025-03-10T00:00"),
    ("America/St_Johns", "2026-02-20T00:00"),
    ("Antarctica/Troll", "2025-03-15T00:00"),
    ("Asia/Beirut", "2025-03-15T12:00"),
    ("Asia/Dubai", "2026-03-01T00:00"),
    ("Asia/Gaza", "2025-03-25T00:00"),
    ("Asia/Hong_Kong", "2027-01-20T00:00"),
    ("Asia/Jerusalem", "2026-03-10T00:00"),
    ("Asia/Kathmandu", "2025-09-10T00:00"),
    ("Asia/Riyadh", "2026-05-10T00:00"),
    ("Asia/Shanghai", "2025-09-15T00:00"),
    ("Asia/Tehran", "2025-03-01T00:00"),
    ("Asia/Tokyo", "2026-04-10T00:00"),
    ("Atlantic/Azores", "2025-12-10T00:00"),
    ("Australia/Lord_Howe", "2025-09-20T12:00"),
    ("Australia/Lord_Howe", "2026-03-20T12:00"),
    ("Australia/Sydney", "2026-03-15T00:00"),
    ("Europe/Berlin", "2027-03-10T00:00"),
    ("Europe/London", "2026-12-10T00:00"),
    ("Pacific/Chatham", "2025-09-10T12:00"),
    ("Pacific/Kiritimati", "2025-12-20T00:00"),
    ("UTC", "2027-12-15T00:00"),
]
assert len({zone for zone, _ in WINDOWS}) >= 24
assert len(oracle.WEEKENDS) >= 10

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
windows = st.sampled_from(WINDOWS)
names = st.sampled_from(sorted(oracle.WEEKENDS))
rules = st.sampled_from(list(WhenExcluded))


@cache
def is_business(name: str, day: date) -> bool:
    return oracle.Calendar(name).is_business(day)


@st.composite
def sparse_lines(draw: st.DrawFn, day_rules: st.SearchStrategy[Line]) -> Line:
    """A line that fires at few times of a day, each a multiple of EVERY."""
    line = draw(day_rules)
    _, _, *days = line.text.split()
    minutes = draw(st.frozensets(st.integers(0, 11).map(lambda each: each * EVERY), min_size=1, max_size=2))
    hours = draw(st.frozensets(st.sampled_from([0, 1, 2, 3, 9, 23]), min_size=1, max_size=3))
    text = f"{','.join(map(str, minutes))} {','.join(map(str, hours))} {' '.join(days)}"
    return Line(text, minutes, hours, line.day_matches, is_interval=False)


def days_around(start: datetime) -> list[date]:
    return [start.date() + timedelta(days=count) for count in range(-60, DAYS + 60)]


def check(schedule: Cron, moved: Line, start: datetime, data: st.DataObject) -> None:
    """Each query of the schedule, frozen or not, agrees with the enumeration."""
    minutes = minutes_of(schedule.timezone, start, DAYS, EVERY)
    expected = instants(moved, minutes, schedule.gap, schedule.overlap)
    agrees(schedule, expected, (minutes[0].at_ms, minutes[-1].at_ms), data)


def agrees(schedule: Cron, expected: list[int], watched: tuple[int, int], data: st.DataObject) -> None:
    """Each query of the schedule in the watched time gives the expected instants."""
    first_ms, last_ms = watched
    moment = data.draw(st.integers(first_ms, last_ms) | st.sampled_from(expected or [first_ms]))
    frozen = with_frozen_rules(schedule, first_ms, first_ms)
    assert decode_schedule(encode_schedule(frozen)) == frozen
    later = [each for each in expected if each > moment]
    low = data.draw(st.integers(first_ms, moment))
    inside = [each for each in expected if low <= each <= moment]
    for asked in (schedule, frozen):
        after = moment
        for instant in later[:20]:
            assert first_after(asked, after) == instant
            after = instant
        if len(later) <= 20:
            following = first_after(asked, after)
            assert following is None or following > last_ms
        assert count_between(asked, moment, last_ms, 1_000) == len(later)
        assert latest_at_or_before(asked, moment, low) == (inside[-1] if inside else None)
        assert instants_before(asked, moment + 1, low, 5) == inside[::-1][:5]


@relaxed
@given(line=sparse_lines(lines()), window=windows, name=names, rule=rules, data=st.data())
def test_runs_that_a_calendar_moves_are_those_of_the_enumeration(
    line: Line, window: tuple[str, str], name: str, rule: WhenExcluded, data: st.DataObject
) -> None:
    zone, start = window
    schedule = Cron(
        line=line.text,
        timezone=zone,
        gap=data.draw(st.sampled_from(list(Gap))),
        overlap=data.draw(st.sampled_from(list(Overlap))),
        calendar=CalendarRule(name=name, when_excluded=rule),
    )
    moved = oracle.moved_line(line, rule.value, partial(is_business, name), days_around(at(start)))
    check(schedule, moved, at(start), data)


@st.composite
def monthly_lines(draw: st.DrawFn) -> Line:
    """A line of every day, in all months or in some."""
    months = draw(st.none() | st.frozensets(st.integers(1, 12), min_size=3))
    text = "*" if months is None else ",".join(map(str, sorted(months)))
    rule = any_day if months is None else lambda day: day.month in months
    return Line(f"0 0 * {text} *", frozenset(), frozenset(), rule, is_interval=False)


@relaxed
@given(
    line=sparse_lines(monthly_lines()),
    window=windows,
    name=names,
    nth=st.integers(1, 23) | st.integers(-23, -1) | st.sampled_from([1, -1]),
    data=st.data(),
)
def test_nth_business_day_is_that_of_the_enumeration(
    line: Line, window: tuple[str, str], name: str, nth: int, data: st.DataObject
) -> None:
    zone, start = window
    schedule = Cron(
        line=line.text,
        timezone=zone,
        gap=data.draw(st.sampled_from(list(Gap))),
        overlap=data.draw(st.sampled_from(list(Overlap))),
        calendar=CalendarRule(name=name, business_day=nth),
    )
    check(schedule, oracle.on_business_day(line, nth, partial(is_business, name)), at(start), data)


@st.composite
def blackout_windows(draw: st.DrawFn, around: tuple[int, int]) -> list[tuple[int, int]]:
    """Windows among the watched minutes, which may overlap, meet, or begin and end with an instant of a line."""
    first, last = (instant // 60_000 for instant in around)
    shortest = st.integers(1, 600) | st.integers(1, 20 * 1_440)
    starts = st.integers(first, last) | st.integers(first // EVERY, last // EVERY).map(
        lambda each: each * EVERY
    )
    found = draw(st.lists(st.tuples(starts, shortest), min_size=1, max_size=6))
    return [(start * 60_000, (start + length) * 60_000) for start, length in found]


@relaxed
@given(line=sparse_lines(lines()), window=windows, name=names, rule=rules, data=st.data())
def test_runs_that_blackout_windows_move_are_those_of_the_enumeration(
    line: Line, window: tuple[str, str], name: str, rule: WhenExcluded, data: st.DataObject
) -> None:
    zone, start = window
    watched = minutes_of(zone, at(start), DAYS, EVERY)
    ends = watched[0].at_ms + 8 * 86_400_000, watched[-1].at_ms - 8 * 86_400_000
    excluded = data.draw(blackout_windows(ends))
    text = freeze("v1", country_days(name), day_of(at(start).date()) - 60, day_of(at(start).date()) + 120)
    text = with_windows(text, merged(Blackout(from_at=low, until_at=high) for low, high in excluded), 0)
    schedule = Cron(
        line=line.text,
        timezone=zone,
        gap=data.draw(st.sampled_from(list(Gap))),
        overlap=data.draw(st.sampled_from(list(Overlap))),
        calendar=CalendarRule(name="plant", when_excluded=rule, days=text),
    )
    rule_of_days = partial(is_business, name)
    moved = oracle.moved_line(line, rule.value, rule_of_days, days_around(at(start)))
    before = instants(moved, watched, schedule.gap, schedule.overlap)
    around = tuple(range(watched[0].at_ms - 60 * 86_400_000, watched[-1].at_ms + 60 * 86_400_000, 60_000))
    expected = oracle.outside(before, excluded, rule.value, oracle.Clock(zone, around), rule_of_days)
    inside = [each for each in expected if ends[0] <= each <= ends[1]]
    agrees(schedule, inside, ends, data)


@relaxed
@given(
    windows=st.lists(
        st.tuples(st.integers(0, 120_000_000), st.integers(1, MAX_BLACKOUT_DAYS * 1_440)), max_size=100
    ),
    moment=st.integers(0, 130_000_000 * 60_000),
)
def test_frozen_blackout_windows_are_the_union_of_those_that_have_not_ended(
    windows: list[tuple[int, int]], moment: int
) -> None:
    excluded = [
        Blackout(from_at=start * 60_000, until_at=(start + length) * 60_000) for start, length in windows
    ]
    union = merged(excluded)
    text = union.frozen(moment)
    assert bool(text) == any(each.until_at > moment for each in excluded)
    assert len(text) <= 12 * len(windows)
    edges = {edge + more for each in excluded for edge in (each.from_at, each.until_at) for more in (-1, 0)}
    for instant in (moment, *(edge for edge in edges if edge >= moment)):
        is_inside = any(each.from_at <= instant < each.until_at for each in excluded)
        assert (union.at(instant) is not None) == is_inside
        assert (text != "" and thawed(text).at(instant) is not None) == is_inside


@relaxed
@given(name=names, zone=st.sampled_from(sorted({zone for zone, _ in WINDOWS})), rule=rules, data=st.data())
def test_every_moment_up_to_the_next_moved_run_has_the_same_next(
    name: str, zone: str, rule: WhenExcluded, data: st.DataObject
) -> None:
    line = data.draw(sparse_lines(lines()))
    schedule = Cron(line=line.text, timezone=zone, calendar=CalendarRule(name=name, when_excluded=rule))
    moment = data.draw(st.integers(0, 4 * 10**12))
    found = first_after(schedule, moment)
    if found is None:
        assert rule is WhenExcluded.SKIP
        return
    assert found > moment
    between = data.draw(st.integers(moment, found - 1))
    assert first_after(schedule, between) == found
    assert first_after(schedule, found - 1) == found


@relaxed
@given(name=names, first=st.dates(date(1975, 1, 1), date(2095, 1, 1)), length=st.integers(0, 2_000))
def test_frozen_days_are_those_of_the_library_within_their_range(name: str, first: date, length: int) -> None:
    present = country_days(name)
    days = range(day_of(first), day_of(first) + length)
    frozen = from_frozen(freeze("1.0", present, days.start, days.stop - 1))
    assert [frozen.is_business(day) for day in days] == [present.is_business(day) for day in days]
    for day in (*range(days.start - 30, days.start), *range(days.stop, days.stop + 30)):
        assert frozen.is_business(day) == (date_of(day).weekday() not in present.weekend)
