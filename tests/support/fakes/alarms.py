"""Alarms in memory."""

from collections.abc import Sequence

from shared.ports.alarms import Alarm


class FakeAlarms:
    """The alarms that a test has set."""

    def __init__(self, *alarms: Alarm) -> None:
        self.alarms = list(alarms)

    def read(self) -> Sequence[Alarm]:
        return [*self.alarms]
