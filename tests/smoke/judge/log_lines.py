"""Whether a log keeps the lines of a function as they were written."""

import json
from datetime import datetime


def faults_of(line: str, *, message: str, level: str) -> str:
    """What differs in a stored line; empty if it is as `shared.observability` wrote it."""
    try:
        found = json.loads(line)
    except ValueError:
        return f"no JSON: {line}"
    if not isinstance(found, dict) or (found.get("message"), found.get("level")) != (message, level):
        return line
    try:
        at = datetime.fromisoformat(str(found.get("timestamp")))
    except ValueError:
        return line
    return "" if at.tzinfo is not None and list(found)[:3] == ["timestamp", "level", "message"] else line
