"""DELETE a recurring job: the chain ends where nothing can be filed from, and what had started is stopped."""

from collections.abc import Callable

import pytest

from shared.domain.errors import NotFoundError
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import JobState
from shared.domain.schedules.schedule import Cron
from tests.support.builders import DUE_AT, TENANT, in_state
from tests.support.fakes.table import Damage
from tests.support.usecases import chains
from tests.support.usecases.chains import HOURS, MINUTE, SITUATIONS, Chain
from tests.support.usecases.world import World


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_execution_of_the_job_begins_after_an_acknowledged_deletion(
    situation: Callable[[], Chain],
) -> None:
    chain = situation()
    assert chain.delete().state is JobState.DELETED
    chain.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_deletion_may_be_repeated(situation: Callable[[], Chain]) -> None:
    chain = situation()
    first = chain.delete()
    before = chain.world.occurrences(chain.job)
    assert chain.delete() == first
    assert chain.world.occurrences(chain.job) == before


def test_the_head_that_has_not_begun_becomes_a_tombstone() -> None:
    chain = chains.not_due_yet()
    chain.delete()
    tombstone = chain.world.occurrences(chain.job)[DUE_AT]
    assert (tombstone.state, tombstone.progress.end_reason) == (State.CANCELLED, EndReason.JOB_DELETED)
    assert tombstone.progress.ends_chain


def test_a_head_that_runs_is_let_be_and_the_tombstone_stands_behind_it() -> None:
    chain = chains.running()
    chain.delete()
    head, behind = list(chain.world.occurrences(chain.job).values())[:2]
    assert (head.state, head.progress.stop_retries) == (State.RUNNING, True)
    assert (behind.nominal_at, behind.progress.ends_chain) == (DUE_AT + MINUTE, True)


def test_tombstones_stand_without_a_gap() -> None:
    chain = chains.after_an_outage()
    chain.delete()
    instants = list(chain.world.occurrences(chain.job))
    assert instants == [DUE_AT + n * MINUTE for n in range(len(instants))]


def test_deletion_cancels_waiting_executions_and_stops_retries_of_running_executions() -> None:
    chain = chains.retrying()
    chain.delete()
    first, second, third, head = list(chain.world.occurrences(chain.job).values())[:4]
    assert [first.state, second.state] == [State.CANCELLED] * 2
    assert (third.state, third.progress.stop_retries) == (State.RUNNING, True)
    assert head.progress.ends_chain
    assert chain.world.table.executions[first.id].expires_at_s is not None


def test_a_worker_that_claims_a_retry_meanwhile_makes_no_call_after_the_acknowledgement() -> None:
    chain = chains.retrying()
    first = chain.world.occurrences(chain.job)[DUE_AT]
    chain.delete()
    waiting = in_state(first, State.WAITING, next_attempt_at=chain.world.clock.time_ms)
    chain.world.table.executions[first.id].execution = waiting
    chain.world.attempt(waiting)
    assert chain.world.sender.calls == []


@pytest.mark.parametrize("states", [(State.RUNNING, State.WAITING), (State.WAITING, State.RUNNING)])
def test_execution_that_changes_state_while_being_stopped_is_stopped(states: tuple[State, State]) -> None:
    chain = chains.retrying()
    row = chain.world.table.executions[chain.job.id_at(DUE_AT)]
    plain = chain.job.occurrence(DUE_AT, created_at=DUE_AT)
    row.execution, moved = (in_state(plain, state, attempt=2) for state in states)
    chain.world.steps.after("store.get_many", lambda: None)
    chain.world.steps.after("store.get_many", lambda: setattr(row, "execution", moved))
    chain.delete()
    assert row.execution.progress.stop_retries or row.execution.state is State.CANCELLED


def test_execution_that_changes_state_twice_is_stopped() -> None:
    chain = chains.retrying()
    row = chain.world.table.executions[chain.job.id_at(DUE_AT)]
    plain = chain.job.occurrence(DUE_AT, created_at=DUE_AT)
    waiting, running = (in_state(plain, state, attempt=2) for state in (State.WAITING, State.RUNNING))
    row.execution = running
    chain.world.steps.before("store.stop_retries", lambda: None, times=2)
    chain.world.steps.before("store.stop_retries", lambda: setattr(row, "execution", waiting))
    chain.world.steps.before("store.cancel", lambda: None, times=2)
    chain.world.steps.before("store.cancel", lambda: setattr(row, "execution", running))
    chain.delete()
    assert row.execution.progress.stop_retries


@pytest.mark.parametrize("damage", Damage)
def test_a_row_that_cannot_be_read_keeps_no_job_from_being_deleted(damage: Damage) -> None:
    chain = chains.retrying()
    broken = chain.world.table.executions[chain.job.id_at(DUE_AT)]
    broken.damage = damage
    assert chain.delete().state is JobState.DELETED
    assert chain.head.progress.ends_chain
    rest = list(chain.world.occurrences(chain.job).values())[1:]
    assert [execution.state for execution in rest[:2]] == [State.CANCELLED, State.RUNNING]


@pytest.mark.parametrize("missed", [1, 2, 9, 10, 11, 300, 777])
def test_the_head_is_found_however_many_instants_were_missed(missed: int) -> None:
    chain = chains.after_an_outage(missed)
    chain.delete()
    assert chain.world.occurrences(chain.job)[DUE_AT].progress.ends_chain
    chain.assert_ended()


@pytest.mark.parametrize("missed", [2, 300])
def test_the_head_is_found_behind_a_jump(missed: int) -> None:
    chain = chains.after_a_jump(missed)
    target = chain.head
    chain.delete()
    assert chain.world.standing(target.id).progress.ends_chain
    chain.assert_ended()


def test_a_busy_job_of_one_second_is_ended_at_its_head() -> None:
    chain = chains.every_second()
    for _ in range(400):
        chain.world.clock.time_ms += 1_000
        chain.work()
    chain.delete()
    chain.assert_ended()


def test_a_deletion_costs_the_same_however_long_the_job_has_run() -> None:
    chain = chains.due_now()
    chain.extend_lease(300)
    chain.world.steps.taken.clear()
    chain.delete()
    writes = [step for step in chain.world.steps.taken if step in ("store.put_if_absent", "store.cancel")]
    assert len(writes) <= 3


def test_the_definition_of_the_job_goes_with_its_records() -> None:
    chain = chains.due_now()
    chain.delete()
    key = (TENANT, chain.job.id)
    assert chain.world.table.job_expires_at_s[key] == chain.world.retention.outlives_records_s(DUE_AT)


def test_the_last_write_is_the_one_that_says_so() -> None:
    chain = chains.retrying()
    chain.world.steps.taken.clear()
    chain.delete()
    assert chain.world.steps.taken[:2] == ["jobs.get", "jobs.replace"]
    assert chain.world.steps.taken[-1] == "jobs.replace"
    assert chain.world.steps.count("jobs.replace") == 2


def test_a_yearly_job_is_ended_too() -> None:
    world = World(DUE_AT)
    yearly = Cron(line="0 0 1 1 *", timezone="UTC")
    first = 1_767_225_600_000
    chain = Chain(world, world.recurring(schedule=yearly, chain_from=first))
    chain.delete()
    assert world.occurrences(chain.job)[first].progress.ends_chain
    world.clock.time_ms += 1_000 * HOURS
    chain.assert_ended()


def test_an_unknown_or_foreign_job_is_not_found() -> None:
    chain = chains.due_now()
    for tenant_id, job_id in ((TENANT, "job_r" + "0" * 27), ("somebody-else", chain.job.id)):
        with pytest.raises(NotFoundError):
            chain.world.delete_job.execute(tenant_id, job_id)
    assert chain.head.state is State.QUEUED
