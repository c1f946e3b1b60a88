"""The use cases about dead letters that need no tenant's key."""

from shared.adapters.dynamodb.dead_letters.parked_message_store import DynamoParkedMessageStore
from shared.adapters.dynamodb.dead_letters.redrive_tasks import DynamoRedriveTasks
from shared.bootstrap.core import Core
from shared.usecases.dead_letters.list_dead_letters import ListDeadLetters
from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives
from shared.usecases.dead_letters.redrive_execution import RedriveExecution
from shared.usecases.reading.find_execution import FindExecution


def list_dead_letters(core: Core) -> ListDeadLetters:
    """GET /v1/dead-letters."""
    return ListDeadLetters(store=core.store, jobs=core.jobs)


def redrive_execution(core: Core) -> RedriveExecution:
    """POST /v1/executions/{id}/redrive."""
    return RedriveExecution(
        find=FindExecution(core.store),
        store=core.store,
        jobs=core.jobs,
        file=core.file,
        clock=core.clock,
        plan=core.settings.shard_plan,
        retention=core.settings.retention,
    )


def process_bulk_redrives(core: Core) -> ProcessBulkRedrives:
    """What the sweeper does of bulk redrives."""
    return ProcessBulkRedrives(
        tasks=redrive_tasks(core),
        list_dead_letters=list_dead_letters(core),
        redrive=redrive_execution(core),
        store=core.store,
        finalize=core.finalize,
        clock=core.clock,
        retention=core.settings.retention,
    )


def parking_lot(core: Core) -> DynamoParkedMessageStore:
    """Messages that could not be acted on."""
    return DynamoParkedMessageStore(core.dynamodb, core.settings.leases_table, core.settings.region)


def redrive_tasks(core: Core) -> DynamoRedriveTasks:
    """Bulk redrives."""
    settings = core.settings
    return DynamoRedriveTasks(core.dynamodb, settings.jobs_table, settings.leases_table, settings.region)
