"""Everything that only reads, put together."""

from functions.api.cursors import Cursors
from functions.api.operations.dead_letters import DeadLetterOperations
from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.listings import ListingOperations
from functions.api.operations.redrives import RedriveOperations
from shared.bootstrap import redrive_requests, redrives
from shared.bootstrap.accounts import ApiParts, explain_wait
from shared.bootstrap.callbacks import CallbackParts
from shared.bootstrap.listings import Listings
from shared.usecases.dead_letters.undo_redrive import UndoRedrive
from shared.usecases.outcomes.follow_notifications import FollowNotifications


def execution_operations(parts: ApiParts) -> ExecutionOperations:
    """What became of jobs."""
    listings = Listings(parts)
    return ExecutionOperations(
        find_execution=listings.find_execution(),
        list_executions=listings.list_executions(),
        list_by_time=listings.list_by_time(),
        explain_wait=explain_wait(parts),
        follow_notifications=FollowNotifications(parts.core.store),
        cursors=Cursors(parts.vault),
    )


def dead_letter_operations(parts: CallbackParts) -> DeadLetterOperations:
    """What failed for good, and its redrives."""
    return DeadLetterOperations(
        list_dead_letters=redrives.list_dead_letters(parts.core),
        find_execution=Listings(parts).find_execution(),
        open_request=parts.open_request,
        redrive_execution=redrives.redrive_execution(parts.core),
        cancel_redrive=redrive_requests.cancel_redrive(parts),
        follow_notifications=FollowNotifications(parts.core.store),
        cursors=Cursors(parts.vault),
    )


def redrive_operations(parts: CallbackParts) -> RedriveOperations:
    """Redrives of many dead letters."""
    start = redrive_requests.start_redrive(parts)
    return RedriveOperations(
        start_redrive=start,
        undo_redrive=UndoRedrive(tasks=start.tasks, start=start, clock=parts.core.clock),
        work_off=redrives.process_bulk_redrives(parts.core),
    )


def listing_operations(parts: CallbackParts) -> ListingOperations:
    """Jobs, and what is about to run."""
    listings = Listings(parts)
    return ListingOperations(
        list_jobs=listings.list_jobs(),
        list_upcoming=listings.list_upcoming(),
        list_due=listings.list_due(),
        next_runs=listings.next_runs(),
        preview_schedule=listings.preview_schedule(),
        cursors=Cursors(parts.vault),
        clock=parts.core.clock,
    )
