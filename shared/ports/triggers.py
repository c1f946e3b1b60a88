"""Tenants' triggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId

if TYPE_CHECKING:
    # Executors load this module for the store of executions.
    from shared.domain.triggers.trigger import Trigger


@dataclass(frozen=True, slots=True)
class StartRecord:
    """Whether the start was recorded, and the trigger as it is stored now; None if none is stored."""

    is_recorded: bool
    stored: Trigger | None


class TriggerStore(Protocol):
    """Triggers of tenants. All reads are strongly consistent."""

    def get(self, tenant_id: str, name: str) -> Trigger | None:
        """UnreadableItemError; UnknownVersionError for a trigger of a newer release."""
        ...

    def all(self, tenant_id: str) -> list[Trigger]:
        """In the order of their names, by one query. The errors are as above."""
        ...

    def put(self, tenant_id: str, trigger: Trigger, before: Trigger | None) -> bool:
        """Write a trigger in place of `before`; False if another one is stored.

        Also true if it is already stored, because the response of the first try may have been lost.
        """
        ...

    def delete(self, tenant_id: str, trigger: Trigger) -> bool:
        """Delete exactly this trigger; False if another one is stored. Also true if none is stored."""
        ...

    def start(
        self, tenant_id: str, trigger: Trigger, run: ExecutionId, event: str, now_ms: int
    ) -> StartRecord:
        """Record that the trigger starts this run by this event, in one conditional write.

        It is refused if the stored trigger is another version, if its throttle allows no more runs now, or, with
        `debounce_seconds`, if its latest run is not the one that `trigger` knows of. A request whose response was
        lost records its run once, unless the trigger has started another run meanwhile.
        """
        ...


class PostponableRuns(Protocol):
    """The part of the execution store for runs that several events share."""

    def postpone(self, execution: Execution) -> Execution | None:
        """Put an execution that waits without ever having been claimed in place of the stored one, whose event must
        have been recorded earlier.

        None if written, otherwise the existing execution: it was claimed or has ended, or has a later event.
        NotFoundError if none exists.
        """
        ...
