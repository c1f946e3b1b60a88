"""Who wants to be told of the ends of runs, and the judge of what they were told."""

import json
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.schedules.schedule import format_instant
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.new_workflow import RunCallbacks
from shared.domain.workflows.run import Run, RunState
from tests.simulation.evidence import Arrival
from tests.simulation.world import World

URL = "https://told.example"
ATTEMPTS = 8
"""A notification is given up after so many."""
_KINDS = {RunState.SUCCEEDED: "won", RunState.FAILED: "lost", RunState.TIMED_OUT: "lost"}
"""What tells of which end; a cancelled run is not told of."""
End = tuple[ExecutionId, int]
"""A run and its epoch."""


def drawn_callbacks(rng: Random, name: str) -> RunCallbacks:
    """What the owner of a workflow wants to be told of: nothing, one kind of end, or both."""
    won, lost = (f"{URL}/{kind}/{name}" if rng.random() < 0.7 else None for kind in ("won", "lost"))
    return RunCallbacks(on_success=won, on_failure=lost)


class NotificationJudge:
    """Looks at each notification when it arrives, and at all of them in the end."""

    def __init__(self, world: World, callbacks: dict[str, RunCallbacks]) -> None:
        self._world, self._callbacks = world, callbacks
        self.told: dict[End, list[Arrival]] = defaultdict(list)

    def look(self, arrival: Arrival, called: Execution) -> Iterator[str]:
        """An end is told only after it stands, as it was, and at each attempt in the same words."""
        assert called.ended_run is not None
        body = json.loads(arrival.body)
        end = called.ended_run.id, body["data"]["epoch"]
        earlier = self.told[end]
        earlier.append(arrival)
        stood = self._world.runs.ended.get(end)
        if stood is None:
            yield f"{arrival.url} was told of an end of {end} that does not stand"
            return
        if (body["type"], body["data"]) != (f"run.{stood.state}", body["data"] | _truth(stood)):
            yield f"{arrival.url} was told {body} of {stood}"
        if arrival.body != earlier[0].body:
            yield f"{arrival.url} was told {arrival.body} after {earlier[0].body}"

    def at_rest(self) -> Iterator[str]:
        """Each end that an owner wants to be told of has one notification, under the ID that its end has named."""
        stored: dict[End, list[Execution]] = defaultdict(list)
        for row in self._world.table.executions.values():
            if row.execution.ended_run is not None:
                stored[self._end_of(row.execution)].append(row.execution)
        for end, stood in self._world.runs.ended.items():
            yield from self._judge_end(end, stood, stored.pop(end, []))
        for end in stored:
            yield f"{end} has a notification, and did not end"

    def _judge_end(self, end: End, stood: Run, notifications: list[Execution]) -> Iterator[str]:
        wanted, arrivals = self._wanted(stood), self.told.get(end, [])
        if wanted is None:
            if notifications or arrivals:
                yield f"the end of {end} as {stood.state} was told, and no owner had asked"
            return
        if [each.id for each in notifications] != [stood.notification]:
            yield f"{end} has the notifications {notifications}, and named {stood.notification}"
            return
        if {each.url for each in arrivals} - {wanted}:
            yield f"{wanted} was to be told, and {arrivals[0].url} was"
        if {each.execution_id for each in arrivals} - {str(stood.notification)}:
            yield f"{end} was told by two notifications"
        is_given_up = notifications[0].state is State.FAILED and notifications[0].attempt == ATTEMPTS
        if not is_given_up and not any(each.status == 200 for each in arrivals):
            yield f"{end} ended as {stood.state}, and no notification tells it"

    def _wanted(self, stood: Run) -> str | None:
        callbacks, kind = self._callbacks[stood.workflow_id], _KINDS.get(stood.state)
        return {"won": callbacks.on_success, "lost": callbacks.on_failure}[kind] if kind else None

    def _end_of(self, notification: Execution) -> End:
        assert notification.ended_run is not None
        run_id = notification.ended_run.id
        epochs = (
            epoch
            for (ended, epoch), stood in self._world.runs.ended.items()
            if ended == run_id and stood.notification == notification.id
        )
        return run_id, next(epochs, 0)


def _truth(stood: Run) -> dict[str, Any]:
    assert stood.ended_at is not None
    return {
        "run_id": run_id_text(stood.id),
        "workflow_id": stood.workflow_id,
        "outcome": str(stood.state),
        "epoch": stood.epoch,
        "ended_at": format_instant(stood.ended_at),
    }
