"""Jobs."""

from typing import Any

from functions.api.examples import JOB_ID, NOW, ONE_OFF_ID, Examples

_RETRY = {"max_attempts": 5, "base_seconds": 10, "factor": 2, "cap_seconds": 3600}
_POLICIES = {
    "catch_up": "coalesce",
    "catch_up_limit": 100,
    "catch_up_window_seconds": 86400,
    "late_tolerance_seconds": 60,
    "overlap_policy": "allow",
}

JOB_IN: Examples = {
    "nightly_on_a_cron_line": {
        "name": "nightly report",
        "tags": ["billing"],
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "request": {"url": "https://example.com/hooks/report", "json": {"kind": "nightly"}},
    },
    "once_at_an_instant": {
        "schedule": {"at": "2030-01-01T09:00:00+01:00"},
        "request": {"url": "https://example.com/hooks/invoice"},
        "when_suspended": "run",
    },
    "once_in_a_minute": {
        "schedule": {"delay_seconds": 60},
        "request": {"url": "https://example.com/hooks/reminder", "body": "the oven is hot"},
        "start_deadline_seconds": 300,
        "on_failure": "https://example.com/hooks/cold-ovens",
    },
    "every_ten_minutes": {
        "schedule": {"rate_seconds": 600, "jitter_seconds": 30},
        "request": {"url": "https://example.com/hooks/poll", "method": "GET"},
        "lane": "bulk",
        "overlap_policy": "skip",
        "retry": {"max_attempts": 3, "base_seconds": 5, "factor": 3, "cap_seconds": 60},
        "on_failure": "none",
    },
    "with_a_table_of_delays": {
        "schedule": {"delay_seconds": 0},
        "request": {"url": "https://example.com/hooks/import"},
        "retry": {"delays_seconds": [60, 600, 86400], "give_up_after_seconds": 172800},
        "on_success": "https://example.com/hooks/imported",
        "alerts": {
            "url": "https://example.com/hooks/alerts",
            "events": ["failed", "late"],
            "late_after_seconds": 300,
        },
    },
    "signed_for_one_endpoint": {
        "schedule": {"rate_seconds": 3600},
        "request": {"url": "https://billing.example.com/hooks/invoices"},
        "signing_secret": "billing",
    },
    "from_eventbridge_scheduler": {
        "schedule": {"expression": "cron(0 9 ? * MON-FRI *)", "timezone": "America/New_York"},
        "request": {"url": "https://example.com/hooks/opening", "headers": {"X-Team": "billing"}},
    },
}
JOB_IN["to_a_queue"] = {
    "schedule": {"cron": "0 6 * * *", "timezone": "Europe/Berlin"},
    "target": {
        "sqs": {"arn": "arn:aws:sqs:eu-west-1:111122223333:orders", "json": {"kind": "close the day"}}
    },
}
JOB_IN["to_a_function"] = {
    "schedule": {"rate_seconds": 300},
    "target": {
        "lambda": {
            "arn": "arn:aws:lambda:eu-west-1:111122223333:function:close-the-day",
            "invocation_type": "request_response",
            "json": {"kind": "close the day"},
        }
    },
}
KEYED_JOB_IN: Examples = {
    "nightly_in_a_set": {
        "set": "billing",
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "request": {"url": "https://example.com/hooks/report", "json": {"kind": "nightly"}},
    },
    "every_hour": {
        "schedule": {"rate_seconds": 3600},
        "request": {"url": "https://example.com/hooks/poll", "method": "GET"},
    },
}
JOB_PATCH: Examples = {
    "another_zone": {"schedule": {"timezone": "Europe/Paris"}, "tags": ["reports"]},
    "another_line_and_fewer_attempts": {"schedule": {"cron": "0 3 * * *"}, "retry": {"max_attempts": 3}},
    "defaults_again": {"retry": None, "lane": None, "signing_secret": None},
}
PAUSE_IN: Examples = {"with_a_reason": {"reason": "the receiver is being moved"}}
_RECURRING: dict[str, Any] = {
    "id": JOB_ID,
    "kind": "cron",
    "state": "active",
    "name": "nightly report",
    "tags": ["billing"],
    "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
    "next_due_at": "2025-02-20T01:30:00.000Z",
    "no_next_run": None,
    "request": {"method": "POST", "url": "https://example.com/hooks/report"},
    "lane": "standard",
    "timeout_seconds": 30,
    "retry": _RETRY,
    "async_deadline_seconds": 3600,
    "heartbeat_seconds": 60,
    **_POLICIES,
    "start_deadline_seconds": None,
    "when_suspended": None,
    "on_success": None,
    "on_failure": None,
    "alerts": None,
    "signing_secret": None,
    "pause_reason": None,
    "backfill": None,
    "revision": 1,
    "created_at": NOW,
}
ONCE: dict[str, Any] = {
    **_RECURRING,
    "id": ONE_OFF_ID,
    "kind": "once",
    "state": "pending",
    "name": None,
    "tags": [],
    "schedule": {"at": "2025-02-19T21:30:00.000Z"},
    "next_due_at": "2025-02-19T21:30:00.000Z",
    "last_run": None,
    "request": {"method": "POST", "url": "https://example.com/hooks/invoice"},
    "when_suspended": "skip",
    **dict.fromkeys(_POLICIES),
}
_PAUSED = {
    **_RECURRING,
    "state": "paused",
    "next_due_at": None,
    "no_next_run": "The job is paused. Reason: the receiver is being moved",
    "pause_reason": "the receiver is being moved",
    "revision": 2,
}
_LAST_RUN = {
    "execution_id": "exe_1001jmfj4qpe0000ygnekx3ad5d8xvak",
    "scheduled_at": "2025-02-19T01:30:00.000Z",
    "state": "succeeded",
    "started_at": "2025-02-19T01:30:00.023Z",
    "lag_ms": 23,
}
_TO_A_QUEUE = _RECURRING | {
    "request": None,
    "target": {"sqs": {"arn": "arn:aws:sqs:eu-west-1:111122223333:orders"}},
}
JOB_OUT: Examples = {
    "to_a_queue": {**_TO_A_QUEUE, "last_run": None},
    "recurring": {**_RECURRING, "last_run": _LAST_RUN},
    "once": ONCE,
    "paused": {**_PAUSED, "last_run": _LAST_RUN},
}
JOB_PAGE: Examples = {
    "one_of_more": {
        "jobs": [
            {
                name: _RECURRING[name]
                for name in (
                    "id",
                    "kind",
                    "state",
                    "name",
                    "tags",
                    "schedule",
                    "next_due_at",
                    "no_next_run",
                    "lane",
                    "revision",
                    "created_at",
                )
            }
        ],
        "next_cursor": "NFinSOm7F7yj8sm_lHUwy8jQ6zRIFy0Z_rzaGFT16qlss_IYhmJJ5e",
    }
}
_KEYED = {**_RECURRING, "key": "billing.nightly", "set": "billing"}
JOB_PUT: Examples = {
    "created": {"change": "created", "fields": [], "job": _KEYED},
    "updated": {
        "change": "updated",
        "fields": [
            {"pointer": "/schedule/cron", "before": "30 2 * * *", "after": "0 3 * * *", "hidden": False},
            {"pointer": "/request/headers/X-Token", "before": None, "after": None, "hidden": True},
        ],
        "job": {**_KEYED, "schedule": {"cron": "0 3 * * *", "timezone": "Europe/Berlin"}, "revision": 2},
    },
    "would_be_created": {"change": "created", "fields": [], "job": None},
}
