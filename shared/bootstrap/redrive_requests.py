"""The use cases about dead letters that tenants ask for, and that seal or change what is theirs."""

from shared.adapters.dynamodb.idempotency_store import DynamoIdempotencyStore
from shared.bootstrap import callbacks
from shared.bootstrap.callbacks import CallbackParts
from shared.bootstrap.redrives import list_dead_letters, redrive_tasks
from shared.usecases.cancel_redrive import CancelRedrive
from shared.usecases.find_execution import FindExecution
from shared.usecases.start_redrive import StartRedrive


def cancel_redrive(parts: CallbackParts) -> CancelRedrive:
    """DELETE /v1/executions/{id}."""
    return CancelRedrive(find=FindExecution(parts.core.store), cancel=callbacks.cancel_job(parts))


def start_redrive(parts: CallbackParts) -> StartRedrive:
    """POST /v1/dead-letters/redrive."""
    core = parts.core
    return StartRedrive(
        tasks=redrive_tasks(core),
        list_dead_letters=list_dead_letters(core),
        idempotency=DynamoIdempotencyStore(core.dynamodb, core.settings.jobs_table),
        vault=parts.vault,
        clock=core.clock,
        entropy=core.entropy,
    )
