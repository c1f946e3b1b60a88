"""BACKFILL and DELETE with a crash or a rival at each step: what was promised is made, what was deleted stays so."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest

from shared.domain.errors import InvalidStateError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.jobs.job import CHANGING, JobState
from shared.usecases.ticks.reconcile_job import STUCK_MS
from tests.support.builders import DUE_AT, TENANT, in_state, with_changes
from tests.support.usecases.backfills import RANGE, WANTED, Case, hourly
from tests.support.usecases.moments import at_moment
from tests.support.usecases.steps import Crash, die

pytestmark = pytest.mark.exhaustive

SLOW = replace(RANGE, every_seconds=5)


def begun() -> Case:
    """The first run has been made, and the second is to come."""
    case = hourly()
    case.ask(SLOW)
    case.until(2)
    assert len(case.calls()) == 1
    return case


def paused() -> Case:
    """It goes on when somebody says so."""
    case = begun()
    case.world.lifecycle.pause.execute(TENANT, case.child.id)
    return case


def completed_with_a_retry() -> Case:
    """All runs have begun, and one waits for another attempt."""
    case = hourly()
    case.ask()
    case.until(10)
    last = case.executions()[-1]
    row = case.world.table.executions[last.id]
    row.execution = in_state(with_changes(last, state=State.PENDING, attempt=0, outcomes=()), State.WAITING)
    row.expires_at_s = None
    assert case.child.state is JobState.COMPLETED
    return case


def two_of_them() -> Case:
    """One of them pauses, the other runs."""
    case = paused()
    case.ask(RANGE, key=None)
    return case


def being(state: JobState) -> Callable[[], Case]:
    """A change of the backfill had begun when its maker died."""

    def situation() -> Case:
        case = begun()
        job = replace(case.child, state=state, revision=2, changed_at=DUE_AT)
        case.world.table.jobs[TENANT, job.id] = job
        return case

    situation.__name__ = state.value
    return situation


SITUATIONS = [
    begun,
    paused,
    completed_with_a_retry,
    two_of_them,
    being(JobState.PAUSING),
    being(JobState.DELETING),
]


def steps_of(situation: Callable[[], Case], act: Callable[[Case], object]) -> range:
    """Before and after each port call of something that is not disturbed."""
    case = situation()
    case.world.steps.taken.clear()
    act(case)
    return range(2 * len(case.world.steps.taken))


@pytest.mark.parametrize("is_lost", [False, True], ids=["crash", "no answer"])
def test_a_request_that_dies_anywhere_is_healed_by_its_repetition(is_lost: bool) -> None:
    for moment in steps_of(hourly, Case.ask):
        case = hourly()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, _unanswered if is_lost else die)
        with suppress(Crash, UnavailableError):
            case.ask()
        case.world.steps.calm()
        made = case.ask()
        assert [made.job] == case.backfills(), moment
        case.until(10)
        case.assert_made_up_for()


def test_a_request_that_dies_and_is_never_repeated_leaves_a_whole_backfill_or_none() -> None:
    for moment in steps_of(hourly, Case.ask):
        case = hourly()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, die)
        with suppress(Crash):
            case.ask()
        case.world.steps.calm()
        assert len(case.backfills()) == len(case.executions())


def test_a_rival_with_the_same_key_at_any_moment_makes_no_second_one() -> None:
    for moment in steps_of(hourly, Case.ask):
        case = hourly()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, case.ask)
        case.ask()
        case.world.steps.calm()
        assert len(case.backfills()) == 1, moment
        case.until(10)
        case.assert_made_up_for()


def test_backfill_that_races_a_deletion_is_refused_or_ended() -> None:
    outcomes = set()
    for moment in steps_of(hourly, Case.ask):
        case = hourly()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, case.delete)
        try:
            case.ask()
            outcomes.add("made")
        except InvalidStateError:
            outcomes.add("refused")
            assert case.backfills() == []
        case.world.steps.calm()
        case.until(10)
        case.assert_ended()
        assert case.parent.state is JobState.DELETED
    assert outcomes == {"made", "refused"}


def test_a_backfill_that_is_asked_for_during_a_deletion_is_refused_or_ended_by_it() -> None:
    for moment in steps_of(begun, Case.delete):
        case = begun()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, partial(_asked, case))
        case.delete()
        case.world.steps.calm()
        case.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_deletion_of_a_job_ends_its_backfills(
    situation: Callable[[], Case],
) -> None:
    case = situation()
    assert case.delete().state is JobState.DELETED
    case.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_executors_may_work_at_any_moment_of_the_deletion(situation: Callable[[], Case]) -> None:
    for moment in steps_of(situation, Case.delete):
        case = situation()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, partial(case.until, 7))
        case.delete()
        case.world.steps.calm()
        case.assert_ended()


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("finisher", ["repetition", "reconciler"])
def test_a_deletion_that_dies_anywhere_is_finished_by_whoever_meets_it(
    situation: Callable[[], Case], finisher: str
) -> None:
    for moment in steps_of(situation, Case.delete):
        case = situation()
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, die)
        with suppress(Crash):
            case.delete()
        case.world.steps.calm()
        if finisher == "repetition":
            case.delete()
        elif case.parent.state in CHANGING:
            case.world.clock.time_ms += STUCK_MS
            assert case.world.reconcile_job.execute(case.parent, 0, 1).is_completed
        else:
            continue
        case.assert_ended()
        assert case.parent.state is JobState.DELETED


@pytest.mark.parametrize("situation", [begun, paused])
@pytest.mark.parametrize("verb", ["pause", "resume", "delete"])
def test_a_rival_of_the_deletion_may_change_the_backfill_at_any_moment(
    situation: Callable[[], Case], verb: str
) -> None:
    for moment in steps_of(situation, Case.delete):
        case = situation()
        backfill_id = case.child.id
        case.world.steps.taken.clear()
        change = getattr(case.world.lifecycle, verb)
        case.world.steps.at_each = at_moment(moment, partial(_tried, change.execute, backfill_id))
        case.delete()
        case.world.steps.calm()
        case.assert_ended()


def test_a_backfill_that_others_change_all_the_time_lets_no_deletion_be_acknowledged() -> None:
    case = paused()

    def rename() -> None:
        backfill = case.child
        definition = replace(backfill.definition, name=f"n{backfill.revision}")
        case.world.lifecycle.update.execute(TENANT, backfill.id, definition, revision=backfill.revision)

    case.world.steps.before("jobs.replace", lambda: None)
    case.world.steps.before("jobs.replace", rename, times=5)
    with pytest.raises(UnavailableError):
        case.delete()
    assert case.parent.state is JobState.DELETING
    case.world.steps.calm()
    assert case.delete().state is JobState.DELETED
    case.assert_ended()


def test_a_backfill_is_deleted_by_its_own_id_and_the_job_goes_on() -> None:
    for moment in steps_of(begun, lambda case: case.delete(case.child.id)):
        case = begun()
        backfill_id = case.child.id
        case.world.steps.taken.clear()
        case.world.steps.at_each = at_moment(moment, die)
        with suppress(Crash):
            case.delete(backfill_id)
        case.world.steps.calm()
        assert case.delete(backfill_id).state is JobState.DELETED
        case.assert_ended()
        assert case.parent == case.job


def test_a_deletion_of_one_job_leaves_the_backfills_of_another_alone() -> None:
    case = begun()
    other = case.world.recurring(2)
    case.world.delete_job.execute(TENANT, other.id)
    case.until(30)
    case.assert_made_up_for()
    assert len(WANTED) == len(case.calls())


def _asked(case: Case) -> None:
    with suppress(InvalidStateError):
        case.ask(RANGE, key=None)


def _tried(change: Callable[[str, str], object], backfill_id: str) -> None:
    with suppress(InvalidStateError, UnavailableError):
        change(TENANT, backfill_id)


def _unanswered() -> None:
    raise UnavailableError("injected")
