"""Dead letters."""

from typing import Any

from functions.api.examples import CURSOR, Examples
from functions.api.resources.executions.examples import FAILED, REDRIVE_ID

DEAD: dict[str, Any] = {**FAILED, "lane": "standard", "last_status": 410, "last_reason": "http_status"}
DEAD_LETTER_PAGE: Examples = {
    "one_of_more": {"executions": [DEAD], "next_cursor": CURSOR},
    "redriven": {"executions": [{**DEAD, "redriven_by": REDRIVE_ID}], "next_cursor": None},
}
_REQUEST: dict[str, Any] = {
    "method": "POST",
    "url": "https://example.com/hooks/report",
    "headers": [{"name": "Content-Type", "value": "[redacted]"}],
    "body": None,
    "body_bytes": 18,
    "revealed": False,
}
INSPECTED: Examples = {
    "withheld": {**DEAD, "request": _REQUEST},
    "revealed": {
        **DEAD,
        "request": {
            **_REQUEST,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "body": '{"report":"daily"}',
            "revealed": True,
        },
    },
}
