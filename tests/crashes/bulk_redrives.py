"""What a bulk redrive was promised: all that was dead before, once, at its pace; or, undone, nothing any more."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.redrives import own_records


@dataclass(slots=True, kw_only=True)
class Bulk:
    """A bulk redrive as its client knows it."""

    from_at: int
    rate: int
    id: str | None = None
    """None: not acknowledged."""
    is_undone: bool = False
    """Whether its undoing was acknowledged."""
    runs: int = 0
    """Dead letters of runs of workflows among those that it is to meet, no two of one run."""
    shown: dict[str, Any] = field(default_factory=dict)
    """As it was shown last."""

    @property
    def is_open(self) -> bool:
        """Whether it was last shown as being worked off."""
        return self.shown.get("state") not in ("finished", "undone")


def bulk_faults(bulk: Bulk, histories: list[list[dict[str, Any]]], arrivals: list[Arrival]) -> Iterator[str]:
    """`histories`: of each job of the run, when everything has come to rest."""
    if bulk.id is None:
        yield "answer: a bulk redrive was never acknowledged"
        return
    if bulk.shown.get("state") != ("undone" if bulk.is_undone else "finished"):
        yield f"lost: {bulk.id} never ended, it is {bulk.shown}"
        return
    originals = [record for records in histories for record in own_records(records)]
    dead = [record for record in originals if record["state"] == "failed" and _is_meant(bulk, record)]
    redrives = [record for records in histories for record in records if record.get("redrive_of")]
    yield from _count_faults(bulk, dead, redrives)
    yield from _pace_faults(bulk, sorted(instant_ms(record["due_at"]) for record in redrives))
    if bulk.is_undone:
        yield from _undo_faults(bulk, redrives, arrivals)
    else:
        missing = {record["id"] for record in dead} - {record["redrive_of"] for record in redrives}
        if missing:
            yield f"lost: {bulk.id} has finished, and {missing} was not redriven"


def _is_meant(bulk: Bulk, record: dict[str, Any]) -> bool:
    due_at = instant_ms(record["due_at"])
    return bulk.from_at <= due_at < instant_ms(bulk.shown["created_at"])


def _count_faults(bulk: Bulk, dead: list[dict[str, Any]], redrives: list[dict[str, Any]]) -> Iterator[str]:
    """What it says that it did is what there is."""
    counts = bulk.shown["counts"]
    looked_at = counts["redriven"] + counts["skipped"] + counts["refused"]
    if not bulk.is_undone and looked_at != len(dead) + bulk.runs:
        yield f"history: {bulk.id} has looked at {counts} of {len(dead)}"
    unstarted = sum(record["state"] == "cancelled" and not record["attempts_begun"] for record in redrives)
    if bulk.is_undone and (counts["cancelled"], counts["already_started"]) != (
        unstarted + bulk.runs,
        len(redrives) - unstarted,
    ):
        yield f"history: {bulk.id} was undone, {counts}, and of {len(redrives)} {unstarted} never started"


def _pace_faults(bulk: Bulk, due: list[int]) -> Iterator[str]:
    for since, until in zip(due, due[bulk.rate :], strict=False):
        if until - since < 1_000:
            yield f"pace: {bulk.id} has more than {bulk.rate} redrives due from {since} to {until}"


def _undo_faults(bulk: Bulk, redrives: list[dict[str, Any]], arrivals: list[Arrival]) -> Iterator[str]:
    """When it is undone, whatever has not started never will."""
    ended_at = instant_ms(bulk.shown["ended_at"])
    for record in redrives:
        began = [call.began_at for call in arrivals if call.execution_id == record["id"]]
        if began and min(began) > ended_at:
            yield f"cancel: {bulk.id} was undone at {ended_at}, {record['id']} was called at {min(began)}"
