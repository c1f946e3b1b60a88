"""A change whose answer was lost is asked for again: once it is acknowledged, what it brought about is sent for."""

from dataclasses import replace
from functools import partial
from itertools import count

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from tests.support.builders import TENANT
from tests.support.usecases import chains
from tests.support.usecases.chains import Chain
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

SOON_MS = 20_000


def _found(world: World, job_id: str) -> Execution:
    found = world.find_job.execute(TENANT, job_id)
    assert isinstance(found, Execution)
    return found


def _move(world: World, job_id: str, due_at: int) -> Execution:
    """As a client does it: look at the job, and change it if it is still so."""
    seen = _found(world, job_id)
    return world.revise_job.update_one_off.execute(
        seen, replace(seen, name="moved"), due_at=due_at, jitter_ms=0
    )


def _is_sent_for(world: World, job_id: str) -> bool:
    return _found(world, job_id).id in world.sent()


def test_a_move_that_crashed_before_its_message_is_sent_for_when_it_is_asked_for_again() -> None:
    world = World()
    job = world.accept_one_off()
    due_at = world.clock.time_ms + SOON_MS
    world.steps.crash_after("one_offs.move")
    with pytest.raises(Crash):
        _move(world, job.job_id, due_at)
    assert not _is_sent_for(world, job.job_id)
    assert _move(world, job.job_id, due_at).nominal_at == due_at
    assert _is_sent_for(world, job.job_id)


def test_a_change_that_cannot_be_sent_for_is_not_acknowledged() -> None:
    world = World()
    job = world.accept_one_off()
    due_at = world.clock.time_ms + SOON_MS
    world.steps.crash_after("one_offs.move")
    with pytest.raises(Crash):
        _move(world, job.job_id, due_at)
    world.steps.fail("queue.send")
    with pytest.raises(UnavailableError):
        _move(world, job.job_id, due_at)


def test_a_change_of_what_is_far_off_sends_for_nothing() -> None:
    world = World()
    job = world.accept_one_off()
    assert _move(world, job.job_id, job.nominal_at).name == "moved"
    assert world.sent() == []


def test_repeated_update_sends_the_wakeup_of_its_first_run() -> None:
    chain = chains.running_with_successor()
    updates = count(1)
    chain.world.steps.after("jobs.replace", lambda: die() if next(updates) == 2 else None, times=2)
    with pytest.raises(Crash):
        chain.update(request=b"another")
    chain.world.steps.calm()
    updated = chain.update(request=b"another")
    assert updated.id_at(updated.chain_from) in chain.world.sent()


def test_an_update_that_a_rival_has_finished_is_acknowledged_only_once_its_first_run_is_sent_for() -> None:
    """The rival died between its write and its message."""
    chain = chains.running_with_successor()
    chain.world.steps.before("jobs.replace", lambda: None)
    chain.world.steps.before("jobs.replace", partial(_finish_and_die, chain))
    updated = chain.update(request=b"another")
    assert updated.id_at(updated.chain_from) in chain.world.sent()


def _finish_and_die(chain: Chain) -> None:
    chain.world.lifecycle.find_settled.execute(chain.job.tenant_id, chain.job.id)
    head = chain.standing.id_at(chain.standing.chain_from)
    assert chain.world.queue.messages.pop().wakeup.keys == (head,)
