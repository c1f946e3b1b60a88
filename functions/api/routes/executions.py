"""What became of jobs."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.executions import ExecutionPageOut
from functions.api.problems import Problem
from functions.api.reading import paging, path_part, tenant_of
from functions.api.route import PAGING, Call, Route, answer
from functions.api.service import Service


def list_executions(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a job's history."""
    limit, cursor = paging(app)
    return answer(
        200, service.executions.of_job(tenant_of(admitted), path_part(app, "job_id"), limit, cursor)
    )


def list_dead_letters(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what failed for good."""
    limit, cursor = paging(app)
    return answer(200, service.executions.dead_letters(tenant_of(admitted), limit, cursor))


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/jobs/<job_id>/executions",
        operation="listExecutions",
        summary="Show a job's executions, newest first",
        success=200,
        answer=ExecutionPageOut,
        query=PAGING,
        problems=(Problem.NOT_FOUND, Problem.INVALID_CURSOR),
    ): list_executions,
    Route(
        method="GET",
        path="/v1/dead-letters",
        operation="listDeadLetters",
        summary="Show the executions that failed for good, newest first",
        success=200,
        answer=ExecutionPageOut,
        query=PAGING,
        problems=(Problem.INVALID_CURSOR,),
    ): list_dead_letters,
}
