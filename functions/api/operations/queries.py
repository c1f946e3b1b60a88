"""Everything that only reads, put together."""

from functions.api.cursors import Cursors
from functions.api.operations.dead_letters import DeadLetterOperations
from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.listings import ListingOperations
from functions.api.operations.redrives import RedriveOperations
from shared.bootstrap.use_cases import UseCases


def execution_operations(cases: UseCases) -> ExecutionOperations:
    """What became of jobs."""
    return ExecutionOperations(
        find_execution=cases.core.find_execution,
        list_executions=cases.listings.list_executions,
        list_by_time=cases.listings.list_by_time,
        explain_wait=cases.listings.explain_wait,
        follow_notifications=cases.dead_letters.follow_notifications,
        cursors=Cursors(cases.core.ports.vault),
    )


def dead_letter_operations(cases: UseCases) -> DeadLetterOperations:
    """What failed for good, and its redrives."""
    return DeadLetterOperations(
        list_dead_letters=cases.dead_letters.list_dead_letters,
        find_execution=cases.core.find_execution,
        open_request=cases.core.open_request,
        redrive_execution=cases.dead_letters.redrive_execution,
        cancel_redrive=cases.dead_letters.cancel_redrive,
        follow_notifications=cases.dead_letters.follow_notifications,
        cursors=Cursors(cases.core.ports.vault),
    )


def redrive_operations(cases: UseCases) -> RedriveOperations:
    """Redrives of many dead letters."""
    return RedriveOperations(
        start_redrive=cases.dead_letters.start_redrive,
        undo_redrive=cases.dead_letters.undo_redrive,
        work_off=cases.dead_letters.process_bulk_redrives,
    )


def listing_operations(cases: UseCases) -> ListingOperations:
    """Jobs, and what is about to run."""
    return ListingOperations(
        list_jobs=cases.listings.list_jobs,
        list_upcoming=cases.listings.list_upcoming,
        list_due=cases.listings.list_due,
        next_runs=cases.listings.next_runs,
        preview_schedule=cases.listings.preview_schedule,
        cursors=Cursors(cases.core.ports.vault),
        clock=cases.core.ports.clock,
    )
