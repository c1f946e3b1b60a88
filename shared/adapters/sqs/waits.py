"""The wait of a wake-up so far as a message attribute, which releases without it ignore."""

import re
from collections.abc import Mapping
from typing import Any

from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.executions.stages import cause_of

WAIT = "punctual.wait"
_WAIT = re.compile(r"(\d{1,15})-(\d{1,15})-(\d{1,3})-(\d{1,15})", re.ASCII)


def wait_attribute(wait: WaitSoFar | None) -> dict[str, Any]:
    """The attribute of a message; none for a message that no worker has received before."""
    if wait is None:
        return {}
    text = f"{wait.visible_at}-{wait.received_at}-{wait.cause or 0:d}-{wait.cause_ms}"
    return {WAIT: {"DataType": "String", "StringValue": text}}


def read_wait(record: Mapping[str, Any]) -> WaitSoFar | None:
    """The wait in a record of an event of Lambda; None for a form of another release."""
    text = (record.get("messageAttributes") or {}).get(WAIT, {}).get("stringValue") or ""
    match = _WAIT.fullmatch(text)
    if match is None:
        return None
    visible_at, received_at, cause, cause_ms = map(int, match.groups())
    return WaitSoFar(visible_at=visible_at, received_at=received_at, cause=cause_of(cause), cause_ms=cause_ms)
