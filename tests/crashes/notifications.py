"""What whoever is told of outcomes was promised: each end is told of once it stands, by one execution of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.orders import Order

MAX_ATTEMPTS = 8
OUTCOMES = {"succeeded": "success", "failed": "failure"}


def notification_faults(
    order: Order,
    records: list[dict[str, Any]],
    calls: list[Arrival],
    told: list[Arrival],
    notifications: Mapping[str, dict[str, Any]],
) -> Iterator[str]:
    """`calls` are those of the job, `told` those that tell of its outcomes, `notifications` what stands for these."""
    known = {record["id"] for record in records}
    for call in told:
        if _subject(call) not in known:
            yield f"stray: {call.path} was told of {_subject(call)}, which is no run of {order.path}"
    for record in records:
        path = listening(order, record)
        heard = [call for call in told if _subject(call) == record["id"]]
        chosen = record.get("notification")
        if path is None:
            if heard or notifications.get(record["id"]):
                yield f"stray: nobody is to be told of {record['id']}, {chosen}, {heard}"
        elif chosen is None:
            yield f"lost: {order.path} {record['id']} has {record['state']} and tells nobody"
        else:
            yield from _telling_faults(path, record, heard)
            yield from _haste_faults(record, calls, heard)


def listening(order: Order, record: dict[str, Any]) -> str | None:
    """Who is to be told of how this run ended.

    A run may name a notification though nobody is: where an end must not wait for a tenant that does not answer, one
    is chosen, and then never filed.
    """
    return order.told.get(OUTCOMES.get(record["state"], ""))


def _subject(call: Arrival) -> str:
    return str(call.payload["data"]["execution_id"])


def _telling_faults(path: str, record: dict[str, Any], heard: list[Arrival]) -> Iterator[str]:
    """It comes through, under one id, and says what the record says."""
    name = f"{path} {record['id']}"
    if not any(call.status == 200 for call in heard):
        yield f"lost: {name} was not told of"
    ids = {call.execution_id for call in heard} | {record["notification"]["id"]}
    if len(ids) > 1:
        yield f"doubled: {name} was told of as {sorted(ids)}"
    for call in heard:
        said = call.payload["data"]
        if call.path != path or call.payload["type"] != f"execution.{record['state']}":
            yield f"history: {name} has {record['state']}, and told was {call.payload['type']} at {call.path}"
        if any(said[word] != record[word] for word in ("attempts_begun", "end_reason")):
            yield f"history: {name} was told of as {said}"


def _haste_faults(record: dict[str, Any], calls: list[Arrival], heard: list[Arrival]) -> Iterator[str]:
    """What is told of has ended: its last call was made before, and its outcome is of before."""
    ended = [call.began_at for call in calls if call.execution_id == record["id"]]
    ended += [instant_ms(attempt["started_at"]) + attempt["duration_ms"] for attempt in record["attempts"]]
    for call in heard:
        if ended and call.began_at < max(ended):
            yield f"early: {call} tells of what ended at {max(ended)}"


def as_order(path: str, order: Order) -> Order:
    """The calls of a notification, as if they were those of a job of its own."""
    return Order(path=path, max_attempts=MAX_ATTEMPTS, job_id=order.job_id)
