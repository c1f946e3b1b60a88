"""Keys of every table, but for those of the archive (`archive_keys`), of bulk tasks (`bulk_keys`), of the audit trail
(`trail_keys`) and of workflows (`workflow_keys`).

No other module builds or parses keys.
"""

from hashlib import sha256

from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.domain.bucket import bucket_start_ms
from shared.domain.delivery.alerts import AlertWindow
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.domain.tenancy.budget import BudgetKey
from shared.names import DELETION_RECORDS, FAILURE_PARTITIONS, LEDGER_PARTITIONS, TENANT_LIST, Attr


def item_key(pk: str, sk: str) -> Item:
    """A primary key for the low-level API."""
    return {Attr.PK: encode(pk), Attr.SK: encode(sk)}


def shard_pk(region: str, bucket: int, shard: int) -> str:
    """The partition of one shard of one bucket."""
    return f"{region}#{bucket}#{shard}"


def execution_key(region: str, execution_id: ExecutionId) -> tuple[str, str]:
    return shard_pk(region, execution_id.bucket, execution_id.shard), _sort(execution_id, str(execution_id))


def reminder_key(region: str, location: ExecutionId, target: ExecutionId, claims: int) -> tuple[str, str]:
    """The key of a retry reminder: its own bucket, the target's id, and the target's number of claims."""
    return shard_pk(region, location.bucket, location.shard), _sort(location, f"ptr_{target.body}_{claims}")


def _sort(location: ExecutionId, identity: str) -> str:
    return f"{location.dispatch_at - bucket_start_ms(location.bucket):05d}#{identity}"


def parse_execution_sk(sk: str) -> ExecutionId:
    """The execution that a sort key names; InvalidValueError for any other row."""
    return parse_execution_id(sk.partition("#")[2])


def tenant_index_key(
    tenant_id: str, index_shard: int, execution_id: ExecutionId, *, is_job: bool
) -> tuple[str, str]:
    """Key in the index by tenant: sharded, so that one tenant's load never throttles its own writes."""
    pk = one_off_index_pk(tenant_id, index_shard) if is_job else run_index_pk(tenant_id, index_shard)
    return pk, position_key(due_position(execution_id))


def failed_index_key(tenant_id: str, execution_id: ExecutionId) -> tuple[str, str]:
    """Key of a dead letter in the sparse index of failures."""
    pk = failed_index_pk(tenant_id, execution_id.entropy % FAILURE_PARTITIONS)
    return pk, position_key(due_position(execution_id))


def retry_index_key(tenant_id: str, execution_id: ExecutionId) -> tuple[str, str]:
    """Key of a waiting retry in the same sparse index: the due time, so that a later retry moves nothing."""
    pk = retry_index_pk(tenant_id, execution_id.entropy % FAILURE_PARTITIONS)
    return pk, position_key(due_position(execution_id))


def one_off_index_pk(tenant_id: str, index_shard: int) -> str:
    """One shard of a tenant's one-off jobs, which a list of jobs reads without the runs of recurring jobs."""
    return f"{tenant_id}#job#{index_shard}"


def run_index_pk(tenant_id: str, index_shard: int) -> str:
    """One shard of all other executions of a tenant."""
    return f"{tenant_id}#{index_shard}"


def failed_index_pk(tenant_id: str, partition: int) -> str:
    """One partition of a tenant's dead letters; no tenant's id contains the separator."""
    return f"{tenant_id}#{partition}"


def retry_index_pk(tenant_id: str, partition: int) -> str:
    """One partition of a tenant's waiting retries."""
    return f"{tenant_id}#{partition}#retry"


def position_key(position: IndexPosition) -> str:
    """A position as a sort key of fixed length, so that texts compare like positions."""
    return f"{position.at:015d}#{position.id_text}"


def parse_position(key: str) -> IndexPosition:
    """ValueError unless the key names an execution."""
    at, _, id_text = key.partition("#")
    return IndexPosition(at=int(at), id=parse_execution_id(id_text))


def span_keys(span: PositionRange) -> tuple[str, str] | None:
    """The first and the last sort key of a range, both inclusive; None if the range is empty."""
    low, before = f"{position_key(span.after)}!", position_key(span.before)
    high = f"{before[:-1]}{chr(ord(before[-1]) - 1)}~"
    return (low, high) if low <= high else None


def job_key(tenant_id: str, job_id: str) -> tuple[str, str]:
    return tenant_id, f"job#{job_id}"


def parse_job_sk(sk: str) -> str:
    """The id of the job."""
    return sk.removeprefix("job#")


def job_prefix(tenant_id: str) -> tuple[str, str]:
    """The partition and the prefix of a tenant's definitions."""
    return tenant_id, "job#"


def backfill_prefix(tenant_id: str, job_id: str) -> tuple[str, str]:
    """The prefix of a job's backfills, whose ids begin with the id of the job."""
    return tenant_id, f"{job_key(tenant_id, job_id)[1]}_"


def past_chain_key(tenant_id: str, job_id: str, revision: int) -> tuple[str, str]:
    """An ended chain in the jobs table; a job's newest chain sorts last."""
    return tenant_id, f"{past_chain_prefix(tenant_id, job_id)[1]}{revision:010d}"


def past_chain_prefix(tenant_id: str, job_id: str) -> tuple[str, str]:
    """The prefix of a job's ended chains."""
    return tenant_id, f"chain#{job_id}#"


def extra_key(tenant_id: str, job_id: str, place: IndexPosition) -> tuple[str, str]:
    """The record of an execution outside the schedule, in the jobs table; sorts like the history."""
    return tenant_id, extra_prefix(tenant_id, job_id)[1] + position_key(place)


def extra_prefix(tenant_id: str, job_id: str) -> tuple[str, str]:
    """Of a job's records of executions outside the schedule."""
    return tenant_id, f"extra#{job_id}#"


def parse_extra_sk(sk: str) -> IndexPosition:
    """The place that such a record names; ValueError for any other row."""
    return parse_position(sk.split("#", 2)[2])


def keyed_id_key(tenant_id: str, key: str) -> tuple[str, str]:
    """A job's key in the jobs table: beside the definitions, so that a deletion of the tenant finds it."""
    return tenant_id, f"key#{key}"


def run_lock_key(tenant_id: str, job_id: str) -> tuple[str, str]:
    """The run lock of a job in the jobs table."""
    return tenant_id, f"turn#{job_id}"


def job_health_key(tenant_id: str, job_id: str) -> tuple[str, str]:
    """The health of a job in the jobs table: in its own partition, since all jobs of a tenant can fail at once."""
    return f"{tenant_id}#health#{job_id}", "health"


SUPPRESSED_PARTITIONS = 8
"""A flood of one URL is written to so many partitions."""


def alert_window_key(tenant_id: str, window: AlertWindow, part: int | None = None) -> tuple[str, str]:
    """A window of alerts in the jobs table, or one of the partitions of its suppressed alerts."""
    pk = f"{tenant_id}#alerts#{window.key}#{window.minute}"
    return (pk if part is None else f"{pk}#{part}"), "window"


def suppressed_key(tenant_id: str, window: AlertWindow, alert_id: ExecutionId) -> tuple[str, str]:
    """The record of a suppressed alert."""
    pk, _ = alert_window_key(tenant_id, window, alert_id.entropy % SUPPRESSED_PARTITIONS)
    return pk, str(alert_id)


PAYLOAD_PREFIX = "payload#"


def payload_key(tenant_id: str, payload_id: str) -> tuple[str, str]:
    """A large request in the jobs table: in its own partition, since a herd reads as many as it has calls."""
    sort_key = f"{PAYLOAD_PREFIX}{payload_id}"
    return f"{tenant_id}#{sort_key}", sort_key


def idempotency_key(tenant_id: str, key: str) -> tuple[str, str]:
    """An Idempotency-Key in the jobs table: in its own partition, hashed because clients choose the text."""
    return f"{tenant_id}#idempotency#{sha256(key.encode()).hexdigest()}", "record"


def tenant_key(tenant_id: str) -> tuple[str, str]:
    """A tenant in the tenants table."""
    return f"tenant#{tenant_id}", "tenant"


def tenant_listing_key(tenant_id: str) -> tuple[str, str]:
    """A tenant's entry in the list of tenants, in the tenants table."""
    return TENANT_LIST, tenant_id


def tenant_deletion_key(tenant_id: str) -> tuple[str, str]:
    """The record of a tenant's deletion, in the tenants table; it outlives the tenant."""
    return f"{DELETION_RECORDS}{tenant_id}", "deletion"


def open_deletion_key(tenant_id: str) -> tuple[str, str]:
    """The entry of a deletion in the list of those that have not ended, in the tenants table."""
    return "deletions", tenant_id


def api_key_key(key_id: str) -> tuple[str, str]:
    """An API key in the tenants table."""
    return f"key#{key_id}", "key"


def budget_key(key: BudgetKey) -> tuple[str, str]:
    """A budget in the leases table. Each has its own partition, because a busy budget is written often."""
    return f"budget#{key.tenant_id}#{key.name}#{key.window}", "budget"


def limit_key(scope: str) -> tuple[str, str]:
    """The state of a scope in the leases table. Each has its own partition, because it is written often."""
    return f"limit#{scope}", "limit"


def parse_limit_pk(pk: str) -> str:
    """The scope of a partition key made by `limit_key`."""
    return pk.removeprefix("limit#")


def hot_scopes_key(region: str, part: int) -> tuple[str, str]:
    """One part of the index of hot scopes. Each has its own partition, because every worker reads it."""
    return f"{region}#waiting#{part:02d}", "board"


def audit_key(tenant_id: str, at: int, record_id: str) -> tuple[str, str]:
    """A record in the audit table; a tenant's newest sorts last."""
    return tenant_id, f"{at:015d}#{record_id}"


def audit_from(at: int) -> str:
    """Sorts before every record of this instant and after all earlier records."""
    return f"{at:015d}"


def ledger_key(region: str, bucket: int, shard: int) -> tuple[str, str]:
    """A shard in the ledger of the leases table; the buckets sort by time."""
    return ledger_pk(region, shard % LEDGER_PARTITIONS), f"{bucket:010d}#{shard:05d}"


def ledger_pk(region: str, partition: int) -> str:
    """One of the partitions of the ledger, so that no key has to take the writes of all shards."""
    return f"{region}#ledger#{partition:02d}"


def ledger_before(bucket: int) -> str:
    """Sorts after every shard of earlier buckets and before the shards of this bucket."""
    return f"{bucket:010d}"


def parse_ledger_sk(sk: str) -> tuple[int, int]:
    """Bucket and shard of a ledger row."""
    bucket, _, shard = sk.partition("#")
    return int(bucket), int(shard)


def swept_key(region: str) -> tuple[str, str]:
    """The last bucket whose shards are all listed."""
    return f"{region}#swept", "through"


def shard_counts_key(region: str) -> tuple[str, str]:
    """The record of the shard counts in use and of the first bucket, in the jobs table, which is restored with
    its jobs."""
    return f"{region}#shards", "counts"


RECONCILED_SEGMENTS = "segment#"


def reconciled_minutes_key(region: str) -> tuple[str, str]:
    """The last reconciled minute."""
    return f"{region}#reconciled", "minutes"


def reconciled_segment_key(region: str, segment: int) -> tuple[str, str]:
    """The reconciler's progress in a segment of the live items."""
    return f"{region}#reconciled", f"{RECONCILED_SEGMENTS}{segment:02d}"


def progress_key(region: str, lane: str) -> tuple[str, str]:
    """A lane's progress."""
    return f"{region}#progress", lane


def parked_key(region: str, parked_at: int, message_id: str) -> tuple[str, str]:
    """A parked message; the newest sort last."""
    return f"{region}#parked", f"{parked_at:015d}#{message_id}"
