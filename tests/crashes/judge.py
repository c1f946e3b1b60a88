"""The judge: reads what was acknowledged, what arrived, and the history that the API shows; shares no rule with the product.

A blow is a process killed, stopped, or told that the connection broke. Each may cost an execution one attempt of which
nothing is known, and may make a receiver see one more attempt after a success; it excuses nothing else.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.orders import Order

ENDED = frozenset({"succeeded", "failed", "cancelled", "skipped"})
UNCALLED = frozenset({"lease_too_short", "request_unreadable", "stopped"})
"""Reasons of attempts that ended before the receiver was called."""


@dataclass(slots=True, kw_only=True)
class Judge:
    """One verdict: a list of broken promises, each with the job that shows it."""

    orders: list[Order]
    history: dict[str, list[dict[str, Any]]]
    """By job id, after everything has come to rest."""
    arrivals: list[Arrival]
    blows: int
    deletion_grace_ms: int = 0
    """How long after the deletion of a recurring job a worker that was stopped in mid-attempt may still call."""
    faults: list[str] = field(default_factory=list)

    def verdict(self) -> list[str]:
        """Everything that is broken; empty if every promise held."""
        by_path: dict[str, list[Arrival]] = defaultdict(list)
        for arrival in self.arrivals:
            by_path[arrival.path].append(arrival)
        for order in self.orders:
            calls = by_path.pop(order.path, [])
            for refusal in order.refusals:
                self.faults.append(f"answer: a client of {order.path} got {refusal}")
            self._calls(order, calls)
            if order.acked_at is not None:
                self._order(order, [call for call in calls if call.job_id == order.job_id])
            else:
                self.faults.append(f"answer: {order.path} was never acknowledged")
        for path in by_path:
            self.faults.append(f"stray: {path} was called, whose job had come to rest")
        return self.faults

    def _calls(self, order: Order, calls: list[Arrival]) -> None:
        """What holds for every call, acknowledged or not."""
        attempts: dict[str, list[Arrival]] = defaultdict(list)
        for call in calls:
            attempts[call.execution_id].append(call)
            if call.began_at < call.scheduled_at:
                self.faults.append(f"early: {call}")
            if not call.genuine:
                self.faults.append(f"forged: {call}")
        for execution, made in attempts.items():
            numbers = [call.attempt for call in made]
            if len(set(numbers)) < len(numbers):
                self.faults.append(f"doubled: {order.path} {execution} was called with attempts {numbers}")
            if max(numbers) > order.max_attempts:
                self.faults.append(f"attempts: {order.path} {execution} had {max(numbers)}")
            if sum(call.status == 200 for call in made) > 1 + self.blows:
                self.faults.append(f"doubled: {order.path} {execution} succeeded {numbers}")
        if order.key is not None and len({call.job_id for call in calls}) > 1:
            self.faults.append(f"doubled: {order.path} became two jobs under one Idempotency-Key")

    def _order(self, order: Order, calls: list[Arrival]) -> None:
        records = self.history.get(str(order.job_id), [])
        if not records:
            self.faults.append(f"lost: {order.path} was acknowledged and has no record")
        for record in records:
            self._record(order, record, [call for call in calls if call.execution_id == record["id"]])
        if order.is_recurring:
            self._series(order, records, calls)
        elif records:
            self._one_off(order, records[0], calls)

    def _record(self, order: Order, record: dict[str, Any], calls: list[Arrival]) -> None:
        """One execution: it ended, and its record tells what the receiver saw."""
        name, begun, state = f"{order.path} {record['id']}", record["attempts_begun"], record["state"]
        if state not in ENDED:
            self.faults.append(f"lost: {name} never ended, it is {state}")
        if begun > order.max_attempts:
            self.faults.append(f"attempts: {name} has begun {begun}")
        arrived = {call.attempt for call in calls}
        recorded = {attempt["number"]: attempt for attempt in record["attempts"]}
        unknown = begun - len(arrived | recorded.keys())
        uncalled = sum(attempt["reason"] in UNCALLED - {"stopped"} for attempt in record["attempts"])
        if unknown + uncalled > self.blows:
            self.faults.append(f"lost: {name} has {unknown + uncalled} attempts without a call")
        if any(number > begun for number in arrived):
            self.faults.append(f"history: {name} was called with an attempt that it never began")
        for number, attempt in recorded.items():
            if attempt["reason"] not in UNCALLED and number not in arrived:
                self.faults.append(f"history: {name} tells of attempt {number}, which nobody saw")
        succeeded = {call.attempt for call in calls if call.status == 200}
        if state == "succeeded" and (begun not in succeeded or recorded.get(begun, {}).get("reason") != "ok"):
            self.faults.append(f"history: {name} is a success that the receiver did not see")
        if state == "failed" and record["end_reason"] in ("attempts_used_up", "worker_lost"):
            if begun < order.max_attempts and not (order.cancel_asked_at and begun):
                self.faults.append(f"lost: {name} failed with {begun} of {order.max_attempts} attempts")
        if state in ("cancelled", "skipped") and begun == 0 and calls:
            self.faults.append(f"history: {name} is {state} and was called")

    def _one_off(self, order: Order, record: dict[str, Any], calls: list[Arrival]) -> None:
        late = [call for call in calls if call.began_at > (order.cancel_acked_at or call.began_at)]
        if order.cancelled:
            if late or record["state"] != "cancelled":
                self.faults.append(f"cancel: {order.path} was cancelled, is {record['state']}, called {late}")
        elif order.stopped:
            if len({call.attempt for call in late}) > 1:
                self.faults.append(f"cancel: {order.path} was stopped and called {late}")
        elif record["state"] == "cancelled" and order.cancel_asked_at is None:
            self.faults.append(f"lost: {order.path} was cancelled by nobody")

    def _series(self, order: Order, records: list[dict[str, Any]], calls: list[Arrival]) -> None:
        """Each instant between creation and deletion has a record or lies in a recorded gap, and no other has."""
        asked_at, acked_at = order.cancel_asked_at, order.cancel_acked_at
        if asked_at is None or acked_at is None:
            self.faults.append(f"answer: {order.path} was not deleted")
            return
        seen = [instant_ms(record["scheduled_at"]) for record in records]
        due = _instants(order, max([acked_at, *seen]))
        if len(set(seen)) < len(seen):
            self.faults.append(f"doubled: {order.path} has two executions of one instant")
        if not set(seen) <= set(due):
            self.faults.append(f"instants: {order.path} has {sorted(set(seen) - set(due))[:3]}")
        covered = set(seen)
        for record in records:
            if record["missed"] is not None:
                first, last = (instant_ms(record["missed"][end]) for end in ("first_at", "last_at"))
                gap = {instant for instant in due if first <= instant <= last}
                if len(gap) != record["missed"]["count"] or len(gap & set(seen)) != 1:
                    self.faults.append(f"history: {order.path} counts {record['missed']} as missed")
                covered |= gap
        missing = [instant for instant in due if instant < asked_at and instant not in covered]
        if missing:
            self.faults.append(f"lost: {order.path} has no record for {len(missing)}, first {missing[0]}")
        late = [call for call in calls if call.began_at > acked_at + self.deletion_grace_ms]
        if late:
            self.faults.append(f"cancel: {order.path} was deleted, and called {late[0]}")


def _instants(order: Order, until_ms: int) -> list[int]:
    """Counted out one by one, from the second of creation."""
    step_ms = (order.rate_seconds or 0) * 1000
    instants = []
    instant = order.created_at - order.created_at % 1000 + step_ms
    while instant <= until_ms:
        instants.append(instant)
        instant += step_ms
    return instants
