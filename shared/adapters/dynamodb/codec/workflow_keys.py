"""Keys of workflows in the jobs table, and of their runs in the table of executions.

Imports no rule of workflows: processes that delete tenants know the keys alone.
"""

from zlib import crc32

from shared.adapters.dynamodb.codec.attributes import Item
from shared.adapters.dynamodb.codec.keys import item_key, position_key, shard_pk
from shared.domain.bucket import bucket_start_ms
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import due_position

HEAD_PREFIX = "workflow#"
PAYLOADS = "pl"
"""The attribute with the names of a revision's large requests, which are items of their own."""
INPUT = "in"
"""The attribute with the name of a run's input, which is an item of its own among the requests."""
RUN_PARTITIONS = 8
"""The runs of a tenant's workflows are spread over so many partitions of the index by tenant; each workflow has one."""


def head_key(tenant_id: str, workflow_id: str) -> tuple[str, str]:
    return tenant_id, f"{HEAD_PREFIX}{workflow_id}"


def revision_key(tenant_id: str, workflow_id: str, revision: int) -> tuple[str, str]:
    return tenant_id, f"workflow_revision#{workflow_id}#{revision:010d}"


def key_key(tenant_id: str, key: str) -> tuple[str, str]:
    """The record of a workflow's key: beside the definitions, so that a deletion of the tenant finds it."""
    return tenant_id, f"workflow_key#{key}"


def run_key(region: str, run_id: ExecutionId) -> tuple[str, str]:
    """A run lies among the executions that are due when it begins."""
    offset_ms = run_id.dispatch_at - bucket_start_ms(run_id.bucket)
    return shard_pk(region, run_id.bucket, run_id.shard), f"{offset_ms:05d}#run_{run_id.body}"


def run_item_key(region: str, run_id: ExecutionId) -> Item:
    return item_key(*run_key(region, run_id))


def input_id(run_sort_key: str, name: str) -> str:
    """What `input_payload_id` says of the run with this sort key."""
    return f"{run_sort_key.partition('#')[2]}.{name}"


def workflow_runs_pk(tenant_id: str, workflow_id: str) -> str:
    """The partition of a workflow's runs in the index by tenant."""
    return run_partition_pk(tenant_id, crc32(workflow_id.encode()) % RUN_PARTITIONS)


def run_partition_pk(tenant_id: str, partition: int) -> str:
    return f"{tenant_id}#run#{partition}"


def workflow_runs_prefix(workflow_id: str) -> str:
    return f"{workflow_id}#"


def run_index_key(tenant_id: str, workflow_id: str, run_id: ExecutionId) -> tuple[str, str]:
    """Key of a run in the index by tenant: the runs of a workflow are in order of time."""
    position = position_key(due_position(run_id))
    return workflow_runs_pk(tenant_id, workflow_id), workflow_runs_prefix(workflow_id) + position


def map_key(region: str, run_id: ExecutionId, key: str) -> tuple[str, str]:
    """The record of a map's items: in a partition of its run, which no watcher and no sweeper reads."""
    return f"{region}#map#{run_id.body}", f"map#{key}"


def map_index_key(tenant_id: str, workflow_id: str, run_id: ExecutionId, key: str) -> tuple[str, str]:
    """Beside the runs of the workflow in the index by tenant, where a deletion of the tenant finds it, and behind a
    prefix that no list of runs has."""
    return workflow_runs_pk(tenant_id, workflow_id), f"map#{run_id.body}#{key}"
