"""Schedules and previews."""

from functions.api.examples import Examples

SCHEDULE_IN: Examples = {
    "cron_line_in_a_zone": {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "jitter_seconds": 600},
    "last_business_day": {
        "cron": "0 18 * * *",
        "timezone": "Europe/Berlin",
        "calendar": "DE",
        "business_day": -1,
    },
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
