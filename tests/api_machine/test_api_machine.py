"""Everything that the API promises, tried in any order against a model that shares no code with it.

`API_MACHINE_EXAMPLES=5000` runs so many histories instead, other ones each time.
"""

import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.api_machine.cancelling import Cancelling
from tests.api_machine.creating import Creating
from tests.api_machine.executions import Behaviour
from tests.api_machine.passing_time import PassingTime
from tests.api_machine.reading import Reading
from tests.api_machine.refusing import Refusing
from tests.api_machine.sightings import SEEN
from tests.api_machine.trespassing import Trespassing

ASKED = os.environ.get("API_MACHINE_EXAMPLES")
SETTINGS = settings(
    max_examples=int(ASKED or 40),
    stateful_step_count=40,
    derandomize=ASKED is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
FAILS = Behaviour(statuses=(500,))
FAILS_ONCE = Behaviour(statuses=(500, 200))
IMPATIENT = {"max_attempts": 2, "base_seconds": 10, "factor": 1, "cap_seconds": 1_000}
PATIENT = {"max_attempts": 4, "base_seconds": 1_000, "factor": 2, "cap_seconds": 2_000}


MET = {
    "created rate_seconds",
    "created delay_seconds",
    "key reused",
    "replayed active",
    "cancelled while running, stop_retries=None",
    "cancelled while running, stop_retries=true",
    "cancelled while failed, stop_retries=true",
    "cancelled while waiting, stop_retries=None",
    "deleted",
    "looked on, active",
    "trespassed",
    "instants missed",
    "cursor misused",
    "dead letters: 3 pages",
    "history: 2 pages",
    "failed: stopped",
    "failed: attempts_used_up",
    "2 attempts",
}


class Machine(Creating, Refusing, Cancelling, Reading, Trespassing, PassingTime):
    """All rules together."""


class Stepping:
    """The machine's steps in an order that a test gives."""

    def __init__(self) -> None:
        self._machine = Machine()
        self._machine.begin(later_ms=0)

    def step(self, rule: str, **arguments: object) -> Any:
        """One step, and whether everything holds after it."""
        result = getattr(self._machine, rule)(**arguments)
        self._machine.every_promise_holds()
        return result

    def create(
        self,
        rule: str,
        wish: object,
        behaviour: Behaviour,
        key: str | None = None,
        retry: dict[str, int] | None = None,
    ) -> None:
        """A job of the first tenant."""
        details: dict[str, object] = {"request": {}} | ({"retry": retry} if retry else {})
        self.step(rule, tenant="acme", wish=wish, details=details, behaviour=behaviour, key=key)

    def end(self) -> None:
        """Count what it came to."""
        self._machine.teardown()


@pytest.fixture(autouse=True)
def _without_the_log() -> Iterator[None]:
    """What matters of a history is its steps."""
    logging.disable()
    SEEN.clear()
    yield
    logging.disable(logging.NOTSET)


def test_the_api_keeps_its_promises() -> None:
    run_state_machine_as_test(Machine, settings=SETTINGS)
    assert {"created at", "created cron", "created rate_seconds", "trespassed", "deleted"} <= set(SEEN)


def test_the_rules_meet_what_they_are_made_for() -> None:
    walk = Stepping()
    walk.create("create_recurring", ("rate", 60), FAILS, "a", retry=IMPATIENT)
    walk.create("create_recurring", ("cron", ("*/5 * * * *", None)), FAILS_ONCE, "a")
    walk.create("create_once", ("delay", 40), FAILS, retry=PATIENT)
    walk.step("replay", pick=0, change={"name": "other"})
    walk.step("cancel_while_it_runs", pick=1, stop_retries=None)
    walk.step("cancel_while_it_runs", pick=1, stop_retries="true")
    walk.step("cancel", pick=1, stop_retries="true")
    walk.create("create_once", ("delay", 1), FAILS, retry=PATIENT)
    walk.step("wait_for_the_next_call", pick=1)
    walk.step("cancel", pick=1, stop_retries=None)
    walk.step("pass_time", seconds=200, part_ms=7)
    walk.step("stand_still", seconds=600)
    walk.step("pass_time", seconds=400, part_ms=0)
    walk.step("look_on_while_it_runs", pick=0)
    walk.step("trespass", pick=0)
    letters = walk.step("begin_dead_letters", pick=0, limit=1)
    history = walk.step("begin_history", pick=0, limit=3)
    walk.step("misuse_cursor", listing=letters, tampered="not")
    walk.step("misuse_cursor", listing=history, tampered="not")
    walk.step("cancel_while_it_runs", pick=0, stop_retries=None)
    walk.step("read_on", listing=letters, limit=2, pages=1_000)
    walk.step("read_on", listing=history, limit=1, pages=1)
    walk.end()
    assert set(SEEN) >= MET
