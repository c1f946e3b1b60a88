"""Statistics."""

from typing import Any

from functions.api.examples import Examples

_QUANTILES = {"count": 118, "p50_ms": 38, "p99_ms": 412}
_SUMS: dict[str, Any] = {
    "ended": 120,
    "failed": 2,
    "lag": _QUANTILES,
    "states": {"failed": 2, "skipped": 2, "succeeded": 116},
    "end_reasons": {"attempts_used_up": 2, "overlap": 2},
    "statuses": {"2xx": 116, "5xx": 1, "none": 1},
    "attempts": 127,
    "unended": 0,
    "queue": {"count": 118, "p50_ms": 20, "p99_ms": 95},
    "wait": {"count": 118, "p50_ms": 0, "p99_ms": 300},
    "duration": {"count": 118, "p50_ms": 84, "p99_ms": 2050},
}
_NOTHING = {"count": 0, "p50_ms": None, "p99_ms": None}
_EMPTY: dict[str, Any] = {
    "ended": 0,
    "failed": 0,
    "lag": _NOTHING,
    "states": {},
    "end_reasons": {},
    "statuses": {},
    "attempts": 0,
    "unended": 0,
    "queue": _NOTHING,
    "wait": _NOTHING,
    "duration": _NOTHING,
}
_BY_MINUTE = {
    **dict.fromkeys(_EMPTY),
    "ended": 4,
    "failed": 0,
    "lag": {"count": 4, "p50_ms": 31, "p99_ms": 70},
}
_COUNTED = {"complete": True, "uncounted_due": 0, "uncounted_failed": 0}
STATISTICS_OUT: Examples = {
    "by_hour": {
        "by": "hour",
        "from_at": "2025-02-19T18:00:00.000Z",
        "until_at": "2025-02-19T20:00:00.000Z",
        "complete_until": "2025-02-19T19:00:00.000Z",
        "total": _SUMS,
        "buckets": [
            {
                "from_at": "2025-02-19T18:00:00.000Z",
                "until_at": "2025-02-19T19:00:00.000Z",
                **_COUNTED,
                **_SUMS,
            },
            {
                "from_at": "2025-02-19T19:00:00.000Z",
                "until_at": "2025-02-19T20:00:00.000Z",
                "complete": False,
                "uncounted_due": 121,
                "uncounted_failed": 1,
                **_EMPTY,
            },
        ],
    },
    "by_minute": {
        "by": "minute",
        "from_at": "2025-02-19T18:00:00.000Z",
        "until_at": "2025-02-19T18:01:00.000Z",
        "complete_until": "2025-02-19T18:01:00.000Z",
        "total": _BY_MINUTE,
        "buckets": [
            {
                "from_at": "2025-02-19T18:00:00.000Z",
                "until_at": "2025-02-19T18:01:00.000Z",
                **_COUNTED,
                **_BY_MINUTE,
            }
        ],
    },
}
BUSIEST_JOBS_OUT: Examples = {
    "of_a_day": {
        "from_at": "2025-02-19T00:00:00.000Z",
        "until_at": "2025-02-20T00:00:00.000Z",
        "complete": True,
        "ended": 1630,
        "job_count": 2,
        "jobs": [
            {"tenant_id": "acme", "job_id": "job_r001jmg0r03szjym089eyz6ab9d1", "ended": 1440, "failed": 3},
            {"tenant_id": "acme", "job_id": "job_r001jmg0r03s2c8k9w3qdm7vtqn6", "ended": 24, "failed": 0},
        ],
    }
}
