"""A tenant is suspended and resumed while ports throttle, answers are lost, workers crash or stand still, messages
are lost and doubled, and clocks differ.

The oracle knows the acknowledgements of the operator, the due times that were asked for, the calls and the records.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest

from shared.bootstrap.use_cases import UseCases
from shared.domain.delivery.request import Request
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob, Recurring
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUp
from shared.domain.schedules.schedule import Once, Rate
from shared.domain.schedules.timing import Every, Timing
from shared.domain.tenancy.tenant import TenantState
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.simulation.evidence import Arrival
from tests.simulation.faults import HEALED, FaultMix
from tests.simulation.requests import request
from tests.simulation.world import TENANTS, World

SECOND_MS, MINUTE_MS = 1_000, 60_000
MIX = FaultMix(
    throttle=0.01,
    lose_answer=0.01,
    repeat=0.02,
    slow_transaction=0.02,
    crash=0.01,
    freeze=0.003,
    lose_message=0.02,
    double_message=0.1,
    redeliver=0.02,
    skew_ms=2_000,
    miss_tick=0.05,
    double_tick=0.2,
    refuse=0.2,
    impatient_client=0.3,
    reconciles=True,
)
TENANT = TENANTS[0]
ONE_OFFS, RECURRING, RATE_SECONDS = 40, 4, 30
LOAD_MS = 16 * MINUTE_MS
SUSPEND_AT_MS, RESUME_AT_MS = 4 * MINUTE_MS, 8 * MINUTE_MS
MENDED_MS, CALM_MS = 25 * MINUTE_MS, 110 * MINUTE_MS
URL = "https://receiver.example/"
MOST_RECORDS = 5
"""The run that waited and the record of all that follow; and a few if workers claimed before they knew."""


@dataclass
class Operator:
    """The requests of an operator, and of a client that orders everything ahead."""

    world: World
    stopped_at: list[int] = field(default_factory=list)
    """The acknowledged instants from which no call begins."""
    resumed_at: list[int] = field(default_factory=list)
    created: dict[str, Execution | Job] = field(default_factory=dict)

    def create(self, name: str, timing: Timing, cases: UseCases, **fields: Any) -> None:
        target = Request(method="POST", url=URL + name)
        new = NewJob(timing=timing, request=target, name=name, **fields)
        self.created[name] = cases.jobs.create_job.execute(self.world.tenant(TENANT), new, name).job

    def change(self, state: TenantState, cases: UseCases) -> None:
        change_tenant = cases.tenancy.change_tenant
        _, after = change_tenant.execute(TENANT, TenantChange(state=state))
        effective_at = change_tenant.effective_at(after)
        assert effective_at is not None
        (self.stopped_at if state is TenantState.SUSPENDED else self.resumed_at).append(effective_at)


class Case:
    """One seed: create in calm weather, suspend and resume in a storm, then calm again."""

    def __init__(self, seed: int, mix: FaultMix = MIX) -> None:
        self.world = World(seed, FaultMix())
        self.operator = Operator(self.world)
        self.start_ms = self.world.hub.now_ms
        self._order()
        self._run_to(MINUTE_MS)
        end_ms = self.start_ms + LOAD_MS + CALM_MS
        self.world.functions.start_ticks(lambda: end_ms - 10 * MINUTE_MS)
        self.world.weather.mix = mix
        for at_ms, state in (
            (SUSPEND_AT_MS, TenantState.SUSPENDED),
            (RESUME_AT_MS, TenantState.ACTIVE),
        ):
            act = partial(self.operator.change, state)
            request(self.world, "operator", act, self.start_ms + at_ms)
        self._run_to(LOAD_MS)
        self.world.weather.mix = HEALED
        # Whatever lost its message is sent again within a quarter of an hour, and goes on.
        self._run_to(LOAD_MS + MENDED_MS)
        request(self.world, "client", self._delete, self.world.hub.now_ms)
        self._run_to(LOAD_MS + CALM_MS)
        self.records = [row.execution for row in self.world.table.executions.values()]

    def close(self) -> None:
        self.world.hub.close()

    def _run_to(self, offset_ms: int) -> None:
        self.world.hub.run_until(self.start_ms + offset_ms)

    def _order(self) -> None:
        first_ms, gap_ms = 2 * MINUTE_MS, (LOAD_MS - 4 * MINUTE_MS) // ONE_OFFS
        for number in range(ONE_OFFS):
            once = Once(at=self.start_ms + first_ms + number * gap_ms)
            waits = bool(number % 2)
            act = partial(self.operator.create, f"once{number}", once, runs_when_suspended=waits)
            request(self.world, "client", act, self.start_ms)
        for number, mode in enumerate((*CatchUp, CatchUp.SKIP)):
            start_at = self.start_ms + first_ms + number * SECOND_MS
            every = Every(rate_seconds=RATE_SECONDS, start_at=start_at)
            recurring = Recurring(catch_up=replace(DEFAULT_POLICY, mode=mode))
            act = partial(self.operator.create, f"every{number}", every, recurring=recurring)
            request(self.world, "client", act, self.start_ms)

    def _delete(self, cases: UseCases) -> None:
        for job in self.recurring:
            cases.core.lifecycle.delete.execute(TENANT, job.id)

    @property
    def recurring(self) -> list[Job]:
        return [job for job in self.world.table.jobs.values() if job.tenant_id == TENANT]

    def calls(self) -> list[Arrival]:
        return self.world.receiver.log

    def runs(self, job: Job) -> list[Execution]:
        return sorted(
            (each for each in self.records if each.job_id == job.id), key=lambda run: run.nominal_at
        )


def late_calls(case: Case) -> list[Arrival]:
    """Calls that began after the acknowledged instant and before the end, by the clock of their caller too."""
    if not case.operator.stopped_at:
        return []
    from_at = min(case.operator.stopped_at)
    (until_at,) = {case.world.tenant(TENANT).suspensions[-1].until_at}
    assert until_at is not None
    return [
        call
        for call in case.calls()
        if from_at <= min(call.began_at, call.caller_began_at)
        and max(call.began_at, call.caller_began_at) < until_at
    ]


@pytest.mark.parametrize("seed", range(10))
def test_no_call_begins_from_the_acknowledged_instant_on_and_nothing_is_lost_afterwards(seed: int) -> None:
    case = Case(seed)
    try:
        judge(case)
    finally:
        case.close()


def judge(case: Case) -> None:
    (suspension,) = case.world.tenant(TENANT).suspensions
    assert case.operator.stopped_at
    assert case.operator.resumed_at
    assert late_calls(case) == []
    called = Counter(call.execution_id for call in case.calls())
    open_records = [each for each in case.records if not each.state.is_terminal]
    assert open_records == []
    for number in range(ONE_OFFS):
        judge_one_off(case, number, called)
    assert len(case.recurring) == RECURRING
    for job in case.recurring:
        assert job.state is JobState.DELETED
        judge_chain(case, job, called)
    assert suspension.until_at is not None


def judge_one_off(case: Case, number: int, called: Counter[str]) -> None:
    """It has run, or was due in the suspension and not to run."""
    created = case.operator.created[f"once{number}"]
    assert isinstance(created, Execution)
    record = case.world.table.executions[created.id].execution
    (suspension,) = case.world.tenant(TENANT).suspensions
    if record.state is State.SKIPPED:
        assert record.progress.end_reason is EndReason.SUSPENDED
        assert suspension.covers(record.id.dispatch_at)
        assert not number % 2
        assert called[str(record.id)] == 0
    else:
        assert record.state in (State.SUCCEEDED, State.FAILED)
        assert called[str(record.id)] > 0
    if number % 2 == 0 and suspension.covers(created.id.dispatch_at):
        assert record.state is State.SKIPPED or called[str(record.id)] > 0


def judge_chain(case: Case, job: Job, called: Counter[str]) -> None:
    """Each instant has a record, those in the suspension no call, and all that follow are as without it.

    A chain that was behind before the suspension passes over some of its instants by the policy of the job.
    """
    (suspension,) = case.world.tenant(TENANT).suspensions
    assert isinstance(job.schedule, Rate)
    runs, step_ms = case.runs(job), RATE_SECONDS * SECOND_MS
    seen = {run.nominal_at for run in runs}
    for run in runs:
        missed = run.progress.missed
        if missed is not None:
            seen |= set(range(missed.first_at, missed.last_at + 1, step_ms))
        if suspension.covers(run.nominal_at):
            assert called[str(run.id)] == 0
        if run.progress.end_reason is EndReason.SUSPENDED:
            assert run.state is State.SKIPPED
            assert suspension.covers(run.nominal_at)
            assert missed is None or suspension.covers(missed.last_at)
    assert set(range(job.schedule.anchor, case.start_ms + LOAD_MS, step_ms)) <= seen
    skipped = [run for run in runs if run.progress.end_reason is EndReason.SUSPENDED]
    assert len(skipped) <= MOST_RECORDS, "few records, however long the suspension is"
    assert any(called[str(run.id)] for run in runs if run.nominal_at >= (suspension.until_at or 0))
