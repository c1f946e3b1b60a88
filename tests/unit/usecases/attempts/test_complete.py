"""A job whose schedule has ended is COMPLETED, once, and what had started of it goes on."""

from dataclasses import replace

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import JobState
from shared.domain.schedules.catch_up import CatchUpPolicy
from shared.domain.schedules.schedule import Rate
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import HOURS, MINUTE, Chain, fresh, held_up

TWICE = Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + MINUTE)


def at_its_last(now_ms: int = DUE_AT + MINUTE) -> Chain:
    """The last occurrence has just been claimed."""
    chain = fresh(now_ms, schedule=TWICE, chain_from=DUE_AT + MINUTE)
    chain.run_head()
    return chain


def test_the_last_run_completes_the_job() -> None:
    chain = at_its_last()
    chain.world.file_successor.execute(chain.head)
    job = chain.standing
    assert (job.state, job.revision) == (JobState.COMPLETED, 1)
    assert (job.ended_from, job.ended_through) == (DUE_AT + MINUTE + 1, DUE_AT + MINUTE)
    assert chain.head.state is State.RUNNING
    expires_at_s = chain.world.retention.outlives_records_s(DUE_AT + MINUTE)
    assert chain.world.table.job_expires_at_s == {(TENANT, job.id): expires_at_s}


def test_retries_of_its_runs_are_made_all_the_same() -> None:
    chain = at_its_last()
    chain.world.file_successor.execute(chain.head)
    plain = chain.job.occurrence(DUE_AT + MINUTE, created_at=DUE_AT)
    waiting = in_state(plain, State.WAITING)
    chain.world.put(waiting)
    chain.world.clock.time_ms += 2 * HOURS
    chain.world.attempt(waiting)
    assert chain.world.standing(waiting.id).state is State.SUCCEEDED


def test_the_message_of_the_last_run_may_come_again() -> None:
    chain = at_its_last()
    for _ in range(3):
        chain.world.file_successor.execute(chain.head)
    assert chain.standing.state is JobState.COMPLETED


def test_a_job_that_is_renamed_meanwhile_is_completed_all_the_same() -> None:
    chain = at_its_last()

    def rename() -> None:
        standing = chain.standing
        chain.world.table.jobs[TENANT, chain.job.id] = with_changes(standing, revision=2, name="another")

    chain.world.steps.before("jobs.replace", rename)
    chain.world.file_successor.execute(chain.head)
    assert (chain.standing.state, chain.standing.name) == (JobState.COMPLETED, "another")


def test_a_job_that_is_renamed_without_end_is_left_to_the_message() -> None:
    chain = at_its_last()

    def rename() -> None:
        standing = chain.standing
        chain.world.table.jobs[TENANT, chain.job.id] = replace(standing, revision=standing.revision + 1)

    chain.world.steps.before("jobs.replace", rename, times=99)
    with pytest.raises(UnavailableError):
        chain.world.file_successor.execute(chain.head)
    assert chain.standing.state is JobState.ACTIVE


@pytest.mark.parametrize("state", sorted(set(JobState) - {JobState.ACTIVE}))
def test_a_job_that_others_are_changing_is_theirs(state: JobState) -> None:
    chain = at_its_last()
    chain.world.table.jobs[TENANT, chain.job.id] = replace(chain.job, state=state)
    chain.world.file_successor.execute(chain.head)
    assert chain.standing.state is state


def test_a_chain_that_was_replaced_completes_nothing() -> None:
    chain = at_its_last()
    chain.world.table.jobs[TENANT, chain.job.id] = replace(chain.job, revision=2, chain_revision=2)
    chain.world.file_successor.execute(chain.head)
    assert chain.standing.state is JobState.ACTIVE


def missed_to_the_end() -> Chain:
    """The first of five was claimed so late that the others are out of the window."""
    schedule = Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + 4 * MINUTE)
    chain = fresh(DUE_AT + HOURS, schedule=schedule, catch_up=CatchUpPolicy(window_ms=60_000))
    chain.run_head()
    return chain


def test_instants_missed_to_the_end_have_a_single_record_despite_repeated_messages() -> None:
    chain = missed_to_the_end()
    for _ in range(3):
        chain.world.file_successor.execute(chain.executions()[0])
    record = chain.head
    assert (record.state, record.progress.end_reason, record.progress.ends_chain) == (
        State.SKIPPED,
        EndReason.CATCH_UP_WINDOW,
        True,
    )
    assert record.progress.missed is not None
    assert (record.progress.missed.count, len(chain.executions())) == (4, 2)
    assert (chain.standing.state, chain.standing.ended_through) == (JobState.COMPLETED, DUE_AT + 4 * MINUTE)
    assert_accounted(chain)


def test_concurrent_writers_of_the_final_record_agree() -> None:
    for moment in range(14):
        chain = missed_to_the_end()
        first = chain.executions()[0]
        chain.world.steps.taken.clear()
        chain.world.steps.at_each = lambda current, _, chain=chain, first=first, moment=moment: (
            chain.world.file_successor.execute(first) if current == moment else None
        )
        chain.world.file_successor.execute(first)
        assert (chain.standing.state, len(chain.executions())) == (JobState.COMPLETED, 2)


def test_completed_job_is_deleted_without_more_tombstones() -> None:
    chain = at_its_last()
    chain.world.file_successor.execute(chain.head)
    before = len(chain.executions())
    chain.world.clock.time_ms += 30 * 24 * HOURS
    assert chain.delete().state is JobState.DELETED
    assert len(chain.executions()) == before
    chain.assert_ended()


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_run_that_waits_for_its_turn_in_a_job_that_has_ended_does_not_outlive_its_deletion(
    runs: int,
) -> None:
    ends_at = DUE_AT + runs * MINUTE
    chain = held_up(runs, schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=ends_at))
    assert chain.standing.state is JobState.COMPLETED
    chain.delete()
    assert chain.world.standing(chain.job.id_at(DUE_AT + MINUTE)).state is State.CANCELLED
    chain.assert_ended()


def test_a_job_whose_schedule_ends_while_it_is_paused_completes_when_it_is_resumed() -> None:
    chain = fresh(DUE_AT, schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + 9 * MINUTE))
    chain.pause()
    chain.world.clock.time_ms += HOURS
    assert chain.resume().state is JobState.COMPLETED
    (record,) = [one for one in chain.executions() if one.progress.missed is not None]
    assert record.progress.missed is not None
    assert (record.progress.missed.last_at, record.progress.missed.count) == (DUE_AT + 9 * MINUTE, 8)
    assert_accounted(chain)
