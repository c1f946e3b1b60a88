"""Dead letters: listed, inspected, and redriven one by one."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.filters import DEAD_LETTER_FILTERS, wanted_dead_letters
from functions.api.gate import Admitted, require_scope
from functions.api.models.dead_letters import DeadLetterPageOut, InspectedOut
from functions.api.models.executions import ExecutionOut
from functions.api.problems import Problem
from functions.api.reading import flag, paging, path_part, query, tenant_of
from functions.api.route import PAGING, Call, Route, answer
from functions.api.service import Service
from shared.domain.tenancy.tenant import Scope
from shared.names import Metric
from shared.observability import count


def list_dead_letters(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what failed for good."""
    limit, cursor = paging(app, *DEAD_LETTER_FILTERS)
    criteria = wanted_dead_letters(query(app, (*PAGING, *DEAD_LETTER_FILTERS)))
    return answer(200, service.dead_letters.page(tenant_of(admitted), criteria, limit, cursor))


def inspect_dead_letter(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show one dead letter with its request. To reveal what was entrusted leaves a record, like a change."""
    tenant, execution_id, reveal = tenant_of(admitted), path_part(app, "execution_id"), flag(app, "reveal")
    if reveal:
        require_scope(admitted, Scope.ADMIN)
    inspected = service.dead_letters.inspect(tenant, execution_id, reveal=reveal)
    if reveal:
        service.audit.record(admitted, "revealRequest", execution_id, None, inspected)
    return answer(200, inspected)


def redrive_execution(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Run a dead letter's request once more."""
    execution_id = path_part(app, "execution_id")
    made = service.dead_letters.redrive(tenant_of(admitted), execution_id)
    execution = made.execution
    count(Metric.REDRIVEN, 0 if made.replayed else 1)
    service.audit.record(admitted, "redriveExecution", execution_id, None, execution)
    headers = {"Location": f"/v1/executions/{execution.id}"}
    return answer(201, execution, headers | ({"Idempotency-Replayed": "true"} if made.replayed else {}))


def cancel_execution(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Take a redrive back."""
    tenant, execution_id = tenant_of(admitted), path_part(app, "execution_id")
    stop_retries = flag(app, "stop_retries")
    before = service.dead_letters.show(tenant, execution_id)
    after = service.dead_letters.cancel(tenant, execution_id, stop_retries=stop_retries)
    service.audit.record(admitted, "cancelExecution", execution_id, before, after)
    return answer(202 if after.state == "running" else 200, after)


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/dead-letters",
        operation="listDeadLetters",
        summary="Show the executions that failed for good, newest first",
        description=(
            "Executions in state `failed`, by `due_at`: their attempts are used up, or their receivers said that "
            "there is no use in another. Found through an index that may be behind by a moment; what is said of "
            "each is never stale."
        ),
        success=200,
        answer=DeadLetterPageOut,
        query=(*PAGING, *DEAD_LETTER_FILTERS),
        problems=(Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR),
    ): list_dead_letters,
    Route(
        method="GET",
        path="/v1/dead-letters/<execution_id>",
        operation="inspectDeadLetter",
        summary="Show a dead letter with the request that it is of",
        description=(
            "Values of headers and the body are withheld. With `reveal=true` they are shown; the key then needs "
            "`admin` beside `read`, and the audit has it on record."
        ),
        success=200,
        answer=InspectedOut,
        query=("reveal",),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    ): inspect_dead_letter,
    Route(
        method="POST",
        path="/v1/executions/<execution_id>/redrive",
        operation="redriveExecution",
        summary="Run the request of a failed execution once more, now",
        description=(
            "The redrive is an execution of its own with all of its attempts before it; what failed stays failed. "
            "To ask again while it is open, or when it has succeeded, changes nothing and is answered with it and "
            "`Idempotency-Replayed: true`; when it has failed or was cancelled, another one is made. It needs no "
            "`Idempotency-Key`, and one that is sent is ignored."
        ),
        success=201,
        answer=ExecutionOut,
        problems=(Problem.RATE_LIMITED, Problem.NOT_FOUND, Problem.INVALID_STATE),
        answer_headers=("Location",),
        may_replay=True,
    ): redrive_execution,
    Route(
        method="DELETE",
        path="/v1/executions/<execution_id>",
        operation="cancelExecution",
        summary="Cancel a redrive",
        description=(
            "Other executions end with their jobs. While an attempt runs the answer is 409; with "
            "`stop_retries=true` it is 202, and that attempt is the last. To repeat it changes nothing."
        ),
        success=200,
        answer=ExecutionOut,
        query=("stop_retries",),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND, Problem.INVALID_STATE),
        later="A running attempt was made the last; the redrive ends when it ends.",
    ): cancel_execution,
}
