"""A deployment brings newer tables of time zones: every promise about a chain that the older ones began holds on."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.domain.schedules import schedule_kinds, zone_changes, zone_rules
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import first_after, without_rules
from shared.domain.schedules.zone_changes import Move, outdated_from
from shared.domain.schedules.zones import TZDATA_VERSION
from shared.usecases.chains.recompute_job import Recomputation
from shared.usecases.listings.job_history import WalkHistory
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import EVERY_SECOND, MINUTE, Chain, fresh
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.tzdata_upgrade import (
    DAILY,
    DAILY_OLD,
    FIRST_AT,
    LINE,
    OLD,
    SITUATIONS,
    Change,
    begins,
    close,
    just_due,
    old_chain,
    present,
    recompute,
    rules_of,
    working,
)
from tests.support.usecases.world import World

# What is computed carries what it was computed with.


def test_a_job_and_its_runs_carry_the_rules_that_they_are_computed_with() -> None:
    world = World(DUE_AT)
    job = world.accept(DAILY)
    assert isinstance(job, Job)
    assert rules_of(job) == f"{TZDATA_VERSION} 5,,M3.2.0,M11.1.0"
    (first,) = world.occurrences(job).values()
    world.file_successor.execute(first)
    assert {rules_of(one) for one in world.occurrences(job).values()} == {rules_of(job)}


def test_a_job_in_utc_carries_none() -> None:
    world = World(DUE_AT)
    job = world.accept(replace(DAILY, timezone="UTC"))
    assert isinstance(job, Job)
    assert rules_of(job) is None
    assert not recompute(Chain(world, job))


def test_a_replay_by_newer_tables_is_the_same_request(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(DUE_AT)
    job = world.accept(DAILY, "key")
    monkeypatch.setattr(zone_changes, "frozen_rules", lambda *_: "2030a 6")
    assert world.accept(DAILY, "key") == job


def test_a_replay_that_comes_to_create_it_after_all_begins_by_the_tables_at_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(DUE_AT)
    world.steps.before("jobs.create", die)
    with pytest.raises(Crash):
        world.accept(DAILY, "key")
    monkeypatch.setattr(zone_changes, "frozen_rules", lambda *_: "2030a 6")
    job = world.accept(DAILY, "key")
    assert isinstance(job, Job)
    assert job.chain_from == first_after(job.schedule, DUE_AT)
    assert list(world.occurrences(job)) == [job.chain_from]


# A chain that older tables began is found, ended and continued by its own rules.


@pytest.fixture
def other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks the tables for a zone instead of the chain gets something else."""
    monkeypatch.setattr(schedule_kinds, "load_zone", lambda _: zone_rules.zone_from_rules("2030a 11:18"))


@pytest.mark.usefixtures("other_tables")
def test_writers_with_different_tables_file_one_and_the_same_successor() -> None:
    chain = working()
    chain.world.file_successor.execute(chain.executions()[0])
    assert [one.nominal_at - FIRST_AT for one in chain.executions()] == [0, 2 * MINUTE]


@pytest.mark.usefixtures("other_tables")
def test_a_history_shows_what_ran_by_the_rules_of_its_time() -> None:
    chain = working()
    walk = WalkHistory(jobs=chain.world.jobs, clock=chain.world.clock)
    span = PositionRange(after=IndexPosition(at=0), before=IndexPosition(at=FIRST_AT + 10 * MINUTE))
    shown = {str(candidate.position.id) for candidate in walk.execute(chain.standing, span)}
    assert {str(one.id) for one in chain.executions()} <= shown


@pytest.mark.parametrize("change", ["pause", "delete", "update"])
def test_old_chain_has_no_run_after_an_acknowledged_change(change: str) -> None:
    chain = working()
    waiting = chain.head
    changes: dict[str, Change] = {
        "pause": Chain.pause,
        "delete": Chain.delete,
        "update": lambda chain: chain.update(request=b"another"),
    }
    changes[change](chain)
    assert chain.world.standing(waiting.id).progress.ends_chain
    chain.world.clock.time_ms = waiting.nominal_at
    assert not [one for one in chain.claim_due() if one.revision == chain.job.revision]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_the_reconciler_finds_the_head_and_accounts_for_the_chain(situation: Callable[[], Chain]) -> None:
    chain = situation()
    findings = chain.world.reconcile_job.execute(chain.standing, 0, chain.world.clock.time_ms + MINUTE)
    assert (findings.missing_executions, findings.is_repaired) == ([], False)


def test_a_new_name_leaves_the_chain_its_rules() -> None:
    chain = working()
    chain.update(name="another", schedule=LINE)
    assert chain.standing.schedule == OLD
    assert chain.standing.chain_revision == 1


def test_an_update_that_names_the_same_schedule_goes_on_with_what_had_not_started() -> None:
    chain = just_due()
    chain.update(request=b"another", schedule=LINE)
    assert rules_of(chain.standing) == f"{TZDATA_VERSION} -5:30"
    assert present(chain).nominal_at == FIRST_AT + MINUTE


@pytest.mark.parametrize("is_updated", [False, True])
def test_a_resumption_begins_by_the_tables_at_hand(is_updated: bool) -> None:
    chain = working()
    chain.pause()
    if is_updated:
        chain.update(request=b"another")
        assert rules_of(chain.standing) == f"{TZDATA_VERSION} -5:30"
    assert not recompute(chain)
    chain.world.clock.time_ms += 9 * MINUTE
    chain.resume()
    assert rules_of(chain.standing) == f"{TZDATA_VERSION} -5:30"
    close(chain)


# Recomputing.


def test_the_next_run_moves_to_where_the_tables_have_it() -> None:
    chain = working()
    old = chain.head
    told: list[Recomputation] = []
    assert recompute(chain, told)
    tombstone = chain.world.standing(old.id)
    assert (tombstone.state, tombstone.progress.end_reason) == (State.CANCELLED, EndReason.ZONE_RULES_CHANGED)
    assert chain.standing.state is JobState.ACTIVE
    assert without_rules(chain.standing.schedule) == LINE
    chain.extend_lease(3)
    assert begins(chain) == [0, 1, 3, 5]
    (recomputed,) = told
    assert (recomputed.job_id, recomputed.tenant_id) == (chain.job.id, TENANT)
    assert (recomputed.old_release, recomputed.new_release) == ("2020a", TZDATA_VERSION)
    assert recomputed.move == Move(from_at=FIRST_AT + 2 * MINUTE, to_at=FIRST_AT + MINUTE)


def test_a_job_is_recomputed_once() -> None:
    chain = working()
    assert recompute(chain)
    revision = chain.standing.revision
    assert not recompute(chain)
    assert chain.standing.revision == revision


def test_a_change_that_is_still_to_come_moves_nothing_yet() -> None:
    """The rules part in March."""
    first_at = first_after(DAILY_OLD, DUE_AT) or 0
    chain = old_chain(DUE_AT, schedule=DAILY_OLD, chain_from=first_at, created_at=DUE_AT - MINUTE)
    told: list[Recomputation] = []
    assert recompute(chain, told)
    assert (present(chain).nominal_at, present(chain).revision) == (first_at, 2)
    (recomputed,) = told
    assert recomputed.move is not None
    assert (recomputed.move.from_at or 0) - (recomputed.move.to_at or 0) == 60 * MINUTE


def test_a_chain_that_tells_no_rules_gets_them() -> None:
    first_at = first_after(LINE, DUE_AT) or 0
    chain = old_chain(first_at, schedule=LINE, chain_from=first_at)
    told: list[Recomputation] = []
    assert recompute(chain, told)
    assert (told[0].old_release, told[0].move) == (None, None)
    assert rules_of(present(chain)) == f"{TZDATA_VERSION} -5:30"


@pytest.mark.parametrize("state", [state for state in JobState if state is not JobState.ACTIVE])
def test_only_an_active_job_is_recomputed(state: JobState) -> None:
    chain = working()
    standing = replace(chain.standing, state=state)
    chain.world.table.jobs[standing.tenant_id, standing.id] = standing
    assert not recompute(chain)
    assert chain.standing == standing


def test_a_job_that_is_gone_or_has_other_rules_by_now_is_let_be() -> None:
    chain = fresh(DUE_AT, schedule=EVERY_SECOND)
    assert not recompute(chain)
    chain.world.table.jobs.clear()
    assert not recompute(chain)


def test_a_clients_change_in_between_wins() -> None:
    chain = working()
    chain.world.steps.before("jobs.replace", chain.pause)
    assert not recompute(chain)
    assert chain.standing.state is JobState.PAUSED


def test_run_that_waits_for_the_run_lock_is_recorded_by_a_recomputation() -> None:
    chain = old_chain(overlap_policy=OverlapPolicy.QUEUE_ONE)
    chain.world.guard_start.execute(chain.head)
    chain.run_head()
    chain.world.file_successor.execute(chain.running()[0])
    chain.world.clock.time_ms += 2 * MINUTE
    waiting = chain.head
    chain.world.guard_start.execute(waiting)
    recompute(chain)
    assert chain.world.standing(waiting.id).progress.end_reason is EndReason.ZONE_RULES_CHANGED
    assert_accounted(chain)


def test_a_change_that_older_tables_finish_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """While containers of two deployments run side by side."""
    chain = working()
    with monkeypatch.context() as older:
        older.setattr(zone_changes, "frozen_rules", lambda *_: "2021a -5:29")
        assert recompute(chain)
    assert rules_of(chain.standing) == "2021a -5:29"
    assert outdated_from(chain.standing.schedule, chain.world.clock.time_ms) is not None
    close(chain)
    assert rules_of(chain.standing) == f"{TZDATA_VERSION} -5:30"
