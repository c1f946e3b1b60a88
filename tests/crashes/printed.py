"""What the functions print: Lambda ships it to CloudWatch Logs, which the reconciler and alarms read."""

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.crashes.clock import SharedClock

FINDINGS = frozenset({"missing_executions", "chains_repaired", "double_completed"})
STREAM = "all"

Finding = tuple[str, str]
"""A kind, and the id of the job or execution that it is about."""


class Printed:
    """The file that all processes of one function append to; each line is handed over once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0

    def new_lines(self) -> list[str]:
        """What is complete and was not handed over before."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._position)
            # The rest of a line that was cut short by a kill joins the next one, as it would in any log.
            complete = file.read().rpartition(b"\n")[0]
        self._position += len(complete) + bool(complete)
        return [line for line in complete.decode(errors="replace").split("\n") if line.strip()]


class LogGroup:
    """Ships what a function printed to its log group, stamped with the time of the run."""

    def __init__(self, logs: Any, name: str, path: Path, clock: SharedClock) -> None:
        self._logs = logs
        self._name = name
        self._printed = Printed(path)
        self._clock = clock
        self._lock = threading.Lock()
        logs.create_log_group(logGroupName=name)
        logs.create_log_stream(logGroupName=name, logStreamName=STREAM)

    def ship(self) -> None:
        """All that is new."""
        with self._lock:
            now_ms = self._clock.now_ms()
            events = [{"timestamp": now_ms, "message": line} for line in self._printed.new_lines()]
            if events:
                self._logs.put_log_events(logGroupName=self._name, logStreamName=STREAM, logEvents=events)


def findings(lines: Iterable[str]) -> set[Finding]:
    """What the reconciler's log reports."""
    found = set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(message, str) and message in FINDINGS:
            found.add((message, str(entry["id"])))
    return found
