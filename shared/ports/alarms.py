"""The alarms of a deployment, as its monitoring service judges them."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from shared.dataclass import dataclass


class AlarmState(StrEnum):
    """In the order of a list: what an operator must see first comes first."""

    ALARM = "alarm"
    INSUFFICIENT_DATA = "insufficient_data"
    OK = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """An alarm and its present state."""

    name: str
    """Without the name of the stage, such as `OldestUnclaimedDue`."""
    state: AlarmState
    since: int
    """When it got this state, in UTC ms."""
    meaning: str
    """What is wrong while it is in alarm."""
    reason: str
    """The values and the threshold behind the state, in the words of the monitoring service."""
    runbook: str | None
    """The page about it, from the root of the repository; None for an alarm without one."""
    notifies: bool
    """Whether a change of its state notifies the operators."""


class Alarms(Protocol):
    """Read-only view of all alarms."""

    def read(self) -> Sequence[Alarm]:
        """All alarms of the stage in this region, in any order. UnavailableError without a complete answer."""
        ...
