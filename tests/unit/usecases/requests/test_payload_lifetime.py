"""A separately stored request outlives all work that needs it, and none is left behind for ever."""

from dataclasses import replace

import pytest

from shared.domain.bucket import bucket_of
from shared.domain.delivery.request import Request
from shared.domain.errors import PreconditionFailedError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import DAY_SECONDS, PAYLOAD_LATE_DAYS, PAYLOAD_SPARE_DAYS
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule_kinds import Once
from shared.domain.schedules.timing import After, Every, Timing
from shared.usecases.ticks.collect_payloads import MIN_AGE_MS
from tests.support.builders import TENANT, with_changes
from tests.support.usecases.creating import LARGE
from tests.support.usecases.reconciling import collected_in_a_day
from tests.support.usecases.steps import Crash
from tests.support.usecases.sweeps import swept
from tests.support.usecases.world import EARLY, World

DAY_MS = DAY_SECONDS * 1000
HOUR = After(3_600)
OTHER = replace(LARGE, body=LARGE.body + b"y")
EVERY = Every(3_600)


def accept(world: World, timing: Timing = HOUR, key: str | None = None) -> Execution:
    return world.accept_one_off(timing, key, request=LARGE)


def revise(
    world: World, job: Execution | Job, request: Request, timing: Timing, *, revision: int | None = None
) -> Execution | Job:
    new = NewJob(timing=timing, request=request)
    return world.revise_job.execute(world.tenant, job, LARGE, new, revision=revision or job.revision)


def expiry_ms(world: World, payload_id: str | None) -> int:
    assert payload_id is not None
    return world.table.payload_expires_at_s[TENANT, payload_id] * 1000


def without_expiry(world: World) -> list[str]:
    return [key[1] for key in world.table.payloads if key not in world.table.payload_expires_at_s]


def sweep_late(world: World, late: Execution, late_ms: int) -> None:
    """A pass over the bucket of an execution that is late."""
    at = late.id.dispatch_at + late_ms
    world.ledger.note_swept_through(bucket_of(at) - 1)
    world.ledger.list_shard(late.id.bucket, late.id.shard, at)
    assert swept(world, at).shards_swept == 1


def test_large_request_of_a_one_off_gets_its_expiry_at_its_birth_and_its_end_writes_none() -> None:
    world = World()
    job = accept(world)
    least_ms = job.id.dispatch_at + (world.retention.days + PAYLOAD_SPARE_DAYS) * DAY_MS
    assert expiry_ms(world, job.call.payload_id) >= least_ms - 1_000
    world.clock.time_ms = job.id.dispatch_at
    world.steps.taken.clear()
    world.attempt(job)
    assert world.standing(job.id).state is State.SUCCEEDED
    assert [step for step in world.steps.taken if "payload" in step] == ["jobs.get_payload"]


def test_creation_that_died_after_it_stored_a_large_request_leaves_nothing_for_ever() -> None:
    world = World()
    world.steps.crash_after("jobs.put_payload")
    with pytest.raises(Crash):
        accept(world)
    assert len(world.table.payloads) == 1
    assert without_expiry(world) == []


def test_one_off_that_is_skipped_as_late_leaves_no_large_request_for_ever() -> None:
    world = World()
    job = world.accept_one_off(HOUR, request=LARGE, start_deadline_seconds=1)
    world.clock.time_ms = job.id.dispatch_at + 60_000
    world.attempt(job)
    assert world.standing(job.id).state is State.SKIPPED
    assert without_expiry(world) == []


def test_change_of_a_large_one_off_leaves_neither_its_old_nor_a_refused_new_request_for_ever() -> None:
    world = World()
    job = accept(world)
    changed = revise(world, job, OTHER, HOUR)
    with pytest.raises(PreconditionFailedError):
        revise(world, job, OTHER, HOUR, revision=1)
    assert changed.call.payload_id != job.call.payload_id
    assert len(world.table.payloads) == 3
    assert without_expiry(world) == []


@pytest.mark.parametrize("crash", [None, "jobs.keep_payload", "one_offs.move"])
def test_large_request_outlives_a_one_off_that_is_moved_to_a_later_time(crash: str | None) -> None:
    world = World()
    job = accept(world)
    later = After(200 * DAY_SECONDS)
    if crash is not None:
        world.steps.crash_after(crash)
        with pytest.raises(Crash):
            revise(world, job, LARGE, later)
    else:
        revise(world, job, LARGE, later)
    rows = [row.execution for row in world.table.executions.values()]
    for row in rows:
        if not row.state.is_terminal:
            record_ends_ms = row.id.dispatch_at + (8 + world.retention.days) * DAY_MS
            assert expiry_ms(world, row.call.payload_id) > record_ends_ms


def test_replay_of_a_creation_does_not_shorten_the_life_of_a_request_that_was_moved_since() -> None:
    world = World()
    job = accept(world, key="k")
    moved = revise(world, job, LARGE, After(200 * DAY_SECONDS))
    before = expiry_ms(world, moved.call.payload_id)
    accept(world, key="k")
    assert expiry_ms(world, moved.call.payload_id) == before


@pytest.mark.parametrize("late_days", [5, 20, 31, 400])
def test_new_request_of_a_late_one_off_outlives_the_record_that_is_to_come(late_days: int) -> None:
    world = World()
    job = accept(world)
    world.clock.time_ms = job.id.dispatch_at + late_days * DAY_MS
    changed = world.revise_job.execute(
        world.tenant,
        job,
        LARGE,
        NewJob(timing=Once(at=job.nominal_at), request=OTHER),
        revision=job.revision,
    )
    assert isinstance(changed, Execution)
    assert expiry_ms(world, changed.call.payload_id) >= world.clock.time_ms + world.retention.days * DAY_MS


@pytest.mark.parametrize("late_days", [PAYLOAD_LATE_DAYS, 23, 24, 400])
def test_sweep_keeps_the_large_request_of_an_execution_that_is_very_late(late_days: int) -> None:
    world = World()
    job = accept(world)
    for day in range(PAYLOAD_LATE_DAYS, late_days + 1):
        sweep_late(world, job, day * DAY_MS)
    now_ms = world.clock.time_ms
    assert expiry_ms(world, job.call.payload_id) >= now_ms + (8 + world.retention.days) * DAY_MS
    assert world.steps.count("jobs.keep_payload") == late_days - PAYLOAD_LATE_DAYS + 1


def test_sweep_reads_no_request_of_an_execution_that_is_not_very_late() -> None:
    world = World()
    job = accept(world)
    sweep_late(world, job, PAYLOAD_LATE_DAYS * DAY_MS - 1)
    assert world.steps.count("jobs.keep_payload") == 0


def collected(world: World) -> list[str]:
    """The payloads that the reconciler gives an expiry when they are old enough."""
    before = set(world.table.payload_expires_at_s)
    world.clock.time_ms += MIN_AGE_MS + 1
    counted = collected_in_a_day(world)
    found = [key[1] for key in world.table.payload_expires_at_s if key not in before]
    assert counted == len(found)
    return found


def recurring(world: World) -> Job:
    made = world.accept(EVERY, request=LARGE)
    assert isinstance(made, Job)
    return made


def test_request_of_a_recurring_job_stays_while_its_definition_names_it() -> None:
    world = World()
    recurring(world)
    assert collected(world) == []


def test_refused_change_of_a_recurring_job_leaves_no_request_for_ever() -> None:
    world = World()
    job = recurring(world)
    world.steps.before("jobs.replace", lambda: world.lifecycle.pause.execute(TENANT, job.id))
    with pytest.raises(PreconditionFailedError):
        revise(world, job, OTHER, EVERY)
    assert collected(world) == [name for _, name in world.table.payloads if name != job.call.payload_id]


def test_request_of_a_creation_that_died_is_collected_when_no_replay_can_come() -> None:
    world = World()
    world.steps.crash_after("jobs.put_payload")
    with pytest.raises(Crash):
        recurring(world)
    first = [*without_expiry(world)]
    assert world.clock.time_ms == EARLY
    world.clock.time_ms -= MIN_AGE_MS // 2
    assert collected(world) == []
    assert collected(world) == first


def test_request_that_only_a_pending_change_names_stays() -> None:
    world = World()
    job = recurring(world)
    world.steps.crash_after("jobs.replace")
    with pytest.raises(Crash):
        revise(world, job, OTHER, EVERY)
    standing = world.table.jobs[TENANT, job.id]
    assert standing.state is JobState.UPDATING
    world.steps.fail("jobs.replace", times=1_000)
    assert collected(world) == []


@pytest.mark.parametrize("state", [JobState.DELETED, JobState.COMPLETED])
def test_request_of_a_job_that_has_ended_is_collected(state: JobState) -> None:
    world = World()
    job = recurring(world)
    world.table.jobs[TENANT, job.id] = replace(job, state=state)
    assert collected(world) == [job.call.payload_id]


def test_request_of_an_earlier_revision_is_collected_and_outlives_an_execution_that_still_names_it() -> None:
    world = World()
    job = recurring(world)
    changed = revise(world, job, OTHER, EVERY)
    assert isinstance(changed, Job)
    head = changed.occurrence(changed.chain_from, created_at=EARLY)
    old = with_changes(world.standing(head.id), payload_id=job.call.payload_id)
    world.table.executions[old.id].execution = old
    assert collected(world) == [job.call.payload_id]
    assert expiry_ms(world, job.call.payload_id) > world.clock.time_ms + PAYLOAD_LATE_DAYS * DAY_MS
    for late_days in range(PAYLOAD_LATE_DAYS, 200):
        sweep_late(world, old, late_days * DAY_MS)
        assert expiry_ms(world, job.call.payload_id) > world.clock.time_ms + world.retention.days * DAY_MS
