"""Keep the result of a task that another task needs."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.callback import STORED_BODY_BYTES, CallbackResponse, Reason
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.workflows.results import read_result
from shared.ports.delivery import Vault
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.workflows.read_results import context_of


@dataclass(frozen=True, slots=True)
class HandOnResult:
    """Pure but for the encryption: the result is stored by the write that ends the task."""

    read_tenant: ReadTenant
    vault: Vault

    def execute(self, execution: Execution, answer: CallbackResponse) -> tuple[CallbackResponse, bytes]:
        """The answer as it counts, and the sealed result.

        A success whose body is no result becomes RESULT_INVALID, which fails the task without a retry.
        UnavailableError if the result cannot be sealed now, UnreadableItemError if the tenant is gone.
        """
        try:
            result = read_result(answer.body, execution.task.max_result_bytes if execution.task else 0)
        except InvalidValueError:
            body = answer.body[:STORED_BODY_BYTES]
            return replace(answer, reason=Reason.RESULT_INVALID, body=body), b""
        tenant = self.read_tenant.execute(execution.tenant_id)
        if tenant is None:
            raise UnreadableItemError("the tenant of this task is gone")
        return answer, self.vault.seal(tenant, context_of(execution.id), result)
