"""The API about itself."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.system import HealthOut
from functions.api.route import Call, Route, answer
from functions.api.service import Service


def health(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """The function runs; nothing behind it is asked."""
    return answer(200, HealthOut(status="ok"))


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/health",
        operation="getHealth",
        summary="Whether the API answers",
        description="The function runs; nothing behind it is asked.",
        success=200,
        answer=HealthOut,
        is_open=True,
    ): health,
}
