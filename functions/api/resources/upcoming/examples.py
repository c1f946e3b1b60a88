"""Runs that are about to start."""

from functions.api.examples import JOB_ID, ONE_OFF_ID, Examples

UPCOMING_PAGE: Examples = {
    "one_filed_execution": {
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
DENSITY: Examples = {
    "two_hours": {
        "steps": [
            {"at": "2025-02-19T21:00:00.000Z", "count": 12},
            {"at": "2025-02-19T22:00:00.000Z", "count": 0},
        ],
        "until": "2025-02-19T23:00:00.000Z",
        "complete": True,
        "estimated": False,
    }
}
DUE_PAGE: Examples = {
    "one_of_acme": {
        "rows": [
            {
                "at": "2025-02-19T21:12:12.000Z",
                "tenant_id": "acme",
                "execution_id": "exe_1001jmg0vmz00008rb3ntmhzg35zqqz",
                "state": "queued",
                "lane": "standard",
                "shard": 0,
                "retry": False,
            }
        ],
        "until": "2025-02-19T21:15:12.345Z",
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
