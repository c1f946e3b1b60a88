"""One seed of workflows: definitions in calm weather, runs in a storm, then calm until all has ended.

Random workflows run while ports throttle, answers are lost, workers crash or stand still, messages are lost and
doubled, and clocks differ. Some runs are cancelled, some are redriven, alone or in bulk, some reach their deadline.
Jobs start some of them, and are triggered, paused and deleted. The owners of some workflows want to be told of the
ends of runs.
"""

from random import Random
from typing import Final

from shared.domain.executions.states import State
from tests.simulation.faults import HEALED, FaultMix
from tests.simulation.run import Outcome
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.workflow_bulk import BulkClients
from tests.simulation.workflow_clients import LOAD_MS, MINUTE_MS, WorkflowClients
from tests.simulation.workflow_judge import CallJudge, judge_at_rest
from tests.simulation.workflow_schedules import ScheduleClients
from tests.simulation.world import World

WORKFLOWS: Final = "workflows"
"""The name of this simulation on the command line."""
MIX = FaultMix(
    throttle=0.01,
    throttle_statement=0.02,
    lose_answer=0.01,
    repeat=0.02,
    slow_transaction=0.02,
    unprocessed_keys=0.05,
    crash=0.01,
    freeze=0.003,
    refuse_entry=0.02,
    lose_message=0.05,
    double_message=0.1,
    redeliver=0.02,
    skew_ms=2_000,
    miss_tick=0.05,
    double_tick=0.2,
    refuse=0.25,
    hang=0.03,
    impatient_client=0.3,
)
CALM_MS = 100 * MINUTE_MS


class WorkflowCase:
    """One seed."""

    def __init__(self, seed: int, mix: FaultMix = MIX) -> None:
        self.world = World(seed, FaultMix())
        rng = Random(f"workflows of {seed}")
        self.clients = WorkflowClients(self.world, rng)
        self.schedules = ScheduleClients(self.clients, Random(f"schedules of {seed}"))
        self.bulk = BulkClients(self.clients, Random(f"bulk redrives of {seed}"))
        self.calls = CallJudge(self.world, self.clients, self.schedules)
        start_ms = self.world.hub.now_ms
        self.world.hub.run_until(start_ms + MINUTE_MS)
        self._end_ms = start_ms + LOAD_MS + CALM_MS
        self.world.functions.start_ticks(lambda: self._end_ms - 10 * MINUTE_MS)
        self.world.weather.mix = mix
        self.clients.start_load()
        self.schedules.start_load()
        self.bulk.start_load()
        self.world.hub.run_until(start_ms + LOAD_MS + 10 * MINUTE_MS)
        self.world.weather.mix = HEALED
        while self._waits_for_a_retry():
            self._end_ms += CALM_MS
        self.world.hub.run_until(self._end_ms)

    def _waits_for_a_retry(self) -> bool:
        """Whether the last retry of a notification, which may be hours away, is due beyond the end of the calm."""
        self.world.hub.run_until(self._end_ms - 20 * MINUTE_MS)
        rows = (row.execution.progress for row in self.world.table.executions.values())
        waiting = [each.next_attempt_at or 0 for each in rows if each.state is State.WAITING]
        return any(due_at > self._end_ms - 30 * MINUTE_MS for due_at in waiting)

    def faults(self) -> list[str]:
        return [
            *self.calls.faults,
            *judge_at_rest(self.world, self.clients, self.schedules),
            *self.calls.notifications.at_rest(),
            *self.bulk.faults(),
        ]


def run_workflows(seed: int) -> Outcome:
    """Run one seed; the same seed gives the same trace."""
    case = WorkflowCase(seed)
    world = case.world
    try:
        return Outcome(
            seed=seed,
            faults=[Fault(verdict=Verdict.WORKFLOW, text=text) for text in case.faults()],
            mix=MIX,
            trace=world.trace,
            trace_hash=world.trace.digest(),
            sends=world.lanes.sends,
            calls=len(world.receiver.log),
            struck=world.weather.struck,
            of=WORKFLOWS,
        )
    finally:
        world.hub.close()
