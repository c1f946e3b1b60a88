"""Messages that could not be handled: operators list and remove them, and tenants see none."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from shared.names import QueueName
from tests.api_machine.deployment import OPERATOR, TENANTS
from tests.api_machine.instants import instant
from tests.api_machine.machine import ApiMachine, picks
from tests.api_machine.sightings import SEEN

PARKED = "/v1/admin/parked"
MOST_PARKED = 4


class Parking(ApiMachine):
    """GET /v1/admin/parked, DELETE /v1/admin/parked/{id}."""

    def __init__(self) -> None:
        super().__init__()
        self.parked: dict[str, dict[str, Any]] = {}
        """What is parked, as operators see it, by id."""
        self.removed: list[str] = []

    @precondition(lambda self: len(self.parked) < MOST_PARKED)
    @rule(
        number=st.integers(0, 99), lane=st.sampled_from(QueueName), body=st.sampled_from(("", "{", "\x1b[2J"))
    )
    def park(self, number: int, lane: QueueName, body: str) -> None:
        """At one moment, any number of messages of any lanes. SQS never gives an id twice."""
        message_id = f"m-{number:02}-{len(self.parked) + len(self.removed)}"
        parked_id = self.deployment.park(message_id, lane, body, "not a wake-up")
        self.parked[parked_id] = {
            "id": parked_id,
            "message_id": message_id,
            "lane": lane.value,
            "reason": "not a wake-up",
            "body": body.replace("\x1b", "\\x1b"),
            "size": len(body),
            "parked_at": instant(self.now_ms),
        }

    @precondition(lambda self: self.parked or self.removed)
    @rule(pick=picks, by=st.sampled_from((OPERATOR, OPERATOR, *TENANTS)), is_again=st.booleans())
    def remove_parked(self, pick: int, by: str, is_again: bool) -> None:
        """One that is there, or one that is there no longer."""
        ids = self.removed if is_again and self.removed else list(self.parked) or self.removed
        parked_id = ids[pick % len(ids)]
        answer = self.deployment.ask(by, "DELETE", f"{PARKED}/{parked_id}")
        if by != OPERATOR:
            assert (answer.status, answer.problem) == (403, "forbidden")
            SEEN["parked message kept from a tenant"] += 1
        elif parked_id in self.parked:
            assert (answer.status, answer.json) == (200, self.parked.pop(parked_id))
            self.removed.append(parked_id)
            SEEN["parked message removed"] += 1
        else:
            assert (answer.status, answer.problem) == (404, "not-found")
            SEEN["parked message removed again: 404"] += 1
        self._check_parked(1 + pick % 3)
        self._check_records()

    def _check_parked(self, limit: int) -> None:
        """All pages: each message once, the newest first."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            page = self.deployment.ask(OPERATOR, "GET", PARKED, limit=str(limit), **cursor).json
            assert len(page["messages"]) <= limit
            found += page["messages"]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        newest_first = sorted(
            self.parked.values(), key=lambda shown: (shown["parked_at"], shown["message_id"]), reverse=True
        )
        assert found == newest_first

    def _check_records(self) -> None:
        """Each removal has one record, and nothing else has."""
        answer = self.deployment.ask(OPERATOR, "GET", "/v1/audit", limit="100").json
        removals = [each["target"] for each in answer["records"] if each["operation"] == "removeParked"]
        assert sorted(removals) == sorted(self.removed[-len(removals) :] if removals else [])
        assert len(removals) == len(self.removed) or answer["next_cursor"] is not None
