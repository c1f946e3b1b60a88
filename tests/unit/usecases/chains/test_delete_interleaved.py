"""DELETE while executors are at work: whatever happens between any two store calls, the chain has ended afterwards."""

from collections.abc import Callable
from functools import partial

import pytest

from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import JobState
from shared.domain.schedules.schedule import instants_before
from tests.support.builders import TENANT
from tests.support.usecases import chains
from tests.support.usecases.chains import SITUATIONS, Chain
from tests.support.usecases.moments import Act, at_moment, begun
from tests.support.usecases.shown import records
from tests.support.usecases.steps import Crash, die


def moments_of(situation: Callable[[], Chain]) -> range:
    """Before each call of an undisturbed deletion, and of some more for one that is disturbed."""
    chain = begun(situation)
    chain.delete()
    return range(0, 2 * len(chain.world.steps.taken) + 8, 2)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_executors_may_claim_and_file_at_any_moment(situation: Callable[[], Chain]) -> None:
    for moment in moments_of(situation):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.work)
        chain.delete()
        chain.world.steps.at_each = None
        chain.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_an_executor_may_stand_still_between_its_claim_and_its_successor(
    situation: Callable[[], Chain],
) -> None:
    moments = moments_of(situation)
    for claimed_at in moments:
        for filed_at in moments[claimed_at + 1 :]:
            chain = begun(situation)
            claimed = chain.running()
            acts: dict[int, Act] = {
                claimed_at: _claiming(chain, claimed),
                filed_at: _filing(chain, claimed),
            }
            chain.world.steps.at_each = lambda moment, _, acts=acts: acts.get(moment, int)()
            chain.delete()
            chain.world.steps.at_each = None
            chain.assert_ended()


def _claiming(chain: Chain, claimed: list[Execution]) -> Act:
    return lambda: claimed.extend(chain.claim_due())


def _filing(chain: Chain, claimed: list[Execution]) -> Act:
    def file() -> None:
        for execution in claimed:
            chain.world.file_successor.execute(execution)

    return file


@pytest.mark.parametrize("situation", [chains.due_now, chains.running, chains.every_second])
def test_a_deletion_may_stand_still_while_the_chain_runs_on(situation: Callable[[], Chain]) -> None:
    """For so long that what was far enough when it began lies behind the head."""
    for moment in moments_of(situation):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.extend_lease)
        chain.delete()
        chain.world.steps.at_each = None
        chain.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_whole_deletion_may_happen_between_any_two_steps_of_an_executor(
    situation: Callable[[], Chain],
) -> None:
    calm = begun(situation)
    calm.work()
    for moment in range(0, 2 * len(calm.world.steps.taken), 2):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.delete)
        chain.work()
        chain.world.steps.at_each = None
        chain.world.steps.taken.clear()
        chain.delete()
        chain.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_deletion_that_dies_at_any_moment_is_completed_by_its_repetition(
    situation: Callable[[], Chain],
) -> None:
    for moment in moments_of(situation):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, die)
        try:
            chain.delete()
        except Crash:
            chain.world.steps.at_each = None
            chain.work()
            chain.world.clock.time_ms += 3 * chains.MINUTE
            chain.work()
            chain.delete()
        chain.world.steps.at_each = None
        chain.assert_ended()


TOMBSTONE = ("store.cancel", "store.put_if_absent")
"""The first one is made of an execution that stands there, or put where nothing does."""


@pytest.mark.parametrize(("steps", "nth"), [(("jobs.replace",), 0), (TOMBSTONE, 0), (("jobs.replace",), 1)])
def test_deletion_whose_answer_was_lost_is_completed_by_its_repetition(
    steps: tuple[str, ...], nth: int
) -> None:
    for situation in SITUATIONS:
        chain = begun(situation)
        for step in steps:
            chain.world.steps.after(step, lambda: None, times=nth)
            chain.world.steps.lose_answer(step)
        with pytest.raises(Exception, match="injected"):
            chain.delete()
        chain.world.steps.calm()
        chain.delete()
        chain.assert_ended()


@pytest.mark.parametrize("missed", range(6))
def test_history_of_a_deleted_job_has_each_instant_though_two_processes_end_its_chain(missed: int) -> None:
    """A tombstone of the slower process may lie behind the last one of the process that completes the deletion."""
    situation = partial(chains.after_an_outage, missed)
    for moment in moments_of(situation):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, partial(_end_chain_too, chain))
        chain.delete()
        chain.world.steps.at_each = None
        _assert_shown(chain)


def _end_chain_too(chain: Chain) -> None:
    """Another process finds the deletion, and does not get beyond the tombstones."""
    if chain.standing.state is JobState.DELETING:
        chain.world.lifecycle.settle.end_chain.execute(chain.standing)


def _assert_shown(chain: Chain) -> None:
    job = chain.standing
    shown = records(chain.world.list_executions.execute(TENANT, job.id, limit=50).executions)
    spans = [
        (one.nominal_at, one.progress.missed.last_at if one.progress.missed else one.nominal_at)
        for one in shown
    ]
    for instant in instants_before(job.schedule, chain.world.clock.time_ms + 1, job.began_at, 50):
        told = [span for span in spans if span[0] <= instant <= span[1]]
        assert len(told) == 1, f"{len(told)} records of {instant - job.chain_from}"
