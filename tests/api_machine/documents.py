"""What clients ask for, and how receivers behave."""

from typing import Any

from hypothesis import strategies as st

from tests.api_machine.executions import Behaviour
from tests.api_machine.instants import LINES, instant, local_time

LARGE = "70 kB"
"""Stands for a body that is stored apart."""
Wish = tuple[str, Any]
"""A schedule whose instant, if it has one, is told by its distance from the request."""

delays = st.sampled_from([0, 1, 5, 40, 119, 126, 200, 600, 1_000, 5_000, 40_000_000])
distances = st.sampled_from([-60_000, -1_500, 0, 1, 2_345, 59_000, 125_000, 185_500, 400_000, 2_000_000])
zones = st.sampled_from([None, "UTC", "Asia/Kolkata", "Asia/Kathmandu"])
once = st.one_of(
    st.tuples(st.just("delay"), delays),
    st.tuples(st.just("at"), distances),
    st.tuples(st.just("local"), st.tuples(distances, st.sampled_from(["Asia/Kolkata", "Asia/Kathmandu"]))),
)
recurring = st.one_of(
    st.tuples(st.just("rate"), st.sampled_from([1, 7, 60, 600, 3_600])),
    st.tuples(st.just("cron"), st.tuples(st.sampled_from(sorted(LINES)), zones)),
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
        case ("rate", seconds):
            return {"rate_seconds": seconds}
        case ("cron", (line, None)):
            return {"cron": line}
        case ("cron", (line, zone)):
            return {"cron": line, "timezone": zone}
    raise ValueError(wish)


def document(wish: Wish, details: dict[str, Any], url: str, now_ms: int) -> dict[str, Any]:
    """A job, asked for now."""
    request = details["request"] | {"url": url}
    if request.get("json") == LARGE:
        request["json"] = "x" * 70_000
    return details | {"schedule": schedule(wish, now_ms), "request": request}


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
    },
)
"""Everything but the schedule; where it calls is up to the machine."""
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
