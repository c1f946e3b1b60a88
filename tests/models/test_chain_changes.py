"""Each instant of a job that is paused, resumed and updated is told of once, and starts once or not at all."""

import pytest

from tests.models.chain_change_world import Flaw
from tests.models.configurations import CHANGES, flawed_change
from tests.models.explorer import explore


@pytest.mark.parametrize("size", CHANGES)
def test_no_instant_is_lost_or_starts_twice_whoever_changes_the_job(size: str) -> None:
    found = explore(CHANGES[size])
    assert found.fault is None, str(found.fault)
    assert found.states > 1_000


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name.lower())
def test_every_planted_flaw_of_chain_changes_is_found(flaw: Flaw) -> None:
    assert explore(flawed_change(flaw)).fault is not None, flaw.value
