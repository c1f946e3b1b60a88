"""The members of recurring jobs that one patch can change in many jobs.

A schedule, a name and a request are not among them: they say which job it is, and a request is sealed for its job.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.outcome_callbacks import OutcomeCallbacks
from shared.domain.jobs.job import Definition
from shared.domain.schedules.catch_up import CatchUpPolicy

P = TypeVar("P", AsyncPolicy, OutcomeCallbacks, CallSpec, CatchUpPolicy, Definition)

Values = Mapping["Member", Any]
"""The values of some members, in the types of the definition."""


class Member(StrEnum):
    """The values are the names of the API."""

    LANE = "lane"
    TIMEOUT = "timeout_seconds"
    RETRY = "retry"
    ASYNC_DEADLINE = "async_deadline_seconds"
    HEARTBEAT = "heartbeat_seconds"
    JITTER = "jitter_seconds"
    CATCH_UP = "catch_up"
    CATCH_UP_LIMIT = "catch_up_limit"
    CATCH_UP_WINDOW = "catch_up_window_seconds"
    LATE_TOLERANCE = "late_tolerance_seconds"
    OVERLAP_POLICY = "overlap_policy"
    ON_SUCCESS = "on_success"
    ON_FAILURE = "on_failure"
    ALERTS = "alerts"
    SIGNING_SECRET = "signing_secret"  # noqa: S105 - a name


CALLBACKS: Mapping[Member, str] = {Member.ON_SUCCESS: "on_success", Member.ON_FAILURE: "on_failure"}
URLS = frozenset({*CALLBACKS, Member.ALERTS})
"""Members with URLs, which are stored sealed."""
_CALL: Mapping[Member, str] = {
    Member.LANE: "lane",
    Member.TIMEOUT: "timeout_ms",
    Member.RETRY: "retry",
    Member.ALERTS: "alerts",
    Member.SIGNING_SECRET: "signing_secret",
}
_ASYNC: Mapping[Member, str] = {
    Member.ASYNC_DEADLINE: "deadline_seconds",
    Member.HEARTBEAT: "heartbeat_seconds",
}
_CATCH_UP: Mapping[Member, str] = {
    Member.CATCH_UP: "mode",
    Member.CATCH_UP_LIMIT: "limit",
    Member.CATCH_UP_WINDOW: "window_ms",
    Member.LATE_TOLERANCE: "late_tolerance_ms",
}
_DEFINITION: Mapping[Member, str] = {Member.JITTER: "jitter_ms", Member.OVERLAP_POLICY: "overlap_policy"}


def with_values(definition: Definition, values: Values) -> Definition:
    """The definition with these values, and with its own of all other members."""
    call = replace(
        definition.call,
        async_policy=_changed(definition.call.async_policy, _ASYNC, values),
        callbacks=_changed(definition.call.callbacks, CALLBACKS, values),
    )
    changed = replace(
        definition,
        call=_changed(call, _CALL, values),
        catch_up=_changed(definition.catch_up, _CATCH_UP, values),
    )
    return _changed(changed, _DEFINITION, values)


def values_of(definition: Definition, members: Collection[Member]) -> Values:
    """The values that the definition has now."""
    call = definition.call
    parts: tuple[tuple[Any, Mapping[Member, str]], ...] = (
        (call, _CALL),
        (call.async_policy, _ASYNC),
        (call.callbacks, CALLBACKS),
        (definition.catch_up, _CATCH_UP),
        (definition, _DEFINITION),
    )
    return {
        member: getattr(part, name)
        for part, names in parts
        for member, name in names.items()
        if member in members
    }


def _changed(part: P, names: Mapping[Member, str], values: Values) -> P:
    return replace(part, **{name: values[member] for member, name in names.items() if member in values})
