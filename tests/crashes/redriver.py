"""The client that looks after dead letters: inspects, redrives and takes back, and asks again until it is answered."""

from typing import Any

from shared.domain.schedules.instants import format_instant
from tests.crashes.bulk_redrives import Bulk
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import Answer
from tests.crashes.orders import Order, Press
from tests.crashes.reader import ACCEPTED, CREATED, OK, TRIES, Reader, Send

REDRIVE, CANCEL, START, UNDO, REVEAL = (
    *("redriveExecution", "cancelExecution"),
    *("redriveDeadLetters", "undoRedrive"),
    "revealRequest",
)


class Redriver(Reader):
    """Whatever was acknowledged has to be on record in the audit."""

    def __init__(self, clock: SharedClock, send: Send) -> None:
        super().__init__(send)
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """A new run: dead letters of earlier ones are none of its business."""
        self._begun_at = self._clock.now_ms()
        self.bulks: list[Bulk] = []
        self._acknowledged: list[tuple[str, str]] = []

    def dead(self, order: Order) -> str:
        """The latest execution of a job that has failed."""
        return next(str(record["id"]) for record in self.history(order) if record["state"] == "failed")

    def press(self, order: Order, original: str) -> Press:
        """Redrive a dead letter of a job."""
        press = Press(original=original)
        order.presses.append(press)
        answer = self._until_answered(order, "POST", f"/v1/executions/{press.original}/redrive")
        if answer.status == CREATED:
            press.redrive_id = answer.body["id"]
            self._acknowledged.append((REDRIVE, press.original))
        return press

    def take_back(self, order: Order, press: Press) -> None:
        """Cancel a redrive."""
        press.is_cancel_asked = True
        answer = self._until_answered(order, "DELETE", f"/v1/executions/{press.redrive_id}")
        if answer.status == OK:
            press.cancel_acked_at = self._clock.now_ms()
            self._acknowledged.append((CANCEL, str(press.redrive_id)))

    def reveal(self, order: Order, original: str) -> Any:
        """What a dead letter asked for, with all that was entrusted."""
        answer = self._until_answered(order, "GET", f"/v1/dead-letters/{original}?reveal=true")
        if answer.status == OK:
            self._acknowledged.append((REVEAL, original))
        return answer.body

    def start(self, *, rate: int = 1, runs: int = 0) -> Bulk:
        """Redrive all that has died in this run, so many a second; `runs` of them are dead letters of workflows."""
        bulk = Bulk(from_at=self._begun_at, rate=rate, runs=runs)
        self.bulks.append(bulk)
        body = {"from": format_instant(bulk.from_at), "rate": rate}
        headers = {"idempotency-key": f"bulk-{self._begun_at}-{len(self.bulks)}"}
        answer = self._ask("POST", "/v1/dead-letters/redrive", body, headers)
        if answer.status == ACCEPTED:
            bulk.id = answer.body["id"]
            self._acknowledged.append((START, answer.body["id"]))
        return bulk

    def undo(self, bulk: Bulk) -> None:
        """Take a bulk redrive back."""
        if self._ask("DELETE", f"/v1/redrives/{bulk.id}").status == ACCEPTED:
            bulk.is_undone = True
            self._acknowledged.append((UNDO, str(bulk.id)))

    def bulks_are_at_rest(self) -> bool:
        """Whether every bulk redrive has ended."""
        for bulk in self.bulks:
            bulk.shown = self._ask("GET", f"/v1/redrives/{bulk.id}").body
        return not any(bulk.is_open for bulk in self.bulks)

    def faults(self) -> list[str]:
        """What was acknowledged and is not on record."""
        return [
            f"audit: {operation} of {target} was acknowledged, and is not on record"
            for operation, target in self._acknowledged
            if operation not in self._recorded(target)
        ]

    def _recorded(self, target: str) -> set[str]:
        page = self._ask("GET", f"/v1/audit?target={target}&limit=100").body
        return {record["operation"] for record in page["records"]}

    def _ask(self, *request: Any) -> Answer:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        return answer
