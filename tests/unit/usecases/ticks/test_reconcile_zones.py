"""RECONCILE jobs whose time zones have other rules by now."""

from dataclasses import replace

import pytest

from shared.domain.bucket import MINUTE_MS, ShardRange
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Cron, first_after
from shared.domain.schedules.zone_changes import with_frozen_rules
from shared.names import LIVE_SEGMENTS
from shared.usecases.chains.recompute_job import Recomputation
from shared.usecases.ticks.reconcile_definitions import SIDE_BY_SIDE
from tests.support.builders import TENANT
from tests.support.fakes.live_items import segment_of
from tests.support.usecases.reconciling import LATER, reconcile_definitions
from tests.support.usecases.world import World

BY_OLDER_TABLES = Cron(line="0 9 * * *", timezone="America/New_York", rules="2020a 4")


@pytest.fixture
def world() -> World:
    return World(LATER)


def outdated_job(world: World, number: int, rules: str = "2020a 4") -> Job:
    """A job whose chain was begun by older tables: its next run is filed by them."""
    schedule = replace(BY_OLDER_TABLES, rules=rules)
    first_at = first_after(schedule, LATER) or 0
    return world.recurring(number, schedule=schedule, chain_from=first_at, created_at=LATER - MINUTE_MS)


def standing(world: World, of: Job) -> Job:
    return world.table.jobs[of.tenant_id, of.id]


def test_jobs_whose_zone_has_other_rules_by_now_are_told_of_and_recomputed(world: World) -> None:
    moved = outdated_job(world, 1)
    kept = world.recurring(2, schedule=with_frozen_rules(BY_OLDER_TABLES, LATER, LATER), created_at=LATER)
    told: list[Recomputation] = []
    report = reconcile_definitions(world, on_recomputed=told.append)
    assert ([one.job_id for one in told], report.recomputed) == ([moved.id], 1)
    assert standing(world, moved).schedule == kept.schedule
    assert standing(world, kept) == kept
    assert reconcile_definitions(world, on_recomputed=told.append).recomputed == 0
    assert len(told) == 1


def test_jobs_whose_zone_rules_differ_first_are_recomputed_first(world: World) -> None:
    in_april, now = outdated_job(world, 1, "2020a 5,,M4.1.0,M11.1.0"), outdated_job(world, 2)
    told: list[Recomputation] = []
    reconcile_definitions(world, on_recomputed=told.append)
    assert [one.job_id for one in told] == [now.id, in_april.id]


def test_job_left_without_time_is_recomputed_by_the_next_run(world: World) -> None:
    """The cursor stays before the group of jobs in which the time ran out."""
    jobs = [outdated_job(world, number) for number in range(SIDE_BY_SIDE + 1)]
    told: list[Recomputation] = []
    # One page of jobs, and one job of its first group.
    time_left = iter([True, True])
    report = reconcile_definitions(
        world,
        part=ShardRange(index=segment_of(TENANT), of=LIVE_SEGMENTS),
        on_recomputed=told.append,
        has_time=lambda: next(time_left, False),
    )
    assert (report.outdated, report.recomputed, len(told)) == (SIDE_BY_SIDE, 1, 1)
    world.clock.time_ms += 15 * MINUTE_MS
    assert reconcile_definitions(world, on_recomputed=told.append).recomputed == SIDE_BY_SIDE
    assert {one.job_id for one in told} == {job.id for job in jobs}


def test_job_that_cannot_be_recomputed_does_not_hold_up_the_others(world: World) -> None:
    first, second = outdated_job(world, 1), outdated_job(world, 2)
    world.steps.fail("jobs.replace")
    report = reconcile_definitions(world)
    assert (report.outdated, report.recomputed) == (2, 1)
    assert sorted(standing(world, job).chain_revision for job in (first, second)) == [1, 2]


def test_recompute_is_reported_before_it_is_done(world: World) -> None:
    job = outdated_job(world, 1)

    def die(_: Recomputation) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        reconcile_definitions(world, on_recomputed=die)
    assert standing(world, job) == job
