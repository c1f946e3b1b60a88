"""Dead letters as responses."""

from functions.api.resources.dead_letters.models import (
    REDACTED,
    DeadLetterOut,
    FailedRequestOut,
    HeaderOut,
    InspectedOut,
)
from shared.domain.delivery.call_kind import CallKind
from shared.domain.delivery.request import Request
from shared.domain.executions.execution import Execution
from shared.usecases.listings.execution_documents import Beside, execution_document


def dead_letter_out(execution: Execution, beside: Beside) -> DeadLetterOut:
    outcomes = execution.progress.outcomes
    last = outcomes[-1] if outcomes else None
    return DeadLetterOut(
        **execution_document(execution, beside),
        lane=execution.lane,
        last_status=last.status if last else None,
        last_reason=last.reason.word if last else None,
    )


def inspected_out(
    execution: Execution, beside: Beside, request: Request | None, *, reveal: bool
) -> InspectedOut:
    return InspectedOut(
        **dead_letter_out(execution, beside).model_dump(),
        request=(
            _request_out(request, reveal=reveal)
            if request is not None and request.kind is not CallKind.WORKFLOW
            else None
        ),
    )


def _request_out(request: Request, *, reveal: bool) -> FailedRequestOut:
    """Names of headers and the size of the body are no secrets; header values and the body may be."""
    target = request.target
    return FailedRequestOut(
        method=request.method if target is None else target.kind.value,
        url=request.url if target is None else target.arn,
        headers=[
            HeaderOut(name=name, value=value if reveal else REDACTED) for name, value in request.headers
        ],
        body=request.body.decode(errors="replace") if reveal else None,
        body_bytes=len(request.body),
        revealed=reveal,
    )
