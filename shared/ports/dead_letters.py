"""The writes of many redrives, and parked messages."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.dead_letters.parked_message import ParkedMessage
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown


class RedriveBatches(Protocol):
    """The writes of many redrives in few requests. The writes are independent: they form no transaction."""

    def mark_all(
        self, marks: Sequence[tuple[ExecutionId, RedrivenBy]]
    ) -> list[Execution | WriteUnknown | None]:
        """`ExecutionStore.mark_redriven` for each of these distinct executions; one result for each, in order.

        None if written, otherwise the existing execution with its own mark, if any. WriteUnknown if the mark
        may or may not be written, or if the execution is missing or cannot be decoded. Raises nothing.
        """
        ...

    def note_all_beside(self, notes: Sequence[tuple[Execution, int]]) -> None:
        """`JobStore.note_beside` for each of these distinct executions, with its expiry in epoch seconds.

        UnavailableError if a record may be missing: all of them may be written again.
        """
        ...


class ParkedMessageStore(Protocol):
    """Messages that could not be decoded, kept for operators."""

    def park(self, message: ParkedMessage) -> None:
        """Store a message. A message that is received twice may be stored twice."""
        ...

    def parked(self, limit: int, *, before: str | None = None) -> list[ParkedMessage]:
        """The newest messages; with `before`, the newest that were parked before the message of that id."""
        ...

    def remove(self, parked_id: str) -> ParkedMessage | None:
        """Delete a message and return it; None if no message has that id."""
        ...
