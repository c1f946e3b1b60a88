"""Pause, update and delete of a job that is far behind: as quick as of a job in time, and nothing goes unrecorded."""

import pytest

from shared.domain.executions.states import NOT_STARTED, EndReason, State
from shared.domain.jobs.job import JobState
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.schedule import Cron, Rate, Series, first_after
from tests.support.builders import DUE_AT, TENANT
from tests.support.usecases import chains
from tests.support.usecases.chains import HOURS, MINUTE, Chain
from tests.support.usecases.shown import records

SECOND = 1_000
EACH_SECOND = Rate(interval_ms=SECOND, anchor=DUE_AT)
EACH_MINUTE = Cron(line="* * * * *", timezone="Europe/Berlin")
ALL = CatchUpPolicy(mode=CatchUp.ALL, limit=1_000)
REASONS = {
    "pause": EndReason.JOB_PAUSED,
    "delete": EndReason.JOB_DELETED,
    "update": EndReason.JOB_UPDATED,
}
changes = pytest.mark.parametrize("verb", REASONS)


def behind(hours: int, schedule: Series = EACH_SECOND) -> Chain:
    """The head was filed that long ago, and its receiver has been dead since."""
    first_at = first_after(schedule, DUE_AT - 1) or 0
    return chains.fresh(DUE_AT + hours * HOURS, schedule=schedule, catch_up=ALL, chain_from=first_at)


def change(chain: Chain, verb: str) -> None:
    """An update changes the schedule, so that the old instants up to now have no run."""
    if verb == "update":
        chain.update(schedule=Rate(interval_ms=HOURS, anchor=DUE_AT + 48 * HOURS))
    else:
        getattr(chain, verb)()


@changes
@pytest.mark.parametrize("schedule", [EACH_SECOND, EACH_MINUTE])
@pytest.mark.parametrize("hours", [0, 1, 24, 160])
def test_change_costs_a_few_calls_however_far_the_chain_is_behind(
    verb: str, schedule: Series, hours: int
) -> None:
    """A tombstone for each instant made 86,414 puts of a job of one second that was a day behind."""
    chain = behind(hours, schedule)
    steps = chain.world.steps
    steps.taken.clear()
    change(chain, verb)
    assert steps.count("store.put_if_absent") + steps.count("store.cancel") <= 2
    assert len(steps.taken) <= 30


@changes
def test_instants_of_a_chain_that_was_behind_have_one_record(verb: str) -> None:
    chain = behind(24)
    change(chain, verb)
    if verb == "pause":
        chain.resume()
    tombstone, second, record = chain.executions()[:3]
    assert (tombstone.nominal_at, tombstone.state) == (DUE_AT, State.CANCELLED)
    assert (second.nominal_at, second.state) == (DUE_AT + SECOND, State.CANCELLED)
    assert (record.nominal_at, record.state) == (DUE_AT + 2 * SECOND, State.SKIPPED)
    assert {tombstone.progress.end_reason, record.progress.end_reason} == {REASONS[verb]}
    missed = record.progress.missed
    assert missed is not None
    assert (missed.count, missed.first_at, missed.last_at) == (
        86_399,
        DUE_AT + 2 * SECOND,
        DUE_AT + 24 * HOURS,
    )
    assert tombstone.progress.ends_chain
    assert record.progress.ends_chain


@changes
def test_history_of_a_chain_that_was_behind_ends_with_its_record(verb: str) -> None:
    """A history that walks the instants of the record reads 86,400 keys to no end."""
    chain = behind(24)
    change(chain, verb)
    if verb == "pause":
        chain.resume()
    chain.world.steps.taken.clear()
    listed = records(chain.world.list_executions.execute(TENANT, chain.job.id, limit=50).executions)
    shown = [each.nominal_at for each in listed if each.nominal_at <= DUE_AT + 24 * HOURS]
    assert shown == [DUE_AT + 2 * SECOND, DUE_AT + SECOND, DUE_AT]
    assert len(chain.world.steps.taken) <= 6


@changes
def test_head_that_starts_while_its_chain_is_ended_moves_the_tombstone_on(verb: str) -> None:
    """The write proves that the instant has not started; a read may be too old."""
    chain = behind(24)
    world = chain.world

    def start() -> None:
        for claimed in chain.claim_due():
            world.file_successor.execute(claimed)

    world.steps.before("store.cancel", start)
    change(chain, verb)
    first, second = [one for one in chain.executions() if one.revision == 1][:2]
    assert (first.nominal_at, first.state) == (DUE_AT, State.RUNNING)
    assert (second.nominal_at, second.progress.ends_chain) == (DUE_AT + SECOND, True)
    for each in chain.executions():
        world.file_successor.execute(each)
    left = [each for each in chain.executions() if each.revision == 1 and each.state in NOT_STARTED]
    assert left == []


@changes
def test_successor_of_a_run_that_waits_is_ended_like_the_run(verb: str) -> None:
    """A run that waits for another one has filed its successor, and accepts a tombstone nevertheless."""
    chain = behind(24)
    world = chain.world
    world.steps.before("store.cancel", lambda: world.file_successor.execute(chain.head))
    change(chain, verb)
    for _ in range(3):
        for each in chain.executions():
            world.file_successor.execute(each)
    left = [each for each in chain.executions() if each.revision == 1 and each.state in NOT_STARTED]
    assert left == []


@changes
@pytest.mark.parametrize("port", ["store.cancel", "jobs.replace"])
def test_crash_between_tombstone_and_record_is_made_good_by_the_repetition(verb: str, port: str) -> None:
    chain = behind(24)
    world = chain.world
    seen: list[str] = []

    def die() -> None:
        seen.append(port)
        if len(seen) == (2 if port == "jobs.replace" else 1):
            raise SystemExit

    world.steps.before(port, die)
    world.steps.before(port, die)
    with pytest.raises(SystemExit):
        change(chain, verb)
    world.clock.time_ms += MINUTE
    if verb == "update":
        world.lifecycle.settle.execute(chain.standing)
    else:
        change(chain, verb)
    if verb == "pause":
        chain.resume()
    record = next(one for one in chain.executions() if one.progress.missed is not None)
    assert record.progress.missed is not None
    assert DUE_AT + 2 * SECOND <= record.progress.missed.first_at <= DUE_AT + 3 * SECOND
    assert record.progress.missed.last_at >= DUE_AT + 24 * HOURS


def test_two_settlers_of_one_change_leave_one_tombstone_and_one_record() -> None:
    chain = behind(24)
    world = chain.world
    world.steps.before("store.cancel", lambda: world.lifecycle.settle.execute(chain.standing))
    chain.delete()
    states = [one.state for one in chain.executions()]
    assert set(states[:-1]) == {State.CANCELLED}
    assert (len(states) <= 4, states[-1]) == (True, State.SKIPPED)
    assert chain.standing.state is JobState.DELETED


@pytest.mark.parametrize("verb", ["pause", "delete"])
def test_job_with_ten_jumps_is_ended_at_its_head(verb: str) -> None:
    chain = chains.fresh(DUE_AT, schedule=EACH_SECOND)
    world = chain.world
    for _ in range(10):
        world.clock.time_ms += HOURS
        chain.run_head()
        world.file_successor.execute(chain.head)
    world.clock.time_ms += 24 * HOURS
    head_at = chain.head.nominal_at
    world.steps.taken.clear()
    change(chain, verb)
    assert len(world.steps.taken) <= 30
    tombstone = world.standing(chain.job.id_at(head_at))
    assert (tombstone.state, tombstone.progress.ends_chain) == (State.CANCELLED, True)


def test_late_filer_finds_the_tombstone_and_files_nothing() -> None:
    chain = behind(24)
    chain.run_head()
    late = chain.head
    chain.pause()
    chain.world.file_successor.execute(late)
    assert [one.state for one in chain.executions()] == [State.RUNNING, State.CANCELLED]
