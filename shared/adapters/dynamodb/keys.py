"""Keys of every table, built and parsed here alone."""

from hashlib import sha256

from shared.adapters.dynamodb.attributes import Item, encode
from shared.domain.bucket import bucket_start_ms
from shared.domain.history import Place
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.names import Attr


def item_key(pk: str, sk: str) -> Item:
    """A primary key as the low-level API spells it."""
    return {Attr.PK: encode(pk), Attr.SK: encode(sk)}


def shard_pk(region: str, bucket: int, shard: int) -> str:
    """The partition of one shard of one bucket."""
    return f"{region}#{bucket}#{shard}"


def execution_key(region: str, execution_id: ExecutionId) -> tuple[str, str]:
    """Where an execution stands."""
    return shard_pk(region, execution_id.bucket, execution_id.shard), _sort(execution_id, str(execution_id))


def pointer_key(region: str, location: ExecutionId, target: ExecutionId, attempt: int) -> tuple[str, str]:
    """Where a pointer stands: in its own bucket, under the id of its target and the attempt that failed."""
    return shard_pk(region, location.bucket, location.shard), _sort(location, f"ptr_{target.body}_{attempt}")


def _sort(location: ExecutionId, identity: str) -> str:
    return f"{location.dispatch_at - bucket_start_ms(location.bucket):05d}#{identity}"


def parse_execution_sk(sk: str) -> ExecutionId:
    """The execution that a sort key names; InvalidValueError for any other row."""
    return parse_execution_id(sk.partition("#")[2])


def tenant_index_key(tenant_id: str, index_shard: int, execution_id: ExecutionId) -> tuple[str, str]:
    """Key in the index by tenant: sharded, so that one tenant's load never throttles its own writes."""
    return f"{tenant_id}#{index_shard}", f"{execution_id.dispatch_at:015d}#{execution_id}"


def failed_index_key(tenant_id: str, execution_id: ExecutionId) -> tuple[str, str]:
    """Key in the sparse index of dead letters."""
    return tenant_id, f"{execution_id.dispatch_at:015d}#{execution_id}"


def job_key(tenant_id: str, job_id: str) -> tuple[str, str]:
    """A definition in the jobs table."""
    return tenant_id, f"job#{job_id}"


def past_chain_key(tenant_id: str, job_id: str, revision: int) -> tuple[str, str]:
    """A chain that ended, in the jobs table; the newest of a job sorts last."""
    pk, prefix = past_chain_prefix(tenant_id, job_id)
    return pk, f"{prefix}{revision:010d}"


def past_chain_prefix(tenant_id: str, job_id: str) -> tuple[str, str]:
    """Where a job's past chains stand."""
    return tenant_id, f"chain#{job_id}#"


def extra_key(tenant_id: str, job_id: str, place: Place) -> tuple[str, str]:
    """The record of an execution beside the schedule, in the jobs table; they sort as the history does."""
    pk, prefix = extra_prefix(tenant_id, job_id)
    return pk, f"{prefix}{place.at:015d}#{place.identity}"


def extra_prefix(tenant_id: str, job_id: str) -> tuple[str, str]:
    """Where a job's records of executions beside the schedule stand."""
    return tenant_id, f"extra#{job_id}#"


def parse_extra_sk(sk: str) -> Place:
    """The place that such a record names; ValueError for any other row."""
    _, _, at, identity = sk.split("#")
    return Place(at=int(at), identity=str(parse_execution_id(identity)))


def payload_key(tenant_id: str, payload_id: str) -> tuple[str, str]:
    """A large request in the jobs table."""
    return tenant_id, f"payload#{payload_id}"


def idempotency_key(tenant_id: str, key: str) -> tuple[str, str]:
    """An Idempotency-Key in the jobs table, in a partition of its own: hashed, since users choose its text."""
    return f"{tenant_id}#idempotency#{sha256(key.encode()).hexdigest()}", "record"


def tenant_key(tenant_id: str) -> tuple[str, str]:
    """A tenant in the tenants table."""
    return f"tenant#{tenant_id}", "tenant"


def api_key_key(key_id: str) -> tuple[str, str]:
    """An API key in the tenants table."""
    return f"key#{key_id}", "key"


def ledger_key(region: str, bucket: int, shard: int) -> tuple[str, str]:
    """A shard in the ledger of the leases table; the buckets sort by time."""
    return f"{region}#ledger", f"{bucket:010d}#{shard:05d}"


def ledger_before(bucket: int) -> str:
    """Sorts behind every shard of earlier buckets, and before those of this one."""
    return f"{bucket:010d}"


def parse_ledger_sk(sk: str) -> tuple[int, int]:
    """Bucket and shard of a ledger row."""
    bucket, _, shard = sk.partition("#")
    return int(bucket), int(shard)


def swept_key(region: str) -> tuple[str, str]:
    """The mark up to which buckets were listed."""
    return f"{region}#swept", "through"


def reconciled_key(region: str) -> tuple[str, str]:
    """The mark up to which the reconciler has come."""
    return f"{region}#reconciled", "through"


def progress_key(region: str, lane: str) -> tuple[str, str]:
    """A lane's progress."""
    return f"{region}#progress", lane


def parked_key(region: str, parked_at: int, message_id: str) -> tuple[str, str]:
    """A parked message; the newest sort last."""
    return f"{region}#parked", f"{parked_at:015d}#{message_id}"
