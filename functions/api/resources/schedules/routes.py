"""/v1/schedules/preview: show the runs of a schedule before a job is created."""

from functions.api.context import Context
from functions.api.http.error_mapping import schedule_body_problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, SCHEDULE_PROBLEMS, Route, Routes, json_response
from functions.api.resources.schedules.models import ScheduleIn, SchedulePreviewOut, under_sent_member
from functions.api.resources.schedules.presenter import preview_out
from shared.domain.delivery.request import Request
from shared.domain.errors import ScheduleError
from shared.domain.jobs.new_job import NewJob

ROUTES = Routes()
_ANY_REQUEST = Request(method="POST", url="https://example.com/")


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/schedules/preview",
        operation="previewSchedule",
        summary="Show the runs of a schedule; nothing is stored",
        description=(
            "The next ten runs of a cron line, a rate or an expression, the changes of the clocks within two "
            "years that affect any run, and warnings. The body is the `schedule` of a job by itself, so the "
            "pointers of errors start inside of it. A key with `read` or `write` is enough."
        ),
        success=200,
        answer=SchedulePreviewOut,
        body=ScheduleIn,
        problems=(*BODY_PROBLEMS, *SCHEDULE_PROBLEMS),
    )
)
def preview_schedule(context: Context, request: AuthenticatedRequest) -> Response:
    body = request.read(ScheduleIn)
    try:
        timing = context.cases.core.read_calendar.resolved(request.tenant.id, body.timing)
        # The schedule of a job that is created now: relative schedules start at this moment.
        schedule = NewJob(timing=timing, request=_ANY_REQUEST).schedule_at(context.now_ms())
        preview = context.cases.listings.preview_schedule.execute(
            schedule,
            timezone="UTC" if body.timezone is None else body.timezone,
            jitter_ms=body.jitter_seconds * 1000,
            max_runs=body.max_runs,
        )
    except ScheduleError as error:
        raise schedule_body_problem(under_sent_member(error, dict(body))) from error
    return json_response(200, preview_out(preview))
