"""RECONCILE one recurring job: account for its chains, finish a change that was left, mend a broken chain."""

from collections.abc import Callable

import pytest

from shared.domain.bucket import bucket_of
from shared.domain.executions.states import State
from shared.domain.jobs.job import CHANGING, JobState
from shared.domain.schedules.schedule import Cron, Rate
from shared.usecases.ticks.reconcile_job import STUCK_MS, JobFindings
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, in_state, with_changes
from tests.support.usecases import chains
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import EVERY_SECOND, HOURS, MINUTE, Chain, fresh
from tests.support.usecases.steps import Crash

Change = Callable[[Chain], object]
LEFT: dict[JobState, Change] = {
    JobState.PAUSING: lambda chain: chain.pause(),
    JobState.UPDATING: lambda chain: chain.update(request=b"another"),
    JobState.DELETING: lambda chain: chain.delete(),
}
LEADS_TO = {
    JobState.PAUSING: JobState.PAUSED,
    JobState.UPDATING: JobState.ACTIVE,
    JobState.DELETING: JobState.DELETED,
}


def reconcile(chain: Chain, from_at: int = 0) -> JobFindings:
    return chain.world.reconcile_job.execute(chain.standing, from_at, chain.world.clock.time_ms)


def left(state: JobState) -> Chain:
    """Whoever began the change has died at once."""
    chain = chains.running_with_successor()
    chain.world.steps.crash_after("jobs.replace")
    with pytest.raises(Crash):
        LEFT[state](chain)
    assert chain.standing.state is state
    return chain


@pytest.mark.parametrize("state", sorted(CHANGING))
def test_a_change_that_was_left_is_finished_once_it_is_old(state: JobState) -> None:
    chain = left(state)
    chain.world.clock.time_ms = DUE_AT + STUCK_MS - 1
    assert reconcile(chain) == JobFindings()
    assert chain.standing.state is state
    chain.world.clock.time_ms = DUE_AT + STUCK_MS
    assert reconcile(chain) == JobFindings(is_completed=True)
    assert chain.standing.state is LEADS_TO[state]
    assert not reconcile(chain).is_completed
    assert_accounted(chain)


@pytest.mark.parametrize("state", sorted(CHANGING))
def test_concurrent_reconciliations_finish_a_change_once(state: JobState) -> None:
    for moment in range(30):
        chain = left(state)
        chain.world.clock.time_ms += STUCK_MS
        found: list[JobFindings] = []
        chain.world.steps.taken.clear()
        chain.world.steps.at_each = lambda current, _, chain=chain, moment=moment, found=found: (
            found.append(reconcile(chain)) if current == moment else None
        )
        found.append(reconcile(chain))
        assert any(findings.is_completed for findings in found)
        assert chain.standing.state is LEADS_TO[state]
        chain.world.steps.calm()
        assert_accounted(chain)


@pytest.mark.parametrize("change", LEFT.values())
def test_a_job_that_was_changed_between_the_look_and_the_mending_is_let_be(change: Change) -> None:
    chain = chains.due_now()
    head = chain.world.table.executions[chain.head.id]
    head.execution = with_changes(head.execution, state=State.SUCCEEDED, attempt=1)
    seen = chain.standing
    change(chain)
    before = chain.executions()
    chain.world.clock.time_ms += 10_000
    assert not chain.world.reconcile_job.execute(seen, 0, DUE_AT).is_repaired
    assert chain.executions() == before


def test_job_paused_and_resumed_during_reconciliation_is_left_alone() -> None:
    chain = chains.due_now()
    chain.world.table.executions[chain.head.id].execution = with_changes(chain.head, state=State.SUCCEEDED)
    seen = chain.standing
    chain.pause()
    chain.world.clock.time_ms += 20 * MINUTE
    chain.resume()
    before = chain.executions()
    assert not chain.world.reconcile_job.execute(seen, 0, DUE_AT).is_repaired
    assert chain.executions() == before


@pytest.mark.parametrize(("late_ms", "is_reopened"), [(HOURS, False), (HOURS + 1, True)])
@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED, State.WAITING, State.RUNNING])
def test_an_open_head_that_no_sweep_found_for_an_hour_gets_its_bucket_reopened(
    state: State, late_ms: int, is_reopened: bool
) -> None:
    chain = fresh(DUE_AT)
    head = in_state(chain.head, state)
    chain.world.table.executions[head.id].execution = head
    chain.world.clock.time_ms = max(head.not_before, head.progress.lease_until or 0) + late_ms
    reconcile(chain)
    open_shards = chain.world.ledger.open_before(bucket_of(chain.world.clock.time_ms))
    assert [(shard.bucket, shard.shard) for shard in open_shards] == (
        [(head.id.bucket, head.id.shard)] if is_reopened else []
    )


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_the_bucket_of_a_head_that_has_ended_stays_closed(state: State) -> None:
    chain = fresh(DUE_AT)
    ended = with_changes(chain.head, state=state, ends_chain=True)
    chain.world.table.executions[ended.id].execution = ended
    chain.world.clock.time_ms = DUE_AT + 2 * HOURS
    reconcile(chain)
    assert chain.world.ledger.open_before(bucket_of(chain.world.clock.time_ms)) == []


def through_changes() -> Chain:
    """A job that was paused, resumed, updated and given another schedule, with runs in between."""
    chain = chains.due_now()
    chain.extend_lease(3)
    chain.pause()
    chain.world.clock.time_ms += 5 * MINUTE
    chain.resume()
    chain.extend_lease(3)
    chain.update(request=b"another")
    chain.extend_lease(3)
    chain.update(schedule=Rate(interval_ms=30_000, anchor=DUE_AT))
    chain.extend_lease(3)
    return chain


def test_every_chain_of_a_job_is_accounted_for() -> None:
    chain = through_changes()
    assert reconcile(chain) == JobFindings()
    assert_accounted(chain)


def test_missing_execution_of_any_chain_is_reported() -> None:
    chain = through_changes()
    now_ms = chain.world.clock.time_ms
    begun = [one for one in chain.executions() if one.attempt > 0 and one.nominal_at < now_ms]
    assert len({one.revision for one in begun}) >= 4
    for one in begun[:-1]:
        row = chain.world.table.executions.pop(one.id)
        assert reconcile(chain).missing_executions == [str(one.id)]
        chain.world.table.executions[one.id] = row


def test_reconciliation_reads_only_chains_that_reach_into_the_window() -> None:
    chain = through_changes()
    chain.world.steps.taken.clear()
    reconcile(chain, from_at=chain.standing.began_at)
    assert chain.world.steps.count("jobs.past_chains") == 0
    lost = chain.executions()[0]
    del chain.world.table.executions[lost.id]
    assert reconcile(chain, from_at=lost.nominal_at + 1).missing_executions == []
    assert reconcile(chain, from_at=lost.nominal_at).missing_executions == [str(lost.id)]


def test_the_end_of_a_pause_of_a_month_is_no_alarm() -> None:
    chain = fresh(DUE_AT, schedule=EVERY_SECOND)
    chain.pause()
    chain.world.clock.time_ms += 30 * 24 * HOURS
    chain.resume()
    assert reconcile(chain, chain.world.clock.time_ms - 15 * MINUTE).missing_executions == []
    record = next(one for one in chain.executions() if one.progress.missed is not None)
    del chain.world.table.executions[record.id]
    assert reconcile(chain, chain.world.clock.time_ms - 15 * MINUTE).missing_executions != []


def test_several_gaps_in_one_window_are_no_alarm() -> None:
    chain = chains.running_after_an_outage(3)
    chain.world.file_successor.execute(chain.head)
    for _ in range(2):
        chain.world.clock.time_ms += 4 * MINUTE
        chain.work()
    assert sum(one.progress.missed is not None for one in chain.executions()) >= 2
    assert reconcile(chain).missing_executions == []
    lost = chain.executions()[-2]
    del chain.world.table.executions[lost.id]
    assert str(lost.id) in reconcile(chain).missing_executions


def test_a_job_whose_last_run_could_not_complete_it_is_completed() -> None:
    schedule = Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT)
    chain = fresh(DUE_AT, schedule=schedule)
    head = chain.world.table.executions[chain.head.id]
    head.execution, head.expires_at_s = (
        with_changes(chain.head, state=State.SUCCEEDED, attempt=1),
        EXPIRES_AT_S,
    )
    assert reconcile(chain) == JobFindings()
    assert chain.standing.state is JobState.COMPLETED


def test_a_next_run_that_is_far_off_is_left_to_the_watchers() -> None:
    """They send for what is PENDING; what is QUEUED they take for sent."""
    nine = Cron(line="0 9 * * *", timezone="UTC")
    chain = fresh(1_740_042_000_000, schedule=nine, chain_from=1_740_042_000_000)
    chain.world.table.executions[chain.head.id].execution = with_changes(chain.head, state=State.SUCCEEDED)
    assert reconcile(chain).is_repaired
    assert chain.head.state is State.PENDING
    assert chain.world.sent() == []


def test_the_lost_first_run_of_a_later_chain_is_filed_with_its_number() -> None:
    chain = chains.due_now()
    chain.extend_lease(2)
    chain.pause()
    resumed = chain.resume()
    del chain.world.table.executions[resumed.id_at(resumed.chain_from)]
    assert reconcile(chain).is_repaired
    assert chain.world.standing(resumed.id_at(resumed.chain_from)).run == resumed.runs_before + 1 == 4


def test_a_chain_that_was_found_broken_goes_on_by_its_rules() -> None:
    chain = chains.after_an_outage(7)
    chain.world.table.executions[chain.head.id].execution = with_changes(
        chain.head, state=State.FAILED, attempt=1
    )
    assert reconcile(chain).is_repaired
    assert chain.head.nominal_at == DUE_AT + 7 * MINUTE
    assert chain.world.table.jobs[TENANT, chain.job.id].chain_from == DUE_AT + 7 * MINUTE
    assert reconcile(chain) == JobFindings()
