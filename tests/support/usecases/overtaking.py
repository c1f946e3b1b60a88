"""Workers that are overtaken while they call."""

from collections.abc import Callable
from typing import Any

from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.executions.execution import Execution
from tests.support.builders import DUE_AT, with_changes
from tests.support.usecases.world import World

OTHER = "another worker's"


def during_the_call(
    act: Callable[[], object], answer: CallbackResponse
) -> Callable[[Callback], CallbackResponse]:
    """The receiver answers after an action of the test."""

    def answer_to(_: Callback) -> CallbackResponse:
        act()
        return answer

    return answer_to


def overtake(world: World, execution: Execution, **fields: Any) -> None:
    """The lease has expired, and another worker has claimed the execution."""
    row = world.table.executions[execution.id]
    taken: dict[str, Any] = {
        "attempt": row.execution.attempt + 1,
        "owner": OTHER,
        "lease_until": DUE_AT + 900_000,
    }
    row.execution = with_changes(row.execution, **(taken | fields))
