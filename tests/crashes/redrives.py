"""What redrives promise: one at a time for each dead letter, none after a success, none that was taken back."""

from collections.abc import Iterator
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.orders import Order

REDRIVABLE = frozenset({"failed", "cancelled"})


def own_records(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that are no redrives."""
    return [record for record in records if not record.get("redrive_of")]


def redrive_faults(
    order: Order, records: list[dict[str, Any]], calls: list[Arrival], *, bulks: int, undone: bool
) -> Iterator[str]:
    """`bulks`: how many bulk redrives may have redriven each of its dead letters; `undone`: and taken that back."""
    redrives = [record for record in records if record.get("redrive_of")]
    for original in own_records(records):
        chain = [record for record in redrives if record["redrive_of"] == original["id"]]
        asked = bulks + sum(press.original in _ids([original, *chain]) for press in order.presses)
        yield from _chain_faults(order, original, sorted(chain, key=lambda each: str(each["due_at"])), asked)
    strays = {record["redrive_of"] for record in redrives} - _ids(own_records(records))
    if strays:
        yield f"stray: {order.path} has redrives of {strays}, which are none of its executions"
    yield from _press_faults(order, redrives, calls)
    if not undone and order.cancel_asked_at is None:
        yield from _cancel_faults(order, redrives)
    for record in redrives:
        made = [call for call in calls if call.execution_id == record["id"]]
        if any(call.began_at < instant_ms(record["due_at"]) for call in made):
            yield f"early: {order.path} {record['id']} is due at {record['due_at']}, and was called {made[0]}"
    if redrives:
        unknown = {call.execution_id for call in calls} - _ids(records)
        if unknown:
            yield f"history: {order.path} was called as {unknown}, which are not in its history"


def _ids(records: list[dict[str, Any]]) -> set[str]:
    return {str(record["id"]) for record in records}


def _chain_faults(
    order: Order, original: dict[str, Any], chain: list[dict[str, Any]], asked: int
) -> Iterator[str]:
    """One after the other, each for a reason, and each known to the one before."""
    name = f"{order.path} {original['id']}"
    if len(chain) > asked:
        yield f"doubled: {name} was redriven {len(chain)} times, asked for were {asked}"
    if chain and original["state"] != "failed":
        yield f"doubled: {name} was redriven, and is {original['state']}"
    for before, after in zip([original, *chain], chain, strict=False):
        if before["state"] not in REDRIVABLE:
            yield f"doubled: {name} has {after['id']} behind {before['id']}, which is {before['state']}"
        if before["redriven_by"] != after["id"]:
            yield f"history: {name} was redriven by {before['redriven_by']}, and {after['id']} stands"
    last = (chain or [original])[-1]
    if last.get("redriven_by"):
        yield f"lost: {name} was redriven by {last['redriven_by']}, of which there is no record"


def _press_faults(order: Order, redrives: list[dict[str, Any]], calls: list[Arrival]) -> Iterator[str]:
    """What was acknowledged is there; what was taken back is not called."""
    states = {record["id"]: record["state"] for record in redrives}
    for press in order.presses:
        if press.redrive_id is None:
            yield f"answer: a redrive of {press.original} was never acknowledged"
        elif press.redrive_id not in states:
            yield f"lost: {order.path} was redriven by {press.redrive_id}, which has no record"
        elif press.cancel_acked_at is not None:
            late = [call for call in calls if call.execution_id == press.redrive_id]
            if late or states[press.redrive_id] != "cancelled":
                yield f"cancel: {press.redrive_id} was taken back, is {states[press.redrive_id]}, called {late}"


def _cancel_faults(order: Order, redrives: list[dict[str, Any]]) -> Iterator[str]:
    """What nobody took back runs."""
    taken_back = {press.redrive_id for press in order.presses if press.is_cancel_asked}
    for record in redrives:
        if record["state"] == "cancelled" and record["id"] not in taken_back:
            yield f"lost: {order.path} {record['id']} was cancelled by nobody"
