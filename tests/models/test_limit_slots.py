"""Slots are never leased beyond the limit, one call probes, and whoever dies stops nobody for ever."""

import pytest

from tests.models.configurations import LIMITS, flawed_limits
from tests.models.explorer import explore
from tests.models.limit_slots import Flaw


@pytest.mark.parametrize("size", LIMITS)
def test_no_limit_is_exceeded_and_everything_is_called_in_the_end(size: str) -> None:
    found = explore(LIMITS[size])
    assert found.fault is None, str(found.fault)
    assert found.states > 500


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name.lower())
def test_every_planted_flaw_of_limit_slots_is_found(flaw: Flaw) -> None:
    assert explore(flawed_limits(flaw)).fault is not None, flaw.value
