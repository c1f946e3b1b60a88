"""/v1/events: the tenant's own events, which start jobs by its triggers."""

from functions.api.context import Context
from functions.api.http.problems import Problem
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import BODY_PROBLEMS, QUOTA_PROBLEMS, Route, Routes, json_response
from functions.api.resources.events.models import EventIn, EventOut, event_out
from shared.domain.delivery.depth import DEPTH_HEADER

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="POST",
        path="/v1/events",
        operation="sendEvent",
        summary="Send an event, which starts a job for each trigger that it matches",
        description=(
            "The answer comes once all these runs are durable. Without an answer, send the same event again: it "
            "completes what is missing, and files nothing twice. An event that matches no trigger is not kept. Each "
            "run counts in the quota `due_per_minute` once; if they do not all fit, none is filed."
        ),
        success=200,
        answer=EventOut,
        body=EventIn,
        headers=(DEPTH_HEADER,),
        problems=(*BODY_PROBLEMS, Problem.IDEMPOTENCY_KEY_REUSED, *QUOTA_PROBLEMS),
    )
)
def send_event(context: Context, request: AuthenticatedRequest) -> Response:
    depth = context.depth(request)
    event = request.read(EventIn).event()
    matches = context.cases.triggers.receive_event.execute(request.tenant, event, depth=depth)
    result = event_out(event, matches)
    if matches:
        context.audit.record(request, "sendEvent", event.id[:128], None, result)
    return json_response(200, result)
