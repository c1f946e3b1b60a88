"""The roles of AWS that an operator registers for a tenant, so that its jobs reach targets in those accounts."""

import re
from collections.abc import Sequence

from shared.domain.delivery.aws_target import ACCOUNT, PARTITION, ROLE_ARN, split_arn
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError
from shared.domain.ids import encode_base32

MAX_ROLES = 20
EXTERNAL_ID_CONTEXT = "target-roles"
"""The cryptographic context of a tenant's external id."""
_EXTERNAL_ID_BITS = 160
_ROLE = re.compile(rf"arn:(?P<partition>{PARTITION}):iam::(?P<account>{ACCOUNT}):role/.+")


def external_id(code: bytes) -> str:
    """The external id of a tenant, from a code of 32 bytes: the same for each of its roles."""
    return encode_base32(int.from_bytes(code[: _EXTERNAL_ID_BITS // 8]), _EXTERNAL_ID_BITS // 5)


def session_name(cell: str, tenant_id: str) -> str:
    """The name of a session, which the trail of the tenant's own account shows."""
    return f"punctual-{cell}-{tenant_id}"


def role_for(roles: Sequence[str], target_arn: str) -> str | None:
    """The role in the partition and account of a target; None if there is none."""
    arn = split_arn(target_arn)
    wanted = (arn.partition, arn.account)
    return next((role for role in roles if _place(role) == wanted), None)


def has_role(roles: Sequence[str], request: Request) -> bool:
    """Whether the call needs no role, or the tenant has the role that it needs."""
    if request.target is not None:
        return role_for(roles, request.target.arn) is not None
    return not request.is_signed_for_aws or _signing_role(request) in roles


def check_role(roles: Sequence[str], request: Request) -> None:
    """InvalidValueError for a call whose role the tenant does not have."""
    if has_role(roles, request):
        return
    target = request.target
    if target is None:
        raise InvalidValueError(
            "is no role of this tenant: an operator registers it as a target role of this tenant",
            path=("request", "auth", AuthKind.SIGV4.value, "role"),
        )
    raise InvalidValueError(
        f"no role is registered for the account {split_arn(target.arn).account}: an operator registers one "
        "as a target role of this tenant",
        path=("target", target.kind.value, "arn"),
    )


def _signing_role(request: Request) -> str:
    # Imported late: of all calls, only those that AWS knows by their signature need it.
    from shared.domain.delivery.sigv4_auth import SigV4Auth

    assert isinstance(request.auth, SigV4Auth)
    return request.auth.role


def check_roles(roles: Sequence[str], allowed: str | None) -> None:
    """InvalidValueError for roles that cannot be registered. `allowed` is the stage's pattern; None allows none."""
    if roles and allowed is None:
        raise InvalidValueError(
            "this stage may assume no roles: set target_roles in its stage file, and deploy",
            path=("target_roles",),
        )
    if len(roles) > MAX_ROLES:
        raise InvalidValueError(f"at most {MAX_ROLES} roles", path=("target_roles",))
    places = set()
    for number, role in enumerate(roles):
        path = ("target_roles", str(number))
        if not re.fullmatch(ROLE_ARN, role):
            raise InvalidValueError(
                "must be the ARN of a role, such as arn:aws:iam::111122223333:role/punctual/orders", path=path
            )
        if not is_allowed(role, allowed):
            raise InvalidValueError(f"the stage may assume only roles that match {allowed}", path=path)
        if (place := _place(role)) in places:
            raise InvalidValueError("a tenant has one role for each account", path=path)
        places.add(place)


def is_allowed(role: str, pattern: str | None) -> bool:
    """Whether a stage with this pattern may assume the role; None allows none."""
    return pattern is not None and re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), role) is not None


def _place(role: str) -> tuple[str, str] | None:
    match = _ROLE.fullmatch(role)
    return None if match is None else (match["partition"], match["account"])
