"""HEARTBEAT: a sign of life carries an attempt on, up to its deadline, and never one that is over."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.executions import Claim
from tests.support.builders import DUE_AT, execution_id, with_changes
from tests.support.fakes.table import Damage
from tests.support.usecases.overtaking import during_the_call
from tests.support.usecases.reports import ASYNC_ACCEPTED, die_unheard, is_running, token_of, working
from tests.support.usecases.steps import Crash
from tests.support.usecases.world import World

DEADLINE = DUE_AT + 600_000


def beat(world: World, execution: Execution, token: str) -> int:
    """How far the lease reaches now."""
    return world.heartbeat.execute(str(execution.id), token).lease_until


def test_heartbeat_extends_the_lease_by_one_interval() -> None:
    world, execution, token = working()
    world.clock.time_ms = DUE_AT + 40_000
    heard = world.heartbeat.execute(str(execution.id), token)
    assert (heard.lease_until, heard.deadline_at) == (DUE_AT + 100_000, DEADLINE)
    assert (heard.execution_id, heard.attempt) == (str(execution.id), 1)
    assert world.standing(execution.id) == with_changes(execution, lease_until=DUE_AT + 100_000)


def test_heartbeat_never_extends_the_lease_beyond_the_deadline() -> None:
    world, execution, token = working()
    world.clock.time_ms = DEADLINE - 1
    assert beat(world, execution, token) == DEADLINE
    world.clock.time_ms = DEADLINE
    with pytest.raises(InvalidStateError, match="deadline"):
        beat(world, execution, token)


def test_heartbeat_never_shortens_the_lease() -> None:
    """Of two at once, or by two clocks, the one that reaches further counts."""
    world, execution, token = working()
    world.clock.time_ms = DUE_AT + 40_000
    beat(world, execution, token)
    world.clock.time_ms = DUE_AT + 38_000
    assert beat(world, execution, token) == DUE_AT + 100_000
    assert world.standing(execution.id).progress.lease_until == DUE_AT + 100_000


def test_concurrent_heartbeats_leave_the_later_lease() -> None:
    world, execution, token = working()

    def overtake() -> None:
        world.clock.time_ms = DUE_AT + 50_000
        beat(world, execution, token)

    world.clock.time_ms = DUE_AT + 20_000
    world.steps.before("store.extend_lease", overtake)
    assert beat(world, execution, token) == DUE_AT + 110_000
    assert world.standing(execution.id).progress.lease_until == DUE_AT + 110_000


def test_late_heartbeat_is_accepted_while_no_worker_has_taken_over() -> None:
    world, execution, token = working()
    die_unheard(world, execution)
    beat(world, execution, token)
    world.attempt(execution)
    assert is_running(world, execution)
    assert len(world.sender.calls) == 1


def test_heartbeat_is_refused_after_another_attempt_has_begun() -> None:
    world, execution, token = working()
    die_unheard(world, execution)
    world.attempt(execution)
    before = world.standing(execution.id)
    with pytest.raises(InvalidStateError, match="attempt 1 is over"):
        beat(world, execution, token)
    assert world.standing(execution.id) == before
    beat(world, execution, token_of(world))


def test_heartbeat_is_refused_when_its_attempt_is_taken_over_during_the_write() -> None:
    world, execution, token = working()
    die_unheard(world, execution)
    claim = [Claim(execution_id=execution.id, owner="b" * 16)]
    world.steps.before("store.extend_lease", lambda: world.claimer.claim(claim, world.clock.now_ms()))
    with pytest.raises(InvalidStateError):
        beat(world, execution, token)
    assert world.standing(execution.id).progress.owner == "b" * 16


@pytest.mark.parametrize("report", ["complete", "fail"])
def test_heartbeat_after_a_report_is_too_late(report: str) -> None:
    world, execution, token = working()
    getattr(world.report_outcome, report)(str(execution.id), token)
    before = world.standing(execution.id)
    with pytest.raises(InvalidStateError):
        beat(world, execution, token)
    assert world.standing(execution.id) == before


@pytest.mark.parametrize("report", ["complete", "fail"])
def test_heartbeat_loses_a_race_with_a_report(report: str) -> None:
    world, execution, token = working()
    world.steps.before(
        "store.extend_lease", lambda: getattr(world.report_outcome, report)(str(execution.id), token)
    )
    with pytest.raises(InvalidStateError):
        beat(world, execution, token)
    assert world.standing(execution.id).state is not State.RUNNING


def test_stopped_retries_do_not_keep_the_last_attempt_from_going_on() -> None:
    world, execution, token = working()
    world.cancel_job.execute(execution.tenant_id, execution.job_id, stop_retries=True)
    world.clock.time_ms += 30_000
    assert beat(world, execution, token) == world.clock.now_ms() + 60_000


def test_heartbeat_during_the_call_keeps_the_lease_and_makes_the_attempt_async() -> None:
    """Should the worker die before it can write down the 202, the receiver is at work all the same."""
    world = World(DUE_AT)
    execution = world.put(world.one_off())

    def die() -> None:
        beat(world, execution, token_of(world))
        raise Crash

    world.sender.answer_to = during_the_call(die, ASYNC_ACCEPTED)
    with pytest.raises(Crash):
        world.attempt(execution)
    standing = world.standing(execution.id)
    assert (standing.progress.lease_until, standing.progress.async_until) == (
        DUE_AT + 60_000,
        DUE_AT + 3_600_000,
    )


def test_a_lost_answer_is_asked_for_again_by_the_receiver() -> None:
    world, execution, token = working()
    world.clock.time_ms += 10_000
    world.steps.lose_answer("store.extend_lease")
    with pytest.raises(UnavailableError):
        beat(world, execution, token)
    assert beat(world, execution, token) == world.clock.now_ms() + 60_000


@pytest.mark.parametrize(
    "spoil", ["cut", "longer", "other code", "other attempt", "other owner", "empty", "unicode"]
)
def test_no_other_token_is_good(spoil: str) -> None:
    world, execution, token = working()
    head, attempt, owner, code = token.split("_", 3)
    spoilt = {
        "cut": token[:-1],
        "longer": token + "A",
        "other code": f"{head}_{attempt}_{owner}_{'A' * 43}",
        "other attempt": f"{head}_2_{owner}_{code}",
        "other owner": f"{head}_{attempt}_{'0' * 16}_{code}",
        "empty": "",
        "unicode": token[:-1] + "\u0661",
    }[spoil]
    before = world.standing(execution.id)
    with pytest.raises(NotFoundError):
        beat(world, execution, spoilt)
    assert world.standing(execution.id) == before


def test_a_token_is_good_for_its_own_execution_alone() -> None:
    world, execution, token = working()
    other = world.put(world.one_off(2))
    world.attempt(other)
    with pytest.raises(NotFoundError):
        beat(world, other, token)
    with pytest.raises(NotFoundError):
        beat(world, execution, token_of(world))


Unknown = Callable[[World, Execution], str]


@pytest.mark.parametrize(
    "unknown",
    [
        lambda world, execution: str(execution_id(77)),
        lambda world, execution: "",
        lambda world, execution: "exe_",
        lambda world, execution: execution.job_id,
        lambda world, execution: str(execution.id).upper(),
        lambda world, execution: str(execution.id) + "0",
        lambda world, execution: "\ud800",
    ],
)
def test_unknown_and_malformed_ids_are_answered_like_a_bad_token(unknown: Unknown) -> None:
    world, execution, token = working()
    with pytest.raises(NotFoundError) as of_id:
        world.heartbeat.execute(unknown(world, execution), token)
    with pytest.raises(NotFoundError) as of_token:
        world.heartbeat.execute(str(execution.id), "nonsense")
    assert str(of_id.value) == str(of_token.value)


def test_a_token_of_the_same_attempt_under_another_tenants_key_is_not_good() -> None:
    world, execution, token = working()
    world.create_tenant.execute("other")
    row = world.table.executions[execution.id]
    row.execution = replace(row.execution, tenant_id="other")
    with pytest.raises(NotFoundError):
        beat(world, execution, token)


def test_an_execution_of_a_tenant_that_has_gone_is_not_found() -> None:
    world, execution, token = working()
    world.table.executions[execution.id].execution = replace(execution, tenant_id="gone")
    with pytest.raises(NotFoundError):
        beat(world, execution, token)


@pytest.mark.parametrize("damage", Damage)
def test_heartbeat_of_an_unreadable_execution_is_unavailable(damage: Damage) -> None:
    world, execution, token = working()
    world.table.executions[execution.id].damage = damage
    with pytest.raises(UnavailableError):
        beat(world, execution, token)


def test_a_token_has_the_documented_form() -> None:
    _, _, token = working()
    assert re.fullmatch(r"ct1_1_[0-9a-f]{16}_[A-Za-z0-9_-]{43}", token)
