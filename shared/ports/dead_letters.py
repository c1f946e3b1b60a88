"""Bulk redrives: durable, one of a tenant's open at a time, and found by whoever works them off."""

from typing import Protocol

from shared.domain.dead_letters.parked_message import ParkedMessage
from shared.domain.dead_letters.redrive_task import RedriveTask


class RedriveTasks(Protocol):
    """Every change is on condition of the version that was read. Everything is read strongly."""

    def create(self, task: RedriveTask) -> str | None:
        """Write a new one and put it on the list of open ones, as one.

        None when written, otherwise the id of the tenant's that is open, which may be this one.
        """
        ...

    def get(self, tenant_id: str, task_id: str) -> RedriveTask | None:
        """Read one."""
        ...

    def replace(self, before: RedriveTask, after: RedriveTask, expires_at_s: int | None = None) -> bool:
        """Put the next version in the place of the one before.

        One that ends leaves the list of open ones with the same write, and has an expiry; one that is opened again
        comes back on it. False where it is at another version, or where it would have to be opened beside another.
        """
        ...

    def open(self) -> list[tuple[str, str]]:
        """Tenant and id of every open one."""
        ...


class ParkedMessageStore(Protocol):
    """Where such messages are kept."""

    def park(self, message: ParkedMessage) -> None:
        """Keep a message; should it come twice, it may be kept twice."""
        ...

    def parked(self, limit: int, *, before: str | None = None) -> list[ParkedMessage]:
        """The newest ones; where `before` is given, the newest that were parked before the message of that id."""
        ...

    def remove(self, parked_id: str) -> ParkedMessage | None:
        """Take one away for good, as it stood; None where there is none of that id."""
        ...
