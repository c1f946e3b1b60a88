"""CREATE a recurring job: definition and first occurrence stand together or not at all."""

from typing import Any

import pytest

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.request import INLINE_BYTES, Request
from shared.domain.errors import ScheduleNeverFiresError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.cron import HORIZON_MS
from shared.domain.schedules.schedule import Cron, Rate
from shared.domain.schedules.timing import Every
from tests.support.builders import TENANT
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import EARLY, REQUEST, World

SECOND = EARLY // 1000 * 1000
NIGHTLY = Cron(line="30 2 * * *", timezone="Europe/Berlin")


def accepted(world: World, timing: Cron | Every, **fields: Any) -> Job:
    job = world.accept(timing, **fields)
    assert isinstance(job, Job)
    return job


def test_a_rate_is_anchored_at_the_second_of_its_creation() -> None:
    world = World()
    job = accepted(world, Every(60))
    assert job.schedule == Rate(interval_ms=60_000, anchor=SECOND)
    assert job.chain_from == SECOND + 60_000


def test_definition_and_first_occurrence_are_written_in_one_go() -> None:
    world = World()
    job = accepted(world, NIGHTLY, name="nightly")
    assert world.steps.count("jobs.create") == 1
    assert world.table.jobs[TENANT, job.id] == job
    (first,) = world.occurrences(job).values()
    assert (first.nominal_at, first.state) == (job.chain_from, State.PENDING)
    assert (job.state, job.name, job.revision) == (JobState.ACTIVE, "nightly", 1)


def test_a_first_occurrence_that_is_due_soon_is_sent_for() -> None:
    world = World()
    job = accepted(world, Every(5))
    (first,) = world.occurrences(job).values()
    assert first.state is State.QUEUED
    assert world.sent() == [first.id]


def test_a_first_occurrence_whose_write_took_too_long_for_the_scan_is_sent_for() -> None:
    world = World()
    due_at = SECOND + 3_600_000
    world.steps.after("jobs.create", lambda: setattr(world.clock, "time_ms", due_at - 120_000))
    job = accepted(world, Every(3_600))
    assert world.sent() == [job.id_at(due_at)]


def test_the_chain_runs_from_there() -> None:
    world = World()
    job = accepted(world, Every(60))
    Lanes(world).until(SECOND + 3 * 60_000 + 1_000)
    assert [execution.state for execution in world.occurrences(job).values()] == [State.SUCCEEDED] * 3 + [
        State.QUEUED
    ]


@pytest.mark.parametrize("step", ["jobs.create", "queue.send"])
def test_recurring_job_is_not_acknowledged_where_its_put_or_send_fails(step: str) -> None:
    world = World()
    world.steps.fail(step)
    with pytest.raises(UnavailableError):
        world.accept(Every(5))


def test_a_replay_that_dies_before_the_send_leaves_the_late_job_to_the_sweep() -> None:
    """It comes so late that the bucket of the first occurrence has been closed meanwhile."""
    world = World()
    world.steps.crash_after("idempotency.claim")
    world.steps.crash_after("jobs.create")
    with pytest.raises(Crash):
        world.accept(Every(5), key="k")
    world.clock.time_ms += 3_600_000
    world.ledger.note_swept_through(world.clock.time_ms // 60_000)
    with pytest.raises(Crash):
        world.accept(Every(5), key="k")
    assert world.sent() == []
    world.clock.time_ms += 3_600_000
    world.sweep.execute()
    (first,) = (row.execution for row in world.table.executions.values())
    assert world.sent() == [first.id]


def test_the_shard_counts_of_its_creation_are_frozen_in_it() -> None:
    counts = ShardCounts(normal=3, quarter=5, midnight=7)
    assert accepted(World(counts=counts), Every(60)).counts == counts


def test_a_line_without_an_instant_is_refused() -> None:
    world = World(HORIZON_MS)
    with pytest.raises(ScheduleNeverFiresError):
        world.accept(NIGHTLY)
    assert world.table.jobs == {}


def test_a_large_request_stands_apart_once_for_all_occurrences() -> None:
    world = World()
    body = b"x" * INLINE_BYTES
    job = accepted(world, Every(60), request=Request(method="POST", url=REQUEST.url, body=body))
    Lanes(world).until(SECOND + 2 * 60_000 + 1_000)
    assert (job.call.request, job.call.payload_id, len(world.table.payloads)) == (b"", job.id, 1)
    assert [call.callback.body for call in world.sender.calls] == [body] * 2
    assert world.table.payload_expires_at_s == {}, "it goes with the definition"
