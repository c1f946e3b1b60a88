"""Everything that the API promises, tried in any order against a model that shares no code with it.

`API_MACHINE_EXAMPLES=5000` runs so many histories instead, other ones each time.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.api_machine.every_rule import Machine
from tests.api_machine.sightings import SEEN

ASKED = os.environ.get("API_MACHINE_EXAMPLES")
SETTINGS = settings(
    max_examples=int(ASKED or 200),
    stateful_step_count=40,
    derandomize=ASKED is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_the_api_keeps_its_promises() -> None:
    run_state_machine_as_test(Machine, settings=SETTINGS)
    assert {
        "created at",
        "created cron",
        "created rate_seconds",
        "reached across",
        "deleted while active",
    } <= set(SEEN)
