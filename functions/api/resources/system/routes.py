"""/v1/health."""

from functions.api.context import Context
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from functions.api.http.route import Route, Routes, json_response
from functions.api.resources.system.models import HealthOut

ROUTES = Routes()


@ROUTES.add(
    Route(
        method="GET",
        path="/v1/health",
        operation="getHealth",
        summary="Check that the API answers",
        description="The function runs. No table or queue is checked.",
        success=200,
        answer=HealthOut,
        is_open=True,
    )
)
def health(context: Context, request: AuthenticatedRequest) -> Response:
    return json_response(200, HealthOut(status="ok"))
