"""States that alarms have and went through."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BURNS = ("StartBurn", "ApiBurn")
"""They look back for one hour and for six, so the faults and the bursts of a run may keep them firing after it."""


def went_and_came_back(states: Sequence[str]) -> bool:
    """Whether an alarm fired and recovered after that, by its states in order of time."""
    try:
        fired = states.index("ALARM")
    except ValueError:
        return False
    return "OK" in states[fired:]


def left_firing(alarms: Iterable[Mapping[str, Any]], prefix: str) -> list[str]:
    """The alarms of a stage that fire although the causes are over. Burn rates are not judged."""
    burns = tuple(f"{prefix}-{burn}" for burn in BURNS)
    return [
        alarm["AlarmName"]
        for alarm in alarms
        if alarm["StateValue"] == "ALARM" and not alarm["AlarmName"].startswith(burns)
    ]
