"""/v1/stats: statistics of a tenant, and its busiest jobs; under /v1/admin of any tenant, and of all tenants."""

from functions.api.context import Context
from functions.api.http.filters import day, instant
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import Route, Routes, json_response
from functions.api.resources.statistics.models import BusiestJobsOut, StatisticsOut
from functions.api.resources.statistics.presenter import busiest_jobs_out, statistics_out
from shared.domain.archive.busiest import MOST_JOBS, day_window
from shared.domain.archive.stat_window import StatWindow, Step, stat_window
from shared.domain.errors import InvalidValueError
from shared.domain.ids import is_job_id
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.identities import is_workflow_id
from shared.usecases.archive.read_job_statistics import MOST_RUNS
from shared.usecases.archive.read_statistics import StatReport

ROUTES = Routes()
_QUERY = ("from", "to", "by")
_LIMITS = (
    "The range is extended to whole steps in UTC. It ends with the present step at the latest, and has at most 6 "
    "hours by minute, 7 days by hour and 31 days by day."
)

_DAY = "`day` is a day in UTC that is over, by default the latest one."


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/stats",
        operation="getStatistics",
        summary="Show counts by outcome, and how late calls began",
        description=(
            f"By the due times of executions. {_LIMITS} With `job`, the executions of one job are counted, at most "
            f"{MOST_RUNS}, while their records exist. `GET /v1/stats/jobs` has the days before. With the id of a "
            "workflow, `job` counts the executions of its tasks, as far back as the archive reaches."
        ),
        success=200,
        answer=StatisticsOut,
        query=(*_QUERY, "job"),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    ),
    for_operators=True,
)
def get_statistics(context: Context, request: AuthenticatedRequest) -> Response:
    window = _window(context, request)
    tenant = context.cases.tenancy.find_tenant.execute(request.subject_id)
    job_id = request.query.get("job")
    if job_id is None:
        report = context.cases.archive.read_statistics.execute(tenant, window)
    else:
        report = _of_job(context, tenant, job_id, window)
    return json_response(200, statistics_out(report))


def _of_job(context: Context, tenant: Tenant, job_id: str, window: StatWindow) -> StatReport:
    if is_workflow_id(job_id):
        context.cases.workflows.find.stored_head(tenant.id, job_id)
        return context.cases.archive.read_statistics.execute(tenant, window, job_id)
    if not is_job_id(job_id):
        raise ProblemError(Problem.MALFORMED_REQUEST, "job is the id of a job or of a workflow")
    try:
        return context.cases.archive.read_job_statistics.execute(tenant.id, job_id, window)
    except InvalidValueError as error:
        raise ProblemError(Problem.MALFORMED_REQUEST, str(error)) from error


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/stats",
        operation="getStatisticsOfAllTenants",
        summary="Show counts by outcome of all tenants together (operators)",
        description=f"Hours that are not counted yet have no counts. {_LIMITS}",
        success=200,
        answer=StatisticsOut,
        query=_QUERY,
        problems=(Problem.MALFORMED_REQUEST,),
    )
)
def get_all_statistics(context: Context, request: AuthenticatedRequest) -> Response:
    report = context.cases.archive.read_statistics.execute(None, _window(context, request))
    return json_response(200, statistics_out(report))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/stats/jobs",
        operation="getBusiestJobs",
        summary="Show the recurring jobs with the most executions of a day",
        description=f"At most {MOST_JOBS}, those with the most executions first, counted when the day is over. {_DAY}",
        success=200,
        answer=BusiestJobsOut,
        query=("day",),
        problems=(Problem.MALFORMED_REQUEST,),
    ),
    for_operators=True,
)
def get_busiest_jobs(context: Context, request: AuthenticatedRequest) -> Response:
    tenant = context.cases.tenancy.find_tenant.execute(request.subject_id)
    return _busiest(context, request, tenant.id)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/stats/jobs",
        operation="getBusiestJobsOfAllTenants",
        summary="Show the recurring jobs of all tenants with the most executions of a day (operators)",
        description=f"At most {MOST_JOBS}, those with the most executions first. {_DAY}",
        success=200,
        answer=BusiestJobsOut,
        query=("day",),
        problems=(Problem.MALFORMED_REQUEST,),
    )
)
def get_all_busiest_jobs(context: Context, request: AuthenticatedRequest) -> Response:
    return _busiest(context, request, None)


def _busiest(context: Context, request: AuthenticatedRequest, tenant_id: str | None) -> Response:
    try:
        window = day_window(day(request.query, "day"), context.now_ms())
    except InvalidValueError as error:
        raise ProblemError(Problem.MALFORMED_REQUEST, str(error)) from error
    return json_response(
        200, busiest_jobs_out(context.cases.archive.read_busiest_jobs.execute(tenant_id, window))
    )


def _window(context: Context, request: AuthenticatedRequest) -> StatWindow:
    by = request.query.get("by", Step.HOUR.value)
    if by not in {step.value for step in Step}:
        words = ", ".join(step.value for step in Step)
        raise ProblemError(Problem.MALFORMED_REQUEST, f"by is one of {words}")
    from_at, until_at = instant(request.query, "from"), instant(request.query, "to")
    try:
        return stat_window(Step(by), from_at, until_at, context.now_ms())
    except InvalidValueError as error:
        raise ProblemError(Problem.MALFORMED_REQUEST, str(error)) from error
