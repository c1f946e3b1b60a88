"""Instants of commands."""

from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.schedules.schedule import parse_instant


def instant(name: str, text: str | None, default: int) -> int:
    """UTC in ms, of an option; InvalidValueError names it."""
    if text is None:
        return default
    try:
        return max(0, parse_instant(text, None))
    except ScheduleError as error:
        raise InvalidValueError(f"{name} is an instant such as 2026-01-31T00:00:00Z") from error
