"""Executions."""

from typing import Any

from functions.api.examples import CURSOR, JOB_ID, NOW, TRIGGERED_ID, Examples

REDRIVE_ID = "exe_1001jmg4bfzk000bz3ddcrnhg4c40kv"
NOTIFICATION_ID = "exe_1001jmg0r03x0001w9kq7yv2m5t8h3d"
_NIGHTLY_ID = "exe_1001jmgfkpe0000ygnekx3ad5d8xvak"
_SUCCEEDED: dict[str, Any] = {
    "id": TRIGGERED_ID,
    "job_id": JOB_ID,
    "name": "nightly report",
    "state": "succeeded",
    "backfill_of": None,
    "scheduled_at": NOW,
    "due_at": NOW,
    "lag_ms": 0,
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
    "task": None,
    "archived": False,
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
    "lag_ms": None,
    "attempts_begun": 0,
    "attempts": [],
    "end_reason": "job_paused",
    "missed": {"count": 3, "first_at": "2025-02-20T01:30:00.000Z", "last_at": "2025-02-22T01:30:00.000Z"},
}
_QUEUED = {**_SUCCEEDED, "state": "queued", "lag_ms": None, "attempts_begun": 0, "attempts": []}
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
_LATE_STAGES = [
    {
        "stage": stage,
        "cause": cause,
        "text": text,
        "began_at": began_at,
        "ended_at": ended_at,
        "duration_ms": duration_ms,
        "precision": precision,
    }
    for stage, cause, text, began_at, ended_at, duration_ms, precision in (
        ("queue", None, "in the queue", "2025-02-19T21:10:12.345Z", "2025-02-19T21:10:12.369Z", 24, "about"),
        (
            "wait",
            "breaker_open",
            "breaker open",
            "2025-02-19T21:10:12.369Z",
            "2025-02-19T21:10:53.405Z",
            41036,
            "about",
        ),
        (
            "claim",
            None,
            "claim in the table",
            "2025-02-19T21:10:53.405Z",
            "2025-02-19T21:10:53.414Z",
            9,
            "about",
        ),
        (
            "ready",
            None,
            "preparation of the call",
            "2025-02-19T21:10:53.414Z",
            "2025-02-19T21:10:53.415Z",
            1,
            "about",
        ),
        (
            "connect",
            None,
            "connection to the receiver",
            "2025-02-19T21:10:53.415Z",
            "2025-02-19T21:10:53.418Z",
            3,
            "about",
        ),
        (
            "head",
            None,
            "wait for the receiver's response",
            "2025-02-19T21:10:53.418Z",
            "2025-02-19T21:10:53.420Z",
            2,
            "about",
        ),
        (
            "done",
            None,
            "rest of the response",
            "2025-02-19T21:10:53.420Z",
            "2025-02-19T21:10:53.420Z",
            0,
            "about",
        ),
    )
]
_LONGEST = {
    "stage": "wait",
    "cause": "breaker_open",
    "duration_ms": 41036,
    "text": "41 s: breaker open",
}
_EXPLAINED: dict[str, Any] = {
    "id": TRIGGERED_ID,
    "job_id": JOB_ID,
    "name": None,
    "state": "succeeded",
    "end_reason": None,
    "due_at": NOW,
    "lag_ms": 41070,
    "summary": "Its receiver accepted the call. Its first call began 41 s after its due time. "
    "The longest stage: 41 s: breaker open.",
    "longest": _LONGEST,
    "waiting_for": None,
    "attempts": [
        {
            "number": 1,
            "due_at": NOW,
            "started_at": "2025-02-19T21:10:53.415Z",
            "lag_ms": 41070,
            "longest": _LONGEST,
            "stages": _LATE_STAGES,
        }
    ],
}
EXPLANATION: Examples = {
    "late": _EXPLAINED,
    "not_started": {
        **_EXPLAINED,
        "state": "queued",
        "lag_ms": None,
        "summary": "Its time has come, and no worker has started it yet. It has been due for 12 s. "
        "The longest stage: 12 s so far: breaker open.",
        "longest": {**_LONGEST, "duration_ms": 12000, "text": "12 s so far: breaker open"},
        "waiting_for": {"reason": "breaker_open", "until": "2025-02-19T21:10:32.345Z"},
        "attempts": [],
    },
    "skipped": {
        **_EXPLAINED,
        "id": _NIGHTLY_ID,
        "state": "skipped",
        "end_reason": "job_paused",
        "due_at": "2025-02-20T01:30:00.000Z",
        "lag_ms": None,
        "summary": "It did not run, on purpose. Its job was paused.",
        "longest": None,
        "attempts": [],
    },
}
