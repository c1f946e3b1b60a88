"""All operations, by concern."""

from dataclasses import dataclass

from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.jobs import JobOperations


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What the routes call."""

    jobs: JobOperations
    executions: ExecutionOperations
