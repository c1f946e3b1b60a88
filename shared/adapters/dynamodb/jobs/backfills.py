"""Backfills in DynamoDB, and other writes that require the job's current revision."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import job_item
from shared.adapters.dynamodb.codec.keys import backfill_prefix, item_key, job_key, job_prefix
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.adapters.dynamodb.jobs.payloads import DynamoPayloads
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job, JobState
from shared.names import Attr


class DynamoBackfills(DynamoPayloads):
    """The part of the job store for executions and definitions outside the job's chain."""

    def __init__(self, client: AwsClient, jobs_table: str, executions_table: str, region: str) -> None:
        super().__init__(client, jobs_table)
        self._executions = executions_table
        self._region = region

    def create_backfill(self, job: Job, backfill: Job, first: Execution) -> bool:
        return self._put_beside(
            job,
            (JobState.ACTIVE, JobState.PAUSED, JobState.COMPLETED),
            self._new(self._jobs, job_item(backfill)),
            self._new(self._executions, execution_item(first, self._region)),
        )

    def _put_beside(self, job: Job, states: tuple[JobState, ...], *puts: dict[str, Any]) -> bool:
        """Put items in one transaction if the job has its revision and one of these states; else False."""
        names = {f":state{number}": encode(state.value) for number, state in enumerate(states)}
        check = {
            "TableName": self._jobs,
            "Key": item_key(*job_key(job.tenant_id, job.id)),
            "ConditionExpression": f"v <= :version AND s IN ({', '.join(names)}) AND rv = :revision",
            "ExpressionAttributeValues": {
                ":version": encode(VERSION),
                ":revision": encode(job.revision),
                **names,
            },
        }
        items: Any = [{"ConditionCheck": check}, *({"Put": put} for put in puts)]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=items)
        except ConditionRefused:
            return False
        return True

    def backfills(self, tenant_id: str, job_id: str) -> list[str]:
        """The result is bounded: open backfills count against the quota, ended backfills expire."""
        pk, prefix = backfill_prefix(tenant_id, job_id)
        _, named = job_prefix(tenant_id)
        found: list[str] = []
        start: dict[str, Any] | None = {}
        while start is not None:
            with translated():
                answer = self._client.query(
                    TableName=self._jobs,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    FilterExpression="s <> :deleted",
                    ProjectionExpression="sk",
                    ExpressionAttributeValues={
                        ":pk": encode(pk),
                        ":prefix": encode(prefix),
                        ":deleted": encode(JobState.DELETED.value),
                    },
                    ConsistentRead=True,
                    **start,
                )
            found += [item[Attr.SK]["S"].removeprefix(named) for item in answer["Items"]]
            last = answer.get("LastEvaluatedKey")
            start = {"ExclusiveStartKey": last} if last else None
        return found

    def _new(self, table: str, item: Item) -> dict[str, Any]:
        return {
            "TableName": table,
            "Item": item,
            "ConditionExpression": ABSENT,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
