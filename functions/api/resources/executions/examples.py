"""Executions."""

from typing import Any

from functions.api.examples import CURSOR, JOB_ID, NOW, TRIGGERED_ID, Examples

REDRIVE_ID = "exe_1001jmg4bfzk000bz3ddcrnhg4c40kv"
NOTIFICATION_ID = "exe_1001jmg0r03x0001w9kq7yv2m5t8h3d"
_NIGHTLY_ID = "exe_1001jmgfkpe0000ygnekx3ad5d8xvak"
_SUCCEEDED: dict[str, Any] = {
    "id": TRIGGERED_ID,
    "job_id": JOB_ID,
    "state": "succeeded",
    "backfill_of": None,
    "scheduled_at": NOW,
    "due_at": NOW,
    "attempts_begun": 1,
    "attempts": [
        {
            "number": 1,
            "started_at": NOW,
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
            "started_at": NOW,
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
        "redrive_of": TRIGGERED_ID,
    },
}
EXECUTION_DETAIL: Examples = {
    "succeeded": {**_SUCCEEDED, "waiting_for": None},
    "waits_for_a_breaker": {
        **_QUEUED,
        "waiting_for": {"reason": "breaker_open", "until": "2025-02-19T21:10:22.345Z"},
    },
    "waits_for_a_slot": {**_QUEUED, "waiting_for": {"reason": "tenant_concurrency", "until": None}},
}
EXECUTION_PAGE: Examples = {
    "one_of_more": {"executions": [_SUCCEEDED], "next_cursor": CURSOR},
    "the_last": {"executions": [FAILED], "next_cursor": None},
}
