"""What became of jobs."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.filters import EXECUTION_FILTERS, wanted_executions
from functions.api.gate import Admitted
from functions.api.models.executions import ExecutionDetailOut, ExecutionPageOut
from functions.api.problems import Problem
from functions.api.reading import paging, path_part, query, tenant_of
from functions.api.route import PAGING, Call, Route, answer
from functions.api.service import Service


def get_execution(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show one execution."""
    return answer(200, service.executions.get(tenant_of(admitted), path_part(app, "execution_id")))


def list_executions(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a job's history."""
    limit, cursor = paging(app, *EXECUTION_FILTERS)
    criteria = wanted_executions(query(app, (*PAGING, *EXECUTION_FILTERS)))
    job_id = path_part(app, "job_id")
    return answer(200, service.executions.of_job(tenant_of(admitted), job_id, criteria, limit, cursor))


def list_by_time(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show all executions of the tenant."""
    limit, cursor = paging(app, *EXECUTION_FILTERS)
    criteria = wanted_executions(query(app, (*PAGING, *EXECUTION_FILTERS)))
    return answer(200, service.executions.by_time(tenant_of(admitted), criteria, limit, cursor))


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/jobs/<job_id>/executions",
        operation="listExecutions",
        summary="Show a job's executions, newest first",
        description=(
            "The whole history of a job, through all of its changes. Read strongly: what was acknowledged "
            "is there. By `scheduled_at`."
        ),
        success=200,
        answer=ExecutionPageOut,
        query=(*PAGING, *EXECUTION_FILTERS),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND, Problem.INVALID_CURSOR),
    ): list_executions,
    Route(
        method="GET",
        path="/v1/executions",
        operation="listExecutionsByTime",
        summary="Show all executions of the tenant by due time, newest first",
        description=(
            "By `due_at`. Found through an index that may be behind by a moment; what is said of each "
            "execution is never stale. With `state=failed` the failed ones alone are read."
        ),
        success=200,
        answer=ExecutionPageOut,
        query=(*PAGING, *EXECUTION_FILTERS),
        problems=(Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR),
    ): list_by_time,
    Route(
        method="GET",
        path="/v1/executions/<execution_id>",
        operation="getExecution",
        summary="Show an execution",
        description=(
            "With all of its attempts. Read strongly, but for `waiting_for`, which is a hint of what is known in "
            "this moment."
        ),
        success=200,
        answer=ExecutionDetailOut,
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    ): get_execution,
}
