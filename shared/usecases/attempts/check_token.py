"""Authenticate a report on an attempt by the token that the call carried."""

from dataclasses import dataclass
from functools import partial

from shared.domain.errors import InvalidValueError, NotFoundError, UnavailableError, UnreadableItemError
from shared.domain.executions.callback_token import CODE_CONTEXT, CallbackToken, parse_token
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.ports.delivery import Vault
from shared.ports.executions import ExecutionStore
from shared.usecases.tenancy.read_tenant import ReadTenant


@dataclass(frozen=True, slots=True)
class CheckToken:
    """Checks the token only: a receiver has no API key, and an API key does not identify an attempt."""

    store: ExecutionStore
    read_tenant: ReadTenant
    vault: Vault

    def execute(self, execution_id: str, token: str) -> tuple[Execution, CallbackToken]:
        """The current execution and the token, which was issued for one of its attempts.

        NotFoundError in every other case, so unknown, foreign and forged tokens look the same.
        """
        presented, located = parse_token(token), _parse_id(execution_id)
        execution = self._read(located) if presented and located else None
        if execution is None or presented is None or not self._is_genuine(execution, presented):
            raise NotFoundError("there is no attempt that this token was made for")
        return execution, presented

    def _read(self, execution_id: ExecutionId) -> Execution | None:
        try:
            return self.store.get(execution_id)
        except UnreadableItemError as error:
            raise UnavailableError("the execution cannot be read for now") from error

    def _is_genuine(self, execution: Execution, presented: CallbackToken) -> bool:
        tenant = self.read_tenant.execute(execution.tenant_id)
        if tenant is None:
            return False
        return presented.is_genuine(execution.id, partial(self.vault.code, tenant, CODE_CONTEXT))


def _parse_id(text: str) -> ExecutionId | None:
    try:
        return parse_execution_id(text)
    except InvalidValueError:
        return None
