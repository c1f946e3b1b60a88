"""Authenticate a report on an attempt by the token that the call carried."""

from functools import partial

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, NotFoundError, UnavailableError, UnreadableItemError
from shared.domain.executions.callback_token import CODE_CONTEXT, CallbackToken, parse_token
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.usecases.tenancy.limit_requests import LimitRequests, LimitUnknown
from shared.usecases.tenancy.read_tenant import ReadTenant

_NO_ATTEMPT = "there is no attempt that this token was made for"


@dataclass(frozen=True, slots=True)
class CheckToken:
    """Checks the token only: a receiver has no API key, and an API key does not identify an attempt."""

    store: ExecutionStore
    read_tenant: ReadTenant
    vault: Vault
    limit: LimitRequests
    unknown: LimitUnknown

    def execute(self, execution_id: str, token: str) -> tuple[Execution, CallbackToken]:
        """The current execution and the token, which was issued for one of its attempts.

        NotFoundError in every other case, so unknown, foreign and forged tokens look the same.
        RateLimitedError for too many reports of the tenant, or too many such tokens in this process.
        """
        presented, located = parse_token(token), _parse_id(execution_id)
        if presented is None or located is None:
            raise NotFoundError(_NO_ATTEMPT)
        self.unknown.check()
        execution = self._read(located)
        tenant = self._owner(execution, presented) if execution else None
        if execution is None or tenant is None:
            self.unknown.note()
            raise NotFoundError(_NO_ATTEMPT)
        self.limit.report(tenant)
        return execution, presented

    def _read(self, execution_id: ExecutionId) -> Execution | None:
        try:
            return self.store.get(execution_id)
        except UnreadableItemError as error:
            raise UnavailableError("the execution cannot be read for now") from error

    def _owner(self, execution: Execution, presented: CallbackToken) -> Tenant | None:
        """The tenant of the execution; None where the token is not genuine."""
        tenant = self.read_tenant.execute(execution.tenant_id)
        if tenant is None:
            return None
        make_code = partial(self.vault.code, tenant, CODE_CONTEXT)
        return tenant if presented.is_genuine(execution.id, make_code) else None


def _parse_id(text: str) -> ExecutionId | None:
    try:
        return parse_execution_id(text)
    except InvalidValueError:
        return None
