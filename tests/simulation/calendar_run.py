"""One seed of jobs with calendars: a storm over changes of the calendars, then calm until every change is followed."""

from random import Random

from shared.domain.errors import PunctualError
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import END, PositionRange
from shared.usecases.chains.recompute_job import Recomputation
from shared.usecases.listings.list_executions import HistoryPosition
from tests.simulation.audit import audit
from tests.simulation.calendar_clients import LOAD_MS, CalendarClients
from tests.simulation.calendar_days import MINUTE_MS
from tests.simulation.calendar_evidence import CalendarEvidence
from tests.simulation.calendar_judge import judge
from tests.simulation.calendar_log import NotedCalendars, ReconcilerRun, Report
from tests.simulation.calls import ProcessHandle
from tests.simulation.evidence import Record
from tests.simulation.faults import HEALED, FaultMix, Weather
from tests.simulation.process import Process
from tests.simulation.readers import record_of
from tests.simulation.run import Outcome
from tests.simulation.wiring import use_cases_of, warm_use_cases
from tests.simulation.world import World
from tests.support.usecases.shown import records as only_records

MIX = FaultMix(
    throttle=0.01,
    throttle_statement=0.02,
    lose_answer=0.01,
    repeat=0.02,
    slow_transaction=0.02,
    crash=0.005,
    freeze=0.001,
    refuse_entry=0.02,
    lose_message=0.05,
    double_message=0.1,
    redeliver=0.02,
    skew_ms=2_000,
    miss_tick=0.05,
    double_tick=0.2,
    impatient_client=0.3,
)
RECONCILER_MIX = FaultMix(
    throttle=0.005, lose_answer=0.005, repeat=0.02, crash=0.005, freeze=0.001, skew_ms=2_000
)
CALM_SHARE = 0.25
RECONCILE_MINUTES = 15
MISSED, DOUBLED = 0.1, 0.4
CALM_MS = 60 * MINUTE_MS
PAGE, READ_MS = 200, 1_000
FAULTS = ("throttled", "answer lost", "crashed", "frozen", " met ")
CALENDARS = "calendars"
"""The name of this simulation on the command line."""


def run_calendars(seed: int, mix: FaultMix | None = None) -> Outcome:
    """Run one seed; the same seed gives the same trace."""
    rng = Random(f"calendars of {seed}")
    is_calm = rng.random() < CALM_SHARE
    run = _Run(seed, rng, mix or (FaultMix() if is_calm else MIX))
    try:
        return run.outcome()
    finally:
        run.world.hub.close()


class _Sandbox:
    """One of the reconciler."""

    def __init__(self, world: World, process: Process) -> None:
        self.handle = ProcessHandle(process)
        self.cases = warm_use_cases(world, self.handle)


class _Run:
    """A deployment whose reconciler runs in sandboxes that remember calendars, as it does on Lambda."""

    def __init__(self, seed: int, rng: Random, mix: FaultMix) -> None:
        self.world = world = World(seed, FaultMix())
        self._seed, self._rng, self._mix = seed, rng, mix
        self._calendars = world.calendars = NotedCalendars(world.table, world.hub)
        self._clients = CalendarClients(world, rng)
        self._runs: list[ReconcilerRun] = []
        self._reports: list[Report] = []
        self._idle: list[_Sandbox] = []
        self._weather = Weather(Random(f"reconcilers of {seed}"), FaultMix())
        self._end_ms = world.hub.now_ms + MINUTE_MS + LOAD_MS + CALM_MS

    def outcome(self) -> Outcome:
        """Load, heal, wait, read, judge."""
        world = self.world
        self._clients.begin()
        world.hub.run_until(world.hub.now_ms + MINUTE_MS)
        world.functions.start_ticks(lambda: self._end_ms)
        world.hub.spawn(self._tick, world.hub.now_ms + self._rng.randint(0, RECONCILE_MINUTES * MINUTE_MS))
        world.weather.mix = self._mix
        self._weather.mix = self._mix if self._mix.is_calm else RECONCILER_MIX
        self._clients.start_load()
        world.hub.run_until(world.hub.now_ms + LOAD_MS)
        healed_at = world.hub.now_ms
        world.weather.mix = self._weather.mix = HEALED
        world.note("world", "healed")
        world.hub.run_until(self._end_ms + 2 * MINUTE_MS)
        evidence = self._evidence(healed_at)
        return Outcome(
            seed=self._seed,
            faults=[*judge(evidence), *audit(world)],
            mix=self._mix,
            trace=world.trace,
            trace_hash=world.trace.digest(),
            sends=world.lanes.sends,
            calls=len(world.receiver.log),
            struck=world.weather.struck + self._weather.struck,
            of=CALENDARS,
        )

    def _tick(self) -> None:
        """Some are missed, and some come twice within a minute, for the sandbox that remembers calendars."""
        world = self.world
        if world.hub.now_ms >= self._end_ms:
            return
        if self._weather.mix.is_calm or self._rng.random() >= MISSED:
            self._reconcile()
        if self._rng.random() < DOUBLED:
            world.hub.spawn(self._reconcile, world.hub.now_ms + self._rng.randint(0, 55_000))
        world.hub.spawn(self._tick, world.hub.now_ms + RECONCILE_MINUTES * MINUTE_MS)

    def _reconcile(self) -> None:
        process = self.world.process("reconciler")
        process.weather = self._weather
        sandbox = self._idle.pop() if self._idle else _Sandbox(self.world, process)
        sandbox.handle.process = process
        process.spawn(lambda: self._run(process, sandbox))

    def _run(self, process: Process, sandbox: _Sandbox) -> None:
        world = self.world
        run, line = ReconcilerRun(began_at=world.hub.now_ms), len(world.trace.lines)
        self._runs.append(run)
        try:
            report = sandbox.cases.ticks.reconcile_definitions.execute(on_recomputed=self._tell)
            world.missing_executions += report.missing_executions
            self._idle.append(sandbox)
        except PunctualError:
            run.is_disturbed = True
        finally:
            own = (each.text for each in world.trace.lines[line:] if each.who == process.name)
            run.is_disturbed |= any(fault in text for text in own for fault in FAULTS)
            run.ended_at = world.hub.now_ms

    def _tell(self, told: Recomputation) -> None:
        self._reports.append(Report(at=self.world.hub.now_ms, job_id=told.job_id))

    def _evidence(self, healed_at: int) -> CalendarEvidence:
        world, ended_at = self.world, self.world.hub.now_ms
        rows = [row.execution for row in world.table.executions.values()]
        jobs = [job for job in self._clients.jobs if job.job_id is not None]
        return CalendarEvidence(
            jobs=jobs,
            written=self._calendars.written,
            runs=self._runs,
            reports=self._reports,
            records={job.job_id: self._records(job.tenant, job.job_id) for job in jobs if job.job_id},
            waiting={
                job.job_id: [
                    each.scheduled_at for each in rows if each.job_id == job.job_id and _waits(each.state)
                ]
                for job in jobs
                if job.job_id
            },
            revisions={
                job.job_id: world.table.jobs[job.tenant, job.job_id].revision for job in jobs if job.job_id
            },
            calls=world.receiver.log,
            is_calm=self._mix.is_calm,
            healed_at=healed_at,
            ended_at=ended_at,
        )

    def _records(self, tenant: str, job_id: str) -> list[Record]:
        """Every page of a job's history."""
        shown: list[Record] = []

        def read() -> None:
            cases = use_cases_of(self.world, self.world.process("reader"))
            criteria, position = ExecutionFilter(span=PositionRange(before=END)), None
            while True:
                following: HistoryPosition | None = position
                page = cases.listings.list_executions.execute(
                    tenant, job_id, limit=PAGE, criteria=criteria, position=following
                )
                shown.extend(record_of(each) for each in only_records(page.executions))
                position = page.next_position
                if position is None:
                    return

        self.world.hub.spawn(read)
        self.world.hub.run_until(self.world.hub.now_ms + READ_MS)
        return shown


def _waits(state: State) -> bool:
    return state in NOT_STARTED
