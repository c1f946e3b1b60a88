"""Each instant of a recurring job has its execution or a recorded gap, and an acknowledged deletion ends it all."""

import pytest

from tests.models.chain_world import Flaw
from tests.models.configurations import CHAIN, flawed_chain
from tests.models.explorer import explore


@pytest.mark.parametrize("size", CHAIN)
def test_no_instant_is_lost_and_nothing_starts_after_a_deletion(size: str) -> None:
    found = explore(CHAIN[size])
    assert found.fault is None, str(found.fault)
    assert found.states > 1_000


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name.lower())
def test_every_planted_flaw_of_chains_is_found(flaw: Flaw) -> None:
    assert explore(flawed_chain(flaw)).fault is not None, flaw.value
