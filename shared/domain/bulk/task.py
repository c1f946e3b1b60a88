"""Tasks that are done in the background page by page. Bulk tasks change many items, at a limited rate."""

from dataclasses import replace
from typing import Self

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

SETTLED_MS = 180_000
"""A process that worked on a task has ended this long after the undo began: no function runs longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedTask:
    """The part that every kind of task has. Each finished page makes a new version."""

    id: str
    tenant_id: str
    created_at: int
    version: int = 1
    lease_until: int = 0
    """Until then, one worker processes the next page. The version is the fencing token of the lease."""
    ended_at: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether work may be left."""
        raise NotImplementedError

    def leased(self, until: int) -> Self:
        """The next version, leased to one worker until an instant."""
        return replace(self, lease_until=until, version=self.version + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkTask(PagedTask):
    """A task that changes items, and can be undone."""

    rate: int
    """At most this many items are worked on per second."""
    next_due_at: int
    """No further item is due before this instant."""
    undo_asked_at: int | None = None
    pass_began_at: int | None = None
    """When the current undo pass began."""

    @property
    def settles_at(self) -> int:
        """An undo pass that begins from this instant on is complete: no process does the task's work any
        more."""
        return (self.undo_asked_at or 0) + SETTLED_MS


def check_rate(rate: int, most: int) -> None:
    """InvalidValueError for a rate out of range."""
    if not 1 <= rate <= most:
        raise InvalidValueError(f"rate must be 1 to {most}")
