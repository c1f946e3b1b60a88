"""/v1/upcoming and /v1/upcoming/density, /v1/jobs/{job_id}/upcoming and /v1/admin/upcoming: runs that are about to
start."""

from functions.api.context import Context
from functions.api.http.filters import instant
from functions.api.http.positions import (
    due_parts,
    read_due_position,
    read_upcoming_position,
    upcoming_parts,
)
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import PAGE_PROBLEMS, PAGING, Route, Routes, json_response
from functions.api.resources.upcoming.models import DensityOut, DuePageOut, NextRunsOut, UpcomingPageOut
from functions.api.resources.upcoming.presenter import (
    density_out,
    due_row_out,
    next_runs_out,
    upcoming_run_out,
)
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.schedule import format_instant
from shared.usecases.listings.count_upcoming import (
    LONGEST_DAYS,
    MAX_STEP_SECONDS,
    READS_AT_MOST,
    RUNS_AT_MOST,
    STEPS_AT_MOST,
)
from shared.usecases.listings.list_upcoming import MAX_WITHIN_SECONDS
from shared.usecases.listings.next_runs import MAX_COUNT

ROUTES = Routes()
DEFAULT_WITHIN_SECONDS = 300
DEFAULT_COUNT = 10
DEFAULT_DENSITY_SECONDS = 86_400
DEFAULT_STEP_SECONDS = 3_600


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/jobs/<job_id>/upcoming",
        operation="listNextRuns",
        summary="List a job's next runs",
        description="Each with its local time in the job's zone. A job that is not active has no next runs.",
        success=200,
        answer=NextRunsOut,
        query=("count",),
        problems=(Problem.MALFORMED_REQUEST, Problem.NOT_FOUND),
    )
)
def list_next_runs(context: Context, request: AuthenticatedRequest) -> Response:
    count = request.whole_number("count", DEFAULT_COUNT, MAX_COUNT)
    job, runs = context.cases.listings.next_runs.execute(
        request.tenant.id, request.path_values["job_id"], count
    )
    return json_response(200, next_runs_out(job, runs))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/upcoming",
        operation="listUpcoming",
        summary="List the next runs of all jobs of the tenant, by time",
        description=(
            f"The calls of `within` seconds, from now on or from the instant `from` on, which is at most "
            f"{LONGEST_DAYS} days ahead. All pages cover the window of the first page, however long reading them takes."
        ),
        success=200,
        answer=UpcomingPageOut,
        query=(*PAGING, "within", "from"),
        problems=PAGE_PROBLEMS,
    )
)
def list_upcoming(context: Context, request: AuthenticatedRequest) -> Response:
    (limit, cursor), within_seconds = request.page(), _within_seconds(request)
    from_ms = instant(request.query, "from")
    query = {"list": "upcoming", "within": within_seconds}
    if from_ms is not None:  # Cursors of the releases before have no such member.
        query["from"] = from_ms
    position = context.cursors.unseal(request.tenant, query, cursor, read_upcoming_position)
    try:
        page = context.cases.listings.list_upcoming.execute(
            request.tenant, within_seconds * 1000, limit=limit, from_ms=from_ms, position=position
        )
    except InvalidValueError as error:
        raise ProblemError(Problem.MALFORMED_REQUEST, str(error)) from error
    upcoming = UpcomingPageOut(
        runs=[upcoming_run_out(run) for run in page.runs],
        until=format_instant(page.until),
        complete=page.is_complete,
        next_cursor=context.cursors.seal(request.tenant, query, upcoming_parts(page.next_position)),
    )
    return json_response(200, upcoming)


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/upcoming/density",
        operation="getUpcomingDensity",
        summary="Count the next runs of all jobs of the tenant, step by step",
        description=(
            f"From now to the end of the step before `to`, which is by default in {DEFAULT_DENSITY_SECONDS // 3600} "
            f"hours and at most in {LONGEST_DAYS} days. A range has at most {STEPS_AT_MOST} steps, which begin at "
            f"multiples of `step_seconds` since 1970. One request counts at most {RUNS_AT_MOST} runs. It reads at "
            f"most {READS_AT_MOST} of those that are stored: of more, it reads a sample, and `estimated` is true."
        ),
        success=200,
        answer=DensityOut,
        query=("to", "step_seconds"),
        problems=(Problem.MALFORMED_REQUEST,),
    )
)
def get_density(context: Context, request: AuthenticatedRequest) -> Response:
    step_seconds = request.whole_number("step_seconds", DEFAULT_STEP_SECONDS, MAX_STEP_SECONDS)
    until_ms = instant(request.query, "to")
    if until_ms is None:
        until_ms = context.now_ms() + DEFAULT_DENSITY_SECONDS * 1000
    try:
        density = context.cases.listings.count_upcoming.execute(request.tenant, until_ms, step_seconds * 1000)
    except InvalidValueError as error:
        raise ProblemError(Problem.MALFORMED_REQUEST, str(error)) from error
    return json_response(200, density_out(density))


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/admin/upcoming",
        operation="listDue",
        summary="List executions that are about to be due, across tenants, by time (operators)",
        description=(
            "The rows of the buckets. A retry within the next 15 minutes is a delayed message, and is not "
            "included."
        ),
        success=200,
        answer=DuePageOut,
        query=(*PAGING, "within"),
        problems=PAGE_PROBLEMS,
    )
)
def list_due(context: Context, request: AuthenticatedRequest) -> Response:
    (limit, cursor), within_seconds = request.page(), _within_seconds(request)
    query = {"list": "due", "within": within_seconds}
    position = context.cursors.unseal(request.tenant, query, cursor, read_due_position)
    page = context.cases.listings.list_due.execute(within_seconds * 1000, limit=limit, position=position)
    due = DuePageOut(
        rows=[due_row_out(row) for row in page.rows],
        until=format_instant(page.until),
        next_cursor=context.cursors.seal(request.tenant, query, due_parts(page.next_position)),
    )
    return json_response(200, due)


def _within_seconds(request: AuthenticatedRequest) -> int:
    return request.whole_number("within", DEFAULT_WITHIN_SECONDS, MAX_WITHIN_SECONDS)
