"""Random cron lines of each dialect: mostly valid, and some that a source refuses."""

from hypothesis import strategies as st

from client.tests.importers.engine import ZONES

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
zones = st.sampled_from(ZONES)


def fields(
    low: int, high: int, names: tuple[str, ...] = (), *, first_name: int = 0, opens_steps: bool = False
) -> st.SearchStrategy[str]:
    """Fields of one to three items; few of them are refused."""
    numbers = st.integers(low, high)
    values = numbers.map(str)
    if names:
        last = first_name + len(names)
        named = st.integers(first_name, last - 1).map(lambda value: names[value - first_name])
        values = st.one_of(values, named, named.map(str.upper))
    ranges = st.tuples(numbers, numbers).map(lambda pair: "{}-{}".format(*sorted(pair)))
    steps = st.integers(1, high + 3).map(str)
    items = [
        values,
        values,
        ranges,
        st.tuples(ranges, steps).map("/".join),
        steps.map(lambda step: f"*/{step}"),
    ]
    if opens_steps:
        items.append(st.tuples(values, steps).map("/".join))
    lists = st.lists(st.one_of(*items), min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), st.just("*"), lists, lists, values)


night = st.sampled_from(("0", "1", "2", "3", "1-3", "2,3", "0,2", "*", "*/2"))
"""Hours around the clock changes."""


def _lines(
    hour: st.SearchStrategy[str],
    day: st.SearchStrategy[str],
    weekday: st.SearchStrategy[str],
    *,
    opens_steps: bool = False,
) -> st.SearchStrategy[str]:
    minutes = st.one_of(st.sampled_from(("0", "30", "15,45", "59")), fields(0, 59, opens_steps=opens_steps))
    hours = st.one_of(night, hour)
    months = st.one_of(st.just("*"), fields(1, 12, MONTHS, first_name=1, opens_steps=opens_steps))
    return st.tuples(minutes, hours, day, months, weekday).map(" ".join)


crontab_lines = st.one_of(
    _lines(
        fields(0, 23), st.one_of(st.just("*"), fields(1, 31)), st.one_of(st.just("*"), fields(0, 7, WEEKDAYS))
    ),
    st.sampled_from(("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")),
)
kubernetes_lines = _lines(
    fields(0, 23, opens_steps=True),
    st.one_of(st.sampled_from(("*", "?", "*/1")), fields(1, 31, opens_steps=True)),
    st.one_of(st.sampled_from(("*", "?")), fields(0, 6, WEEKDAYS, opens_steps=True)),
    opens_steps=True,
)
qstash_lines = _lines(
    fields(0, 23), st.one_of(st.just("*"), fields(1, 31)), st.one_of(st.just("*"), fields(0, 6, WEEKDAYS))
)
_month_days = st.one_of(
    st.just("*"), st.just("L"), st.integers(1, 31).map(lambda day: f"{day}W"), fields(1, 31, opens_steps=True)
)
_week_days = st.one_of(
    st.just("L"),
    st.tuples(st.integers(1, 7), st.integers(1, 5)).map(lambda pair: "{}#{}".format(*pair)),
    st.sampled_from(("TUE#2", "FRIL", "6L", "MON-FRI")),
    fields(1, 7, WEEKDAYS, first_name=1, opens_steps=True),
)
_days = st.one_of(
    _month_days.map(lambda day: (day, "?")), _week_days.map(lambda day: ("?", day)), st.just(("*", "?"))
)
_years = st.sampled_from(("*", "*", "2026", "2026-2027", "2026/2", "2027"))
_eventbridge_minutes = st.one_of(
    st.sampled_from(("0", "30", "0/15", "*/20")), fields(0, 59, opens_steps=True)
)
eventbridge_lines = st.tuples(
    _eventbridge_minutes,
    st.one_of(night, fields(0, 23, opens_steps=True)),
    _days,
    st.one_of(st.just("*"), fields(1, 12, MONTHS, first_name=1, opens_steps=True)),
    _years,
).map(lambda parts: f"cron({parts[0]} {parts[1]} {parts[2][0]} {parts[3]} {parts[2][1]} {parts[4]})")
