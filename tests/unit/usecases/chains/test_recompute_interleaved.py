"""RECOMPUTE while executors are at work, others change the job too, and processes die."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from shared.domain.executions.states import NOT_STARTED
from shared.domain.jobs.job import CHANGING, JobState
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import Chain
from tests.support.usecases.moments import at_moment, begun
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.tzdata_upgrade import (
    SITUATIONS,
    Change,
    close,
    recompute,
)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_afterwards_every_instant_is_told_of_once(situation: Callable[[], Chain]) -> None:
    chain = situation()
    assert recompute(chain)
    close(chain)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_recompute_may_crash_at_any_step(situation: Callable[[], Chain]) -> None:
    for moment in moments_of(situation):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, die)
        with suppress(Crash):
            recompute(chain)
        close(chain)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_executors_may_claim_and_file_at_any_moment(situation: Callable[[], Chain]) -> None:
    for moment in moments_of(situation):
        chain = begun(situation)
        chain.world.steps.at_each = at_moment(moment, chain.work)
        recompute(chain)
        close(chain)


@pytest.mark.parametrize("rival", [recompute, Chain.pause, Chain.delete])
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_rivals_may_come_at_any_moment(situation: Callable[[], Chain], rival: Change) -> None:
    for moment in moments_of(situation):
        chain = begun(situation)
        acknowledged: list[object] = []
        chain.world.steps.at_each = at_moment(moment, partial(_act, rival, chain, acknowledged))
        recompute(chain)
        chain.world.steps.calm()
        assert chain.standing.state not in CHANGING
        assert_accounted(chain)
        if acknowledged and rival is not recompute:
            assert chain.standing.state in (JobState.PAUSED, JobState.DELETED)
            assert not [one for one in chain.executions() if one.state in NOT_STARTED]


def moments_of(situation: Callable[[], Chain]) -> range:
    """Before each call of an undisturbed run, and of some more for one that is disturbed."""
    chain = begun(situation)
    recompute(chain)
    return range(0, 2 * len(chain.world.steps.taken) + 4, 2)


def _act(rival: Change, chain: Chain, acknowledged: list[object]) -> None:
    acknowledged.append(rival(chain))
