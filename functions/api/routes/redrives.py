"""Bulk redrives: planned, started, shown and undone."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from functions.api.gate import Admitted
from functions.api.models.redrives import RedriveIn, RedriveOut, RedrivePlanOut
from functions.api.problems import Problem
from functions.api.reading import header, path_part, require_json, tenant_of
from functions.api.route import BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, Call, Route, answer
from functions.api.service import Service
from shared.names import Metric
from shared.observability import count


def redrive_dead_letters(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Redrive all dead letters of a range."""
    require_json(app)
    made = service.redrives.start(tenant_of(admitted), admitted.body, header(app, "idempotency-key"))
    if isinstance(made, RedrivePlanOut):
        return answer(200, made)
    redrive = made.redrive
    count(Metric.REDRIVEN, made.redriven)
    service.audit.record(admitted, "redriveDeadLetters", redrive.id, None, redrive)
    headers = {"Location": f"/v1/redrives/{redrive.id}"}
    return answer(202, redrive, headers | ({"Idempotency-Replayed": "true"} if made.replayed else {}))


def get_redrive(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Show how far a bulk redrive has come."""
    return answer(200, service.redrives.get(tenant_of(admitted), path_part(app, "redrive_id")))


def undo_redrive(service: Service, app: APIGatewayHttpResolver, admitted: Admitted) -> Response[str]:
    """Take a bulk redrive back."""
    tenant, redrive_id = tenant_of(admitted), path_part(app, "redrive_id")
    before = service.redrives.get(tenant, redrive_id)
    after = service.redrives.undo(tenant, redrive_id)
    service.audit.record(admitted, "undoRedrive", redrive_id, before, after)
    return answer(202, after)


ROUTES: dict[Route, Call] = {
    Route(
        method="POST",
        path="/v1/dead-letters/redrive",
        operation="redriveDeadLetters",
        summary="Redrive all dead letters of a range, at a pace",
        description=(
            "The 202 comes when it is durable; it is then worked off, oldest first, so that no more than `rate` "
            "redrives are due in a second. Whatever has a redrive that is open or has succeeded is passed over, so "
            "nothing is redriven twice. One of a tenant's is open at a time. With `dry_run` nothing is made."
        ),
        success=202,
        answer=RedriveOut,
        answer_headers=("Location",),
        dry_run=RedrivePlanOut,
        body=RedriveIn,
        headers=("Idempotency-Key",),
        problems=(
            *BODY_PROBLEMS,
            *IDEMPOTENCY_PROBLEMS,
            Problem.RATE_LIMITED,
            Problem.INVALID_STATE,
        ),
    ): redrive_dead_letters,
    Route(
        method="GET",
        path="/v1/redrives/<redrive_id>",
        operation="getRedrive",
        summary="Show how far a bulk redrive has come",
        description="Read strongly. It is shown for as long as records are kept.",
        success=200,
        answer=RedriveOut,
        problems=(Problem.NOT_FOUND,),
    ): get_redrive,
    Route(
        method="DELETE",
        path="/v1/redrives/<redrive_id>",
        operation="undoRedrive",
        summary="Undo a bulk redrive, as far as it has not started",
        description=(
            "Nothing more is redriven, and redrives that have not started are cancelled one after another, until the "
            "state is `undone`; `already_started` counts the others. To repeat it changes nothing."
        ),
        success=202,
        answer=RedriveOut,
        problems=(Problem.NOT_FOUND, Problem.INVALID_STATE),
    ): undo_redrive,
}
