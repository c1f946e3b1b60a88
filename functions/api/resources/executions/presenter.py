"""Executions as responses."""

from functions.api.models import instant_out
from functions.api.resources.executions.models import (
    ExecutionDetailOut,
    ExecutionOut,
    ExecutionPageOut,
    WaitOut,
)
from shared.domain.dispatch.wait_hint import WaitHint
from shared.domain.executions.execution import Execution
from shared.usecases.listings.execution_documents import Beside, execution_document, shown_document
from shared.usecases.reading.shown import Shown


def execution_out(execution: Execution, beside: Beside) -> ExecutionOut:
    return ExecutionOut(**execution_document(execution, beside))


def execution_detail_out(shown: Shown, beside: Beside, hint: WaitHint | None) -> ExecutionDetailOut:
    return ExecutionDetailOut(**shown_document(shown, beside), waiting_for=wait_out(hint))


def wait_out(hint: WaitHint | None) -> WaitOut | None:
    return WaitOut(reason=hint.reason.value, until=instant_out(hint.until)) if hint else None


def page_out(executions: tuple[Shown, ...], beside: Beside, next_cursor: str | None) -> ExecutionPageOut:
    return ExecutionPageOut(
        executions=[ExecutionOut(**shown_document(shown, beside)) for shown in executions],
        next_cursor=next_cursor,
    )
