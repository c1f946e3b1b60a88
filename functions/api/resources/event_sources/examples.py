"""Event sources."""

from typing import Any

from functions.api.examples import NOW, Examples

_IN: dict[str, Any] = {
    "routes": [
        {"source_prefix": "aws.s3", "tenant_id": "acme"},
        {"source_prefix": "com.acme.", "tenant_id": "acme"},
    ]
}
_SOURCE: dict[str, Any] = {"account": "111122223333", "version": 1, **_IN, "changed_at": NOW}
EVENT_SOURCE_IN: Examples = {"files_and_own_events": _IN}
EVENT_SOURCE_OUT: Examples = {"files_and_own_events": _SOURCE}
EVENT_SOURCES_OUT: Examples = {"one": {"event_sources": [_SOURCE]}}
