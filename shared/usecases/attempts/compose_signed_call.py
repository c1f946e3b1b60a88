"""Build the call that a role of the tenant signs for AWS. Loaded only for jobs with such a call."""

from collections.abc import Callable

from shared.domain.delivery.callback import Callback
from shared.domain.delivery.request import Request
from shared.domain.delivery.sigv4_auth import SignedCall, SigV4Auth
from shared.domain.errors import TargetRoleGoneError
from shared.domain.executions.execution import Execution
from shared.domain.tenancy.target_roles import EXTERNAL_ID_CONTEXT, external_id, has_role, session_name
from shared.domain.tenancy.tenant import Tenant


def signed_call(
    tenant: Tenant,
    execution: Execution,
    request: Request,
    callback: Callback,
    code: Callable[[str, bytes], bytes],
) -> SignedCall:
    """TargetRoleGoneError if the tenant does not have the role any more. `code` makes a MAC with the tenant's key."""
    assert isinstance(request.auth, SigV4Auth)
    if not has_role(tenant.target_roles, request):
        raise TargetRoleGoneError
    return SignedCall(
        callback=callback,
        auth=request.auth,
        external_id=external_id(code(EXTERNAL_ID_CONTEXT, b"")),
        session_name=session_name(execution.id.cell, tenant.id),
    )
