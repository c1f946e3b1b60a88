"""What clients ask for, and how receivers behave."""

from typing import Any

from hypothesis import strategies as st

from tests.api_machine.executions import Behaviour
from tests.api_machine.instants import CALENDAR, LINES, instant, local_time

LARGE = "70 kB"
"""Stands for a body that is stored apart."""
Wish = tuple[str, Any]
"""A schedule whose instant, if it has one, is told by its distance from the request."""

delays = st.sampled_from([0, 1, 5, 40, 119, 126, 200, 600, 1_000, 5_000, 40_000_000])
distances = st.sampled_from([-60_000, -1_500, 0, 1, 2_345, 59_000, 125_000, 185_500, 400_000, 2_000_000])
limits = st.sampled_from([*[None] * 7, 1, 3])
"""Of the number of runs."""
zones = st.sampled_from([None, "UTC", "Asia/Kolkata", "Asia/Kathmandu"])
once = st.one_of(
    st.tuples(st.just("delay"), delays),
    st.tuples(st.just("at"), distances),
    st.tuples(st.just("local"), st.tuples(distances, st.sampled_from(["Asia/Kolkata", "Asia/Kathmandu"]))),
)
recurring = st.one_of(
    st.tuples(st.just("rate"), st.tuples(st.sampled_from([1, 7, 60, 600, 3_600]), limits)),
    st.tuples(st.just("cron"), st.tuples(st.sampled_from(sorted(LINES)), zones, limits)),
    st.tuples(st.just("business"), st.tuples(st.sampled_from(sorted(LINES)), zones)),
)
wishes = once | recurring


def schedule(wish: Wish, now_ms: int) -> dict[str, Any]:
    """The schedule, asked for now."""
    match wish:
        case ("delay", seconds):
            return {"delay_seconds": seconds}
        case ("at", distance_ms):
            return {"at": instant(now_ms + distance_ms)}
        case ("local", (distance_ms, zone)):
            return {"at": local_time(now_ms + distance_ms, zone), "timezone": zone}
        case ("rate", (seconds, limit)):
            return _without_nulls(rate_seconds=seconds, max_runs=limit)
        case ("cron", (line, zone, limit)):
            return _without_nulls(cron=line, timezone=zone, max_runs=limit)
        case ("business", (line, zone)):
            return _without_nulls(cron=line, timezone=zone, calendar=CALENDAR)
    raise ValueError(wish)


def _without_nulls(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def document(wish: Wish, details: dict[str, Any], url: str, now_ms: int) -> dict[str, Any]:
    """A job, asked for now."""
    request = spelt_out(details["request"]) | {"url": url}
    policies = (
        {"catch_up": "skip"} if details.get("skips") and wish[0] in ("rate", "cron", "business") else {}
    )
    plain = {name: value for name, value in details.items() if name != "skips"}
    return plain | policies | {"schedule": schedule(wish, now_ms), "request": request}


def spelt_out(request: dict[str, Any]) -> dict[str, Any]:
    """A request with its large body in full."""
    return request | ({"json": "x" * 70_000} if request.get("json") == LARGE else {})


retries = st.fixed_dictionaries(
    {
        "max_attempts": st.integers(1, 4),
        "base_seconds": st.sampled_from([1, 10, 1_000]),
        "factor": st.integers(1, 3),
        "cap_seconds": st.sampled_from([1_000, 2_000]),
    }
)
requests = st.fixed_dictionaries(
    {},
    optional={
        "method": st.sampled_from(["GET", "POST", "PUT"]),
        "headers": st.just({"X-Team": "billing"}),
        "json": st.sampled_from([{"n": 1}, [], None, LARGE]),
    },
)
details = st.fixed_dictionaries(
    {"request": requests},
    optional={
        "name": st.sampled_from(["nightly report", "ночной отчёт"]),
        "lane": st.sampled_from(["critical", "standard", "bulk"]),
        "timeout_seconds": st.sampled_from([1, 60]),
        "retry": retries,
        "tags": st.just(["billing"]),
        "skips": st.booleans(),
    },
)
"""Everything but the schedule; where it calls is up to the machine. `skips`: how it catches up, if it recurs."""
changes = st.sampled_from([{"name": "other"}, {"lane": "bulk"}, {"timeout_seconds": 7}])
"""What makes a document another one."""
statuses = st.one_of(
    st.just((200,)),
    st.just((500,)),
    st.just((410,)),
    st.just((429, 200)),
    st.lists(st.sampled_from([200, 404, 410, 429, 500, 0]), min_size=2, max_size=4).map(tuple),
)
behaviours = st.builds(Behaviour, statuses=statuses, retry_after_seconds=st.sampled_from([None, 30, 5_000]))
