"""Where the notifications of executions stand."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionStore
from shared.usecases.reading.read_executions import read_readable


@dataclass(frozen=True, slots=True)
class FollowNotifications:
    """Asked for a page, it is one strong read; where nobody is told of anything, none."""

    store: ExecutionStore

    def execute(self, executions: Sequence[Execution]) -> dict[ExecutionId, State]:
        """The states of those that stand and can be read, by their ids, for up to 100 executions."""
        notifications = (execution.progress.notification for execution in executions)
        chosen = [notification for notification in notifications if notification is not None]
        found = read_readable(self.store, chosen) if chosen else {}
        return {key: notification.state for key, notification in found.items()}
