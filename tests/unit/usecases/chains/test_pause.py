"""PAUSE and RESUME: what had started goes on, nothing else begins, and each instant passed over has one record."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.bucket import GUARD_MS, ShardCounts, ShardEpoch, ShardPlan
from shared.domain.errors import InvalidStateError, NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.executions.states import NOT_STARTED, EndReason, State
from shared.domain.jobs.job import JobState
from shared.domain.jobs.misfire import COUNT_LIMIT
from shared.domain.schedules.schedule import Cron, Rate, first_after
from shared.ports.jobs import Payload
from shared.usecases.attempts.guard_start import Admission
from shared.usecases.chains.lifecycle import Lifecycle
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.usecases import chains
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import EVERY_SECOND, HOURS, MINUTE, SITUATIONS, Chain, fresh
from tests.support.usecases.shown import records
from tests.support.usecases.steps import Crash

MONTH = 30 * 24 * HOURS
WRITES = ("store.put_if_absent", "store.cancel", "jobs.replace")


def writes(chain: Chain) -> list[str]:
    return [step for step in chain.world.steps.taken if step in WRITES]


@pytest.mark.parametrize(
    ("situation", "tombstone"),
    [
        (chains.not_due_yet, "store.cancel"),
        (chains.running_with_successor, "store.cancel"),
        (chains.running, "store.put_if_absent"),
    ],
)
def test_a_pause_is_three_writes_where_nothing_is_late(
    situation: Callable[[], Chain], tombstone: str
) -> None:
    """None of them is refused, which would cost as much."""
    chain = situation()
    chain.world.steps.taken.clear()
    chain.pause()
    assert writes(chain) == ["jobs.replace", tombstone, "jobs.replace"]


def test_the_definition_says_where_the_chain_has_ended() -> None:
    chain = chains.running_with_successor()
    job = chain.pause()
    assert (job.state, job.revision, job.chain_revision) == (JobState.PAUSED, 2, 1)
    assert (job.ended_from, job.runs_before, job.changed_at) == (DUE_AT + 1, 1, DUE_AT)
    assert job.ended_through == first_after(job.schedule, DUE_AT + GUARD_MS)
    assert job == chain.standing


def test_pause_reason_is_kept_until_the_job_is_resumed() -> None:
    chain = chains.due_now()
    lifecycle = chain.world.lifecycle
    assert lifecycle.pause.execute(TENANT, chain.job.id, reason="maintenance").pause_reason == "maintenance"
    assert lifecycle.pause.execute(TENANT, chain.job.id, reason="another").pause_reason == "maintenance"
    assert chain.resume().pause_reason is None


def test_tombstones_say_that_the_job_was_paused() -> None:
    chain = chains.due_now()
    chain.pause()
    head = chain.world.standing(chain.job.id_at(DUE_AT))
    assert (head.state, head.progress.end_reason, head.progress.ends_chain) == (
        State.CANCELLED,
        EndReason.JOB_PAUSED,
        True,
    )


def test_a_tombstone_outlives_whatever_may_ask_for_it() -> None:
    """An execution that started before it may have retries for days, and its record stays for days after them."""
    chain = chains.running()
    chain.pause()
    rows = [row for row in chain.world.table.executions.values() if row.execution.progress.ends_chain]
    (tombstone,) = rows
    due_at = tombstone.execution.id.dispatch_at
    assert due_at > DUE_AT
    assert tombstone.expires_at_s == chain.world.retention.outlives_records_s(due_at)


def test_started_execution_continues_with_its_retries_in_a_pause() -> None:
    chain = chains.retrying()
    before = [one for one in chain.executions() if one.attempt > 0]
    chain.pause()
    assert [chain.world.standing(one.id) for one in before] == before
    waiting = chain.world.put(
        with_changes(in_state(before[0], State.WAITING), request=chain.job.call.request)
    )
    chain.world.clock.time_ms = (waiting.progress.next_attempt_at or 0) + 1
    chain.world.attempt(waiting)
    assert chain.world.standing(waiting.id).state is State.SUCCEEDED
    assert [one.nominal_at for one in chain.executions() if one.state in (State.PENDING, State.QUEUED)] == []


def test_a_retry_long_after_a_resumption_files_nothing_in_the_old_chain() -> None:
    chain = chains.retrying()
    waiting = chain.executions()[0]
    chain.pause()
    chain.world.clock.time_ms += 30 * MINUTE
    chain.resume()
    before = chain.executions()
    chain.world.file_successor.execute(waiting)
    assert chain.executions() == before


@pytest.mark.parametrize("schedule", [EVERY_SECOND, Cron(line="* * * * *", timezone="UTC")])
def test_a_month_of_pause_is_one_record_and_few_writes(schedule: Rate | Cron) -> None:
    chain = fresh(DUE_AT, schedule=schedule, chain_from=first_after(schedule, DUE_AT - 1))
    chain.pause()
    chain.world.clock.time_ms += MONTH
    chain.world.steps.taken.clear()
    resumed = chain.resume()
    (record,) = [one for one in chain.executions() if one.state is State.SKIPPED]
    missed = record.progress.missed
    assert missed is not None
    assert (record.progress.end_reason, record.progress.ends_chain, missed.first_at) == (
        EndReason.JOB_PAUSED,
        True,
        record.nominal_at,
    )
    told = [one for one in chain.executions() if one.progress.ends_chain and one.state is State.CANCELLED]
    interval_ms = schedule.interval_ms if isinstance(schedule, Rate) else MINUTE
    through = (missed.last_at - chain.job.chain_from) // interval_ms + 1
    assert missed.count == min(COUNT_LIMIT, through - len(told))
    assert missed.last_at <= chain.world.clock.time_ms < resumed.chain_from
    assert first_after(schedule, missed.last_at) == resumed.chain_from
    assert writes(chain) == ["jobs.replace"]
    assert chain.standing.chain_from == first_after(schedule, chain.world.clock.time_ms)


def test_the_deletion_of_a_job_paused_for_a_month_is_cheap_and_leaves_the_record() -> None:
    chain = fresh(DUE_AT, schedule=EVERY_SECOND)
    chain.pause()
    stood = len(chain.executions())
    chain.world.clock.time_ms += MONTH
    chain.world.steps.taken.clear()
    assert chain.delete().state is JobState.DELETED
    assert writes(chain) == ["jobs.replace", "jobs.replace"]
    assert len(chain.executions()) == stood + 1
    assert chain.executions()[-1].progress.end_reason is EndReason.JOB_PAUSED
    chain.assert_ended()


@pytest.mark.parametrize("pauses", [1, 2, 5])
def test_quick_pauses_and_resumptions_neither_lose_nor_repeat_an_instant(pauses: int) -> None:
    for situation in SITUATIONS:
        chain = situation()
        for _ in range(pauses):
            chain.pause()
            chain.world.clock.time_ms += 700
            chain.resume()
            chain.world.clock.time_ms += 700
            chain.work()
        chain.extend_lease(3)
        assert_accounted(chain)


def test_an_instant_that_ran_a_moment_ahead_is_not_repeated() -> None:
    """It was claimed before its time, and the resumption comes before its time too."""
    chain = chains.running_ahead()
    chain.pause()
    assert chain.resume().chain_from == DUE_AT + MINUTE


def test_a_resumption_starts_after_now_and_not_at_the_instant_that_is_now() -> None:
    chain = chains.due_now()
    chain.pause()
    chain.world.clock.time_ms = DUE_AT + 10 * MINUTE
    assert chain.resume().chain_from == DUE_AT + 11 * MINUTE


def test_a_clock_that_is_behind_repeats_nothing() -> None:
    chain = chains.running_with_successor()
    chain.world.clock.time_ms += MINUTE
    chain.work()
    chain.pause()
    chain.world.clock.time_ms -= 3 * MINUTE
    assert chain.resume().chain_from == DUE_AT + 2 * MINUTE


def test_the_first_run_after_a_resumption_is_sent_or_left_to_the_watchers() -> None:
    chain = chains.due_now()
    chain.pause()
    chain.world.queue.messages.clear()
    resumed = chain.resume()
    assert chain.world.sent() == [resumed.id_at(DUE_AT + MINUTE)]
    far = fresh(DUE_AT, schedule=Cron(line="0 9 * * *", timezone="UTC"), chain_from=1_740_042_000_000)
    far.pause()
    far.world.queue.messages.clear()
    far.resume()
    assert far.world.sent() == []
    assert far.executions()[-1].state is State.PENDING


def test_a_resumption_that_died_before_it_sent_is_made_good_by_its_repetition() -> None:
    chain = chains.due_now()
    chain.pause()
    chain.world.queue.messages.clear()
    chain.world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        chain.resume()
    assert chain.resume().state is JobState.ACTIVE
    assert chain.world.sent() == [chain.standing.id_at(DUE_AT + MINUTE)]


def test_shard_counts_are_frozen_anew_with_each_chain() -> None:
    chain = chains.due_now()
    chain.pause()
    grown = ShardCounts(normal=8, quarter=8, midnight=8)
    plan = ShardPlan((*chain.world.plan.epochs, ShardEpoch(from_bucket=1, counts=grown)))
    chain.world.lifecycle = replace_plan(chain, plan)
    assert chain.resume().counts == grown
    first = chain.executions()[-1]
    assert first.recurrence is not None
    assert first.recurrence.counts == grown


def replace_plan(chain: Chain, plan: ShardPlan) -> Lifecycle:
    return replace(chain.world.lifecycle, plan=plan)


def test_a_large_request_is_the_same_after_a_resumption() -> None:
    chain = chains.due_now()
    world, job = chain.world, chain.job
    world.jobs.put_payload(Payload(TENANT, job.id, job.call.request, stored_at=0))
    world.table.jobs[TENANT, job.id] = with_changes(job, request=b"", payload_id=job.id)
    chain.pause()
    chain.resume()
    world.clock.time_ms = DUE_AT + MINUTE
    world.attempt(chain.executions()[-1])
    assert len(world.sender.calls) == 1
    assert world.table.payload_expires_at_s == {}


def test_a_pause_may_be_repeated_and_so_may_a_resumption() -> None:
    chain = chains.due_now()
    assert chain.pause() == chain.pause()
    before = chain.resume()
    assert chain.resume() == before


@pytest.mark.parametrize("state", [JobState.DELETED, JobState.COMPLETED])
def test_ended_job_is_neither_paused_nor_resumed(state: JobState) -> None:
    chain = chains.due_now()
    chain.world.table.jobs[TENANT, chain.job.id] = replace(chain.job, state=state, ended_through=DUE_AT)
    for change in (chain.pause, chain.resume):
        with pytest.raises(InvalidStateError):
            change()


def test_change_with_another_revision_is_refused() -> None:
    chain = chains.due_now()
    lifecycle = chain.world.lifecycle
    for revision in (0, 2):
        with pytest.raises(PreconditionFailedError):
            lifecycle.pause.execute(TENANT, chain.job.id, revision=revision)
        with pytest.raises(PreconditionFailedError):
            lifecycle.resume.execute(TENANT, chain.job.id, revision=revision)
        with pytest.raises(PreconditionFailedError):
            lifecycle.delete.execute(TENANT, chain.job.id, revision=revision)
    assert chain.standing == chain.job
    paused = lifecycle.pause.execute(TENANT, chain.job.id, revision=1)
    assert lifecycle.resume.execute(TENANT, chain.job.id, revision=paused.revision).revision == 3


def test_an_unknown_or_foreign_job_is_not_found() -> None:
    chain = chains.due_now()
    lifecycle = chain.world.lifecycle
    for tenant_id, job_id in ((TENANT, "job_r" + "0" * 27), ("somebody-else", chain.job.id)):
        for change in (lifecycle.pause, lifecycle.resume):
            with pytest.raises(NotFoundError):
                change.execute(tenant_id, job_id)
    assert chain.standing == chain.job


def test_pause_of_a_job_that_keeps_changing_is_unavailable() -> None:
    chain = chains.due_now()

    def rename() -> None:
        standing = chain.standing
        chain.world.table.jobs[TENANT, chain.job.id] = replace(standing, revision=standing.revision + 1)

    chain.world.steps.before("jobs.replace", rename, times=99)
    with pytest.raises(UnavailableError):
        chain.pause()
    assert chain.standing.state is JobState.ACTIVE


def test_a_late_tombstone_in_the_place_of_the_record_does_not_hold_the_job_up() -> None:
    """Somebody who was slow to learn that the pause had been settled put it there."""
    chain = chains.due_now()
    paused = chain.pause()
    chain.world.clock.time_ms += 10 * MINUTE
    behind = first_after(paused.schedule, paused.ended_through or 0) or 0
    late = replace(chain.executions()[-1], id=paused.id_at(behind), nominal_at=behind)
    chain.world.put(late)
    assert chain.resume().state is JobState.ACTIVE
    assert_accounted(chain)
    (record,) = [one for one in chain.executions() if one.progress.missed is not None]
    assert record.nominal_at == behind + MINUTE


@pytest.mark.parametrize("minutes", [0, 1, 10])
def test_a_late_tombstone_behind_the_end_of_the_chain_is_in_the_history_of_a_deleted_job(
    minutes: int,
) -> None:
    """Without another instant behind it there is no record of the pause that would lead there."""
    chain = chains.due_now()
    paused = chain.pause()
    behind = first_after(paused.schedule, paused.ended_through or 0) or 0
    chain.world.put(replace(chain.executions()[-1], id=paused.id_at(behind), nominal_at=behind))
    chain.world.clock.time_ms = behind + minutes * MINUTE
    chain.delete()
    assert_accounted(chain)
    listed = records(chain.world.list_executions.execute(TENANT, chain.job.id, limit=50).executions)
    assert behind in {one.nominal_at for one in listed}


def test_late_settlement_of_a_pause_stops_at_the_record_of_that_pause() -> None:
    chain = chains.due_now()
    chain.world.steps.crash_after("jobs.replace")
    with pytest.raises(Crash):
        chain.pause()
    pausing = chain.standing
    chain.pause()
    chain.world.clock.time_ms += 10 * MINUTE
    chain.resume()
    before = chain.executions()
    assert chain.world.lifecycle.settle.execute(pausing) is None
    assert chain.executions() == before
    assert_accounted(chain)


CHANGES = [Chain.pause, Chain.delete, lambda chain: chain.update(request=b"another")]


@pytest.mark.parametrize("runs", [1, 2, 3])
@pytest.mark.parametrize("change", CHANGES)
def test_a_run_that_waits_for_another_to_end_does_not_start_any_more(
    change: Callable[[Chain], object], runs: int
) -> None:
    """It has a successor already, so that the chain does not end with it."""
    for is_admitted in (False, True):
        chain = chains.held_up(runs)
        world, waiting = chain.world, chain.job.id_at(DUE_AT + MINUTE)
        first = world.table.executions[chain.job.id_at(DUE_AT)]
        if is_admitted:
            first.execution = with_changes(
                first.execution, state=State.SUCCEEDED, owner=None, lease_until=None
            )
            assert world.guard_start.execute(world.standing(waiting)) is Admission.START
        change(chain)
        assert world.standing(waiting).progress.ends_chain
        first.execution = with_changes(first.execution, state=State.SUCCEEDED, owner=None, lease_until=None)
        chain.work()
        assert world.standing(waiting).attempt == 0
        if chain.standing.state is not JobState.DELETED:
            assert_accounted(chain)


def test_update_runs_an_unstarted_instant_by_the_new_definition() -> None:
    chain = chains.held_up(1)
    updated = chain.update(request=b"another")
    assert updated.began_at <= DUE_AT + MINUTE
    assert chain.world.standing(updated.id_at(DUE_AT + MINUTE)).state in NOT_STARTED
