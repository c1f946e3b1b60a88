"""All operations, by concern."""

from dataclasses import dataclass

from functions.api.operations.accounts import AccountOperations
from functions.api.operations.audit import AuditOperations
from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.jobs import JobOperations
from functions.api.operations.lifecycle import LifecycleOperations


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What the routes call."""

    jobs: JobOperations
    lifecycle: LifecycleOperations
    executions: ExecutionOperations
    accounts: AccountOperations
    audit: AuditOperations
