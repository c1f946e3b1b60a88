"""Dead letters as the API shows them."""

from functions.api.models.dead_letters import (
    REDACTED,
    DeadLetterOut,
    FailedRequestOut,
    HeaderOut,
    InspectedOut,
)
from functions.api.views import execution_out
from shared.domain.delivery.request import Request
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State


def dead_letter_out(execution: Execution, notified: State | None = None) -> DeadLetterOut:
    """One dead letter; `notified` is the state of its notification, where that is known."""
    last = execution.progress.outcomes[-1] if execution.progress.outcomes else None
    return DeadLetterOut(
        **execution_out(execution, notified).model_dump(),
        lane=execution.lane,
        last_status=last.status if last else None,
        last_reason=last.reason.word if last else None,
    )


def inspected_out(
    execution: Execution, notified: State | None, request: Request | None, *, reveal: bool
) -> InspectedOut:
    """One dead letter with its request, as far as it may be shown."""
    shown = request_out(request, reveal=reveal) if request is not None else None
    return InspectedOut(**dead_letter_out(execution, notified).model_dump(), request=shown)


def request_out(request: Request, *, reveal: bool) -> FailedRequestOut:
    """What was to be sent; names of headers and the size of the body say nothing that was entrusted."""
    return FailedRequestOut(
        method=request.method,
        url=request.url,
        headers=[
            HeaderOut(name=name, value=value if reveal else REDACTED) for name, value in request.headers
        ],
        body=request.body.decode(errors="replace") if reveal else None,
        body_bytes=len(request.body),
        revealed=reveal,
    )
