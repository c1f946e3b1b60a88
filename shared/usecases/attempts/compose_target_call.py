"""Build the message to a target for a claimed execution. Loaded only for jobs with a target."""

from collections.abc import Callable
from functools import partial

from shared.domain.delivery.aws_target import TargetCall
from shared.domain.delivery.callback import KEPT_RESULT_BYTES
from shared.domain.delivery.depth import DEPTH_CONTEXT, DEPTH_HEADER, depth_value
from shared.domain.delivery.request import Request
from shared.domain.delivery.trace import TRACEPARENT
from shared.domain.errors import TargetRoleGoneError
from shared.domain.executions.execution import Execution
from shared.domain.ids import backfilled_job
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.target_roles import EXTERNAL_ID_CONTEXT, external_id, role_for, session_name
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.results import without_noncharacters
from shared.usecases.attempts.compose_callback import task_headers

EXECUTION, JOB, ATTEMPT = "Punctual-Execution", "Punctual-Job", "Punctual-Attempt"
SCHEDULED_AT, BACKFILL_OF = "Punctual-Scheduled-At", "Punctual-Backfill-Of"


def target_call(
    tenant: Tenant,
    execution: Execution,
    request: Request,
    code: Callable[[str, bytes], bytes],
    not_from: int | None,
) -> TargetCall:
    """The message of this attempt; TargetRoleGoneError if the tenant has no role for the target.

    `code` makes a MAC with the tenant's key.
    """
    assert request.target is not None
    role = role_for(tenant.target_roles, request.target.arn)
    if role is None:
        raise TargetRoleGoneError
    backfill_of = backfilled_job(execution.job_id)
    return TargetCall(
        tenant_id=tenant.id,
        target=request.target,
        body=_body(execution, request),
        role_arn=role,
        external_id=external_id(code(EXTERNAL_ID_CONTEXT, b"")),
        session_name=session_name(execution.id.cell, tenant.id),
        deduplication_id=str(execution.id),
        attributes=(
            (EXECUTION, str(execution.id)),
            (JOB, execution.job_id),
            (ATTEMPT, str(execution.attempt)),
            (SCHEDULED_AT, format_instant(execution.scheduled_at)),
            (TRACEPARENT, execution.trace.header(execution.span_id)),
            (DEPTH_HEADER, depth_value(execution.call.depth, partial(code, DEPTH_CONTEXT))),
            *(((BACKFILL_OF, backfill_of),) if backfill_of is not None else ()),
            *(task_headers(execution.task) if execution.task is not None else ()),
        ),
        not_from=not_from,
        kept_bytes=KEPT_RESULT_BYTES if execution.hands_on else 0,
    )


def _body(execution: Execution, request: Request) -> bytes:
    """A body with results or the input of a run is JSON, from which characters go that SQS refuses."""
    task = execution.task
    is_wrapped = task is not None and (task.needs_results or task.takes_input)
    return without_noncharacters(request.body) if is_wrapped else request.body
