"""Starts the functions' processes before the first job is due, and invokes scheduled functions on demand.

A cold start takes a second or more for imports, and locally a callback must arrive within 1.5 s of its due
time.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from infra.local.clients import Clients

Invoke = Callable[[str, Any], Any]
"""Invokes a function, by service or by ARN, with an event."""

PROCESSES = {"executor-standard": 3, "executor-critical": 1, "executor-bulk": 1}
"""Number of concurrent batches per lane without a cold start."""
NO_RECORDS: dict[str, Any] = {"Records": []}


def warm(clients: Clients, invoke: Invoke, call_api: Callable[[], Any]) -> None:
    """Start the processes, and run the ticks that were due while the stack was stopped.

    Calls run concurrently: overlapping calls of a function each get a process, which the emulator keeps.
    """
    empty = [(service, NO_RECORDS) for service, count in PROCESSES.items() for _ in range(count)]
    calls = [*empty, *ticks(clients)]
    pool = ThreadPoolExecutor(max_workers=len(calls) + 1)
    try:
        started = [pool.submit(call_api), *(pool.submit(invoke, *call) for call in calls)]
        for future in started:
            future.result()
    finally:
        # A user who stops the start does not wait for the calls: they end with the emulator.
        pool.shutdown(wait=False, cancel_futures=True)


def tick(clients: Clients, invoke: Invoke) -> None:
    """Invoke all scheduled functions once, in sequence.

    The emulator counts a rule's minute from its own start, so its first tick would be 70 s late.
    """
    for function, event in ticks(clients):
        invoke(function, event)


def ticks(clients: Clients) -> Iterable[tuple[str, Any]]:
    """Return the ARNs that enabled scheduled rules invoke, with the event of each rule."""
    events = clients.client("events")
    return [
        (target["Arn"], _event(target))
        for rule in events.list_rules()["Rules"]
        if rule.get("ScheduleExpression") and rule["State"] == "ENABLED"
        for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
    ]


def _event(target: Mapping[str, Any]) -> Any:
    """The event for a target; the only path of an input transformer is the time of the tick."""
    if "Input" in target:
        return json.loads(target["Input"])
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return json.loads(target["InputTransformer"]["InputTemplate"].replace("<time>", json.dumps(now)))
