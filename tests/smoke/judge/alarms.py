"""States that an alarm went through."""

from collections.abc import Sequence


def went_and_came_back(states: Sequence[str]) -> bool:
    """Whether an alarm fired and recovered after that, by its states in order of time."""
    try:
        fired = states.index("ALARM")
    except ValueError:
        return False
    return "OK" in states[fired:]
