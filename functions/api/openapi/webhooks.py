"""What Punctual itself sends: the calls of jobs."""

from typing import Any

from shared.domain.executions.callback_token import TOKEN_HEADER

_HEADERS = {
    "webhook-id": "The execution's id, the same for every attempt: deduplicate by it. `Idempotency-Key` has it too.",
    "webhook-timestamp": "When the call was signed, in seconds since 1970.",
    "webhook-signature": "Standard Webhooks: `v1,` and the base64 of an HMAC-SHA256, for each secret that signs.",
    "X-Job-Id": "The job.",
    "X-Attempt": "The number of the attempt, from 1.",
    "X-Scheduled-At": "The nominal instant.",
    "X-Scheduler-Signature": '`t=<timestamp>,v1=<hex HMAC-SHA256 of "<timestamp>.<body>">`, by the current secret.',
    TOKEN_HEADER: "For receivers that report later.",
    "traceparent": "One trace for all attempts of an execution.",
}
_OF_BACKFILLS = {
    "X-Backfill-Of": "The job whose past instant is made up for; only in calls of its backfills."
}
_ASYNC = {
    "X-Punctual-Async": {
        "description": "With it the attempt stays `running` until it is reported on; without it 202 is a success.",
        "schema": {"type": "string", "const": "true"},
    }
}
_FAILED = {
    "Retry-After": {
        "description": "Seconds, or a date: no other attempt begins before it, as far as `retry` lets it wait.",
        "schema": {"type": "string"},
    },
    "X-Punctual-No-Retry": {
        "description": "With it the execution fails at once.",
        "schema": {"type": "string", "const": "true"},
    },
}
WEBHOOKS: dict[str, Any] = {
    "call": {
        "post": {
            "operationId": "call",
            "tags": ["Jobs"],
            "summary": "What your endpoint gets",
            "description": "The job's own method, headers and body, and these headers. The whole answer must be there "
            "within `timeout_seconds`. Redirects are not followed and count as failures.",
            "parameters": [
                {
                    "name": name,
                    "in": "header",
                    "required": name in _HEADERS,
                    "description": description,
                    "schema": {"type": "string"},
                }
                for name, description in (_HEADERS | _OF_BACKFILLS).items()
            ],
            "responses": {
                "2XX": {"description": "The execution has succeeded."},
                "202": {
                    "description": "The receiver works on and reports later: see Long-running callbacks.",
                    "headers": _ASYNC,
                },
                "410": {"description": "The execution fails at once, and a recurring job is paused."},
                "default": {
                    "description": "Tried again, as the job's `retry` says, and not before `Retry-After`.",
                    "headers": _FAILED,
                },
            },
            "security": [],
        }
    }
}
