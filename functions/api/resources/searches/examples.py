"""Searches of executions."""

from typing import Any

from functions.api.examples import CURSOR, NOW, Examples

SEARCH_IN: Examples = {
    "failed_of_tag": {
        "from": "2024-11-01T00:00:00Z",
        "to": "2025-02-01T00:00:00Z",
        "filter": {"tag": "billing", "state": "failed"},
    },
    "answered_503": {"from": "2025-02-01T00:00:00Z", "filter": {"status": 503}},
}
_RUNNING: dict[str, Any] = {
    "id": "srh_01jmg0r03sg2c8k9w3qdm7vtqn6y",
    "state": "running",
    "from": "2024-11-01T00:00:00.000Z",
    "to": "2025-02-01T00:00:00.000Z",
    "filter": {
        "state": "failed",
        "job": None,
        "tag": "billing",
        "reason": None,
        "status": None,
        "lane": None,
    },
    "found": 1204,
    "progress_at": "2024-12-14T07:00:00.000Z",
    "truncated": False,
    "next_to": None,
    "created_at": NOW,
    "ended_at": None,
    "expires_at": "2025-02-26T21:10:12.345Z",
}
_FINISHED: dict[str, Any] = {
    **_RUNNING,
    "state": "finished",
    "found": 2310,
    "progress_at": None,
    "ended_at": "2025-02-19T21:11:40.018Z",
}
SEARCH: Examples = {"running": _RUNNING}
SEARCH_DETAIL: Examples = {
    "finished": {
        **_FINISHED,
        "files": [
            {
                "url": "https://punctual-archive.s3.eu-west-1.amazonaws.com/searches/...?X-Amz-Signature=...",
                "rows": 2310,
                "bytes": 201_554,
            }
        ],
        "urls_expire_at": "2025-02-19T21:30:00.000Z",
    },
}
SEARCH_PAGE: Examples = {"one_of_more": {"searches": [_FINISHED], "next_cursor": CURSOR}}
