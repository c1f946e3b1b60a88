"""What is acknowledged has been sent, or will be seen: writers, watchers and sweepers of one bucket."""

import itertools

import pytest

from shared.domain.bucket import GUARD_MS
from tests.models.bucket_rules import STEP_MS, Clocks, instants, moment
from tests.models.configurations import FILING, flawed_filing
from tests.models.explorer import explore
from tests.models.filing import FilingModel
from tests.models.filing_world import Flaw


@pytest.mark.parametrize("size", FILING)
def test_acknowledged_execution_is_in_its_lane_or_will_be_scanned(size: str) -> None:
    found = explore(FILING[size])
    assert found.fault is None, str(found.fault)
    assert found.states > 5_000


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name.lower())
def test_every_planted_flaw_of_filing_is_found(flaw: Flaw) -> None:
    assert explore(flawed_filing(flaw)).fault is not None, flaw.value


def test_clocks_less_than_half_the_guard_off_leave_everything_in_its_order() -> None:
    """So that the model, which is searched with the worst of them, speaks for all of them."""
    offsets = range(STEP_MS - GUARD_MS // 2, GUARD_MS // 2, STEP_MS)
    orders = {_order(Clocks(writer, tick)) for writer, tick in itertools.product(offsets, repeat=2)}
    assert len(orders) == 1


def test_clocks_further_apart_than_the_guard_are_not_promised_anything() -> None:
    too_far_ms = GUARD_MS // 2 + STEP_MS
    assert explore(FilingModel(clocks=Clocks(-too_far_ms, too_far_ms))).fault is not None


def _order(clocks: Clocks) -> tuple[object, ...]:
    return tuple(moment(instant, clocks) for instant in instants(clocks))
