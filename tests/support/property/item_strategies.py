"""Strategies for the content of items."""

from hypothesis import strategies as st

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.alerts import (
    DEFAULT_RULES,
    NO_ALERTS,
    AlertEvent,
    AlertFormat,
    AlertRules,
    AlertTarget,
)
from shared.domain.delivery.destination import DESTINATION
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.schedule import Backfill, Cron, Rate

INSTANTS = st.integers(0, (1 << 45) - 1)
NUMBERS = st.integers(0, 10**9)
TENANTS = st.from_regex(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True)
COUNTS = st.builds(
    ShardCounts,
    normal=st.integers(1, 32_768),
    quarter=st.integers(1, 32_768),
    midnight=st.integers(1, 32_768),
)
CALENDARS = st.builds(
    CalendarRule,
    name=st.sampled_from(["DE", "US-CA"]),
    when_excluded=st.sampled_from(WhenExcluded),
    days=st.none()
    | st.sampled_from(["1.0 56 20787.", "0.109 56 20743.z97zN3cB", "v3 56 20787. 1pLKk.A.4s.3c"]),
)
PLAIN_SCHEDULES = st.builds(
    Rate, interval_ms=st.integers(1, 31_622_400).map(lambda seconds: seconds * 1000), anchor=INSTANTS
) | st.builds(
    Cron,
    line=st.sampled_from(["* * * * *", "*/5 9-17 * * 1-5", "0 0 29 2 *", "30 2 * * SUN"]),
    timezone=st.sampled_from(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"]),
    rules=st.none() | st.sampled_from(["2026f 3", "2020a -1,,M3.5.0,M10.5.0/3", "2026f 0/9:60/99:0;-1"]),
    calendar=st.none() | CALENDARS,
)
SCHEDULES = PLAIN_SCHEDULES | st.builds(
    Backfill,
    of=PLAIN_SCHEDULES,
    from_at=INSTANTS,
    to_at=st.integers(1 << 45, 1 << 46),
    count=st.integers(500, 1_000),
    interval_ms=st.integers(1, 86_400).map(lambda seconds: seconds * 1000),
    anchor=INSTANTS,
    first=st.integers(0, 500),
)
POLICIES = st.builds(
    RetryPolicy,
    max_attempts=st.integers(1, 20),
    base_seconds=st.integers(1, 3_600),
    factor=st.integers(1, 10),
    cap_seconds=st.integers(3_600, 28_800),
    give_up_after_seconds=st.none() | st.integers(1, 604_800),
) | st.lists(st.integers(1, 30_000), min_size=1, max_size=19).map(
    lambda table: RetryPolicy(max_attempts=len(table) + 1, delays_seconds=tuple(table))
)
LISTENERS = st.sampled_from([None, NO_TARGET]) | st.builds(
    CallbackTarget,
    sealed_url=st.binary(min_size=1, max_size=64),
    destination=st.just("") | st.from_regex(DESTINATION, fullmatch=True),
)
RULES = st.builds(
    AlertRules,
    events=st.sets(st.sampled_from([AlertEvent.SKIPPED, AlertEvent.GONE])).map(
        lambda others: frozenset({AlertEvent.FAILED, AlertEvent.RECOVERED, AlertEvent.LATE, *others})
    ),
    late_after_seconds=st.integers(1, 86_400),
    format=st.sampled_from(AlertFormat),
)
SUBSCRIPTIONS = st.sampled_from([None, NO_ALERTS]) | st.builds(
    AlertTarget,
    target=LISTENERS.filter(lambda listener: listener not in (None, NO_TARGET)),
    rules=st.just(DEFAULT_RULES) | RULES,
)
CALLBACKS = st.builds(OutcomeCallbacks, on_success=LISTENERS, on_failure=LISTENERS)
