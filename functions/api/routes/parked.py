"""Messages that could not be acted on; only operators come here."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.parked import ParkedPageOut
from functions.api.problems import Problem
from functions.api.reading import paging, tenant_of
from functions.api.route import PAGING, Call, Route, answer
from functions.api.service import Service


def list_parked(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show what is parked."""
    return answer(200, service.accounts.parked.page(tenant_of(admitted), *paging(app)))


ROUTES: dict[Route, Call] = {
    Route(
        method="GET",
        path="/v1/admin/parked",
        operation="listParked",
        summary="Show the messages that could not be acted on, newest first (operators)",
        description=(
            "Messages of the dead-letter queues that cannot be read, or whose executions are in no state that they "
            "could be for. They stay until an operator removes them: `python -m functions.admin remove-parked`."
        ),
        success=200,
        answer=ParkedPageOut,
        query=PAGING,
        problems=(Problem.MALFORMED_REQUEST, Problem.INVALID_CURSOR),
    ): list_parked,
}
