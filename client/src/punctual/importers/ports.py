"""What the importers need from outside: the instants of Punctual, and those of the source."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from punctual.importers.models.clock import ZoneClock


class ScheduleRefusedError(ValueError):
    """Punctual refuses the schedule; `str()` is the API's own explanation."""


class Instants(Protocol):
    """When Punctual runs a schedule. The SDK or the command line implements it with the API."""

    def between(self, schedule: Mapping[str, Any], after: int, until: int, limit: int) -> list[int]:
        """Return the first `limit` nominal instants in (after, until], ascending, in whole seconds since 1970.

        `schedule` is the `schedule` of a job. Raises ScheduleRefusedError.
        """


class SourceInstants(Protocol):
    """When the source runs a job."""

    @property
    def clocks(self) -> tuple[ZoneClock, ...]:
        """The clocks whose changes matter; instants are shown in the local time of the first."""

    def after(self, after: int, until: int) -> Iterator[int]:
        """Yield the instants in (after, until], ascending; an instant occurs as often as the source runs then."""
