"""The clients: they create, change and cancel jobs, and ask again until they are answered."""

import itertools
from typing import Any

from shared.domain.schedules.instants import format_instant
from tests.crashes.arrivals import instant_ms
from tests.crashes.clock import SharedClock
from tests.crashes.orders import Order, OwnKey, Pause, Version, Wanted
from tests.crashes.reader import ACCEPTED, CONFLICT, CREATED, OK, TRIES, Reader, Send

PRECONDITION_FAILED, OUR_FAULT = 412, 500


class Clients(Reader):
    """Every verb that changes a job."""

    _numbers = itertools.count(1)

    def __init__(self, clock: SharedClock, url: str, send: Send) -> None:
        super().__init__(send)
        self._clock = clock
        self._url = url
        self.orders: list[Order] = []

    def order(
        self, schedule: dict[str, Any], behaviour: str = "ok", *, keyed: bool = True, **options: Any
    ) -> Order:
        """Create a job; for the options see what is wanted."""
        return self.create(Wanted(schedule=schedule, behaviour=behaviour, **options), keyed=keyed)

    def create(self, criteria: Wanted, *, keyed: bool = True) -> Order:
        """Create a job that calls a path of its own."""
        order = self._note(criteria, keyed=keyed)
        headers = {"idempotency-key": order.key} if order.key else {}
        answer = self._until_answered(order, "POST", "/v1/jobs", self._body(order, criteria), headers)
        if answer.status == CREATED:
            self._acknowledge(order, answer.body)
        return order

    def put(self, criteria: Wanted, order: Order | None = None, *, key: str | None = None) -> Order:
        """Describe the job of a key: that of an order, or a new one, by default with a key of its own."""
        if order is None:
            order = self._note(criteria, keyed=False)
            order.own_key = OwnKey(name=key or f"own{order.path.replace('/', '.')}")
        elif criteria.payload != order.versions[-1].payload:
            order.propose(criteria.payload, None)
        assert order.own_key is not None
        name = order.own_key.name
        body = self._body(order, criteria) | {"set": name}
        answer = self._until_answered(order, "PUT", f"/v1/jobs/by-key/{name}", body)
        if answer.status == OK:
            self._note_put(order, order.own_key, answer.body["job"])
        return order

    def _note_put(self, order: Order, key: OwnKey, job: dict[str, Any]) -> None:
        if order.acked_at is None:
            self._acknowledge(order, job)
        order.versions[-1].acked_at = self._clock.now_ms()
        key.revision = job["revision"]
        shown = self._until_answered(order, "GET", f"/v1/jobs?set={key.name}").body or {"jobs": []}
        key.jobs |= {each["id"] for each in [job, *shown["jobs"]] if each["state"] != "deleted"}

    def batch(self, *criteria: Wanted) -> list[Order]:
        """Create them in one request under one key, which is sent again until each job has its answer."""
        orders = [self._note(one, keyed=True) for one in criteria]
        body = {"jobs": [self._body(order, one) for order, one in zip(orders, criteria, strict=True)]}
        headers = {"idempotency-key": f"batch-{orders[0].key}"}
        for _ in range(TRIES):
            answer = self._send("POST", "/v1/jobs/batch", body, headers)
            results = (
                answer.body["results"] if answer.status == OK else [{"status": answer.status}] * len(orders)
            )
            for order, result in zip(orders, results, strict=True):
                if result["status"] == CREATED and order.acked_at is None:
                    self._acknowledge(order, result["job"])
            if all(result["status"] < OUR_FAULT for result in results):
                break
        for order, result in zip(orders, results, strict=True):
            if result["status"] != CREATED:
                order.refusals.append(result["status"])
        return orders

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
        order.pauses.append(Pause())
        if self._until_answered(order, "POST", f"/v1/jobs/{order.job_id}/pause").status == OK:
            order.pauses[-1].acked_at = self._clock.now_ms()

    def resume(self, order: Order) -> None:
        """Resume a job that was paused."""
        order.pauses[-1].resumed_at = self._clock.now_ms()
        self._until_answered(order, "POST", f"/v1/jobs/{order.job_id}/resume")

    def change(
        self,
        order: Order,
        revision: int,
        *,
        payload: str | None = None,
        at: int | None = None,
        name: str | None = None,
    ) -> None:
        """Have something else sent, or a job called at another time, if it is as it was seen at that revision.

        Where nobody knows what became of the request it is made anew, of the revision that the job has by then.
        """
        version = order.propose(payload, at)
        patch: dict[str, Any] = {"request": {"json": payload}} if payload is not None else {}
        patch |= {"schedule": {"at": format_instant(at)}} if at is not None else {}
        patch |= {"name": name} if name is not None else {}
        if self._change(order, revision, patch):
            version.acked_at = self._clock.now_ms()

    def _change(self, order: Order, revision: int, patch: dict[str, Any]) -> bool:
        """Whether it was acknowledged; a job that runs once may have begun, which is an answer too."""
        for _ in range(TRIES):
            seen = {"if-match": f'"{revision}"'}
            answer = self._send("PATCH", f"/v1/jobs/{order.job_id}", patch, seen)
            if answer.is_final and answer.status != PRECONDITION_FAILED:
                break
            revision = self.revision(order)
        if answer.status != OK and (order.is_recurring or answer.status != CONFLICT):
            order.refusals.append(answer.status)
        return answer.status == OK

    def trigger(self, order: Order) -> None:
        """One run more, beside the schedule."""
        headers = {"idempotency-key": f"trigger-{order.path}-{len(order.triggered)}"}
        answer = self._until_answered(order, "POST", f"/v1/jobs/{order.job_id}/trigger", None, headers)
        if answer.status == CREATED:
            order.triggered.add(answer.body["id"])

    def _note(self, criteria: Wanted, *, keyed: bool) -> Order:
        number = next(self._numbers)
        order = Order(
            path=f"/{criteria.behaviour}/{number}",
            max_attempts=criteria.max_attempts,
            rate_seconds=criteria.schedule.get("rate_seconds"),
            overlap_policy=criteria.overlap_policy,
            lane=criteria.lane,
            when_suspended=criteria.when_suspended,
            key=f"key-{number}" if keyed else None,
            versions=[Version(payload=criteria.payload, due_at=0)],
            has_target=criteria.queue is not None,
            told=_told(criteria, number),
        )
        self.orders.append(order)
        return order

    def _body(self, order: Order, criteria: Wanted) -> dict[str, Any]:
        told = {outcome: f"{self._url}{path}" for outcome, path in order.told.items()}
        return criteria.body(f"{criteria.destination or self._url}{order.path}", told)

    def _acknowledge(self, order: Order, job: dict[str, Any]) -> None:
        order.job_id, order.created_at = job["id"], instant_ms(job["created_at"])
        order.acked_at = order.versions[0].acked_at = self._clock.now_ms()
        if not order.is_recurring:
            order.versions[0].due_at = instant_ms(job["schedule"]["at"])


def _told(criteria: Wanted, number: int) -> dict[str, str]:
    """Who is told of outcomes answers at a path of its own."""
    listeners = {"success": criteria.on_success, "failure": criteria.on_failure}
    return {
        outcome: f"/{behaviour}/{number}-{outcome}" for outcome, behaviour in listeners.items() if behaviour
    }
