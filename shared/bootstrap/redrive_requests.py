"""The use cases about dead letters that tenants ask for, and that seal or change what is theirs."""

from shared.adapters.dynamodb.jobs.idempotency_store import DynamoIdempotencyStore
from shared.bootstrap import callbacks
from shared.bootstrap.callbacks import CallbackParts
from shared.bootstrap.redrives import list_dead_letters, redrive_tasks
from shared.usecases.dead_letters.cancel_redrive import CancelRedrive
from shared.usecases.dead_letters.start_redrive import StartRedrive
from shared.usecases.reading.find_execution import FindExecution


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
