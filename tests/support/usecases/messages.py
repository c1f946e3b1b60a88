"""Received messages."""

from collections.abc import Sequence
from typing import Any

from shared.domain.dispatch.wakeup import Wakeup, known_for_any
from shared.domain.executions.execution import Execution
from shared.names import Lane
from shared.usecases.attempts.batch_report import Delivery
from shared.usecases.dead_letters.handle_dead_messages import DeadMessage
from tests.support.builders import DUE_AT


def delivery(*executions: Execution, receives: int = 1, **overrides: Any) -> Delivery:
    """A received message that names executions, due when the first of them is."""
    not_before = min(execution.not_before for execution in executions)
    fields: dict[str, Any] = {
        "message_id": str(executions[0].id),
        "sent_at": not_before - 60_000,
        "receive_count": receives,
        "wakeup": wakeup_of(executions, not_before),
    }
    return Delivery(**(fields | overrides))


def wakeup_of(executions: Sequence[Execution], not_before: int) -> Wakeup:
    """The message for executions of one tenant and lane."""
    return Wakeup(
        lane=executions[0].lane,
        tenant_id=executions[0].tenant_id,
        keys=tuple(execution.id for execution in executions),
        not_before=not_before,
        traces=known_for_any([execution.call.trace for execution in executions]),
    )


def dead(*executions: Execution, **overrides: Any) -> DeadMessage:
    """A dead message; without executions, an unreadable message."""
    fields: dict[str, Any] = {
        "message_id": "m1",
        "lane": Lane.STANDARD,
        "body": "the body",
        "wakeup": wakeup_of(executions, DUE_AT) if executions else None,
    }
    return DeadMessage(**(fields | overrides))
