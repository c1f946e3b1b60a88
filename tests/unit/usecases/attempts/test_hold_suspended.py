"""Executions of a suspended tenant: none is called, none uses up an attempt, and none is lost."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedriveOf
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.limits.scopes import WaitReason, tenant_scope
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUp
from shared.domain.schedules.schedule import Rate
from shared.domain.tenancy.suspension import KNOWN_FOR_MS, Suspension
from shared.domain.tenancy.tenant import TenantState
from tests.support.builders import DUE_AT, TENANT, execution_id, in_state, with_changes
from tests.support.fakes.sender import in_turn
from tests.support.usecases.backfills import hourly
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.limited_site import held
from tests.support.usecases.messages import delivery
from tests.support.usecases.world import World

MINUTE = 60_000
FROM = DUE_AT - MINUTE
UNTIL = DUE_AT + 10 * MINUTE + 1
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)


def suspend(world: World, from_at: int = FROM, until_at: int | None = None) -> None:
    """What an operator has written, for workers that have not read the tenant before."""
    world.tenants.tenants[TENANT] = replace(
        world.tenant,
        state=TenantState.SUSPENDED if until_at is None else TenantState.ACTIVE,
        suspensions=(Suspension(from_at=from_at, until_at=until_at),),
    )


def end_of(execution: Execution) -> tuple[State, EndReason | None, int]:
    return execution.state, execution.progress.end_reason, execution.attempt


def due(**overrides: Any) -> tuple[World, Execution]:
    """A one-off job that is due while its tenant is suspended."""
    world = World(DUE_AT)
    job = world.put(world.one_off(**overrides))
    suspend(world)
    return world, job


def test_one_off_that_is_due_meanwhile_ends_as_skipped_without_a_claim() -> None:
    world, job = due()
    report = world.attempt(job)
    assert end_of(world.standing(job.id)) == (State.SKIPPED, EndReason.SUSPENDED, 0)
    assert (world.sender.calls, report.returned(), world.steps.count("claimer.claim")) == ([], [], 0)
    assert world.table.executions[job.id].expires_at_s is not None


def test_message_that_comes_up_to_a_second_early_is_judged_by_the_due_time() -> None:
    world = World(DUE_AT - 500)
    job = world.put(world.one_off())
    suspend(world, from_at=DUE_AT)
    world.attempt(job)
    assert end_of(world.standing(job.id)) == (State.SKIPPED, EndReason.SUSPENDED, 0)


def test_last_instant_before_the_suspension_runs() -> None:
    world = World(DUE_AT)
    job = world.put(world.one_off())
    suspend(world, from_at=DUE_AT + 1)
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED


def test_one_off_that_asks_for_it_runs_once_the_suspension_is_over_and_not_before() -> None:
    world, job = due(runs_when_suspended=True)
    report = world.attempt(job)
    assert (held(report), report.returned()) == ({WaitReason.SUSPENDED: 1}, [])
    assert world.standing(job.id) == job, "nothing is written"
    lanes = Lanes(world)
    lanes.until(DUE_AT + 5 * MINUTE)
    suspend(world, until_at=UNTIL)
    lanes.until(UNTIL - 1)
    assert world.sender.calls == []
    lanes.until(UNTIL + 3_000)
    assert end_of(world.standing(job.id)) == (State.SUCCEEDED, None, 1)
    assert [call.at >= UNTIL for call in world.sender.calls] == [True]


def test_execution_that_was_due_before_the_suspension_waits_and_runs() -> None:
    world = World(DUE_AT + 2 * MINUTE)
    job = world.put(world.one_off())
    suspend(world, from_at=DUE_AT + 1)
    assert held(world.attempt(job)) == {WaitReason.SUSPENDED: 1}
    suspend(world, from_at=DUE_AT + 1, until_at=UNTIL)
    Lanes(world).until(UNTIL + 3_000)
    assert world.standing(job.id).state is State.SUCCEEDED


def test_retry_waits_and_uses_up_no_attempt() -> None:
    world = World(DUE_AT, answer_to=in_turn(DOWN, OK))
    job = world.put(world.one_off())
    world.attempt(job)
    waiting = world.standing(job.id)
    assert waiting.state is State.WAITING
    suspend(world, from_at=world.clock.time_ms + 1)
    world.clock.time_ms = waiting.not_before + KNOWN_FOR_MS
    assert held(world.attempt(waiting)) == {WaitReason.SUSPENDED: 1}
    assert world.standing(job.id) == waiting
    suspend(world, from_at=DUE_AT + 1, until_at=UNTIL)
    Lanes(world).until(UNTIL + MINUTE)
    assert end_of(world.standing(job.id)) == (State.SUCCEEDED, None, 2)


@pytest.mark.parametrize(("lease_ms", "waits"), [(-1, True), (20_000, False)])
def test_execution_of_a_lost_worker_waits_and_that_of_a_living_one_is_left_to_it(
    lease_ms: int, waits: bool
) -> None:
    world = World(DUE_AT + 2 * MINUTE)
    running = world.put(in_state(world.one_off(), State.RUNNING, lease_until=world.clock.time_ms + lease_ms))
    suspend(world, from_at=DUE_AT + 1)
    report = world.attempt(running)
    assert (held(report) == {WaitReason.SUSPENDED: 1}) is waits
    assert (world.standing(running.id), world.sender.calls) == (running, [])


@pytest.mark.parametrize(
    "changes",
    [
        {"redrive_of": RedriveOf(original=execution_id(7), number=1)},
        {"notification_of": execution_id(7)},
    ],
    ids=["redrive", "notification"],
)
def test_redrives_and_notifications_wait(changes: dict[str, Any]) -> None:
    world, job = due(**changes)
    assert held(world.attempt(job)) == {WaitReason.SUSPENDED: 1}
    assert world.standing(job.id).state is State.PENDING


def test_backfill_waits_and_skips_no_instant() -> None:
    case = hourly()
    suspend(case.world)
    case.ask()
    case.until(300)
    assert (case.calls(), [run.state for run in case.executions()]) == ([], [State.QUEUED])
    suspend(case.world, until_at=UNTIL)
    case.until(1_200)
    case.assert_made_up_for()


def recurring(catch_up: CatchUp = CatchUp.COALESCE, **changes: Any) -> tuple[World, Job, Lanes]:
    """A job that runs every minute, and whose first run is due while its tenant is suspended."""
    world = World(DUE_AT)
    job = world.recurring(catch_up=replace(DEFAULT_POLICY, mode=catch_up), **changes)
    suspend(world)
    assert held(world.attempt(world.standing(job.id_at(DUE_AT)))) == {WaitReason.SUSPENDED: 1}
    lanes = Lanes(world)
    lanes.until(DUE_AT + 5 * MINUTE)
    return world, job, lanes


@pytest.mark.parametrize("catch_up", CatchUp)
def test_recurring_job_goes_on_with_the_next_instant_whatever_it_catches_up(catch_up: CatchUp) -> None:
    world, job, lanes = recurring(catch_up)
    assert list(world.occurrences(job)) == [DUE_AT], "one execution waits for all that follow"
    suspend(world, until_at=UNTIL)
    lanes.until(UNTIL + 3_000)
    head, record, following = world.occurrences(job).values()
    assert end_of(head) == (State.SKIPPED, EndReason.SUSPENDED, 0)
    assert end_of(record) == (State.SKIPPED, EndReason.SUSPENDED, 0)
    missed = record.progress.missed
    assert missed is not None
    assert (missed.count, missed.first_at, missed.last_at) == (10, DUE_AT + MINUTE, DUE_AT + 10 * MINUTE)
    assert (following.nominal_at, following.state) == (DUE_AT + 11 * MINUTE, State.QUEUED)
    assert world.sender.calls == []
    lanes.until(DUE_AT + 12 * MINUTE + 1_000)
    assert [call.at // 1_000 for call in world.sender.calls] == [
        (DUE_AT + minutes * MINUTE) // 1_000 for minutes in (11, 12)
    ]


def test_instant_at_the_end_of_the_suspension_runs() -> None:
    world, job, lanes = recurring()
    suspend(world, until_at=DUE_AT + 10 * MINUTE)
    lanes.until(DUE_AT + 10 * MINUTE + 3_000)
    assert world.standing(job.id_at(DUE_AT + 10 * MINUTE)).state is State.SUCCEEDED


def test_chain_goes_on_after_a_crash_between_the_end_of_its_run_and_the_next() -> None:
    world, job, lanes = recurring()
    suspend(world, until_at=UNTIL)
    world.clock.time_ms = UNTIL
    world.steps.fail("jobs.jump", times=3)
    run = world.standing(job.id_at(DUE_AT))
    report = world.attempt(run)
    assert (end_of(world.standing(run.id)), len(world.occurrences(job))) == (
        (State.SKIPPED, EndReason.SUSPENDED, 0),
        1,
    )
    assert len(report.returned()) + len(world.queue.messages) > 0
    world.steps.calm()
    lanes.until(UNTIL + MINUTE)
    assert [each.nominal_at for each in world.occurrences(job).values()][-1] >= DUE_AT + 11 * MINUTE


def test_reconciler_repairs_a_chain_whose_run_was_skipped() -> None:
    world, job, _ = recurring()
    suspend(world, until_at=UNTIL)
    world.clock.time_ms = UNTIL + 20 * MINUTE
    run = world.standing(job.id_at(DUE_AT))
    world.table.executions[run.id].execution = with_changes(
        run, state=State.SKIPPED, end_reason=EndReason.SUSPENDED
    )
    world.reconcile_job.execute(job, DUE_AT, UNTIL)
    record, following = list(world.occurrences(job).values())[1:3]
    assert end_of(record) == (State.SKIPPED, EndReason.SUSPENDED, 0)
    assert following.nominal_at == DUE_AT + 11 * MINUTE


def test_run_that_was_under_way_files_a_successor_that_waits() -> None:
    world = World(DUE_AT)
    job = world.recurring()
    suspend(world, from_at=DUE_AT + 1)
    world.attempt(world.standing(job.id_at(DUE_AT)))
    successor = world.standing(job.id_at(DUE_AT + MINUTE))
    world.clock.time_ms = DUE_AT + MINUTE
    assert held(world.attempt(successor)) == {WaitReason.SUSPENDED: 1}
    assert world.standing(successor.id) == successor


def test_end_of_a_schedule_within_the_suspension_completes_the_job() -> None:
    world, job, lanes = recurring()
    assert isinstance(job.schedule, Rate)
    schedule = replace(job.schedule, end_at=DUE_AT + 3 * MINUTE)
    run = world.standing(job.id_at(DUE_AT))
    assert run.recurrence is not None
    world.table.executions[run.id].execution = replace(
        run, recurrence=replace(run.recurrence, schedule=schedule)
    )
    world.table.jobs[TENANT, job.id] = with_changes(job, schedule=schedule)
    suspend(world, until_at=UNTIL)
    lanes.until(UNTIL + 3_000)
    assert world.table.jobs[TENANT, job.id].state == "completed"
    assert world.sender.calls == []


def test_guarded_one_off_ends_for_the_suspension_and_one_that_waits_by_its_deadline() -> None:
    world, job = due(start_deadline_at=DUE_AT + MINUTE)
    world.attempt(job)
    assert end_of(world.standing(job.id)) == (State.SKIPPED, EndReason.SUSPENDED, 0)
    world, job = due(start_deadline_at=DUE_AT + MINUTE, runs_when_suspended=True)
    world.attempt(job)
    suspend(world, until_at=UNTIL)
    Lanes(world).until(UNTIL + 3_000)
    assert end_of(world.standing(job.id)) == (State.SKIPPED, EndReason.LATE, 0)


def test_executions_of_other_tenants_are_called_although_the_suspended_one_cannot_be_judged() -> None:
    world, job = due(runs_when_suspended=True)
    world.create_tenant.execute("globex")
    other = world.put(replace(world.one_off(2), tenant_id="globex"))
    world.steps.fail("store.get_many")
    report = world.run(delivery(job), delivery(other))
    assert world.standing(job.id) == job
    assert {each.execution.id for each in report.attempts} == {other.id}
    assert set(report.undecided) == {job.id}


def test_worker_whose_gate_could_not_read_the_tenant_makes_no_call() -> None:
    world, job = due(runs_when_suspended=True)
    world.steps.fail("tenants.get", times=2)
    report = world.attempt(job)
    assert world.sender.calls == []
    (attempt,) = report.attempts
    assert attempt.answer.reason is Reason.LEASE_TOO_SHORT
    assert end_of(world.standing(job.id)) == (State.WAITING, None, 0)
    suspend(world, until_at=UNTIL)
    world.clock.time_ms = world.standing(job.id).not_before
    Lanes(world).until(UNTIL + 3_000)
    assert end_of(world.standing(job.id)) == (State.SUCCEEDED, None, 1)


def test_run_that_such_a_worker_has_claimed_ends_as_skipped() -> None:
    world, job = due()
    world.steps.fail("tenants.get", times=2)
    world.attempt(job)
    assert world.sender.calls == []
    assert end_of(world.standing(job.id)) == (State.SKIPPED, EndReason.SUSPENDED, 0)


def test_worker_calls_by_no_copy_of_the_tenant_that_is_older_than_forty_seconds() -> None:
    world = World(DUE_AT)
    first, second = world.put(world.one_off(1)), world.put(world.one_off(2, due_at=DUE_AT + KNOWN_FOR_MS))
    world.attempt(first)
    suspend(world, from_at=DUE_AT + KNOWN_FOR_MS)
    world.clock.time_ms = DUE_AT + KNOWN_FOR_MS
    world.attempt(second)
    assert [world.standing(each.id).state for each in (first, second)] == [State.SUCCEEDED, State.SKIPPED]


def test_sweeper_knows_that_such_executions_wait() -> None:
    world, job = due(runs_when_suspended=True)
    world.attempt(job)
    assert world.limits.hot[tenant_scope(TENANT)] > DUE_AT + MINUTE


def test_tenant_that_was_never_suspended_costs_no_read_of_its_executions() -> None:
    world = World(DUE_AT)
    job = world.put(world.one_off())
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED
    assert world.steps.count("store.get_many") == 0
