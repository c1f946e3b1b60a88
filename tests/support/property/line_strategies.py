"""Cron lines of every form that is accepted, each drawn together with its meaning."""

from datetime import date

from hypothesis import strategies as st

from tests.support.property import wall_clock_oracle as oracle
from tests.support.property.wall_clock_oracle import DayRule, Line

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
LONGEST = {1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}


@st.composite
def items(draw, low, high, words=(), wraps=True):
    """One item of a list, as text and as the set of its values."""
    form = draw(st.sampled_from(["one", "one", "range", "stepped range", "whole", "from", "star step"]))
    if form == "whole":
        return f"{low}-{high}", frozenset(range(low, high + 1))
    first = draw(st.integers(low, high))
    spelled = _spell(draw, first, low, words)
    step = draw(st.integers(1, min(high, high - low + 1)))
    if form == "one":
        return spelled, frozenset({first})
    if form == "from":
        return f"{spelled}/{step}", frozenset(range(first, high + 1, step))
    if form == "star step":
        step = draw(st.integers(2, min(high, high - low + 1)))
        return f"*/{step}", frozenset(range(low, high + 1, step))
    last = draw(st.integers(low, high).filter(lambda value: value != first))
    if not wraps and last < first:
        first, last, spelled = last, first, _spell(draw, last, low, words)
    text = f"{spelled}-{_spell(draw, last, low, words)}"
    if form == "range":
        return text, frozenset(_walk(first, last, low, high))
    return f"{text}/{step}", frozenset(_walk(first, last, low, high)[::step])


def _spell(draw, value, low, words):
    if words and draw(st.booleans()):
        return draw(st.sampled_from([words[value - low], words[value - low].upper()]))
    return draw(st.sampled_from([str(value), f"{value:02}"]))


def _walk(first, last, low, high):
    """The values from first to last, one by one, with low after high."""
    values = [first]
    while values[-1] != last:
        values.append(low if values[-1] == high else values[-1] + 1)
    return values


@st.composite
def fields(draw, low, high, words=(), star_odds=2, wraps=True):
    """A field as text and as a set; None where it is `*`."""
    if draw(st.integers(0, star_odds)) == 0:
        return "*", None
    drawn = draw(st.lists(items(low, high, words, wraps), min_size=1, max_size=3))
    return ",".join(text for text, _ in drawn), frozenset().union(*(values for _, values in drawn))


@st.composite
def special_days(draw) -> tuple[str, str, DayRule]:
    """Day of month and day of week where one of them holds L, W or #."""
    weekday, nth, day = draw(st.integers(0, 6)), draw(st.integers(1, 5)), draw(st.integers(1, 31))
    return draw(
        st.sampled_from(
            [
                ("L", "*", oracle.last_day),
                (f"{day}W", "*", oracle.nearest_weekday(day)),
                ("*", f"{weekday}#{nth}", oracle.nth_weekday(weekday, nth)),
                ("*", f"{WEEKDAYS[weekday]}#{nth}", oracle.nth_weekday(weekday, nth)),
                ("*", f"{weekday}L", oracle.last_weekday(weekday)),
                ("*", f"L{weekday}", oracle.last_weekday(weekday)),
            ]
        )
    )


@st.composite
def plain_days(draw) -> tuple[str, str, DayRule]:
    month_text, month_days = draw(fields(1, 31, star_odds=1, wraps=False))
    week_text, week_days = draw(fields(0, 6, WEEKDAYS, star_odds=1))
    if month_days is None and week_days is None:
        return month_text, week_text, oracle.any_day
    if week_days is None:
        return month_text, week_text, oracle.day_number_in(month_days)
    if month_days is None:
        return month_text, week_text, oracle.weekday_in(week_days)
    number, weekday = oracle.day_number_in(month_days), oracle.weekday_in(week_days)
    return month_text, week_text, lambda day: number(day) or weekday(day)


@st.composite
def lines(draw, min_stars=0) -> Line:
    """A whole line that fires at some time."""
    minute_text, minutes = draw(fields(0, 59, wraps=False))
    hour_text, hours = draw(fields(0, 23))
    day_text, week_text, day_rule = draw(st.one_of(plain_days(), plain_days(), special_days()))
    month_text, months = draw(fields(1, 12, MONTHS, star_odds=1))
    if months is not None and not _can_fire(day_text, week_text, day_rule, months):
        month_text, months = "*", None

    def day_matches(day: date) -> bool:
        return (months is None or day.month in months) and day_rule(day)

    return Line(
        text=f"{minute_text} {hour_text} {day_text} {month_text} {week_text}",
        minutes=frozenset(range(60)) if minutes is None else minutes,
        hours=frozenset(range(24)) if hours is None else hours,
        day_matches=day_matches,
        is_interval=minute_text.startswith("*") or hour_text.startswith("*"),
    )


@st.composite
def eventbridge_lines(draw, around: int) -> Line:
    """A line of EventBridge's dialect whose years are mostly near the given one; it may never fire."""
    minute_text, minutes = draw(fields(0, 59, wraps=False))
    hour_text, hours = draw(fields(0, 23))
    month_text, months = draw(fields(1, 12, MONTHS, star_odds=1))
    near = st.lists(st.integers(around - 2, around + 3), min_size=1, max_size=3)
    year_text, years = draw(
        st.one_of(
            st.just(("*", None)),
            near.map(lambda chosen: (",".join(map(str, chosen)), frozenset(chosen))),
            fields(1970, 2199, wraps=False),
        )
    )
    day_text, week_text, day_rule = draw(eventbridge_days())

    def day_matches(day: date) -> bool:
        return (
            (months is None or day.month in months)
            and day.year in (range(1970, 2200) if years is None else years)
            and day_rule(day)
        )

    return Line(
        text=f"cron({minute_text} {hour_text} {day_text} {month_text} {week_text} {year_text})",
        minutes=frozenset(range(60)) if minutes is None else minutes,
        hours=frozenset(range(24)) if hours is None else hours,
        day_matches=day_matches,
        is_interval=minute_text.startswith("*") or hour_text.startswith("*"),
    )


@st.composite
def eventbridge_days(draw) -> tuple[str, str, DayRule]:
    """Day of month and day of week, one of them `?`; Sunday is 1."""
    weekday, nth, day = draw(st.integers(1, 7)), draw(st.integers(1, 5)), draw(st.integers(1, 31))
    month_text, month_days = draw(fields(1, 31, star_odds=1, wraps=False))
    week_text, week_days = draw(fields(1, 7, WEEKDAYS, star_odds=1))
    in_month = oracle.any_day if month_days is None else oracle.day_number_in(month_days)
    in_week = (
        oracle.any_day if week_days is None else oracle.weekday_in(frozenset(one - 1 for one in week_days))
    )
    return draw(
        st.sampled_from(
            [
                (month_text, "?", in_month),
                ("?", week_text, in_week),
                ("L", "?", oracle.last_day),
                ("LW", "?", oracle.last_working_day),
                (f"{day}W", "?", oracle.nearest_weekday_where_the_day_exists(day)),
                ("?", "L", oracle.weekday_in(frozenset({6}))),
                ("?", f"{weekday}L", oracle.last_weekday(weekday - 1)),
                ("?", f"{weekday}#{nth}", oracle.nth_weekday(weekday - 1, nth)),
                ("?", f"{WEEKDAYS[weekday - 1].upper()}#{nth}", oracle.nth_weekday(weekday - 1, nth)),
            ]
        )
    )


def _can_fire(day_text, week_text, day_rule, months) -> bool:
    """Whether some day of a leap year matches; the fifth of a weekday may need another year, and then does."""
    return "#5" in week_text or any(
        day_rule(date(2024, month, day)) for month in months for day in range(1, LONGEST[month] + 1)
    )
