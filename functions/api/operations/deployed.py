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
from shared.bootstrap.use_cases import UseCases


def service_of(cases: UseCases) -> Service:
    """What the routes call."""
    audit, core = audit_operations(cases), cases.core
    return Service(
        jobs=JobOperations(
            create_job=cases.jobs.create_job,
            find_job=core.find_job,
            cancel_job=core.cancel_job,
            open_request=core.open_request,
            clock=core.ports.clock,
        ),
        batches=batch_operations(cases),
        backfills=backfill_operations(cases),
        lifecycle=LifecycleOperations(
            find_job=core.find_job,
            open_request=core.open_request,
            revise_job=cases.jobs.revise_job,
            trigger_job=cases.jobs.trigger_job,
            lifecycle=core.lifecycle,
            check_quota=cases.tenancy.check_quota,
            clock=core.ports.clock,
        ),
        executions=execution_operations(cases),
        dead_letters=dead_letter_operations(cases),
        redrives=redrive_operations(cases),
        callbacks=callback_operations(cases),
        listings=listing_operations(cases),
        accounts=account_operations(cases, audit),
        audit=audit,
    )
