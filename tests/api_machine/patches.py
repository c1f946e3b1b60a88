"""What clients change about jobs, well and badly."""

from typing import Any

from hypothesis import strategies as st

from tests.api_machine import documents
from tests.api_machine.documents import LARGE
from tests.api_machine.terms import KINDS

Change = dict[str, Any]
"""A merge patch; `wish` in it stands for a schedule of any kind, and ANOTHER_URL for a URL of the job's own."""
ANOTHER_URL = "another"
TAGS_OR_NAME: tuple[Change, ...] = (
    {},
    {"name": "other"},
    {"name": None, "tags": ["a", "b"]},
    {"tags": None},
)
REQUESTS: tuple[Change, ...] = (
    {"url": ANOTHER_URL},
    {"json": {"n": 2}},
    {"json": LARGE, "method": "PUT"},
    {"json": None},
    {"method": None, "headers": {"X-Team": None, "X-More": "1"}},
    {"headers": None},
)
SETTINGS: tuple[Change, ...] = (
    {"lane": "bulk"},
    {"lane": None, "timeout_seconds": None},
    {"timeout_seconds": 7, "name": "slow"},
    {"retry": {"max_attempts": 2}},
    {"retry": {"base_seconds": None, "max_attempts": None}},
    {"retry": None},
    {"catch_up": "skip"},
    {"catch_up": None},
)
SCHEDULES: tuple[Change, ...] = (
    {},
    {"timezone": None},
    {"start_at": None},
    {"max_runs": 2},
    {"max_runs": None},
)
FOR_RECURRING_JOBS = ("catch_up", "max_runs")

alone = st.sampled_from(TAGS_OR_NAME)
changes = st.one_of(
    alone,
    st.sampled_from(SETTINGS),
    st.builds(lambda request: {"request": request}, st.sampled_from(REQUESTS)),
    st.builds(lambda schedule: {"schedule": schedule}, st.sampled_from(SCHEDULES)),
    st.builds(lambda wish: {"wish": wish}, documents.wishes),
    st.builds(
        lambda wish, rest, request: rest | {"wish": wish, "request": request},
        documents.wishes,
        st.sampled_from(SETTINGS),
        st.sampled_from(REQUESTS),
    ),
)
changes_of_one_offs = st.one_of(
    alone,
    st.sampled_from(SETTINGS),
    st.builds(lambda request: {"request": request}, st.sampled_from(REQUESTS)),
    st.builds(lambda wish: {"wish": wish}, documents.once),
    st.builds(lambda wish, rest: rest | {"wish": wish}, documents.once, st.sampled_from(SETTINGS)),
)


def patch_of(change: Change, url: str, now_ms: int) -> Change:
    """The body, sent now."""
    patch = {name: value for name, value in change.items() if name != "wish"}
    if "wish" in change:
        patch["schedule"] = documents.schedule(change["wish"], now_ms)
    if "request" in patch:
        patch["request"] = documents.spelt_out(patch["request"])
        if "url" in patch["request"]:
            patch["request"] |= {"url": url}
    return patch


def is_of_another_nature(patch: Change, *, is_recurring: bool) -> bool:
    """Whether it would make a job that runs once recur, or the other way round, or is for the other sort."""
    schedule = patch.get("schedule", {})
    named = KINDS & set(schedule)
    if is_recurring:
        return bool(named & {"at", "delay_seconds"})
    meant = {name for part in (patch, schedule) for name, value in part.items() if value is not None}
    return bool(named & {"cron", "rate_seconds"} or meant & set(FOR_RECURRING_JOBS))
