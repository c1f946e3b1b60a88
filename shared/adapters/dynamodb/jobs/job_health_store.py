"""Which jobs are failing, in the jobs table: one item for each job that subscribes to recoveries and has failed."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import MALFORMED, plain_item
from shared.adapters.dynamodb.codec.keys import item_key, job_health_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.job_health import JobHealth
from shared.domain.ids import parse_execution_id
from shared.names import Attr


class DynamoJobHealthStore:
    """Each item has a partition of its own, so that a tenant whose jobs all fail throttles nothing else."""

    def __init__(self, client: AwsClient, jobs_table: str) -> None:
        self._client = client
        self._jobs = jobs_table

    def read(self, tenant_id: str, job_id: str) -> JobHealth:
        with translated():
            answer = self._client.get_item(
                TableName=self._jobs, Key=item_key(*job_health_key(tenant_id, job_id)), ConsistentRead=True
            )
        item = answer.get("Item")
        if not item:
            return JobHealth()
        plain = plain_item(item)
        try:
            return JobHealth(
                version=plain["n"],
                failing_from=plain.get("ff"),
                failed_at=plain["fa"],
                recovered_at=plain["ra"],
                recoveries=tuple(parse_execution_id(each) for each in plain["rc"]),
            )
        except MALFORMED as error:
            raise UnreadableItemError(f"the health of {job_id} is broken") from error

    def swap(
        self, tenant_id: str, job_id: str, before: JobHealth, after: JobHealth, expires_at_s: int
    ) -> bool:
        is_new = before.version == 0
        values = {} if is_new else {"ExpressionAttributeValues": {":n": encode(before.version)}}
        item: dict[str, Any] = {
            Attr.TTL: expires_at_s,
            "v": VERSION,
            "n": after.version,
            "ff": after.failing_from,
            "fa": after.failed_at,
            "ra": after.recovered_at,
            "rc": [str(each) for each in after.recoveries],
        }
        try:
            with translated():
                self._client.put_item(
                    TableName=self._jobs,
                    Item={**item_key(*job_health_key(tenant_id, job_id)), **encode_all(item)},
                    ConditionExpression="attribute_not_exists(n)" if is_new else "n = :n",
                    **values,
                )
        except ConditionRefused:
            return False
        return True
