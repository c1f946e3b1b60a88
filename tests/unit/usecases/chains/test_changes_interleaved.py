"""PAUSE, RESUME, UPDATE and DELETE while executors are at work, others change the job too, and processes die."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product

import pytest

from shared.domain.errors import InvalidStateError, NotFoundError, PreconditionFailedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import CHANGING, Job, JobState
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.schedule import Rate
from tests.support.builders import DUE_AT, with_changes
from tests.support.usecases import chains
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import MINUTE, SITUATIONS, Chain
from tests.support.usecases.moments import at_moment, begun
from tests.support.usecases.steps import Crash, die

pytestmark = pytest.mark.exhaustive

EVERY_TWO_MINUTES = Rate(interval_ms=2 * MINUTE, anchor=DUE_AT + 30_000)
Change = Callable[[Chain], object]


def paused(situation: Callable[[], Chain]) -> Callable[[], Chain]:
    """The same, paused a while ago."""

    def make() -> Chain:
        chain = situation()
        chain.pause()
        chain.world.clock.time_ms += 5 * MINUTE
        return chain

    make.__name__ = f"paused_{situation.__name__}"
    return make


def with_rules(name: str, **fields: object) -> Callable[[], Chain]:
    """An outage of a job with rules of its own; its head was claimed at last."""

    def make() -> Chain:
        chain = chains.fresh(DUE_AT + 7 * MINUTE + 30_000, **fields)
        chain.run_head()
        return chain

    make.__name__ = name
    return make


RULES = [
    with_rules("catches_up_with_all", catch_up=CatchUpPolicy(mode=CatchUp.ALL, limit=3)),
    with_rules("skips_what_was_missed", catch_up=CatchUpPolicy(mode=CatchUp.SKIP)),
    with_rules("out_of_its_window", catch_up=CatchUpPolicy(window_ms=0)),
    with_rules("starts_at_random", jitter_ms=40_000),
    with_rules("ends_soon", schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + 9 * MINUTE)),
    with_rules("has_ended_unseen", schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT + MINUTE)),
    with_rules("runs_three_times", max_runs=3),
]
ACTIVE = [*SITUATIONS, *RULES]
PAUSED = [paused(situation) for situation in SITUATIONS]
CHANGES: dict[str, Change] = {
    "pause": lambda chain: chain.pause(),
    "resume": lambda chain: chain.resume(),
    "update of the payload": lambda chain: chain.update(request=b"another"),
    "update of the schedule": lambda chain: chain.update(schedule=EVERY_TWO_MINUTES),
    "update of the name": lambda chain: chain.update(name="another"),
    "delete": lambda chain: chain.delete(),
}
CHAIN_ENDING = ["pause", "update of the payload", "update of the schedule"]
REFUSALS = (InvalidStateError, PreconditionFailedError, NotFoundError)


def close(chain: Chain) -> None:
    """Let what was left unfinished be finished, the job resumed, and executors work on; then all must be in order."""
    world = chain.world
    world.steps.calm()
    world.lifecycle.find_settled.execute(chain.job.tenant_id, chain.job.id)
    assert chain.standing.state not in CHANGING
    assert_accounted(chain)
    if chain.standing.state is JobState.PAUSED:
        chain.resume()
    chain.extend_lease(4)
    for execution in chain.running():
        world.file_successor.execute(execution)
    assert_accounted(chain)
    if chain.standing.state is JobState.DELETED:
        chain.assert_ended()


def moments_of(situation: Callable[[], Chain], change: Change) -> range:
    """Before each call of an undisturbed change, and of some more for one that is disturbed."""
    chain = begun(situation)
    with suppress(*REFUSALS):
        change(chain)
    return range(0, 2 * len(chain.world.steps.taken) + 4, 2)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("situation", ACTIVE + PAUSED, ids=lambda situation: situation.__name__)
def test_after_a_change_every_instant_is_told_of_once(situation: Callable[[], Chain], name: str) -> None:
    chain = begun(situation)
    CHANGES[name](chain)
    close(chain)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("situation", ACTIVE + PAUSED, ids=lambda situation: situation.__name__)
def test_executors_may_claim_and_file_at_any_moment(situation: Callable[[], Chain], name: str) -> None:
    for moment in moments_of(situation, CHANGES[name]):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.work)
        CHANGES[name](chain)
        close(chain)


@pytest.mark.parametrize("name", CHAIN_ENDING)
@pytest.mark.parametrize("situation", ACTIVE, ids=lambda situation: situation.__name__)
def test_an_executor_may_stand_still_between_its_claim_and_its_successor(
    situation: Callable[[], Chain], name: str
) -> None:
    """Until somewhere in the change, and until long after it."""
    for claimed_at, filed_at in product(moments_of(situation, CHANGES[name]), repeat=2):
        if filed_at <= claimed_at:
            continue
        chain = begun(situation)
        claimed = chain.running()
        acts: dict[int, Callable[[], object]] = {
            claimed_at: partial(claim_all, chain, claimed),
            filed_at: partial(file_all, chain, claimed),
        }
        chain.world.steps.at_each = lambda moment, _, acts=acts: acts.get(moment, int)()
        CHANGES[name](chain)
        chain.world.steps.at_each = None
        chain.world.clock.time_ms += 3 * MINUTE
        file_all(chain, claimed)
        close(chain)


def claim_all(chain: Chain, claimed: list[Execution]) -> None:
    claimed.extend(chain.claim_due())


def file_all(chain: Chain, claimed: list[Execution]) -> None:
    for execution in claimed:
        chain.world.file_successor.execute(execution)


@pytest.mark.parametrize("rival", CHANGES)
@pytest.mark.parametrize("name", CHANGES)
def test_rival_change_may_run_whole_at_any_step_of_a_change(name: str, rival: str) -> None:
    for situation in (chains.running_with_successor, chains.running_after_an_outage, PAUSED[4], PAUSED[7]):
        for moment in moments_of(situation, CHANGES[name]):
            chain = begun(situation)
            chain.world.steps.at_each = at_moment(moment, partial(attempt, chain, rival))
            attempt(chain, name)
            close(chain)


def attempt(chain: Chain, name: str) -> None:
    with suppress(*REFUSALS):
        CHANGES[name](chain)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("then", [("resume",), ("resume", "pause"), ("update of the schedule", "resume")])
def test_slow_change_does_not_harm_a_pause_and_later_changes(name: str, then: tuple[str, ...]) -> None:
    """Others finish what this one began, time passes, the job goes on and is paused again, and it goes on working."""
    for situation in (chains.running_with_successor, chains.due_now, chains.every_second, PAUSED[1]):
        for moment, minutes in product(moments_of(situation, CHANGES[name]), (0, 1, 4)):
            chain = begun(situation)
            chain.world.steps.at_each = at_moment(moment, partial(follow, chain, then, minutes))
            attempt(chain, name)
            close(chain)


def follow(chain: Chain, then: tuple[str, ...], minutes: int) -> None:
    attempt(chain, "pause")
    for name in then:
        chain.world.clock.time_ms += minutes * MINUTE
        attempt(chain, name)
    chain.extend_lease(2)


@pytest.mark.parametrize("by", ["pause", "resume", "update of the payload", "delete", "the reconciler"])
@pytest.mark.parametrize("name", CHANGES)
def test_change_that_crashed_at_any_step_is_finished_by_a_later_change(name: str, by: str) -> None:
    for situation in (chains.due_now, chains.running, chains.running_after_an_outage, RULES[4], PAUSED[2]):
        for moment in moments_of(situation, CHANGES[name]):
            chain = begun(situation)
            chain.world.steps.at_each = at_moment(moment, die)
            try:
                attempt(chain, name)
            except Crash:
                chain.world.steps.at_each = None
                chain.work()
                chain.world.clock.time_ms += 6 * MINUTE
                chain.work()
                finish(chain, by)
            close(chain)


def finish(chain: Chain, by: str) -> None:
    if by != "the reconciler":
        attempt(chain, by)
        return
    found = chain.world.reconcile_job.execute(chain.standing, 0, chain.world.clock.time_ms - 4 * MINUTE)
    assert found.missing_executions == []


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize(
    ("step", "nth"), [("jobs.replace", 0), ("jobs.replace", 1), ("store.put_if_absent", 0)]
)
def test_change_whose_answer_was_lost_is_finished_by_the_next_caller(name: str, step: str, nth: int) -> None:
    for situation in ACTIVE + PAUSED:
        chain = begun(situation)
        chain.world.steps.after(step, lambda: None, times=nth)
        chain.world.steps.lose_answer(step)
        with suppress(UnavailableError):
            attempt(chain, name)
        chain.world.steps.calm()
        attempt(chain, name)
        close(chain)


def quiet_for(chain: Chain, later_ms: tuple[int, ...] = (0, 2_000, 3 * MINUTE)) -> None:
    """Nothing begins, though executors look for it and file what they have to."""
    before = len(chain.starts)
    for later in later_ms:
        chain.world.clock.time_ms += later
        for execution in chain.running():
            chain.world.file_successor.execute(execution)
        chain.work()
    assert chain.starts[before:] == []


@pytest.mark.parametrize("situation", ACTIVE, ids=lambda situation: situation.__name__)
def test_no_execution_begins_after_an_acknowledged_pause(situation: Callable[[], Chain]) -> None:
    for moment in moments_of(situation, CHANGES["pause"]):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.work)
        assert chain.pause().state is JobState.PAUSED
        chain.world.steps.at_each = None
        quiet_for(chain)
        close(chain)


@pytest.mark.parametrize("name", ["update of the payload", "update of the schedule"])
@pytest.mark.parametrize("situation", ACTIVE, ids=lambda situation: situation.__name__)
def test_no_execution_of_an_old_revision_begins_after_an_acknowledged_update(
    situation: Callable[[], Chain], name: str
) -> None:
    for moment in moments_of(situation, CHANGES[name]):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.work)
        updated = CHANGES[name](chain)
        assert isinstance(updated, Job)
        chain.world.steps.at_each = None
        before = len(chain.starts)
        for execution in chain.running():
            chain.world.file_successor.execute(execution)
        chain.extend_lease(3)
        assert all(one.revision == updated.chain_revision for _, one in chain.starts[before:])
        close(chain)


@pytest.mark.parametrize("name", [*CHAIN_ENDING, "delete"])
@pytest.mark.parametrize("runs", [1, 2])
def test_a_run_that_waits_for_another_is_let_in_before_the_change_or_never(name: str, runs: int) -> None:
    for moment in range(0, 40, 2):
        chain = begun(lambda: chains.held_up(runs))
        waiting = chain.world.standing(chain.job.id_at(DUE_AT + MINUTE))
        chain.world.steps.at_each = at_moment(moment, partial(let_in, chain, waiting))
        CHANGES[name](chain)
        chain.world.steps.calm()
        before = chain.world.standing(waiting.id).attempt
        let_in(chain, waiting)
        assert chain.world.standing(waiting.id).attempt == before
        if chain.standing.state is not JobState.DELETED:
            assert_accounted(chain)


def let_in(chain: Chain, waiting: Execution) -> None:
    """The run that it waited for has ended, and its message comes."""
    first = chain.world.table.executions[chain.job.id_at(DUE_AT)]
    first.execution = with_changes(first.execution, state=State.SUCCEEDED, owner=None, lease_until=None)
    chain.world.attempt(waiting)
