"""Read the states of notifications."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.read_executions import read_readable


@dataclass(frozen=True, slots=True)
class FollowNotifications:
    """One strong read for a page; none if no execution has a notification."""

    store: ExecutionStore

    def execute(self, executions: Sequence[Execution]) -> dict[ExecutionId, State]:
        """States of the readable notifications by their IDs, for at most 100 executions."""
        notifications = (execution.progress.notification for execution in executions)
        chosen = [notification for notification in notifications if notification is not None]
        found = read_readable(self.store, chosen) if chosen else {}
        return {key: notification.state for key, notification in found.items()}
