"""Every state of claim, lease and completion keeps its promises, and each fault breaks one."""

from dataclasses import replace

import pytest

from tests.models.attempt_world import Flaw
from tests.models.attempts import Attempts
from tests.models.configurations import ATTEMPTS, flawed_attempts
from tests.models.explorer import explore


@pytest.mark.parametrize("size", ATTEMPTS)
def test_attempt_has_a_single_owner_a_single_call_and_a_reachable_end(size: str) -> None:
    found = explore(ATTEMPTS[size])
    assert found.fault is None, str(found.fault)
    assert found.states > 500


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name.lower())
def test_every_planted_flaw_of_attempts_is_found(flaw: Flaw) -> None:
    assert explore(flawed_attempts(flaw)).fault is not None, flaw.value


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name.lower())
def test_the_size_in_which_a_fault_shows_holds_without_it(flaw: Flaw) -> None:
    sound = flawed_attempts(flaw)
    assert replace(sound, flaw=None) in ATTEMPTS.values()


def test_the_one_call_that_is_doubled_is_that_of_a_worker_that_outlived_its_lease() -> None:
    fault = explore(Attempts(stalls=True, excuses_the_dead=False)).fault
    assert fault is not None
    labels = [label for label, _ in fault.trace]
    looked, called = labels.index("worker looks at its lease"), len(labels) - 1
    assert "time passes" in labels[looked:called]
