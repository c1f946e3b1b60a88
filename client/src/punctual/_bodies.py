"""Bodies from flat arguments. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from punctual._model import Instant
from punctual._values import joined, members_of
from punctual.models import (
    AlertsIn,
    CatchUp,
    Gap,
    Lane,
    Overlap,
    OverlapPolicy,
    RequestIn,
    RetryIn,
    ScheduleIn,
    WhenSuspended,
)


def new_job(
    *,
    at: Instant | UnsetType | None = UNSET,
    cron: str | UnsetType | None = UNSET,
    delay_seconds: int | UnsetType | None = UNSET,
    dst_gap: Gap | UnsetType | None = UNSET,
    dst_overlap: Overlap | UnsetType | None = UNSET,
    end_at: Instant | UnsetType | None = UNSET,
    expression: str | UnsetType | None = UNSET,
    jitter_seconds: int | UnsetType = UNSET,
    max_runs: int | UnsetType | None = UNSET,
    rate_seconds: int | UnsetType | None = UNSET,
    start_at: Instant | UnsetType | None = UNSET,
    timezone: str | UnsetType | None = UNSET,
    body: str | UnsetType | None = UNSET,
    headers: Mapping[str, str] | UnsetType = UNSET,
    json: Any = UNSET,
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
    url: str | UnsetType = UNSET,
    alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
    async_deadline_seconds: int | UnsetType = UNSET,
    catch_up: CatchUp | UnsetType = UNSET,
    catch_up_limit: int | UnsetType = UNSET,
    catch_up_window_seconds: int | UnsetType = UNSET,
    heartbeat_seconds: int | UnsetType = UNSET,
    lane: Lane | UnsetType = UNSET,
    late_tolerance_seconds: int | UnsetType = UNSET,
    name: str | UnsetType | None = UNSET,
    on_failure: str | UnsetType | None = UNSET,
    on_success: str | UnsetType | None = UNSET,
    overlap_policy: OverlapPolicy | UnsetType = UNSET,
    request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
    retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
    schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
    signing_secret: str | UnsetType | None = UNSET,
    start_deadline_seconds: int | UnsetType | None = UNSET,
    tags: Sequence[str] | UnsetType = UNSET,
    timeout_seconds: int | UnsetType = UNSET,
    when_suspended: WhenSuspended | UnsetType | None = UNSET,
) -> dict[str, Any]:
    """The body of `createJob`. The members of `schedule` and `request` are given by themselves, or
    together as in the API.
    """
    document = members_of(
        {
            "alerts": alerts,
            "async_deadline_seconds": async_deadline_seconds,
            "catch_up": catch_up,
            "catch_up_limit": catch_up_limit,
            "catch_up_window_seconds": catch_up_window_seconds,
            "heartbeat_seconds": heartbeat_seconds,
            "lane": lane,
            "late_tolerance_seconds": late_tolerance_seconds,
            "name": name,
            "on_failure": on_failure,
            "on_success": on_success,
            "overlap_policy": overlap_policy,
            "retry": retry,
            "signing_secret": signing_secret,
            "start_deadline_seconds": start_deadline_seconds,
            "tags": tags,
            "timeout_seconds": timeout_seconds,
            "when_suspended": when_suspended,
        }
    )
    return joined(
        document,
        schedule=(
            schedule,
            {
                "at": at,
                "cron": cron,
                "delay_seconds": delay_seconds,
                "dst_gap": dst_gap,
                "dst_overlap": dst_overlap,
                "end_at": end_at,
                "expression": expression,
                "jitter_seconds": jitter_seconds,
                "max_runs": max_runs,
                "rate_seconds": rate_seconds,
                "start_at": start_at,
                "timezone": timezone,
            },
        ),
        request=(request, {"body": body, "headers": headers, "json": json, "method": method, "url": url}),
    )


def keyed_job(
    *,
    at: Instant | UnsetType | None = UNSET,
    cron: str | UnsetType | None = UNSET,
    delay_seconds: int | UnsetType | None = UNSET,
    dst_gap: Gap | UnsetType | None = UNSET,
    dst_overlap: Overlap | UnsetType | None = UNSET,
    end_at: Instant | UnsetType | None = UNSET,
    expression: str | UnsetType | None = UNSET,
    jitter_seconds: int | UnsetType = UNSET,
    max_runs: int | UnsetType | None = UNSET,
    rate_seconds: int | UnsetType | None = UNSET,
    start_at: Instant | UnsetType | None = UNSET,
    timezone: str | UnsetType | None = UNSET,
    body: str | UnsetType | None = UNSET,
    headers: Mapping[str, str] | UnsetType = UNSET,
    json: Any = UNSET,
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
    url: str | UnsetType = UNSET,
    alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
    async_deadline_seconds: int | UnsetType = UNSET,
    catch_up: CatchUp | UnsetType = UNSET,
    catch_up_limit: int | UnsetType = UNSET,
    catch_up_window_seconds: int | UnsetType = UNSET,
    heartbeat_seconds: int | UnsetType = UNSET,
    lane: Lane | UnsetType = UNSET,
    late_tolerance_seconds: int | UnsetType = UNSET,
    name: str | UnsetType | None = UNSET,
    on_failure: str | UnsetType | None = UNSET,
    on_success: str | UnsetType | None = UNSET,
    overlap_policy: OverlapPolicy | UnsetType = UNSET,
    request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
    retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
    schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
    set: str | UnsetType | None = UNSET,
    signing_secret: str | UnsetType | None = UNSET,
    start_deadline_seconds: int | UnsetType | None = UNSET,
    tags: Sequence[str] | UnsetType = UNSET,
    timeout_seconds: int | UnsetType = UNSET,
    when_suspended: WhenSuspended | UnsetType | None = UNSET,
) -> dict[str, Any]:
    """The body of `putJob`. The members of `schedule` and `request` are given by themselves, or together
    as in the API.
    """
    document = members_of(
        {
            "alerts": alerts,
            "async_deadline_seconds": async_deadline_seconds,
            "catch_up": catch_up,
            "catch_up_limit": catch_up_limit,
            "catch_up_window_seconds": catch_up_window_seconds,
            "heartbeat_seconds": heartbeat_seconds,
            "lane": lane,
            "late_tolerance_seconds": late_tolerance_seconds,
            "name": name,
            "on_failure": on_failure,
            "on_success": on_success,
            "overlap_policy": overlap_policy,
            "retry": retry,
            "set": set,
            "signing_secret": signing_secret,
            "start_deadline_seconds": start_deadline_seconds,
            "tags": tags,
            "timeout_seconds": timeout_seconds,
            "when_suspended": when_suspended,
        }
    )
    return joined(
        document,
        schedule=(
            schedule,
            {
                "at": at,
                "cron": cron,
                "delay_seconds": delay_seconds,
                "dst_gap": dst_gap,
                "dst_overlap": dst_overlap,
                "end_at": end_at,
                "expression": expression,
                "jitter_seconds": jitter_seconds,
                "max_runs": max_runs,
                "rate_seconds": rate_seconds,
                "start_at": start_at,
                "timezone": timezone,
            },
        ),
        request=(request, {"body": body, "headers": headers, "json": json, "method": method, "url": url}),
    )


def job_patch(
    *,
    at: Instant | UnsetType | None = UNSET,
    cron: str | UnsetType | None = UNSET,
    delay_seconds: int | UnsetType | None = UNSET,
    dst_gap: Gap | UnsetType | None = UNSET,
    dst_overlap: Overlap | UnsetType | None = UNSET,
    end_at: Instant | UnsetType | None = UNSET,
    expression: str | UnsetType | None = UNSET,
    jitter_seconds: int | UnsetType | None = UNSET,
    max_runs: int | UnsetType | None = UNSET,
    rate_seconds: int | UnsetType | None = UNSET,
    start_at: Instant | UnsetType | None = UNSET,
    timezone: str | UnsetType | None = UNSET,
    body: str | UnsetType | None = UNSET,
    headers: Mapping[str, str] | UnsetType | None = UNSET,
    json: Any = UNSET,
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType | None = UNSET,
    url: str | UnsetType | None = UNSET,
    alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
    async_deadline_seconds: int | UnsetType | None = UNSET,
    catch_up: CatchUp | UnsetType | None = UNSET,
    catch_up_limit: int | UnsetType | None = UNSET,
    catch_up_window_seconds: int | UnsetType | None = UNSET,
    heartbeat_seconds: int | UnsetType | None = UNSET,
    lane: Lane | UnsetType | None = UNSET,
    late_tolerance_seconds: int | UnsetType | None = UNSET,
    name: str | UnsetType | None = UNSET,
    on_failure: str | UnsetType | None = UNSET,
    on_success: str | UnsetType | None = UNSET,
    overlap_policy: OverlapPolicy | UnsetType | None = UNSET,
    request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
    retry: RetryIn | Mapping[str, Any] | UnsetType | None = UNSET,
    schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
    signing_secret: str | UnsetType | None = UNSET,
    start_deadline_seconds: int | UnsetType | None = UNSET,
    tags: Sequence[str] | UnsetType | None = UNSET,
    timeout_seconds: int | UnsetType | None = UNSET,
    when_suspended: WhenSuspended | UnsetType | None = UNSET,
) -> dict[str, Any]:
    """The body of `updateJob`. The members of `schedule` and `request` are given by themselves, or
    together as in the API.
    """
    document = members_of(
        {
            "alerts": alerts,
            "async_deadline_seconds": async_deadline_seconds,
            "catch_up": catch_up,
            "catch_up_limit": catch_up_limit,
            "catch_up_window_seconds": catch_up_window_seconds,
            "heartbeat_seconds": heartbeat_seconds,
            "lane": lane,
            "late_tolerance_seconds": late_tolerance_seconds,
            "name": name,
            "on_failure": on_failure,
            "on_success": on_success,
            "overlap_policy": overlap_policy,
            "retry": retry,
            "signing_secret": signing_secret,
            "start_deadline_seconds": start_deadline_seconds,
            "tags": tags,
            "timeout_seconds": timeout_seconds,
            "when_suspended": when_suspended,
        }
    )
    return joined(
        document,
        schedule=(
            schedule,
            {
                "at": at,
                "cron": cron,
                "delay_seconds": delay_seconds,
                "dst_gap": dst_gap,
                "dst_overlap": dst_overlap,
                "end_at": end_at,
                "expression": expression,
                "jitter_seconds": jitter_seconds,
                "max_runs": max_runs,
                "rate_seconds": rate_seconds,
                "start_at": start_at,
                "timezone": timezone,
            },
        ),
        request=(request, {"body": body, "headers": headers, "json": json, "method": method, "url": url}),
    )
