"""Changes of one-off jobs that have not started."""

from typing import Protocol

from shared.domain.execution import Execution


class OneOffStore(Protocol):
    """Each change is on condition that the job has not started and is at the revision that was read."""

    def edit(self, before: Execution, after: Execution) -> bool:
        """Put `after` in the place of `before`, at the same key; False where the job is not `before` any more."""
        ...

    def move(self, before: Execution, after: Execution, expires_at_s: int) -> bool:
        """File `after` at its own key and leave a record at the old one that says so, in one transaction.

        The record where the job was created says it too, however often it is moved. Both outlive `after`.
        False where the job is not `before` any more.
        """
        ...
