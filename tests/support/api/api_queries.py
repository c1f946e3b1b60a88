"""The operations that only read, over the fakes."""

from functions.api.http.cursors import Cursors
from functions.api.operations.dead_letters import DeadLetterOperations
from functions.api.operations.executions import ExecutionOperations
from functions.api.operations.listings import ListingOperations
from functions.api.operations.redrives import RedriveOperations
from shared.usecases.outcomes.follow_notifications import FollowNotifications
from tests.support.usecases.world import World


def executions_of(world: World) -> ExecutionOperations:
    """What became of jobs."""
    return ExecutionOperations(
        find_execution=world.find_execution,
        list_executions=world.list_executions,
        list_by_time=world.list_by_time,
        explain_wait=world.explain_wait,
        follow_notifications=FollowNotifications(world.store),
        cursors=Cursors(world.vault),
    )


def dead_letters_of(world: World) -> DeadLetterOperations:
    """What failed for good."""
    return DeadLetterOperations(
        list_dead_letters=world.list_dead_letters,
        find_execution=world.find_execution,
        open_request=world.open_request,
        redrive_execution=world.redrive,
        cancel_redrive=world.cancel_redrive,
        follow_notifications=FollowNotifications(world.store),
        cursors=Cursors(world.vault),
    )


def redrives_of(world: World) -> RedriveOperations:
    """Redrives of many dead letters."""
    return RedriveOperations(
        start_redrive=world.start_redrive,
        undo_redrive=world.undo_redrive,
        work_off=world.process_bulk_redrives,
    )


def listings_of(world: World) -> ListingOperations:
    """Jobs, and what is about to run."""
    return ListingOperations(
        list_jobs=world.list_jobs,
        list_upcoming=world.list_upcoming,
        list_due=world.list_due,
        next_runs=world.next_runs,
        preview_schedule=world.preview_schedule,
        cursors=Cursors(world.vault),
        clock=world.clock,
    )
