"""Everything that only reads, put together."""

from functions.api.cursors import Cursors
from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.listings import ListingOperations
from shared.bootstrap import callbacks
from shared.bootstrap.callbacks import CallbackParts
from shared.bootstrap.listings import Listings


def execution_operations(parts: CallbackParts) -> ExecutionOperations:
    """What became of jobs."""
    listings = Listings(parts)
    return ExecutionOperations(
        find_execution=listings.find_execution(),
        list_executions=listings.list_executions(),
        list_by_time=listings.list_by_time(),
        list_dead_letters=callbacks.list_dead_letters(parts),
        cursors=Cursors(parts.vault),
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
