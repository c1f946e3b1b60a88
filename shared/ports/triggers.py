"""Tenants' triggers."""

from typing import Protocol

from shared.domain.triggers.trigger import Trigger


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
