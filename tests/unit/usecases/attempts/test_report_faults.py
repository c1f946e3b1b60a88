"""COMPLETE and FAIL where answers get lost, processes die and rivals report at once: one outcome, and an end."""

from collections.abc import Callable
from functools import partial

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from shared.usecases.attempts.settle_attempt import FINISH_TRIES
from tests.support.usecases.reports import Report, at_work, complete, every_report, fail, give_up
from tests.support.usecases.steps import Crash, die

LEADS_TO: dict[Report, State] = {complete: State.SUCCEEDED, fail: State.WAITING, give_up: State.FAILED}


@every_report
@pytest.mark.parametrize("times", [1, FINISH_TRIES - 1])
@pytest.mark.parametrize("fault", ["fail", "lose_answer"])
def test_an_outcome_without_an_answer_is_written_again(report: Report, fault: str, times: int) -> None:
    world, execution, token = at_work()
    getattr(world.steps, fault)("store.finish", times=times)
    assert report(world, execution, token).end is not None
    assert len(world.standing(execution.id).progress.outcomes) == 1


@every_report
@pytest.mark.parametrize("fault", ["fail", "lose_answer"])
def test_receiver_is_asked_to_report_again_where_the_store_does_not_answer(
    report: Report, fault: str
) -> None:
    world, execution, token = at_work()
    getattr(world.steps, fault)("store.finish", times=FINISH_TRIES)
    with pytest.raises(UnavailableError):
        report(world, execution, token)
    report(world, execution, token)
    assert len(world.standing(execution.id).progress.outcomes) == 1


def test_a_retry_that_nobody_would_wake_is_woken_when_the_report_is_repeated() -> None:
    world, execution, token = at_work()
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        fail(world, execution, token)
    assert world.standing(execution.id).state is State.WAITING
    assert world.sent() == []
    fail(world, execution, token)
    assert world.sent() == [execution.id]


def test_a_repeated_failure_wakes_nobody_once_the_next_attempt_runs() -> None:
    world, execution, token = at_work()
    fail(world, execution, token)
    world.clock.time_ms += 60_000
    world.attempt(execution)
    sent = world.sent()
    fail(world, execution, token)
    assert world.sent() == sent


def _steps_of(report: Report) -> int:
    world, execution, token = at_work()
    taken = len(world.steps.taken)
    report(world, execution, token)
    return len(world.steps.taken) - taken


@every_report
def test_a_process_that_dies_anywhere_leaves_what_a_repeated_report_finishes(report: Report) -> None:
    for moment in range(2 * _steps_of(report)):
        world, execution, token = at_work()
        since = 2 * len(world.steps.taken)
        world.steps.at_each = partial(_at, since + moment, die)
        with pytest.raises(Crash):
            report(world, execution, token)
        world.steps.at_each = None
        report(world, execution, token)
        standing = world.standing(execution.id)
        assert len(standing.progress.outcomes) == 1, moment
        assert standing.state is LEADS_TO[report], moment
        assert (execution.id in world.sent()) is (report is fail), moment


@every_report
def test_a_rival_at_any_step_makes_no_second_outcome(report: Report) -> None:
    for moment in range(2 * _steps_of(report)):
        world, execution, token = at_work()
        since = 2 * len(world.steps.taken)

        rival = partial(report, world, execution, token)
        world.steps.at_each = partial(_at, since + moment, rival)
        report(world, execution, token)
        assert len(world.standing(execution.id).progress.outcomes) == 1, moment


def _at(moment: int, act: Callable[[], object], now: int, _: str) -> None:
    if now == moment:
        act()
