"""What a recurring job owes: each instant between creation and deletion has a record or lies in a recorded gap."""

from collections.abc import Iterator
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.orders import Order

ALWAYS_PASSED_OVER = {"coalesced", "overlap"}
"""Why an instant may be skipped without its client's asking; overlaps are checked where turns are."""

DELETED = "job_deleted"


def series_faults(
    order: Order, records: list[dict[str, Any]], calls: list[Arrival], grace_ms: int
) -> list[str]:
    """What is broken in one series."""
    asked_at, acked_at = order.cancel_asked_at, order.cancel_acked_at
    if asked_at is None or acked_at is None:
        return [f"answer: {order.path} was not deleted"]
    faults: list[str] = []
    faults += _triggered_faults(order, records)
    records = [record for record in records if record["id"] not in order.triggered]
    seen = [instant_ms(record["scheduled_at"]) for record in records]
    due = _instants(order, max([acked_at, *seen]))
    if len(set(seen)) < len(seen):
        faults.append(f"doubled: {order.path} has two executions of one instant")
    if not set(seen) <= set(due):
        faults.append(f"instants: {order.path} has {sorted(set(seen) - set(due))[:3]}")
    for missed, gap in _gaps(records, due):
        if len(gap) != missed["count"] or len(gap & set(seen)) != 1:
            faults.append(f"history: {order.path} counts {missed} as missed")
    missing = missing_executions(order, records, asked_at)
    if missing:
        faults.append(f"lost: {order.path} has no record for {len(missing)}, first {missing[0]}")
    skipped = [record for record in records if record["state"] == "skipped"]
    reasons = {record["end_reason"] for record in skipped} - {DELETED}
    allowed = ALWAYS_PASSED_OVER | ({"job_paused"} if order.pauses else set())
    if reasons - allowed - ({"suspended"} if order.suspended else set()):
        faults.append(f"lost: {order.path} has instants that were skipped as {reasons}")
    faults += _deletion_faults(order, records)
    faults += _pause_faults(order, calls, grace_ms)
    late = [call for call in calls if call.began_at > acked_at + grace_ms]
    if late:
        faults.append(f"cancel: {order.path} was deleted, and called {late[0]}")
    return faults


def _triggered_faults(order: Order, records: list[dict[str, Any]]) -> Iterator[str]:
    """What was triggered is run, unless its job is deleted before."""
    states = {record["id"]: record["state"] for record in records}
    for execution_id in order.triggered:
        if states.get(execution_id) in (None, "skipped"):
            yield f"lost: {order.path} was triggered, and {execution_id} is {states.get(execution_id)}"


def _deletion_faults(order: Order, records: list[dict[str, Any]]) -> Iterator[str]:
    """A deletion skips what stands behind the last filed run of a series that is late, and nothing before."""
    deleted = [
        record for record in records if (record["state"], record["end_reason"]) == ("skipped", DELETED)
    ]
    others = [instant_ms(record["scheduled_at"]) for record in records if record not in deleted]
    for record in deleted:
        first_at = instant_ms((record["missed"] or {"first_at": record["scheduled_at"]})["first_at"])
        if first_at < max(others, default=first_at):
            yield f"lost: {order.path} was deleted, and skipped {record['scheduled_at']} before a filed run"


def _pause_faults(order: Order, calls: list[Arrival], grace_ms: int) -> Iterator[str]:
    """No first attempt of the schedule's begins between an acknowledgement and the request to go on."""
    for pause in order.pauses:
        for call in calls:
            if call.attempt > 1 or call.execution_id in order.triggered or pause.acked_at is None:
                continue
            if pause.acked_at + grace_ms < call.began_at < (pause.resumed_at or call.began_at + 1):
                yield f"cancel: {order.path} was paused, and called {call}"


def missing_executions(order: Order, records: list[dict[str, Any]], until_ms: int) -> list[int]:
    """Instants before `until_ms` that have no record and lie in no recorded gap."""
    due = _instants(order, until_ms - 1)
    covered = {instant_ms(record["scheduled_at"]) for record in records}
    return sorted(set(due) - covered.union(*(gap for _, gap in _gaps(records, due))))


def _gaps(records: list[dict[str, Any]], due: list[int]) -> list[tuple[dict[str, Any], set[int]]]:
    """What was passed over in one go, as recorded and as counted out."""
    found = []
    for missed in (record["missed"] for record in records if record["missed"] is not None):
        first, last = instant_ms(missed["first_at"]), instant_ms(missed["last_at"])
        found.append((missed, {instant for instant in due if first <= instant <= last}))
    return found


def _instants(order: Order, until_ms: int) -> list[int]:
    """Counted out one by one, from the second of creation."""
    step_ms = (order.rate_seconds or 0) * 1000
    instants = []
    instant = order.created_at - order.created_at % 1000 + step_ms
    while instant <= until_ms:
        instants.append(instant)
        instant += step_ms
    return instants
