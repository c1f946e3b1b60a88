"""RECONCILE the definitions: lost instants are reported, broken chains repaired, and the walk always goes on."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bucket import MINUTE_MS, ShardRange
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Rate
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import LIVE_SEGMENTS
from shared.usecases.ticks import reconcile_definitions as module
from shared.usecases.ticks.reconcile_definitions import LONGEST_WINDOW_MS, TRIES
from shared.usecases.ticks.reconcile_report import SETTLE_MINUTES, ReconcileReport
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence, with_changes
from tests.support.fakes.live_items import segment_of
from tests.support.fakes.table import Damage
from tests.support.usecases.reconciling import (
    LATER,
    Unreachable,
    account_from,
    reconcile_definitions,
    ticks,
)
from tests.support.usecases.world import World

PAST = [DUE_AT + minute * MINUTE_MS for minute in range(4)]


@pytest.fixture
def world() -> World:
    return World(LATER)


class DeletedMeanwhile:
    """Lists a job as active, and finds it deleted when it comes to filing."""

    def __init__(self, world: World, of: Job) -> None:
        self._world, self._of = world, of

    def __getattr__(self, name: str) -> Any:
        if name == "file_if_active":
            deleting = replace(self._of, state=JobState.DELETING)
            self._world.table.jobs[self._of.tenant_id, self._of.id] = deleting
        return getattr(self._world.jobs, name)


def stored(world: World, of: Job, instants: list[int], state: State = State.SUCCEEDED) -> None:
    """The job's definition, and executions that ended at these instants."""
    world.table.jobs[of.tenant_id, of.id] = of
    for instant in instants:
        world.table.insert(with_changes(occurrence(of, instant), state=state, attempt=1), EXPIRES_AT_S)


@pytest.fixture
def daily() -> Job:
    """Due four times a minute apart, and then not again today."""
    return job(schedule=Rate(interval_ms=MINUTE_MS, anchor=DUE_AT))


def test_instants_that_a_store_did_not_answer_for_are_looked_at_again(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[1], PAST[3]])
    world.store = Unreachable(world.store, "get_many")
    assert reconcile_definitions(world).unavailable == 1
    world.store.down = False
    assert reconcile_definitions(world).missing_executions == [str(daily.id_at(PAST[2]))]


def test_an_instant_without_a_record_before_the_head_is_unaccounted(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[1], PAST[3]])
    assert reconcile_definitions(world).missing_executions == [str(daily.id_at(PAST[2]))]


def test_instants_in_a_recorded_gap_are_accounted_for(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[3]])
    missed = SkippedRange(count=2, first_at=PAST[1], last_at=PAST[2], resumed_at=PAST[3])
    skipped = with_changes(occurrence(daily, PAST[1]), state=State.SKIPPED, missed=missed)
    world.table.insert(skipped, EXPIRES_AT_S)
    assert reconcile_definitions(world).missing_executions == []


def test_an_active_job_without_an_open_execution_gets_its_next_one(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 30_000
    stored(world, daily, PAST)
    report = reconcile_definitions(world)
    assert report.chains_repaired == [daily.id]
    filed = world.table.executions[daily.id_at(PAST[3] + MINUTE_MS)].execution
    assert filed.state is State.QUEUED
    assert [message.wakeup.keys for message in world.queue.messages] == [(filed.id,)]
    assert reconcile_definitions(world).chains_repaired == []


def test_a_chain_that_is_far_behind_resumes_at_the_latest_missed_instant(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 20 * MINUTE_MS
    stored(world, daily, PAST)
    assert reconcile_definitions(world).chains_repaired == [daily.id]
    assert daily.id_at(PAST[3] + 20 * MINUTE_MS) in world.table.executions
    assert world.table.executions[daily.id_at(PAST[3] + MINUTE_MS)].execution.state is State.SKIPPED


def test_a_job_that_lost_even_its_first_execution_gets_it_back(world: World, daily: Job) -> None:
    stored(world, daily, [])
    assert reconcile_definitions(world).chains_repaired == [daily.id]
    assert daily.id_at(daily.chain_from) in world.table.executions


@pytest.mark.parametrize("state", [JobState.DELETED, JobState.PAUSED, JobState.COMPLETED])
def test_a_job_that_does_not_run_gets_nothing(world: World, daily: Job, state: JobState) -> None:
    stored(world, replace(daily, state=state), PAST)
    assert reconcile_definitions(world).chains_repaired == []
    assert len(world.table.executions) == len(PAST)


def test_a_deletion_between_the_look_and_the_filing_wins(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 30_000
    stored(world, daily, PAST)

    assert reconcile_definitions(world, jobs=DeletedMeanwhile(world, daily)).chains_repaired == []
    assert daily.id_at(PAST[3] + MINUTE_MS) not in world.table.executions


def test_a_tombstone_at_the_head_is_no_lost_job(world: World, daily: Job) -> None:
    stored(world, daily, PAST[:1])
    head = world.table.executions[daily.id_at(PAST[0])]
    head.execution = with_changes(head.execution, state=State.CANCELLED, ends_chain=True)
    assert reconcile_definitions(world).chains_repaired == []


def test_run_that_dies_while_it_reports_leaves_the_findings_to_the_next(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + (SETTLE_MINUTES + 1) * MINUTE_MS
    stored(world, daily, [PAST[0], PAST[1], PAST[3]])

    def die(_: ReconcileReport) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        reconcile_definitions(world, on_report=die)
    told: list[ReconcileReport] = []
    reconcile_definitions(world, on_report=told.append)
    assert [lost for report in told for lost in report.missing_executions] == [str(daily.id_at(PAST[2]))]


def many(world: World, count: int) -> list[Job]:
    """Jobs in order, of one tenant: each has its next execution."""
    jobs = [
        job(number, schedule=Rate(interval_ms=86_400_000, anchor=LATER + MINUTE_MS))
        for number in range(count)
    ]
    jobs = [replace(each, chain_from=LATER + MINUTE_MS) for each in jobs]
    for each in jobs:
        world.table.jobs[each.tenant_id, each.id] = each
        world.table.insert(occurrence(each, LATER + MINUTE_MS), None)
    return jobs


def test_run_goes_on_where_the_run_before_it_was_cut(world: World) -> None:
    """Every run used to begin with the first definition: those behind the time limit were never looked at."""
    jobs = many(world, 400)
    account_from(world, LATER)
    seen: list[int] = []
    for _ in range(20):
        left = iter([True] * 5)
        world.clock.time_ms += 1
        seen.append(reconcile_definitions(world, has_time=lambda left=left: next(left, False)).jobs)
        if sum(seen) >= len(jobs):
            break
    assert sum(seen) == len(jobs)
    assert len(seen) > 3


def test_definitions_cost_few_requests(world: World) -> None:
    """Three requests for each job stood against a hundredth part of one."""
    many(world, 400)
    account_from(world, LATER)
    world.steps.taken.clear()
    assert reconcile_definitions(world).jobs == 400
    assert world.steps.count("store.get_many") <= 400 * 2 / 100 + 4
    assert world.steps.count("jobs.get") == world.steps.count("store.get") == 0


def coverage_ms(world: World) -> int:
    """How old the coverage is."""
    return world.clock.time_ms - ticks(world).reconcile_definitions.covered_at()


def test_coverage_grows_old_until_every_segment_has_had_a_whole_cycle(world: World) -> None:
    many(world, 400)
    account_from(world, LATER)
    world.clock.time_ms += 30 * MINUTE_MS
    begun_at = coverage_ms(world)
    assert begun_at == 30 * MINUTE_MS
    left = iter([True] * 6)
    reconcile_definitions(world, has_time=lambda: next(left, False))
    assert coverage_ms(world) == begun_at, "a part of a segment is no coverage"
    reconcile_definitions(world)
    assert coverage_ms(world) == 0


def test_part_that_never_runs_is_seen_in_the_coverage_of_the_others(world: World) -> None:
    reconcile_definitions(world, part=ShardRange(index=0, of=2))
    world.clock.time_ms += 40 * MINUTE_MS
    reconcile_definitions(world, part=ShardRange(index=0, of=2))
    assert coverage_ms(world) >= 40 * MINUTE_MS
    reconcile_definitions(world, part=ShardRange(index=1, of=2))
    assert coverage_ms(world) < 40 * MINUTE_MS


def test_parts_share_the_segments(world: World) -> None:
    segment = segment_of(TENANT)
    many(world, 3)
    counts = [
        reconcile_definitions(world, part=ShardRange(index=index, of=LIVE_SEGMENTS)).jobs
        for index in range(LIVE_SEGMENTS)
    ]
    assert counts == [3 if index == segment else 0 for index in range(LIVE_SEGMENTS)]


def test_check_that_fails_once_is_repeated_in_the_same_run(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 30_000
    stored(world, daily, PAST)
    world.steps.fail("jobs.file_if_active")
    assert reconcile_definitions(world).chains_repaired == [daily.id]


def test_cycle_with_a_failed_check_covers_nothing(world: World, daily: Job) -> None:
    world.clock.time_ms = PAST[3] + 30_000
    stored(world, daily, PAST)
    for _ in range(TRIES):
        world.steps.fail("jobs.file_if_active")
    world.clock.time_ms += MINUTE_MS
    report = reconcile_definitions(world)
    assert (report.unavailable, report.chains_repaired) == (1, [])
    world.clock.time_ms += 20 * MINUTE_MS
    assert coverage_ms(world) >= 20 * MINUTE_MS
    assert reconcile_definitions(world).chains_repaired == [daily.id]
    assert coverage_ms(world) < 20 * MINUTE_MS


def test_page_that_cannot_be_read_ends_no_other_segment(world: World) -> None:
    live_items = Unreachable(world.live_items, "page")
    reconcile = ticks(world, live_items=live_items).reconcile_definitions
    assert reconcile.execute().unavailable == LIVE_SEGMENTS
    live_items.down = False
    assert reconcile.execute().unavailable == 0


def test_run_beside_another_one_leaves_the_segment_to_it(world: World) -> None:
    many(world, 2)
    reconcile_definitions(world)
    told: list[int] = []
    rival_at = world.clock.time_ms + 20 * MINUTE_MS + 1

    def rival(report: ReconcileReport) -> None:
        if not told and report.jobs:
            told.append(report.jobs)
            world.clock.time_ms = rival_at
            reconcile_definitions(world)

    world.clock.time_ms += 20 * MINUTE_MS
    reconcile_definitions(world, on_report=rival)
    assert told == [2]
    progress = world.reconcile_progress.by_segment[segment_of(TENANT)]
    assert progress.covered_at == rival_at, "the run that was overtaken stores nothing"


def test_instants_of_a_long_gap_are_all_accounted_for(world: World, daily: Job) -> None:
    """A run looks back an hour at most, and the next one goes on from there."""
    lost_at = DUE_AT + 10 * MINUTE_MS
    hours = 5
    account_from(world, DUE_AT)
    last = hours * LONGEST_WINDOW_MS // MINUTE_MS
    instants = [DUE_AT + minute * MINUTE_MS for minute in range(last + 1)]
    stored(world, daily, [instant for instant in instants if instant not in (lost_at, instants[-30])])
    world.clock.time_ms = instants[-1] + (SETTLE_MINUTES + 1) * MINUTE_MS
    runs = [reconcile_definitions(world).missing_executions for _ in range(hours + 1)]
    found = [lost for run in runs for lost in run]
    assert found == [str(daily.id_at(lost_at)), str(daily.id_at(instants[-30]))]
    assert runs[0] == [str(daily.id_at(lost_at))]


def test_coverage_after_a_long_gap_reaches_as_far_as_its_instants_are_accounted_for(world: World) -> None:
    account_from(world, DUE_AT)
    world.clock.time_ms = DUE_AT + 3 * LONGEST_WINDOW_MS + SETTLE_MINUTES * MINUTE_MS
    ages = []
    for _ in range(4):
        reconcile_definitions(world)
        ages.append(coverage_ms(world))
    assert ages == [2 * LONGEST_WINDOW_MS, LONGEST_WINDOW_MS, 0, 0]


def test_progress_is_stored_at_checkpoints(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHECKPOINT_ITEMS", 200)
    many(world, 300)
    reports: list[ReconcileReport] = []
    reconcile_definitions(world, on_report=reports.append)
    assert sorted((report.jobs for report in reports), reverse=True)[:2] == [200, 100]


def test_definition_that_cannot_be_checked_is_named_and_the_others_go_on(world: World) -> None:
    unreadable, broken_chain, _ = many(world, 3)
    account_from(world, LATER)
    head = world.table.executions[broken_chain.id_at(broken_chain.chain_from)]
    head.execution = with_changes(head.execution, state=State.SUCCEEDED)
    world.table.executions[unreadable.id_at(unreadable.chain_from)].damage = Damage.BROKEN
    report = reconcile_definitions(world)
    assert (report.jobs, report.chains_repaired) == (3, [broken_chain.id])
    (named,) = report.unreadable
    assert unreadable.id in named
