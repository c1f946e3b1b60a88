"""Jobs, what is about to run, and what a schedule would do."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.filters import JOB_FILTERS, wanted_jobs, whole
from functions.api.gate import Admitted
from functions.api.models.listings import (
    DuePageOut,
    JobPageOut,
    NextRunsOut,
    SchedulePreviewOut,
    UpcomingPageOut,
)
from functions.api.models.schedules import ScheduleIn
from functions.api.problems import Problem
from functions.api.reading import paging, path_part, query, require_json, tenant_of
from functions.api.route import BODY_PROBLEMS, PAGING, Call, Route, answer
from functions.api.service import Service
from shared.usecases.listings.list_upcoming import MAX_WITHIN_SECONDS
from shared.usecases.listings.next_runs import MAX_COUNT

DEFAULT_WITHIN_SECONDS = 300
DEFAULT_COUNT = 10


def list_jobs(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show the tenant's jobs."""
    limit, cursor = paging(app, *JOB_FILTERS)
    criteria = wanted_jobs(query(app, (*PAGING, *JOB_FILTERS)))
    return answer(200, service.listings.jobs(tenant_of(admitted), criteria, limit, cursor))


def list_upcoming(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what the tenant's jobs are about to do."""
    limit, cursor = paging(app, "within")
    return answer(200, service.listings.upcoming(tenant_of(admitted), _within(app), limit, cursor))


def list_due(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what is about to run, of all tenants; only operators come here."""
    limit, cursor = paging(app, "within")
    return answer(200, service.listings.due(tenant_of(admitted), _within(app), limit, cursor))


def list_next_runs(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show a job's next runs."""
    count = whole(query(app, ("count",)), "count", DEFAULT_COUNT, MAX_COUNT)
    return answer(200, service.listings.next_of(tenant_of(admitted), path_part(app, "job_id"), count))


def preview_schedule(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what a schedule would do."""
    require_json(app)
    return answer(200, service.listings.preview(admitted.body))


def _within(app: APIGatewayHttpResolver) -> int:
    given = query(app, (*PAGING, "within"))
    return whole(given, "within", DEFAULT_WITHIN_SECONDS, MAX_WITHIN_SECONDS)


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/jobs",
        operation="listJobs",
        summary="Show the tenant's jobs: recurring ones by id, then those that run once by due time",
        description=(
            "A job keeps its place when it is given another time. `GET /v1/jobs/{job_id}` has the members "
            "that are left out here."
        ),
        success=200,
        answer=JobPageOut,
        query=(*PAGING, *JOB_FILTERS),
        problems=(Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR),
    ): list_jobs,
    Route(
        method="GET",
        path="/v1/jobs/<job_id>/upcoming",
        operation="listNextRuns",
        summary="Show a job's next runs",
        description="With the local time of each in the job's zone. A job that is not active has none.",
        success=200,
        answer=NextRunsOut,
        query=("count",),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    ): list_next_runs,
    Route(
        method="GET",
        path="/v1/upcoming",
        operation="listUpcoming",
        summary="Show what the tenant's jobs are about to do, in order of time",
        description=(
            "The calls of the next `within` seconds. The window is that of the first page, however long the "
            "pages take."
        ),
        success=200,
        answer=UpcomingPageOut,
        query=(*PAGING, "within"),
        problems=(Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR),
    ): list_upcoming,
    Route(
        method="GET",
        path="/v1/admin/upcoming",
        operation="listDue",
        summary="Show what waits for its time across tenants, in order of time (operators)",
        description=(
            "What waits in the buckets. A retry within the next quarter of an hour travels as a message and "
            "is not there."
        ),
        success=200,
        answer=DuePageOut,
        query=(*PAGING, "within"),
        problems=(Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR),
    ): list_due,
    Route(
        method="POST",
        path="/v1/schedules/preview",
        operation="previewSchedule",
        summary="Show what a schedule would do; nothing is stored",
        description=(
            "The next ten runs, the changes of the clocks within two years that touch any, and warnings. "
            "The body is the `schedule` of a job by itself, so pointers of errors begin inside of it. A key "
            "with `read` or `write` is enough."
        ),
        success=200,
        answer=SchedulePreviewOut,
        body=ScheduleIn,
        problems=(
            *BODY_PROBLEMS,
            Problem.SCHEDULE_NEVER_FIRES,
            Problem.SCHEDULE_IN_PAST,
            Problem.SCHEDULE_TOO_FAR,
        ),
    ): preview_schedule,
}
