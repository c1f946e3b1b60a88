"""The result of a bulk redrive for one dead letter."""

from collections.abc import Callable
from enum import Enum, auto
from typing import TypeVar

from shared.domain.errors import PunctualError, ServiceError, UnknownVersionError

T = TypeVar("T")


class Outcome(Enum):
    """The result for one dead letter."""

    REDRIVEN = auto()
    SKIPPED = auto()
    REFUSED = auto()


def unless_refused(act: Callable[[], T]) -> T | Outcome:
    """The result of a step. An error that is the fault of the service, or of a newer release, passes."""
    try:
        return act()
    except (ServiceError, UnknownVersionError):
        raise
    except PunctualError:
        return Outcome.REFUSED
