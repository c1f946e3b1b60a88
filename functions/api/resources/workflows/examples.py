"""Workflows and their runs."""

from typing import Any

from functions.api.examples import CURSOR, NOW, Examples

WORKFLOW_ID = "wfl_1001jmg0r03szjym089eyz6ab9d1"
RUN_ID = "run_1001jmg0r03s0009xjjb7t357kf8p8b"
_CHARGE_ID = "exe_1001jmg0r03s0009xjjb7t357kf8p8b"
_SHIP_ID = "exe_1001jmg0r04s0000ygnekx3ad5d8xva"
_LATER = "2025-02-19T21:10:12.377Z"
_SHOP = "https://example.com/hooks"

WORKFLOW_IN: Examples = {
    "two_in_turn": {
        "name": "order",
        "tags": ["shop"],
        "tasks": [
            {"key": "charge", "request": {"url": f"{_SHOP}/charge", "json": {"order": 7}}},
            {"key": "ship", "after": ["charge"], "request": {"url": f"{_SHOP}/ship"}},
        ],
    },
    "fan_out_and_join": {
        "on_failure": "continue",
        "deadline_seconds": 3600,
        "callbacks": {"on_failure": f"{_SHOP}/failed"},
        "alerts": {"url": f"{_SHOP}/alerts", "events": ["failed", "recovered"], "format": "slack"},
        "tasks": [
            {"key": "extract", "request": {"url": f"{_SHOP}/extract"}},
            {"key": "north", "after": ["extract"], "request": {"url": f"{_SHOP}/north"}, "lane": "bulk"},
            {"key": "south", "after": ["extract"], "request": {"url": f"{_SHOP}/south"}, "lane": "bulk"},
            {
                "key": "report",
                "after": ["north", "south"],
                "request": {"url": f"{_SHOP}/report"},
                "retry": {"max_attempts": 3},
                "timeout_seconds": 60,
            },
        ],
    },
    "with_a_result": {
        "tasks": [
            {"key": "count", "request": {"url": f"{_SHOP}/count"}},
            {
                "key": "report",
                "after": ["count"],
                "needs": ["count"],
                "request": {"url": f"{_SHOP}/report", "json": {"to": "sales"}},
            },
        ],
    },
    "with_an_input": {
        "tasks": [
            {"key": "charge", "input": True, "request": {"url": f"{_SHOP}/charge"}},
            {"key": "ship", "after": ["charge"], "input": True, "request": {"url": f"{_SHOP}/ship"}},
        ],
    },
    "with_a_map": {
        "tasks": [
            {"key": "list", "request": {"url": f"{_SHOP}/list"}},
            {
                "key": "resize",
                "after": ["list"],
                "map": {"over": "list", "path": "/files"},
                "request": {"url": f"{_SHOP}/resize"},
            },
            {
                "key": "publish",
                "after": ["resize"],
                "needs": ["resize"],
                "request": {"url": f"{_SHOP}/publish"},
            },
        ],
    },
    "with_a_handler": {
        "tasks": [
            {"key": "import", "request": {"url": f"{_SHOP}/import"}},
            {
                "key": "undo",
                "after": ["import"],
                "run_if": "any_failed",
                "request": {"url": f"{_SHOP}/undo"},
            },
        ],
    },
}
WORKFLOW_PATCH: Examples = {
    "another_name": {"name": "order of the shop", "deadline_seconds": None},
    "alerts_of_the_tenant": {"alerts": None},
    "other_tasks": {"tasks": [{"key": "charge", "request": {"url": f"{_SHOP}/charge"}}]},
}
_SUMMARY: dict[str, Any] = {
    "id": WORKFLOW_ID,
    "state": "active",
    "name": "order",
    "tags": ["shop"],
    "task_count": 2,
    "revision": 1,
    "created_at": NOW,
}
_TASK: dict[str, Any] = {
    "key": "charge",
    "after": [],
    "run_if": "all_succeeded",
    "needs": [],
    "input": False,
    "request": {"method": "POST", "url": f"{_SHOP}/charge"},
    "retry": {"max_attempts": 5, "base_seconds": 10, "factor": 2, "cap_seconds": 3600},
    "timeout_seconds": 30,
    "lane": "standard",
}
WORKFLOW_SUMMARY: Examples = {"deleted": {**_SUMMARY, "state": "deleted"}}
WORKFLOW_OUT: Examples = {
    "two_in_turn": {
        **_SUMMARY,
        "on_failure": "fail_fast",
        "deadline_seconds": 86400,
        "callbacks": {"on_success": None, "on_failure": f"{_SHOP}/failed"},
        "alerts": None,
        "tasks": [
            _TASK,
            {
                **_TASK,
                "key": "ship",
                "after": ["charge"],
                "request": {"method": "POST", "url": f"{_SHOP}/ship"},
            },
        ],
    }
}
WORKFLOW_PAGE: Examples = {"one_of_more": {"workflows": [_SUMMARY], "next_cursor": CURSOR}}
_KEYED: dict[str, Any] = WORKFLOW_OUT["two_in_turn"] | {"key": "shop.order", "set": "shop"}
KEYED_WORKFLOW_IN: Examples = {
    "two_in_turn_of_a_set": {**WORKFLOW_IN["two_in_turn"], "set": "shop"},
    "one_task": {"tasks": [{"key": "charge", "request": {"url": f"{_SHOP}/charge"}}]},
}
WORKFLOW_PUT: Examples = {
    "created": {"change": "created", "fields": [], "workflow": _KEYED},
    "updated": {
        "change": "updated",
        "fields": [
            {"pointer": "/deadline_seconds", "before": 86400, "after": 3600, "hidden": False},
            {
                "pointer": "/tasks/charge/request/headers/X-Token",
                "before": None,
                "after": None,
                "hidden": True,
            },
            {"pointer": "/tasks/ship/retry/max_attempts", "before": 5, "after": 3, "hidden": False},
        ],
        "workflow": {**_KEYED, "deadline_seconds": 3600, "revision": 2},
    },
    "would_be_created": {"change": "created", "fields": [], "workflow": None},
}
_COUNTS = {"blocked": 0, "open": 0, "succeeded": 0, "failed": 0, "cancelled": 0, "skipped": 0}
_RUNNING: dict[str, Any] = {
    "id": RUN_ID,
    "workflow_id": WORKFLOW_ID,
    "execution_id": None,
    "job_id": None,
    "revision": 1,
    "state": "running",
    "epoch": 1,
    "created_at": NOW,
    "deadline_at": "2025-02-20T21:10:12.345Z",
    "ended_at": None,
    "has_input": False,
    "counts": {**_COUNTS, "blocked": 1, "open": 1},
}
RUN_IN: Examples = {"with_an_input": {"input": {"order": 7}}, "without_an_input": {}}
RUN_REDRIVE_IN: Examples = {"first_redrive": {"epoch": 1}}
RUN_OUT: Examples = {
    "started": _RUNNING,
    "cancelled": {
        **_RUNNING,
        "state": "cancelled",
        "ended_at": _LATER,
        "counts": {**_COUNTS, "cancelled": 2},
    },
}
_CALLED: dict[str, Any] = {
    "key": "charge",
    "state": "succeeded",
    "reason": None,
    "epoch": 1,
    "execution_id": _CHARGE_ID,
    "due_at": NOW,
    "started_at": NOW,
    "has_result": False,
    "attempts_begun": 1,
    "attempts": [{"number": 1, "started_at": NOW, "duration_ms": 5, "status": 200, "reason": "ok"}],
    "next_attempt_at": None,
    "end_reason": None,
}
RUN_DETAIL: dict[str, Any] = {
    "halfway": {
        **_RUNNING,
        "counts": {**_COUNTS, "open": 1, "succeeded": 1},
        "workflow_name": "order",
        "tasks": [
            _CALLED,
            {
                **_CALLED,
                "key": "ship",
                "state": "pending",
                "execution_id": _SHIP_ID,
                "due_at": _LATER,
                "started_at": None,
                "attempts_begun": 0,
                "attempts": [],
            },
        ],
        "graph": {
            "nodes": [{"key": "charge", "level": 0}, {"key": "ship", "level": 1}],
            "edges": [{"source": "charge", "target": "ship"}],
        },
        "notification": None,
    }
}
RUN_DETAIL["with_a_map"] = {
    **RUN_DETAIL["halfway"],
    "tasks": [
        _CALLED,
        {
            **_CALLED,
            "key": "ship",
            "state": "running",
            "execution_id": None,
            "started_at": None,
            "attempts_begun": 0,
            "attempts": [],
            "items": {
                "count": 3,
                "open": 1,
                "succeeded": 1,
                "failed": 1,
                "cancelled": 0,
                "skipped": 0,
                "unsuccessful": [{"index": 2, "state": "failed", "execution_id": _SHIP_ID}],
            },
        },
    ],
}
RUN_PAGE: Examples = {"one_of_more": {"runs": [_RUNNING], "next_cursor": CURSOR}}
