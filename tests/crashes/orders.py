"""The clients: what they asked for, and what was acknowledged to them. The judge believes nothing else."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.crashes.arrivals import instant_ms
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import Answer

TRIES = 10
OK, CREATED, ACCEPTED, CONFLICT = 200, 201, 202, 409

Send = Callable[..., Answer]
"""Sends one request: method, path, body, headers."""


@dataclass(slots=True, kw_only=True)
class Order:
    """One job as its client knows it. Instants are those of the run's clock; None: not acknowledged."""

    path: str
    max_attempts: int
    rate_seconds: int | None = None
    key: str | None = None
    job_id: str | None = None
    created_at: int = 0
    due_at: int = 0
    acked_at: int | None = None
    cancel_asked_at: int | None = None
    cancel_acked_at: int | None = None
    cancelled: bool = False
    """Whether the acknowledged answer was that nothing begins any more."""
    stopped: bool = False
    """Whether it was that the running attempt is the last."""
    pauses: list[tuple[int, int]] = field(default_factory=list)
    """From when to when it was paused: from an acknowledgement to the next request."""
    triggered: set[str] = field(default_factory=set)
    """Ids of executions beside the schedule that were acknowledged."""
    refusals: list[int] = field(default_factory=list)
    """Statuses of answers that no client should get."""

    @property
    def is_recurring(self) -> bool:
        """Whether it runs again and again."""
        return self.rate_seconds is not None


class Clients:
    """Orders and cancels, each asked again until it is answered."""

    _numbers = itertools.count(1)

    def __init__(self, clock: SharedClock, url: str, send: Send) -> None:
        self._clock = clock
        self._url = url
        self._send = send
        self.orders: list[Order] = []

    def order(
        self,
        schedule: dict[str, Any],
        behaviour: str = "ok",
        *,
        keyed: bool = True,
        max_attempts: int = 3,
        timeout_seconds: int = 2,
        base_seconds: int = 1,
        lane: str = "standard",
        payload: str = "",
    ) -> Order:
        """Create a job that calls a path of its own."""
        number = next(self._numbers)
        order = Order(
            path=f"/{behaviour}/{number}",
            max_attempts=max_attempts,
            rate_seconds=schedule.get("rate_seconds"),
            key=f"key-{number}" if keyed else None,
        )
        self.orders.append(order)
        body = {
            "schedule": schedule,
            "request": {"url": f"{self._url}{order.path}", "json": payload},
            "timeout_seconds": timeout_seconds,
            "lane": lane,
            "retry": {
                "max_attempts": max_attempts,
                "base_seconds": base_seconds,
                "cap_seconds": max(2_000, base_seconds),
            },
        }
        headers = {"idempotency-key": order.key} if order.key else {}
        answer = self._until_answered(order, "POST", "/v1/jobs", body, headers)
        if answer.status == CREATED:
            order.job_id = answer.body["id"]
            order.created_at = instant_ms(answer.body["created_at"])
            if not order.is_recurring:
                order.due_at = instant_ms(answer.body["schedule"]["at"])
            order.acked_at = self._clock.now_ms()
        return order

    def cancel(self, order: Order, *, stop_retries: bool = False) -> None:
        """Cancel a one-off job or delete a recurring one."""
        if order.job_id is None:
            return
        order.cancel_asked_at = order.cancel_asked_at or self._clock.now_ms()
        flag = "?stop_retries=true" if stop_retries else ""
        answer = self._until_answered(order, "DELETE", f"/v1/jobs/{order.job_id}{flag}")
        if answer.is_final:
            order.cancel_acked_at = self._clock.now_ms()
            order.stopped = answer.status == ACCEPTED
            order.cancelled = answer.status not in (ACCEPTED, CONFLICT)

    def pause(self, order: Order) -> None:
        """Pause a recurring job; until it is resumed nothing may start."""
        self._until_answered(order, "POST", f"/v1/jobs/{order.job_id}/pause")
        order.pauses.append((self._clock.now_ms(), self._clock.now_ms()))

    def resume(self, order: Order) -> None:
        """Resume a job that was paused."""
        order.pauses[-1] = order.pauses[-1][0], self._clock.now_ms()
        self._until_answered(order, "POST", f"/v1/jobs/{order.job_id}/resume")

    def revision(self, order: Order) -> int:
        """The revision at which the job is seen."""
        return int(self._until_answered(order, "GET", f"/v1/jobs/{order.job_id}").body["revision"])

    def update(self, order: Order, patch: dict[str, Any], revision: int) -> None:
        """Change a job that was seen at a revision; where nobody knows what became of it, from the one that it has."""
        for _ in range(TRIES):
            seen = {"if-match": f'"{revision}"'}
            answer = self._send("PATCH", f"/v1/jobs/{order.job_id}", patch, seen)
            if answer.status == OK:
                return
            revision = self.revision(order)
        order.refusals.append(answer.status)

    def trigger(self, order: Order) -> None:
        """One run more, beside the schedule."""
        headers = {"idempotency-key": f"trigger-{order.path}-{len(order.triggered)}"}
        answer = self._until_answered(order, "POST", f"/v1/jobs/{order.job_id}/trigger", None, headers)
        if answer.status == CREATED:
            order.triggered.add(answer.body["id"])

    def history(self, order: Order) -> list[dict[str, Any]]:
        """Every execution of the job, as the API lists them; where it refuses, a refusal that the judge sees."""
        records: list[dict[str, Any]] = []
        cursor = ""
        while order.job_id is not None:
            path = f"/v1/jobs/{order.job_id}/executions?limit=100{cursor}"
            answer = self._until_answered(order, "GET", path)
            if answer.status != OK:
                break
            page = answer.body
            records += page["executions"]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        return records

    def _until_answered(self, order: Order, *request: Any) -> Answer:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        if answer.status not in (OK, CREATED, ACCEPTED, CONFLICT):
            order.refusals.append(answer.status)
        return answer
