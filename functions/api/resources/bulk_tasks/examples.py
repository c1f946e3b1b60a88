"""Bulk operations on jobs."""

from typing import Any

from functions.api.examples import CURSOR, NOW, Examples
from functions.api.resources.jobs.examples import JOB_PAGE

BULK_IN: Examples = {
    # First, because a page that offers to send examples offers the first one.
    "dry_run": {"filter": {"tag": "billing"}, "action": "pause", "dry_run": True},
    "pause_by_tag": {
        "filter": {"tag": "billing", "state": "active"},
        "action": "pause",
        "reason": "the receiver is being moved",
        "rate": 50,
    },
    "patch_by_tag": {
        "filter": {"tag": "billing"},
        "action": "patch",
        "patch": {"lane": "bulk", "add_tags": ["slow"]},
    },
    "patch_retries_and_alerts": {
        "filter": {"tag": "billing"},
        "action": "patch",
        "patch": {
            "retry": {"max_attempts": 8, "give_up_after_seconds": 3600},
            "alerts": {"url": "https://example.com/hooks/alerts", "events": ["failed", "recovered"]},
            "on_failure": None,
        },
    },
    "resume_a_set_since": {
        "filter": {"set": "billing", "created_from": "2025-02-01T00:00:00Z"},
        "action": "resume",
    },
    "delete_by_name": {"filter": {"q": "test of "}, "action": "delete", "grace_hours": 48},
}
_PLAN = "pln_01jmg4bfzk000014k9w3qdm7vtqn6y0c8h2f5r1b3t"
BULK_PLAN: Examples = {
    "one": {
        "count": 3,
        "complete": True,
        "unchanged": 1,
        "refused": {"completed": 1},
        "examples": JOB_PAGE["one_of_more"]["jobs"],
        "warnings": ["one-off jobs are not selected: send the kind once for them"],
        "plan": _PLAN,
        "plan_expires_at": "2025-02-19T21:20:12.345Z",
    },
}
_FILTER: dict[str, Any] = {
    "state": "active",
    "tag": "billing",
    "set": None,
    "q": None,
    "kind": None,
    "created_from": None,
    "created_to": NOW,
}
_RUNNING: dict[str, Any] = {
    "id": "blk_01jmg0r03sg2c8k9w3qdm7vtqn6y",
    "action": "pause",
    "state": "running",
    "filter": _FILTER,
    "reason": "the receiver is being moved",
    "patch": None,
    "grace_hours": None,
    "rate": 50,
    "total": 240,
    "total_is_exact": True,
    "counts": {
        "done": 98,
        "unchanged": 0,
        "refused": {"changed": 2},
        "deleted": 0,
        "undone": 0,
        "changed_since": 0,
        "gone": 0,
    },
    "left": 140,
    "ends_at": "2025-02-19T21:10:17.145Z",
    "deletes_at": None,
    "created_at": NOW,
    "ended_at": None,
}
_WAITING: dict[str, Any] = {
    **_RUNNING,
    "action": "delete",
    "state": "waiting",
    "filter": {**_FILTER, "state": None},
    "reason": None,
    "grace_hours": 24,
    "counts": {**_RUNNING["counts"], "done": 238},
    "left": 238,
    "ends_at": "2025-02-20T21:10:21.905Z",
    "deletes_at": "2025-02-20T21:10:17.145Z",
}
BULK_TASK: Examples = {"running": _RUNNING, "waiting": _WAITING}
BULK_TASK_PAGE: Examples = {"one_of_more": {"operations": [_RUNNING], "next_cursor": CURSOR}}
