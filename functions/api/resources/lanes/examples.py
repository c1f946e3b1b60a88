"""Lanes and hot scopes."""

from functions.api.examples import Examples

LANE_PAGE: Examples = {
    "open_breaker": {
        "lanes": {
            "critical": {"visible_messages": 0, "behind_since": None},
            "standard": {"visible_messages": 5210, "behind_since": "2025-02-19T21:09:30.000Z"},
            "bulk": {"visible_messages": 48, "behind_since": None},
        },
        "hot_scopes": [
            {
                "kind": "destination",
                "id": "7vpe3dkjr6",
                "until": "2025-02-19T21:15:00.000Z",
                "reason": "breaker_open",
                "breaker": "open",
                "open_until": "2025-02-19T21:11:00.000Z",
                "concurrency_limit": None,
                "running": 0,
            },
            {
                "kind": "tenant",
                "id": "acme",
                "until": "2025-02-19T21:12:00.000Z",
                "reason": "quota",
                "breaker": "closed",
                "open_until": None,
                "concurrency_limit": None,
                "running": 100,
            },
        ],
        "next_cursor": None,
    }
}
