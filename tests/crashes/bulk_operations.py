"""The client that changes many jobs at once, and what it was promised: each job once, and undone again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from shared.domain.schedules.instants import format_instant
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import Answer
from tests.crashes.orders import Order, Pause
from tests.crashes.reader import ACCEPTED, TRIES, Reader, Send

OPEN = ("running", "undoing")


@dataclass(slots=True, kw_only=True)
class Operation:
    """A bulk pause as its client knows it."""

    orders: list[Order]
    id: str | None = None
    """None: not acknowledged."""
    is_undone: bool = False
    """Whether its undoing was acknowledged."""
    shown: dict[str, Any] = field(default_factory=dict)
    """As it was shown last."""


class Operations(Reader):
    """Pauses all recurring jobs of a run, and takes that back."""

    def __init__(self, clock: SharedClock, send: Send) -> None:
        super().__init__(send)
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """A new run: jobs of earlier ones are none of its business."""
        self._begun_at = self._clock.now_ms()
        self.all: list[Operation] = []

    def pause(self, orders: list[Order], *, rate: int = 100) -> Operation:
        """Pause these orders, which are all recurring jobs of the run."""
        operation = Operation(orders=orders)
        self.all.append(operation)
        for order in orders:
            order.pauses.append(Pause())
        body = {
            "filter": {"created_from": format_instant(self._begun_at)},
            "action": "pause",
            "rate": rate,
        }
        headers = {"idempotency-key": f"operation-{self._begun_at}-{len(self.all)}"}
        answer = self._ask("POST", "/v1/jobs/bulk", body, headers)
        if answer.status == ACCEPTED:
            operation.id = answer.body["id"]
        return operation

    def undo(self, operation: Operation) -> None:
        """Resume what the operation has paused."""
        for order in operation.orders:
            order.pauses[-1].resumed_at = self._clock.now_ms()
        if self._ask("POST", f"/v1/bulk-tasks/{operation.id}/undo").status == ACCEPTED:
            operation.is_undone = True

    def are_at_rest(self) -> bool:
        """Whether every operation has ended. One that has finished is as good as an answer for each job."""
        for operation in self.all:
            self._look(operation)
        return not any(operation.shown.get("state") in OPEN for operation in self.all)

    def faults(self) -> Iterator[str]:
        """What was promised and does not hold."""
        for operation in self.all:
            if operation.id is None:
                yield "answer: a bulk operation was never acknowledged"
                continue
            counts, count = operation.shown["counts"], len(operation.orders)
            state = "undone" if operation.is_undone else "finished"
            if operation.shown["state"] != state:
                yield f"lost: {operation.id} never ended, it is {operation.shown}"
            if (counts["done"], counts["unchanged"], counts["refused"]) != (count, 0, {}):
                yield f"lost: {operation.id} has changed {counts} of {count}"
            if operation.is_undone and (counts["undone"], counts["changed_since"]) != (count, 0):
                yield f"lost: {operation.id} has undone {counts} of {count}"

    def _look(self, operation: Operation) -> None:
        operation.shown = self._ask("GET", f"/v1/bulk-tasks/{operation.id}").body
        if operation.shown.get("state") == "finished":
            for order in operation.orders:
                order.pauses[-1].acked_at = order.pauses[-1].acked_at or self._clock.now_ms()

    def _ask(self, *request: Any) -> Answer:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        return answer
