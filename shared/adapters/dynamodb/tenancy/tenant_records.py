"""Delete the rows of a tenant in the tables of jobs and executions, a page at a time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import TRIES, Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.bulk_keys import (
    JOB_TASK_PREFIX,
    REDRIVE_PREFIX,
    SEARCH_PREFIX,
    open_job_task_key,
    open_redrive_key,
    open_search_key,
)
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import (
    item_key,
    job_health_key,
    job_prefix,
    one_off_index_pk,
    payload_key,
    run_index_pk,
)
from shared.adapters.dynamodb.codec.workflow_keys import (
    INPUT,
    PAYLOADS,
    RUN_PARTITIONS,
    input_id,
    run_partition_pk,
)
from shared.domain.errors import UnavailableError
from shared.names import Attr, Index

PAGE = 100
MAX_WRITES = 25
"""The maximum of BatchWriteItem."""
_PAYLOAD = "pa"
"""The attribute that names a large request, which is an item of its own."""


class DynamoTenantRecords:
    """Deletes have no condition: no worker writes a row of a tenant whose suspension took effect an hour ago."""

    def __init__(
        self,
        client: AwsClient,
        executions_table: str,
        jobs_table: str,
        leases_table: str,
        region: str,
        backoff: Backoff,
    ) -> None:
        self._client = client
        self._leases = leases_table
        self._region = region
        self._executions = executions_table
        self._jobs = jobs_table
        self._backoff = backoff
        self._reads = BatchReads(
            client, executions_table, backoff, attributes=(Attr.PK, Attr.SK, _PAYLOAD, INPUT)
        )

    def delete_definitions(self, tenant_id: str) -> Mapping[str, int]:
        pk, prefix = job_prefix(tenant_id)
        with translated():
            answer = self._client.query(
                TableName=self._jobs,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": encode(pk)},
                ConsistentRead=True,
                Limit=PAGE,
            )
        rows = answer["Items"]
        jobs = [row for row in rows if str(row[Attr.SK]["S"]).startswith(prefix)]
        requests = list(_payloads(tenant_id, rows))
        job_ids = [str(job[Attr.SK]["S"]).removeprefix(prefix) for job in jobs]
        health = [item_key(*job_health_key(tenant_id, job_id)) for job_id in job_ids]
        for entry in self._open_entries(tenant_id, rows):
            with translated():
                self._client.delete_item(TableName=self._leases, Key=entry)
        # Last the rows themselves: after a crash they are found again, and what belongs to them with them.
        self._delete(self._jobs, [*requests, *health])
        self._delete(self._jobs, [_key(row) for row in rows])
        return _counted(jobs=len(jobs), records=len(rows) - len(jobs), requests=len(requests))

    def _open_entries(self, tenant_id: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
        """The entries of tasks among the rows in the lists of open tasks."""
        for row in rows:
            sort_key = str(row[Attr.SK]["S"])
            if sort_key.startswith(JOB_TASK_PREFIX):
                task_id = sort_key.removeprefix(JOB_TASK_PREFIX)
                yield item_key(*open_job_task_key(self._region, tenant_id, task_id))
            elif sort_key.startswith(REDRIVE_PREFIX):
                yield item_key(*open_redrive_key(self._region, tenant_id))
            elif sort_key.startswith(SEARCH_PREFIX):
                task_id = sort_key.removeprefix(SEARCH_PREFIX)
                yield item_key(*open_search_key(self._region, tenant_id, task_id))

    def delete_executions(self, tenant_id: str, index_shards: int) -> Mapping[str, int]:
        for shard in range(index_shards):
            for pk in (run_index_pk(tenant_id, shard), one_off_index_pk(tenant_id, shard)):
                deleted = self._delete_listed(tenant_id, pk)
                if deleted:
                    return deleted
        for partition in range(RUN_PARTITIONS):
            deleted = self._delete_listed(tenant_id, run_partition_pk(tenant_id, partition))
            if deleted:
                return deleted
        return {}

    def _delete_listed(self, tenant_id: str, index_pk: str) -> Mapping[str, int]:
        """The first page of a partition of the index that has a row left. The index may lag behind the table."""
        start: dict[str, Any] = {}
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self._executions,
                    IndexName=Index.BY_TENANT,
                    KeyConditionExpression="#pk = :pk",
                    ExpressionAttributeNames={"#pk": Attr.TENANT_PK},
                    ExpressionAttributeValues={":pk": encode(index_pk)},
                    Limit=PAGE,
                    **start,
                )
            keys = [_key(row) for row in answer["Items"]]
            rows = self._reads.read_all(keys) if keys else []
            if rows:
                requests = list(_payloads(tenant_id, rows))
                self._delete(self._jobs, requests)
                self._delete(self._executions, [_key(row) for row in rows])
                return _counted(executions=len(rows), requests=len(requests))
            last = answer.get("LastEvaluatedKey")
            if not last:
                return {}
            start = {"ExclusiveStartKey": last}

    def _delete(self, table: str, keys: Sequence[Item]) -> None:
        requests = [{"DeleteRequest": {"Key": key}} for key in keys]
        for first in range(0, len(requests), MAX_WRITES):
            self._delete_batch(table, requests[first : first + MAX_WRITES])

    def _delete_batch(self, table: str, requests: Sequence[dict[str, Any]]) -> None:
        """Sends unprocessed deletes again."""
        left: Any = list(requests)
        for number in range(TRIES):
            if number:
                self._backoff.wait()
            with translated():
                answer = self._client.batch_write_item(RequestItems={table: left})
            left = answer.get("UnprocessedItems", {}).get(table, [])
            if not left:
                return
        raise UnavailableError("BatchWriteItem left items unprocessed")


def _key(row: Mapping[str, Any]) -> Item:
    return {Attr.PK: row[Attr.PK], Attr.SK: row[Attr.SK]}


def _payloads(tenant_id: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    names = dict.fromkeys(str(row[_PAYLOAD]["S"]) for row in rows if _PAYLOAD in row)
    for row in rows:
        names |= dict.fromkeys(str(name["S"]) for name in row.get(PAYLOADS, {}).get("L", ()))
        if INPUT in row:
            names[input_id(row[Attr.SK]["S"], row[INPUT]["S"])] = None
    return (item_key(*payload_key(tenant_id, name)) for name in names)


def _counted(**counts: int) -> Mapping[str, int]:
    return Counter({kind: count for kind, count in counts.items() if count})
