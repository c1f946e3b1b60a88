"""The DynamoDB actions and data keys of each function. A new AWS call in an adapter needs its action here.

The crash suite refuses calls without a grant and reports grants without a call. So this module loads no CDK.
"""

from dataclasses import dataclass

GET, PUT, UPDATE, DELETE = "GetItem", "PutItem", "UpdateItem", "DeleteItem"
QUERY, SCAN, BATCH_GET = "Query", "Scan", "BatchGetItem"
PARTIQL, INSERT, CHECK = "PartiQLUpdate", "PartiQLInsert", "ConditionCheckItem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """DynamoDB actions on each table, and the use of tenants' data keys.

    All functions send to the lanes; an executor also sends to its slow path, and the handler of dead messages
    to all queues.
    """

    executions: tuple[str, ...] = ()
    failed_index: tuple[str, ...] = ()
    tenant_index: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    leases: tuple[str, ...] = ()
    audit: tuple[str, ...] = ()
    """Append and read only: no function may change or delete an audit record."""
    reads_queue_depth: bool = False
    """Reads the backlog of each lane."""
    decrypts: bool = False
    makes_data_keys: bool = False


GRANTS: dict[str, Grants] = {
    "api": Grants(
        executions=(GET, PUT, INSERT, UPDATE, BATCH_GET, QUERY),
        failed_index=(QUERY,),
        tenant_index=(QUERY,),
        jobs=(GET, PUT, UPDATE, QUERY, CHECK),
        tenants=(GET, PUT, UPDATE, BATCH_GET, QUERY),
        leases=(GET, UPDATE, QUERY, BATCH_GET),
        audit=(PUT, QUERY),
        decrypts=True,
        makes_data_keys=True,
    ),
    "watcher": Grants(executions=(QUERY,), jobs=(GET,), tenants=(GET,), leases=(UPDATE,)),
    "sweeper": Grants(
        executions=(GET, PUT, UPDATE, QUERY, BATCH_GET),
        failed_index=(QUERY,),
        jobs=(GET, PUT, UPDATE, QUERY),
        tenants=(GET,),
        leases=(GET, UPDATE, DELETE, QUERY, BATCH_GET),
        reads_queue_depth=True,
    ),
    "reconciler": Grants(
        executions=(GET, PUT, UPDATE, QUERY, BATCH_GET),
        jobs=(GET, PUT, UPDATE, QUERY, SCAN, CHECK),
        tenants=(GET,),
        leases=(GET, UPDATE),
    ),
    "executor": Grants(
        executions=(GET, PUT, UPDATE, BATCH_GET, PARTIQL),
        jobs=(GET, PUT, UPDATE, QUERY),
        tenants=(GET,),
        leases=(GET, PUT, UPDATE, BATCH_GET),
        decrypts=True,
    ),
    "dead_letter": Grants(
        executions=(GET, PUT, UPDATE, BATCH_GET),
        jobs=(GET, PUT, UPDATE, QUERY),
        tenants=(GET,),
        leases=(PUT, UPDATE),
    ),
}
"""Keys are packages under `functions/`."""
