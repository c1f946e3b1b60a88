"""The attributes of the event that has started a run. Releases without them ignore them."""

from collections.abc import Mapping
from typing import Any

from shared.domain.executions.execution import EventRef

EVENT, EVENT_RECORDED, EVENT_DUE = "ev", "et", "ed"


def event_attributes(event: EventRef | None) -> dict[str, Any]:
    if event is None:
        return {}
    return {
        EVENT: [event.trigger, event.source, event.id],
        EVENT_RECORDED: event.recorded_at,
        EVENT_DUE: event.due_at,
    }


def read_event(plain: Mapping[str, Any]) -> EventRef | None:
    """ValueError for a malformed one."""
    if EVENT not in plain:
        return None
    trigger, source, event_id = plain[EVENT]
    return EventRef(
        trigger=trigger,
        source=source,
        id=event_id,
        recorded_at=plain.get(EVENT_RECORDED),
        due_at=plain.get(EVENT_DUE),
    )
