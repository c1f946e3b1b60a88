"""What every client does: ask until there is an answer, and look at jobs."""

from collections.abc import Callable
from typing import Any

from tests.crashes.gateway import Answer
from tests.crashes.notifications import listening
from tests.crashes.orders import ENDED, Order

TRIES = 10
OK, CREATED, ACCEPTED, CONFLICT = 200, 201, 202, 409

Send = Callable[..., Answer]
"""Sends one request: method, path, body, headers."""


class Reader:
    """A refusal that no client should get is noted in the order that it is about."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def show(self, order: Order) -> dict[str, Any]:
        """The job as it is shown; nothing where it is not, which the oracle sees."""
        return self._until_answered(order, "GET", f"/v1/jobs/{order.job_id}").body or {}

    def revision(self, order: Order) -> int:
        """The revision at which the job is seen."""
        return int(self.show(order).get("revision", 0))

    def history(self, order: Order) -> list[dict[str, Any]]:
        """Every execution of the job, as the API lists them; where it refuses, a refusal that the oracle sees."""
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

    def is_at_rest(self, order: Order) -> bool:
        """Whether nothing of it goes on: every execution has ended, and whoever is told of that has been."""
        records = self.history(order)
        if any(record["state"] not in ENDED for record in records):
            return False
        told = [
            record["notification"]["id"]
            for record in records
            if record["notification"] and (listening(order, record) or record["notification"]["state"])
        ]
        return all(self.execution(each).get("state") in ENDED for each in told)

    def execution(self, execution_id: str) -> dict[str, Any]:
        """One execution; nothing where there is none."""
        for _ in range(TRIES):
            answer = self._send("GET", f"/v1/executions/{execution_id}")
            if answer.is_final:
                break
        return answer.body if answer.status == OK else {}

    def _until_answered(self, order: Order, *request: Any) -> Answer:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        if answer.status not in (OK, CREATED, ACCEPTED, CONFLICT):
            order.refusals.append(answer.status)
        return answer
