"""The time over which jobs are compared."""

from typing import NamedTuple

from punctual.importers.compare import DAYS
from punctual.importers.models.clock import DAY


class Span(NamedTuple):
    """The seconds from which and until which instants are compared."""

    start: int
    end: int


def span_from(now: int) -> Span:
    """Return the 400 days that begin at the first full minute after the next, which no clock is beyond."""
    start = (now // 60 + 2) * 60
    return Span(start, start + DAYS * DAY)
