"""The webhook that Punctual sends: the call of a job."""

from typing import Any

from shared.domain.delivery.depth import DEPTH_HEADER
from shared.domain.executions.callback_token import TOKEN_HEADER
from shared.usecases.attempts.compose_callback import RUN_HEADER, TASK_HEADER

_HEADERS = {
    "webhook-id": "The execution's id, the same for every attempt: deduplicate by it. "
    "`Idempotency-Key` has the same value.",
    "webhook-timestamp": "The time of signing, in seconds since 1970.",
    "webhook-signature": "Standard Webhooks: `v1,` and the base64 of an HMAC-SHA256, for each active secret.",
    "X-Job-Id": "The job's id.",
    "X-Attempt": "The number of the attempt, from 1.",
    "X-Scheduled-At": "The nominal instant.",
    "X-Scheduler-Signature": '`t=<timestamp>,v1=<hex HMAC-SHA256 of "<timestamp>.<body>">`. '
    "The key is the text of the current secret.",
    TOKEN_HEADER: "The token for receivers that report later.",
    DEPTH_HEADER: "How many calls in a row have created jobs, up to this one, with a code. Send it back when "
    "you create a job because of this call.",
    "traceparent": "The trace of the client that created the job, or one for all attempts of the execution. Each "
    "attempt is a span of its own.",
}
_OF_BACKFILLS = {"X-Backfill-Of": "The job that the backfill belongs to; only in calls of backfills."}
_OF_TASKS = {
    RUN_HEADER: "The run of a workflow; only in calls of its tasks.",
    TASK_HEADER: "The key of the task; only in calls of tasks.",
}
_ASYNC = {
    "X-Punctual-Async": {
        "description": "With it the attempt stays `running` until a report. Without it a 202 is a success.",
        "schema": {"type": "string", "const": "true"},
    }
}
_FAILED = {
    "Retry-After": {
        "description": "Seconds, or a date: no other attempt starts before it, within the bounds of `retry`.",
        "schema": {"type": "string"},
    },
    "X-Punctual-No-Retry": {
        "description": "With this header the execution fails at once.",
        "schema": {"type": "string", "const": "true"},
    },
}
WEBHOOKS: dict[str, Any] = {
    "call": {
        "post": {
            "operationId": "call",
            "tags": ["Jobs"],
            "summary": "The call that your endpoint receives",
            "description": "The job's own method, headers and body, and these headers. The whole response "
            "must arrive within `timeout_seconds`. Redirects are not followed and count as failures.",
            "parameters": [
                {
                    "name": name,
                    "in": "header",
                    "required": name in _HEADERS,
                    "description": description,
                    "schema": {"type": "string"},
                }
                for name, description in (_HEADERS | _OF_BACKFILLS | _OF_TASKS).items()
            ],
            "responses": {
                "2XX": {"description": "The execution has succeeded."},
                "202": {
                    "description": "The receiver continues and reports later: see Long-running callbacks.",
                    "headers": _ASYNC,
                },
                "410": {"description": "The execution fails at once, and a recurring job is paused."},
                "default": {
                    "description": "Retried according to the job's `retry`, and not before `Retry-After`.",
                    "headers": _FAILED,
                },
            },
            "security": [],
        }
    }
}
