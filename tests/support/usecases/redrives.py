"""Dead letters for tests, and their redrives."""

from dataclasses import replace
from typing import Any

from shared.domain.bulk.task import SETTLED_MS
from shared.domain.dead_letters.redrive_task import RedriveTask
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.listings.filters import DeadLetterFilter
from shared.names import Lane
from shared.ports.listings import TenantIndex
from shared.usecases.dead_letters.start_redrive import NewRedrive
from tests.support.builders import DUE_AT, TENANT, in_state, one_off, with_changes
from tests.support.usecases.world import World

LATER = DUE_AT + 600_000
"""Ten minutes after the built executions were due."""
GONE = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
EVERYTHING = DeadLetterFilter()


def dead(world: World, number: int = 1, **overrides: Any) -> Execution:
    """A one-off job that has failed, with a valid request."""
    outcome = AttemptOutcome(
        attempt=1, started_at=DUE_AT, duration_ms=9, status=500, reason=Reason.HTTP_STATUS
    )
    ends = {"attempt": 1, "outcomes": (outcome,), "end_reason": EndReason.ATTEMPTS_USED_UP}
    plain = one_off(number, **{name: value for name, value in overrides.items() if name == "due_at"})
    rest = {name: value for name, value in overrides.items() if name != "due_at"}
    failed = in_state(plain, State.FAILED, **(ends | rest))
    return bury(world, with_changes(failed, request=world.seal(failed.job_id)))


def bury(world: World, failed: Execution) -> Execution:
    """Store a dead letter."""
    world.put(failed)
    world.table.executions[failed.id].entry = TenantIndex.FAILED
    return failed


def redrives_of(world: World, original: Execution) -> list[Execution]:
    """All redrives of an execution, by number."""
    rows = (row.execution for row in world.table.executions.values())
    found = [one for one in rows if one.redrive_of is not None and one.redrive_of.original == original.id]
    return sorted(found, key=lambda one: one.redrive_of.number if one.redrive_of else 0)


def run_out(world: World, execution: Execution) -> Execution:
    """Run an execution now; returns the stored result."""
    world.attempt(world.standing(execution.id))
    return world.standing(execution.id)


def press(world: World, execution: Execution) -> Execution:
    """Redrive one dead letter."""
    return world.redrive.execute(TENANT, str(execution.id)).execution


def failed_run(world: World) -> Execution:
    """The first run of the recurring job, failed."""
    (row,) = world.table.executions.values()
    row.execution = with_changes(in_state(row.execution, State.FAILED), attempt=1, lane=Lane.BULK)
    row.entry = TenantIndex.FAILED
    return row.execution


def start(world: World, rate: int = 10, key: str | None = None, **criteria: object) -> RedriveTask:
    """Start a bulk redrive of the dead letters that match."""
    new = NewRedrive(criteria=replace(EVERYTHING, **criteria), rate=rate)  # type: ignore[arg-type]
    return world.start_redrive.execute(world.tenant, new, key).task


def standing(world: World, task: RedriveTask) -> RedriveTask:
    """The stored task."""
    return world.redrives.tasks[TENANT, task.id]


def undo(world: World, task: RedriveTask) -> RedriveTask:
    """Start an undo and run it to its end."""
    world.undo_redrive.execute(TENANT, task.id)
    world.process_bulk_tasks.execute()
    world.clock.time_ms += SETTLED_MS
    world.process_bulk_tasks.execute()
    return standing(world, task)
