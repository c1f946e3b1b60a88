"""Making the functions' processes before the first job is due, and ticking without waiting for the clock.

A first call takes about a second of imports; on the laptop a call must arrive within 1.5 s of its time.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from infra.local.clients import Clients

PROCESSES = {"executor-standard": 3}
"""How many calls of a function may come at once without a cold start; 1 for those that are not named."""
NO_RECORDS: dict[str, Any] = {"Records": []}


def warm(functions: dict[str, str], invoke: Callable[[str, Any], Any]) -> None:
    """Start the processes of the functions that queues feed. `functions` maps services to function names."""
    fed = [service for service in functions if service.startswith("executor") or service == "dead-letter"]
    wanted = [service for service in fed for _ in range(PROCESSES.get(service, 1))]
    with ThreadPoolExecutor(max_workers=len(wanted) or 1) as pool:
        # Calls that overlap get a process each; the emulator keeps them.
        for done in [pool.submit(invoke, service, NO_RECORDS) for service in wanted]:
            done.result()


def tick(clients: Clients, invoke: Callable[[str, Any], Any]) -> None:
    """Invoke every scheduled rule's targets once, with the event that the rule would send.

    The emulator counts a rule's minute from its own start, so the first tick after a start would come 70 s late.
    """
    events = clients.client("events")
    targets = [
        target
        for rule in events.list_rules()["Rules"]
        if rule.get("ScheduleExpression")
        for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
    ]
    with ThreadPoolExecutor(max_workers=len(targets) or 1) as pool:
        for done in [
            pool.submit(invoke, target["Arn"].rpartition(":")[2], json.loads(target["Input"]))
            for target in targets
        ]:
            done.result()
