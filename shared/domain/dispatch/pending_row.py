"""What watchers read of a row: enough to send a message for it, never its request."""

from typing import NamedTuple

from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.trace import Trace
from shared.domain.ids import ExecutionId
from shared.names import Lane


class PendingRow(NamedTuple):
    """A row in the state PENDING: an execution, or a retry reminder."""

    wakes: ExecutionId
    """The execution that a message for this row names; a reminder names its target."""
    due_at: int
    """UTC ms."""
    tenant_id: str
    lane: Lane
    destination: str = UNKNOWN
    trace: Trace | None = None
