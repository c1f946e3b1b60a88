"""Usage."""

from functions.api.examples import Examples
from shared.names import MAX_PAYLOAD_BYTES

LIMITS = {
    "recurring_jobs": 1000,
    "creates_per_second": 100,
    "requests_per_second": 300,
    "due_per_minute": 60000,
    "payload_bytes": MAX_PAYLOAD_BYTES,
    "tags": 10,
    "api_keys": 10,
    "workflows": 1000,
    "concurrency": 100,
    "calls_per_second": 100_000,
    "destination_concurrency": 100_000,
    "destination_calls_per_second": 100_000,
}
_USED = {
    "recurring_jobs": 1,
    "creates_per_second": 3,
    "requests_per_second": 1,
    "due_per_minute": 0,
    "api_keys": 1,
    "workflows": 2,
}
USAGE_OUT: Examples = {
    "one_recurring_job": {
        "tenant": "acme",
        "weight": 1,
        "quotas": {
            name: {
                "limit": limit,
                "used": _USED.get(name),
                "is_lower_bound": False,
                "is_enforced": limit < 100_000 or not name.endswith(("concurrency", "calls_per_second")),
            }
            for name, limit in LIMITS.items()
        },
    }
}
