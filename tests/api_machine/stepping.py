"""The machine by hand: its steps in an order that a test gives."""

from typing import Any

from tests.api_machine.every_rule import Machine
from tests.api_machine.executions import Behaviour

FAILS = Behaviour(statuses=(500,))
FAILS_ONCE = Behaviour(statuses=(500, 200))
GONE = Behaviour(statuses=(410,))
IMPATIENT = {"max_attempts": 2, "base_seconds": 10, "factor": 1, "cap_seconds": 1_000}
PATIENT = {"max_attempts": 4, "base_seconds": 1_000, "factor": 2, "cap_seconds": 2_000}


class Stepping:
    """The machine's steps in an order that a test gives."""

    def __init__(self) -> None:
        self._machine = Machine()
        self._machine.begin(later_ms=0)
        self._machine.begin_workflows()
        self._machine.begin_events()
        self._machine.begin_calendars()
        self._machine.begin_targets()
        self._machine.begin_auth()

    def step(self, rule: str, **arguments: object) -> Any:
        """One step, and whether everything holds after it."""
        result = getattr(self._machine, rule)(**arguments)
        self._machine.every_promise_holds()
        self._machine.every_limited_event_was_called_in_time()
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

    def change(self, rule: str, **arguments: object) -> None:
        """One step that changes the first job, as it stands unless something else is said."""
        self.step(rule, **({"pick": 0, "match": "current"} | arguments))

    def end(self) -> None:
        """Count what it came to."""
        self._machine.teardown()
