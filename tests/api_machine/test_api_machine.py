"""Everything that the API promises, tried in any order against a model of a few hundred lines.

`API_MACHINE_EXAMPLES=5000` runs so many histories instead, other ones each time.
"""

import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.api_machine.cancelling import Cancelling
from tests.api_machine.creating import Creating
from tests.api_machine.machine import SEEN
from tests.api_machine.passing_time import PassingTime
from tests.api_machine.reading import Reading
from tests.api_machine.refusing import Refusing
from tests.api_machine.trespassing import Trespassing

ASKED = os.environ.get("API_MACHINE_EXAMPLES")
SETTINGS = settings(
    max_examples=int(ASKED or 40),
    stateful_step_count=40,
    derandomize=ASKED is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Machine(Creating, Refusing, Cancelling, Reading, Trespassing, PassingTime):
    """All rules together."""


@pytest.fixture(autouse=True)
def _without_the_log() -> Iterator[None]:
    """What matters of a history is its steps."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_the_api_keeps_its_promises() -> None:
    run_state_machine_as_test(Machine, settings=SETTINGS)
    for what in sorted(SEEN):
        print(what, SEEN[what])
