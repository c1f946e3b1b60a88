"""Bulk redrives."""

from typing import Any

from functions.api.examples import JOB_ID, Examples
from functions.api.resources.dead_letters.examples import DEAD

REDRIVE_IN: Examples = {
    # First, because a page that offers to send examples offers the first one.
    "dry_run": {"reason": "http_status", "status": 410, "dry_run": True},
    "one_job_since_noon": {"job": JOB_ID, "from": "2025-02-19T12:00:00Z", "rate": 5},
}
REDRIVE_PLAN: Examples = {
    "one": {"count": 1, "already_redriven": 0, "redrives": 1, "complete": True, "sample": [DEAD]},
}
_RUNNING: dict[str, Any] = {
    "id": "rdr_01jmg4bfzkg2c8k9w3qdm7vtqn6y",
    "state": "running",
    "job": JOB_ID,
    "tag": None,
    "reason": None,
    "status": None,
    "lane": None,
    "from": "2025-02-19T12:00:00.000Z",
    "to": "2025-02-19T22:10:12.345Z",
    "rate": 5,
    "counts": {"redriven": 50, "skipped": 2, "refused": 0, "cancelled": 0, "already_started": 0},
    "progress_at": "2025-02-19T14:31:00.000Z",
    "due_until": "2025-02-19T22:10:22.345Z",
    "created_at": "2025-02-19T22:10:12.345Z",
    "ended_at": None,
}
REDRIVE_OUT: Examples = {
    "running": _RUNNING,
    "undone": {
        **_RUNNING,
        "state": "undone",
        "counts": {"redriven": 50, "skipped": 2, "refused": 0, "cancelled": 38, "already_started": 12},
        "progress_at": None,
        "ended_at": "2025-02-19T22:14:00.000Z",
    },
}
