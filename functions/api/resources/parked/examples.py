"""Parked messages."""

from typing import Any

from functions.api.examples import Examples

_MESSAGE: dict[str, Any] = {
    "id": "1740000000000-1f6a2f0e-3a5d-4c1b-9f64-2f1f3f6b8f11",
    "message_id": "1f6a2f0e-3a5d-4c1b-9f64-2f1f3f6b8f11",
    "lane": "standard",
    "reason": "not a wake-up: it is no JSON",
    "body": "hello",
    "size": 5,
    "parked_at": "2025-02-19T21:20:00.000Z",
}
PARKED: Examples = {"unreadable": _MESSAGE}
PARKED_PAGE: Examples = {"one": {"messages": [_MESSAGE], "next_cursor": None}}
