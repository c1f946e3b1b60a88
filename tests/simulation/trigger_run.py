"""One seed of triggers: load, heal, drain, read, judge."""

from random import Random

from shared.domain.executions.execution import Execution
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import END, PositionRange
from shared.usecases.listings.list_executions import HistoryPosition
from tests.simulation.audit import audit
from tests.simulation.faults import HEALED, FaultMix
from tests.simulation.newer_items import parked_items
from tests.simulation.newer_messages import parked_newer
from tests.simulation.run import Outcome
from tests.simulation.trigger_bus import SimBus
from tests.simulation.trigger_clients import LOAD_MS, MINUTE_MS, TriggerClients
from tests.simulation.trigger_evidence import JobLog, RunShown, TriggerEvidence
from tests.simulation.trigger_judge import judge
from tests.simulation.verdicts import Fault, Verdict
from tests.simulation.wiring import use_cases_of
from tests.simulation.world import World
from tests.support.usecases.shown import records as only_records

PATIENCE_MS = 4 * 60 * MINUTE_MS
CALM_MINUTES = 5
SETUP_MS = MINUTE_MS
PAGE = 200
TRIGGERS = "triggers"
"""The name of this simulation on the command line."""


def run_triggers(seed: int, mix: FaultMix | None = None) -> Outcome:
    """Run one seed; the same seed gives the same trace."""
    world = World(seed, mix)
    try:
        return _run(seed, world)
    finally:
        world.hub.close()


def _run(seed: int, world: World) -> Outcome:
    weather, world.weather.mix = world.weather.mix, HEALED
    clients = TriggerClients(world, Random(f"triggers of {seed}"), SimBus(world).put)
    world.hub.run_until(world.start_ms + SETUP_MS)
    world.weather.mix = weather
    resting = [world.hub.now_ms + PATIENCE_MS]
    world.functions.start_ticks(lambda: resting[0])
    clients.start_load()
    world.hub.run_until(world.hub.now_ms + LOAD_MS + 4 * MINUTE_MS)
    world.weather.mix = HEALED
    world.hub.run_until(max(world.hub.now_ms, world.weather.hotspots.last_ms))
    world.note("world", "healed")
    give_up_at_ms = PATIENCE_MS + max(world.hub.now_ms, world.functions.no_ticks_until_ms)
    resting[0] = give_up_at_ms
    faults = _come_to_rest(world, clients, give_up_at_ms)
    resting[0] = 0
    sends, calls = world.lanes.sends, len(world.receiver.log)
    if not faults:
        faults = [*judge(_evidence(world, clients, weather)), *audit(world)]
    return Outcome(
        seed=seed,
        faults=faults,
        mix=weather,
        trace=world.trace,
        trace_hash=world.trace.digest(),
        sends=sends,
        calls=calls,
        struck=world.weather.struck,
        of=TRIGGERS,
    )


def _come_to_rest(world: World, clients: TriggerClients, give_up_at_ms: int) -> list[Fault]:
    """Until each event was answered or received, and each run has ended, and some minutes more."""
    calm_minutes = 0
    while calm_minutes < CALM_MINUTES:
        if world.hub.now_ms >= give_up_at_ms:
            return [
                Fault(
                    verdict=Verdict.RESTLESS, text="unfinished after hours without faults", execution_id=one
                )
                for one in _open(world, clients)
            ]
        world.hub.run_until(world.hub.now_ms + MINUTE_MS)
        calm_minutes = 0 if _open(world, clients) else calm_minutes + 1
    return []


def _open(world: World, clients: TriggerClients) -> list[str]:
    """What is not done: runs beside the schedules, events of the bus, and requests that go on."""
    rows = (row.execution for row in world.table.executions.values())
    runs = [str(each.id) for each in rows if each.recurrence is None and not each.state.is_terminal]
    asked = [*clients.events, *(change for log in clients.triggers for change in log.changes)]
    asks = [ask for each in asked for ask in each.asks if ask.ended_at is None]
    return [*runs, *(f"a request of {ask.begun_at}" for ask in asks), *(_undelivered(clients))]


def _undelivered(clients: TriggerClients) -> list[str]:
    return [event.id for event in clients.events if event.is_of_bus and event.acked_at is None]


def _evidence(world: World, clients: TriggerClients, weather: FaultMix) -> TriggerEvidence:
    return TriggerEvidence(
        jobs=clients.jobs,
        triggers=clients.triggers,
        events=clients.events,
        runs=[run for job in clients.jobs for run in _runs(world, job)],
        calls=world.receiver.log,
        weather=weather,
        parents=_parents(world),
        broken=[
            *world.lanes.violations,
            *world.table.unscanned,
            *parked_newer(world),
            *parked_items(world),
            *world.runs.violations,
        ],
    )


def _parents(world: World) -> dict[str, str]:
    rows = (row.execution for row in world.table.executions.values())
    runs = {item.run.id: item.run.parent for item in world.table.runs.values()}
    tasks = ((str(each.id), runs[each.task.run]) for each in rows if each.task is not None)
    return {task: str(parent.execution) for task, parent in tasks if parent is not None}


def _runs(world: World, job: JobLog) -> list[RunShown]:
    """Every page of a job's history, but for the runs of its schedule."""
    shown: list[RunShown] = []

    def read() -> None:
        cases = use_cases_of(world, world.process("reader"))
        criteria, position = ExecutionFilter(span=PositionRange(before=END)), None
        while True:
            following: HistoryPosition | None = position
            page = cases.listings.list_executions.execute(
                job.tenant, job.job_id, limit=PAGE, criteria=criteria, position=following
            )
            shown.extend(_shown(each) for each in only_records(page.executions) if each.event is not None)
            position = page.next_position
            if position is None:
                return

    world.hub.spawn(read)
    world.hub.run_until(world.hub.now_ms + 10 * MINUTE_MS)
    return shown


def _shown(execution: Execution) -> RunShown:
    event, reason = execution.event, execution.progress.end_reason
    assert event is not None
    return RunShown(
        execution_id=str(execution.id),
        tenant=execution.tenant_id,
        job_id=execution.job_id,
        state=execution.state.value,
        reason=None if reason is None else reason.value,
        scheduled_at=execution.scheduled_at,
        due_at=execution.due_at,
        trigger=event.trigger,
        source=event.source,
        event=event.id,
    )
