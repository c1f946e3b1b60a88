"""All operations of a deployment, put together."""

from functions.api.operations.accounts import account_operations, audit_operations
from functions.api.operations.backfills import backfill_operations
from functions.api.operations.batches import batch_operations
from functions.api.operations.callbacks import callback_operations
from functions.api.operations.jobs import JobOperations
from functions.api.operations.lifecycle import LifecycleOperations
from functions.api.operations.queries import (
    dead_letter_operations,
    execution_operations,
    listing_operations,
    redrive_operations,
)
from functions.api.service import Service
from shared.bootstrap import callbacks
from shared.bootstrap.accounts import ApiParts


def service_of(parts: ApiParts) -> Service:
    """What the routes call."""
    audit = audit_operations(parts)
    return Service(
        jobs=JobOperations(
            create_job=callbacks.create_job(parts, parts.check_quota),
            find_job=parts.find_job,
            cancel_job=callbacks.cancel_job(parts),
            open_request=parts.open_request,
            clock=parts.core.clock,
        ),
        batches=batch_operations(parts),
        backfills=backfill_operations(parts),
        lifecycle=LifecycleOperations(
            find_job=parts.find_job,
            open_request=parts.open_request,
            revise_job=callbacks.revise_job(parts),
            trigger_job=callbacks.trigger_job(parts),
            lifecycle=parts.core.lifecycle,
            check_quota=parts.check_quota,
            clock=parts.core.clock,
        ),
        executions=execution_operations(parts),
        dead_letters=dead_letter_operations(parts),
        redrives=redrive_operations(parts),
        callbacks=callback_operations(parts),
        listings=listing_operations(parts),
        accounts=account_operations(parts, audit),
        audit=audit,
    )
