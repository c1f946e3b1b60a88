"""UPDATE: what had started goes on as it was, the rest runs as the new definition says, and no instant runs twice."""

from contextlib import suppress
from dataclasses import replace

import pytest

from shared.domain.delivery.request import new_payload_id
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import (
    InvalidStateError,
    NotFoundError,
    PreconditionFailedError,
    UnavailableError,
    UnknownVersionError,
)
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.schedule import Cron, Rate
from shared.names import Lane
from shared.ports.jobs import Payload
from tests.support.builders import DUE_AT, TENANT, with_changes
from tests.support.fakes.table import Damage
from tests.support.usecases import chains
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import HOURS, MINUTE, SITUATIONS, fresh

TOMORROW_AT_NINE = 1_740_042_000_000
DAILY = Cron(line="0 9 * * *", timezone="UTC")
EVERY_MINUTE = Rate(interval_ms=MINUTE, anchor=DUE_AT)


def test_a_new_schedule_begins_with_the_change_and_not_behind_the_old_head() -> None:
    """The next run of the old one is far off: nothing of the new one may wait for it."""
    chain = fresh(DUE_AT, schedule=DAILY, chain_from=TOMORROW_AT_NINE)
    updated = chain.update(schedule=EVERY_MINUTE)
    assert updated.chain_from == DUE_AT + MINUTE
    chain.extend_lease(3)
    assert_accounted(chain)


def test_schedule_changed_while_paused_begins_with_the_resumption() -> None:
    chain = fresh(DUE_AT, schedule=DAILY, chain_from=TOMORROW_AT_NINE)
    chain.pause()
    chain.update(schedule=EVERY_MINUTE)
    assert chain.resume().chain_from == DUE_AT + MINUTE


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_new_schedule_runs_no_instant_from_before_the_change(situation: object) -> None:
    chain = situation()  # type: ignore[operator]
    now_ms = chain.world.clock.time_ms
    updated = chain.update(schedule=Rate(interval_ms=1_000, anchor=DUE_AT - 24 * HOURS))
    assert updated.chain_from > now_ms


@pytest.mark.parametrize("situation", SITUATIONS)
def test_late_instant_is_not_lost_by_an_update_that_keeps_the_schedule(situation: object) -> None:
    """What was late is caught up with as the policy says, under the new definition."""
    chain = situation()  # type: ignore[operator]
    not_begun = [one for one in chain.executions() if one.state in (State.PENDING, State.QUEUED)]
    chain.update(lane=Lane.BULK, catch_up=CatchUpPolicy(mode=CatchUp.ALL))
    for one in not_begun:
        assert chain.world.standing(one.id).progress.end_reason is EndReason.JOB_UPDATED
        again = chain.standing.id_at(one.nominal_at)
        assert chain.world.standing(again).state in (State.PENDING, State.QUEUED)
        assert chain.world.standing(again).lane is Lane.BULK
    chain.extend_lease(2)
    assert_accounted(chain)


def test_late_instants_coalesce_as_ever() -> None:
    chain = chains.after_an_outage(5)
    updated = chain.update(request=b"another")
    assert updated.chain_from == DUE_AT + 5 * MINUTE
    record = chain.world.standing(updated.id_at(DUE_AT))
    assert (record.state, record.progress.end_reason) == (State.SKIPPED, EndReason.COALESCED)
    assert record.progress.missed is not None
    assert (record.progress.missed.count, record.progress.missed.resumed_at) == (5, DUE_AT + 5 * MINUTE)
    assert_accounted(chain)


def test_runs_that_are_caught_up_with_keep_to_their_lane_from_the_first() -> None:
    chain = chains.after_an_outage(5)
    chain.update(catch_up=CatchUpPolicy(mode=CatchUp.ALL))
    first = chain.world.standing(chain.standing.id_at(DUE_AT))
    assert (first.lane, first.call.lane) == (Lane.BULK, Lane.STANDARD)


def test_started_execution_is_unchanged_by_an_update() -> None:
    chain = chains.retrying()
    before = [one for one in chain.executions() if one.attempt > 0]
    chain.update(request=b"another", retry=RetryPolicy(max_attempts=1))
    assert [chain.world.standing(one.id) for one in before] == before


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_name_or_tags_leave_the_chain_alone(situation: object) -> None:
    chain = situation()  # type: ignore[operator]
    before, job = chain.executions(), chain.standing
    chain.world.steps.taken.clear()
    updated = chain.update(name="another", tags=("a", "b"))
    assert chain.world.steps.taken == ["jobs.get", "jobs.replace"]
    assert chain.executions() == before
    changed = with_changes(
        job, revision=2, name="another", tags=("a", "b"), changed_at=chain.world.clock.time_ms
    )
    assert updated == chain.standing == changed
    chain.extend_lease(2)
    assert_accounted(chain)


@pytest.mark.parametrize("moment", range(40))
def test_concurrent_updates_of_the_same_revision_succeed_once(moment: int) -> None:
    chain = chains.running_with_successor()
    chain.world.steps.taken.clear()
    winners: list[bytes] = []

    def update(request: bytes) -> None:
        with suppress(PreconditionFailedError):
            chain.update(revision=1, request=request)
            winners.append(request)

    chain.world.steps.at_each = lambda current, _: update(b"the rival's") if current == moment else None
    update(b"mine")
    assert len(winners) == 1
    assert (chain.standing.call.request, chain.standing.revision) == (winners[0], 2)


def test_the_loser_of_two_large_updates_does_not_write_over_the_winner() -> None:
    chain = chains.due_now()
    names = [new_payload_id(chain.job.id, chain.world.entropy.bits(80)) for _ in range(2)]
    for name in names:
        chain.world.jobs.put_payload(Payload(TENANT, name, name.encode(), stored_at=0))
    chain.update(revision=1, request=b"", payload_id=names[0])
    with pytest.raises(PreconditionFailedError):
        chain.update(revision=1, request=b"", payload_id=names[1])
    (filed,) = [one for one in chain.executions() if one.state is State.QUEUED]
    assert chain.world.jobs.get_payload(TENANT, filed.call.payload_id or "") == names[0].encode()


def test_a_paused_job_stays_paused_and_runs_as_it_was_edited_when_it_is_resumed() -> None:
    chain = chains.running_with_successor()
    chain.pause()
    chain.world.clock.time_ms += 3 * MINUTE
    updated = chain.update(request=b"another", lane=Lane.CRITICAL)
    assert (updated.state, updated.call.request) == (JobState.PAUSED, b"another")
    chain.world.clock.time_ms += 3 * MINUTE
    chain.update(timeout_ms=1_000)
    chain.world.clock.time_ms += 3 * MINUTE
    chain.resume()
    first = chain.executions()[-1]
    assert (first.call.request, first.lane, first.call.timeout_ms) == (b"another", Lane.CRITICAL, 1_000)
    assert (
        sum(one.progress.missed.count for one in chain.executions() if one.progress.missed is not None) == 8
    )
    assert_accounted(chain)


@pytest.mark.parametrize("state", [JobState.DELETED, JobState.COMPLETED])
def test_ended_job_is_not_updated(state: JobState) -> None:
    chain = chains.due_now()
    chain.world.table.jobs[TENANT, chain.job.id] = replace(chain.job, state=state, ended_through=DUE_AT)
    with pytest.raises(InvalidStateError):
        chain.update(name="another")


def test_an_unknown_or_foreign_job_is_not_found() -> None:
    chain = chains.due_now()
    for tenant_id, job_id in ((TENANT, "job_r" + "0" * 27), ("somebody-else", chain.job.id)):
        with pytest.raises(NotFoundError):
            chain.world.lifecycle.update.execute(tenant_id, job_id, chain.job.definition, revision=1)


def test_fewer_runs_than_there_were_complete_the_job() -> None:
    chain = chains.due_now()
    chain.extend_lease(3)
    updated = chain.update(max_runs=2)
    assert updated.state is JobState.COMPLETED
    key = (TENANT, chain.job.id)
    assert chain.world.table.job_expires_at_s[key] == chain.world.retention.outlives_records_s(
        chain.world.clock.time_ms
    )
    assert_accounted(chain)


def test_runs_are_counted_on_through_every_change() -> None:
    chain = fresh(DUE_AT, max_runs=6)
    chain.extend_lease(1)
    chain.pause()
    chain.world.clock.time_ms += 3 * MINUTE
    chain.resume()
    chain.extend_lease(2)
    chain.update(request=b"another")
    chain.extend_lease(9)
    begun = [one for one in chain.executions() if one.attempt > 0]
    assert [one.run for one in begun] == [1, 2, 3, 4, 5, 6][: len(begun)]
    assert len(begun) == 6
    assert chain.standing.state is JobState.COMPLETED


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_run_that_waited_for_its_turn_and_never_began_is_not_counted(runs: int) -> None:
    """What was skipped meanwhile is: it had its instant."""
    chain = chains.held_up(runs)
    chain.pause()
    assert chain.standing.runs_before == runs
    chain.world.lifecycle.settle.end_chain.execute(replace(chain.standing, state=JobState.PAUSING))
    again = chain.world.lifecycle.settle.end_chain.execute(replace(chain.standing, state=JobState.PAUSING))
    assert again.runs == runs, "whoever finishes the change of another counts the same"


def test_an_update_is_made_from_what_another_one_that_is_under_way_will_make_of_the_job() -> None:
    """Both have the same entity tag: nobody may take the old description for what it stands for."""
    chain = fresh(DUE_AT)
    chain.world.steps.before("jobs.replace", lambda: None)
    chain.world.steps.fail("jobs.replace")
    with suppress(UnavailableError):
        chain.update(schedule=DAILY)
    assert chain.standing.state is JobState.UPDATING
    seen = chain.world.find_job.execute(TENANT, chain.job.id)
    assert isinstance(seen, Job)
    assert (seen.schedule, seen.revision) == (DAILY, chain.standing.revision)
    changed = with_changes(seen.definition, lane=Lane.BULK)
    chain.world.lifecycle.update.execute(TENANT, chain.job.id, changed, revision=seen.revision)
    assert (chain.standing.schedule, chain.standing.call.lane) == (DAILY, Lane.BULK)


def test_update_waits_for_a_release_that_can_read_the_tombstone_of_an_earlier_try() -> None:
    """Without its state, the late instant and the next would pass for started, and would never run."""
    chain = chains.after_an_outage(1)
    (late,) = chain.executions()
    chain.world.steps.before("jobs.replace", lambda: None)
    chain.world.steps.fail("jobs.replace")
    with pytest.raises(UnavailableError):
        chain.update(lane=Lane.BULK)
    row = chain.world.table.executions[late.id]
    assert row.execution.progress.ends_chain
    row.damage = Damage.NEWER
    chain.world.clock.time_ms += 5 * MINUTE
    with pytest.raises(UnknownVersionError):
        chain.update(lane=Lane.BULK)
    row.damage = None
    chain.update(lane=Lane.BULK)
    chain.extend_lease(2)
    assert_accounted(chain)
