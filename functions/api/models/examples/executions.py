"""Executions, reports of receivers, what is about to run, and previews."""

from typing import Any

from functions.api.models.examples.jobs import JOB_ID, ONE_OFF_ID, Examples

REDRIVE_ID = "exe_101jmg4bfzk000bz3ddcrnhg4c40kv"
NOTIFICATION_ID = "exe_101jmg0r03x0001w9kq7yv2m5t8h3d"
_TRIGGERED_ID = "exe_101jmg0r03s0009xjjb7t357kf8p8b"
_NIGHTLY_ID = "exe_101jmgfkpe0000ygnekx3ad5d8xvak"
_UNTIL = "2025-02-19T21:15:12.345Z"
CURSOR = "eh1QBo1yMQT3c4PBZQGuuGYfKF_HMidmuvRAZnGRnqr4vr_5rZroa1"
_SUCCEEDED: dict[str, Any] = {
    "id": _TRIGGERED_ID,
    "job_id": JOB_ID,
    "state": "succeeded",
    "backfill_of": None,
    "scheduled_at": "2025-02-19T21:10:12.345Z",
    "due_at": "2025-02-19T21:10:12.345Z",
    "attempts_begun": 1,
    "attempts": [
        {
            "number": 1,
            "started_at": "2025-02-19T21:10:12.345Z",
            "duration_ms": 5,
            "status": 200,
            "reason": "ok",
        }
    ],
    "next_attempt_at": None,
    "end_reason": None,
    "last_response_body": None,
    "missed": None,
    "redrive_of": None,
    "redriven_by": None,
    "notification": None,
    "notification_of": None,
}
FAILED = {
    **_SUCCEEDED,
    "state": "failed",
    "attempts": [
        {
            "number": 1,
            "started_at": "2025-02-19T21:10:12.345Z",
            "duration_ms": 5,
            "status": 410,
            "reason": "http_status",
        }
    ],
    "end_reason": "not_retryable",
    "last_response_body": "gone",
}
_SKIPPED = {
    **_SUCCEEDED,
    "id": _NIGHTLY_ID,
    "state": "skipped",
    "scheduled_at": "2025-02-20T01:30:00.000Z",
    "due_at": "2025-02-20T01:30:00.000Z",
    "attempts_begun": 0,
    "attempts": [],
    "end_reason": "job_paused",
    "missed": {"count": 3, "first_at": "2025-02-20T01:30:00.000Z", "last_at": "2025-02-22T01:30:00.000Z"},
}
_QUEUED = {**_SUCCEEDED, "state": "queued", "attempts_begun": 0, "attempts": []}
EXECUTION_OUT: Examples = {
    "succeeded": _SUCCEEDED,
    "failed": {**FAILED, "notification": {"id": NOTIFICATION_ID, "state": "succeeded"}},
    "skipped_while_paused": _SKIPPED,
    "triggered": _QUEUED,
    "redriven": {
        **_QUEUED,
        "id": REDRIVE_ID,
        "due_at": "2025-02-19T22:10:12.345Z",
        "redrive_of": _TRIGGERED_ID,
    },
}
EXECUTION_DETAIL: Examples = {
    "succeeded": {**_SUCCEEDED, "waiting_for": None},
    "waits_for_a_breaker": {
        **_QUEUED,
        "waiting_for": {"reason": "breaker_open", "until": "2025-02-19T21:10:22.345Z"},
    },
    "waits_for_room": {**_QUEUED, "waiting_for": {"reason": "tenant_concurrency", "until": None}},
}
EXECUTION_PAGE: Examples = {
    "one_of_more": {"executions": [_SUCCEEDED], "next_cursor": CURSOR},
    "the_last": {"executions": [FAILED], "next_cursor": None},
}
FAILURE_IN: Examples = {"for_good": {"reason": "the warehouse is closed", "retryable": False}}
HEARTBEAT_OUT: Examples = {
    "goes_on": {
        "id": _TRIGGERED_ID,
        "attempt": 1,
        "lease_until": "2025-02-19T21:11:52.345Z",
        "deadline_at": "2025-02-19T22:10:12.345Z",
    }
}
REPORT_OUT: Examples = {"succeeded": {"id": _TRIGGERED_ID, "attempt": 1, "outcome": "succeeded"}}
UPCOMING_PAGE: Examples = {
    "one_that_stands_there": {
        "runs": [
            {
                "at": "2025-02-19T21:30:00.000Z",
                "basis": "filed",
                "execution_id": ONE_OFF_ID.replace("job", "exe"),
                "job_id": ONE_OFF_ID,
                "scheduled_at": "2025-02-19T21:30:00.000Z",
                "attempt": 1,
            }
        ],
        "until": "2025-02-20T21:10:12.345Z",
        "complete": True,
        "next_cursor": None,
    }
}
DUE_PAGE: Examples = {
    "one_of_acme": {
        "rows": [
            {
                "at": "2025-02-19T21:12:12.000Z",
                "tenant_id": "acme",
                "execution_id": "exe_101jmg0vmz00008rb3ntmhzg35zqqz",
                "state": "queued",
                "lane": "standard",
                "shard": 0,
                "retry": False,
            }
        ],
        "until": _UNTIL,
        "next_cursor": None,
    }
}
NEXT_RUNS: Examples = {
    "nightly": {
        "job_id": JOB_ID,
        "timezone": "Europe/Berlin",
        "runs": [
            {
                "scheduled_at": "2025-02-20T01:30:00.000Z",
                "due_at": "2025-02-20T01:30:00.000Z",
                "local": "2025-02-20T02:30:00",
                "offset": "+01:00",
            }
        ],
    }
}
SCHEDULE_IN: Examples = {
    "cron_line_in_a_zone": {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "jitter_seconds": 600},
    "rate": {"rate_seconds": 600, "max_runs": 100},
    "eventbridge": {"expression": "cron(0 9 ? * MON-FRI *)", "timezone": "America/New_York"},
}
PREVIEW_OUT: Examples = {
    "nightly": {
        "description": "At 02:30 on every day, in Europe/Berlin",
        "timezone": "Europe/Berlin",
        "runs": [
            {
                "scheduled_at": "2025-02-20T01:30:00.000Z",
                "local": "2025-02-20T02:30:00",
                "offset": "+01:00",
                "begins_before": "2025-02-20T01:40:00.000Z",
            }
        ],
        "clock_changes": [
            {
                "at": "2025-03-30T01:00:00.000Z",
                "local_before": "2025-03-30T02:00:00",
                "local_after": "2025-03-30T03:00:00",
                "effect": "shifted",
                "count": 1,
                "local_times": ["2025-03-30T02:30:00"],
                "runs_at": "2025-03-30T01:00:00.000Z",
            }
        ],
        "warnings": [
            {"code": "dst_gap", "text": "the clocks skip 2025-03-30T02:30:00: it runs right after the change"}
        ],
    }
}
