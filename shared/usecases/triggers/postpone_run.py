"""Let the waiting run of a trigger that debounces stand for one more event.

The run is filed as waiting, and its first attempt is due when no further event has come. Each further event is one
conditional write of the run: the call with the data of this event, and the later due time. Such a write and a claim
exclude each other, so an event either reaches the call, or is told that the run has begun.
"""

from collections.abc import Callable
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import EventRef, Execution
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Job
from shared.domain.triggers.trigger import Trigger
from shared.ports.executions import ExecutionStore
from shared.usecases.jobs.file_trigger import FileTrigger

TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRun:
    """A run that further events may postpone, and when its latest event was recorded."""

    id: ExecutionId
    recorded_at: int = 0


@dataclass(frozen=True, slots=True)
class PostponeRun:
    store: ExecutionStore
    file_trigger: FileTrigger

    def find(self, trigger: Trigger, now_ms: int) -> WaitingRun | None:
        """The run that the trigger's next event postpones. It may not stand yet: then the event files it."""
        run = trigger.started.run
        if run is None or not trigger.debounce_seconds:
            return None
        stored = self.store.get(run)
        if stored is None:
            # Its event is being received, or a crash has left it. An ID in the past would be filed too late.
            return WaitingRun(id=run) if now_ms < run.dispatch_at else None
        event = stored.event
        if event is None or event.recorded_at is None or not stored.is_postponable:
            return None
        return WaitingRun(id=run, recorded_at=event.recorded_at)

    def execute(
        self,
        trigger: Trigger,
        job: Job,
        run: ExecutionId,
        event: EventRef,
        call_of: Callable[[Job], CallSpec],
    ) -> Execution | None:
        """The run, with this event or a later one; filed if it does not stand. None if it has begun with an earlier
        event.

        InvalidStateError and NotFoundError as for filing a run. UnavailableError: try again.
        """
        recorded_at = event.recorded_at or 0
        for _ in range(TRIES):
            stored = self.store.get(run) or self._file(trigger, job, run, event, call_of)
            if is_recorded_in(stored, recorded_at):
                return stored
            if not stored.is_postponable:
                return None
            postponed = _postponed(stored, trigger, event, call_of(job))
            if self.store.postpone(postponed) is None:
                return postponed
        raise UnavailableError("other events of the trigger arrive at the same time")

    def _file(
        self,
        trigger: Trigger,
        job: Job,
        run: ExecutionId,
        event: EventRef,
        call_of: Callable[[Job], CallSpec],
    ) -> Execution:
        due_at = (event.recorded_at or 0) + trigger.debounce_seconds * 1000
        later = replace(event, due_at=due_at if due_at > run.dispatch_at else None)
        return self.file_trigger.execute(job, run, may_exist=True, call_of=call_of, event=later)


def is_recorded_in(run: Execution, recorded_at: int) -> bool:
    """Whether a run has the data of an event that was recorded then, or of a later one."""
    latest = run.event.recorded_at if run.event is not None else None
    return latest is None or latest >= recorded_at


def _postponed(stored: Execution, trigger: Trigger, event: EventRef, call: CallSpec) -> Execution:
    latest_at = stored.created_at + trigger.longest_debounce_seconds * 1000
    wanted_at = (event.recorded_at or 0) + trigger.debounce_seconds * 1000
    due_at = max(stored.due_at, min(wanted_at, latest_at))
    after = replace(
        stored,
        # A loop of events must not begin anew because a run joins it from outside.
        call=replace(call, depth=max(call.depth, stored.call.depth)),
        event=replace(event, due_at=due_at),
    )
    return after.progressed(next_attempt_at=due_at)
