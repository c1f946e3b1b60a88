"""Backfills."""

from functions.api.examples import JOB_ID, Examples

BACKFILL_IN: Examples = {
    # First, because a page that offers to send examples offers the first one.
    "dry_run": {"from": "2025-02-17T00:00:00Z", "to": "2025-02-19T00:00:00Z", "dry_run": True},
    "two_nights": {
        "from": "2025-02-17T00:00:00+01:00",
        "to": "2025-02-19T00:00:00+01:00",
        "every_seconds": 60,
    },
}
BACKFILL_PLAN_OUT: Examples = {
    "two_nights": {
        "of": JOB_ID,
        "from": "2025-02-17T00:00:00.000Z",
        "to": "2025-02-19T00:00:00.000Z",
        "every_seconds": 1,
        "count": 2,
        "first_at": "2025-02-17T01:30:00.000Z",
        "last_at": "2025-02-18T01:30:00.000Z",
        "instants": ["2025-02-17T01:30:00.000Z", "2025-02-18T01:30:00.000Z"],
    }
}
