"""All operations, by concern."""

from dataclasses import dataclass

from functions.api.operations.accounts import AccountOperations
from functions.api.operations.audit import AuditOperations
from functions.api.operations.backfills import BackfillOperations
from functions.api.operations.batches import BatchOperations
from functions.api.operations.callbacks import CallbackOperations
from functions.api.operations.dead_letters import DeadLetterOperations
from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.jobs import JobOperations
from functions.api.operations.lifecycle import LifecycleOperations
from functions.api.operations.listings import ListingOperations
from functions.api.operations.redrives import RedriveOperations


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What the routes call."""

    jobs: JobOperations
    batches: BatchOperations
    backfills: BackfillOperations
    lifecycle: LifecycleOperations
    executions: ExecutionOperations
    dead_letters: DeadLetterOperations
    redrives: RedriveOperations
    callbacks: CallbackOperations
    listings: ListingOperations
    accounts: AccountOperations
    audit: AuditOperations
