"""Chaos: load, and processes killed and stopped at random; then heal, drain, oracle."""

import contextlib
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.crashes.arrivals import Arrival, ArrivalLog
from tests.crashes.clients import Clients
from tests.crashes.customers import Customer
from tests.crashes.deployment import deploy
from tests.crashes.drawn import LONGEST_TIMEOUT_SECONDS
from tests.crashes.engines import engines
from tests.crashes.event_load import EventLoad
from tests.crashes.lambda_service import LambdaService
from tests.crashes.lane import LaneQueues
from tests.crashes.oracle import Oracle
from tests.crashes.orders import Order
from tests.crashes.printed import Printed, findings
from tests.crashes.process_killer import LONGEST_STOP_SECONDS, ProcessKiller
from tests.crashes.settling import UNTIL_RECONCILABLE_SECONDS, Settling
from tests.crashes.workforce import Workforce

CUSTOMERS = 3
LONGEST_DRAIN_SECONDS = 1_800
"""Twice as long as a sweeper leaves an overdue execution alone."""
SHARDS = 4
LEASE_MARGIN_SECONDS = 5
GRACE_MS = int((LONGEST_STOP_SECONDS + LONGEST_TIMEOUT_SECONDS + LEASE_MARGIN_SECONDS) * 1000)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What one run came to."""

    faults: list[str]
    orders: int
    acknowledged: int
    executions: Counter[str] = field(default_factory=Counter)
    """By final state."""
    calls: Counter[int] = field(default_factory=Counter)
    """By number of the attempt."""
    again: Counter[int] = field(default_factory=Counter)
    """Calls of an execution that had succeeded before, by number of the attempt."""
    changes: Counter[str] = field(default_factory=Counter)
    """What was acknowledged beside creations and cancellations."""
    reports: Counter[str] = field(default_factory=Counter)
    """Of receivers that worked on, by what they said and the answer."""
    unheard: int = 0
    """Executions that used up their attempts though their receiver never refused one."""
    kills: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    repaired_chains: int = 0
    """Recurring jobs that the reconciler found without a next execution."""
    drained_seconds: float = 0.0


def run_chaos(root: Path, *, seconds: float, seed: int) -> Outcome:
    """Load and blows for so long, and then everything to its end."""
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(engines(root, goes=True))
        deployment = deploy(running, shards=SHARDS)
        stack.callback(deployment.stop)
        log = ArrivalLog(running.clock, deployment.signing_secret)
        stack.callback(log.stop)
        service = LambdaService(deployment)
        customers = [
            Customer(
                running.clock,
                log.url,
                service.sender(),
                LaneQueues(deployment).bury,
                seed * CUSTOMERS + number,
            )
            for number in range(CUSTOMERS)
        ]
        workforce = Workforce(running.clock, log, service.sender(), seed)
        event_load = EventLoad(deployment, running.clock, log.url, service.sender(), seed)
        killer = ProcessKiller(service.workers, seed)
        parts: tuple[Any, ...] = (service, killer, workforce, event_load, *customers)
        for part in parts:
            part.start()
            stack.callback(part.stop)
        time.sleep(seconds)
        for part in reversed(parts):
            part.stop()
        loads = [event_load.clients, *(customer.clients for customer in customers)]
        orders = [order for clients in loads for order in clients.orders]
        clients = Clients(running.clock, log.url, service.sender())
        running.clock.stop()
        event_load.events.settle(service.run)
        settling = Settling(running.clock, clients, service.run)
        settling.settle(orders)
        service.run(UNTIL_RECONCILABLE_SECONDS)
        hits = killer.kills.total() + killer.stops.total()
        history = {str(order.job_id): clients.history(order) for order in orders}
        event_load.events.note_runs(history)
        oracle = Oracle(
            orders=orders,
            history=history,
            arrivals=log.arrivals(),
            blows=hits,
            deaths=hits,
            reports=workforce.receivers.reports,
            grace_ms=GRACE_MS,
        )
        outcome = _outcome(oracle)
        told = findings(Printed(deployment.process_pool.log("reconciler")).new_lines())
        outcome.repaired_chains = sum(kind == "chains_repaired" for kind, _ in told)
        outcome.faults += settling.faults
        outcome.faults += event_load.events.faults(history, oracle.arrivals, must_succeed=False)
        outcome.faults += [f"reconciler: {kind} {one}" for kind, one in told if kind != "chains_repaired"]
        outcome.kills, outcome.stops = killer.kills, killer.stops
        outcome.drained_seconds = settling.took_seconds
        if settling.took_seconds > LONGEST_DRAIN_SECONDS:
            outcome.faults.append(f"late: it took {settling.took_seconds:.0f} s to come to rest")
        return outcome


def _outcome(oracle: Oracle) -> Outcome:
    made: dict[str, list[Arrival]] = defaultdict(list)
    for arrival in oracle.arrivals:
        made[arrival.execution_id].append(arrival)
    outcome = Outcome(
        faults=oracle.verdict(),
        orders=len(oracle.orders),
        acknowledged=sum(order.acked_at is not None for order in oracle.orders),
        calls=Counter(arrival.attempt for arrival in oracle.arrivals),
        changes=_changes(oracle.orders),
        reports=Counter(f"{report.verb} {report.status}" for report in oracle.reports),
    )
    for calls in made.values():
        calls.sort(key=lambda call: call.began_at)
        succeeded = [place for place, call in enumerate(calls) if call.status == 200]
        outcome.again.update(call.attempt for call in (calls[succeeded[0] + 1 :] if succeeded else []))
    for records in oracle.history.values():
        outcome.executions.update(record["state"] for record in records)
        outcome.unheard += sum(
            record["state"] == "failed" and all(call.status == 200 for call in made[record["id"]])
            for record in records
        )
    return outcome


def _changes(orders: list[Order]) -> Counter[str]:
    changes: Counter[str] = Counter()
    for order in orders:
        acked = [version for version in order.versions[1:] if version.acked_at is not None]
        changes["edits of series" if order.is_recurring else "edits and moves"] += len(acked)
        changes["pauses"] += sum(pause.acked_at is not None for pause in order.pauses)
        changes["runs beside the schedule"] += len(order.triggered)
    return changes
