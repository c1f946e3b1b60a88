"""Definitions of recurring jobs in DynamoDB, and the transactions over definitions and executions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, encode, is_same
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import (
    extra_item,
    job_item,
    past_chain_item,
    read_job,
    read_past_chain,
)
from shared.adapters.dynamodb.codec.keys import (
    extra_key,
    extra_prefix,
    item_key,
    job_key,
    keyed_id_key,
    parse_extra_sk,
    past_chain_key,
    past_chain_prefix,
)
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.adapters.dynamodb.jobs.backfills import DynamoBackfills
from shared.domain.errors import ServiceError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import ENDED, Chain, Job, JobState
from shared.domain.listings.position import IndexPosition
from shared.names import Attr

LAST_REVISION = 9_999_999_999
"""The highest revision that fits into a key."""


class DynamoJobStore(DynamoBackfills):
    """Uses transactions only if a definition and an execution must change together."""

    def create(self, job: Job, first: Execution) -> Job | None:
        puts = [
            {"Put": self._new(self._jobs, job_item(job))},
            {"Put": self._new(self._executions, execution_item(first, self._region))},
        ]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=puts)
        except ConditionRefused as refused:
            return read_job(refused.items[0]) if refused.items[0] else self._require(job)
        return None

    def _require(self, job: Job) -> Job:
        existing = self.get(job.tenant_id, job.id)
        if existing is None:
            raise UnreadableItemError(f"an execution of {job.id} stands without its definition")
        return existing

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        item = self._get(job_key(tenant_id, job_id))
        return read_job(item) if item else None

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        update = {
            "TableName": self._jobs,
            "Key": item_key(*job_key(target.tenant_id, target.job_id)),
            "UpdateExpression": "SET cf = :target",
            "ConditionExpression": "v <= :version AND s = :active AND cr = :revision AND cf < :target",
            "ExpressionAttributeValues": {
                ":version": encode(VERSION),
                ":active": encode(JobState.ACTIVE.value),
                ":revision": encode(target.revision),
                ":target": encode(target.nominal_at),
            },
        }
        items = [
            {"Update": update},
            {"Put": self._new(self._executions, execution_item(skipped, self._region, expires_at_s))},
            {"Put": self._new(self._executions, execution_item(target, self._region))},
        ]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=items)
        except ConditionRefused:
            return False
        return True

    def file_if_active(self, execution: Execution) -> bool:
        check = {
            "TableName": self._jobs,
            "Key": item_key(*job_key(execution.tenant_id, execution.job_id)),
            "ConditionExpression": "v <= :version AND s = :active AND cr = :revision",
            "ExpressionAttributeValues": {
                ":version": encode(VERSION),
                ":active": encode(JobState.ACTIVE.value),
                ":revision": encode(execution.revision),
            },
        }
        put = self._new(self._executions, execution_item(execution, self._region))
        items: Any = [{"ConditionCheck": check}, {"Put": put}]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=items)
        except ConditionRefused:
            return False
        return True

    def replace(
        self,
        before: Job,
        after: Job,
        *,
        past: Chain | None = None,
        executions: Sequence[Execution] = (),
        expires_at_s: int | None = None,
    ) -> bool:
        """A swap without other writes is one conditional write, at half the price of a transaction."""
        job_put: Any = self._compare_and_put(
            before, job_item(after, expires_at_s if after.state in ENDED else None)
        )
        filed = [
            execution_item(each, self._region, expires_at_s if each.state.is_terminal else None)
            for each in executions
        ]
        others: list[Any] = [{"Put": self._new(self._executions, item)} for item in filed]
        if past is not None:
            others.append({"Put": {"TableName": self._jobs, "Item": past_chain_item(past)}})
        writes: list[Any] = [{"Put": job_put}, *others]
        try:
            with translated():
                if others:
                    self._client.transact_write_items(TransactItems=writes)
                else:
                    self._client.put_item(**job_put)
        except ConditionRefused as refused:
            if others or not is_same(refused.items[0], job_put["Item"]):
                return False
        if after.state in ENDED and after.key is not None and expires_at_s is not None:
            self._expire_key(after, after.key, expires_at_s)
        return True

    def _expire_key(self, job: Job, key: str, expires_at_s: int) -> None:
        """Let the record of the key go with the job, unless the key has a new job already.

        Last: the record of a job that has not ended must stay. After a crash here, the record stays for the next
        job with the key, or until the tenant is deleted.
        """
        try:
            with translated():
                self._client.update_item(
                    TableName=self._jobs,
                    Key=item_key(*keyed_id_key(job.tenant_id, key)),
                    UpdateExpression="SET #ttl = :expiry",
                    ConditionExpression="j = :job",
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues={":expiry": encode(expires_at_s), ":job": encode(job.id)},
                )
        except (ConditionRefused, ServiceError):
            return

    def file_beside(self, job: Job, execution: Execution, expires_at_s: int) -> bool:
        return self._put_beside(
            job,
            (JobState.ACTIVE, JobState.PAUSED),
            self._new(self._executions, execution_item(execution, self._region)),
            {"TableName": self._jobs, "Item": extra_item(execution, expires_at_s)},
        )

    def note_beside(self, execution: Execution, expires_at_s: int) -> None:
        with translated():
            self._client.put_item(TableName=self._jobs, Item=extra_item(execution, expires_at_s))

    def extras(
        self, tenant_id: str, job_id: str, *, before: IndexPosition | None, limit: int
    ) -> list[IndexPosition]:
        """All records fit into one page of a DynamoDB query."""
        pk, prefix = extra_prefix(tenant_id, job_id)
        start: Any = (
            {"ExclusiveStartKey": item_key(*extra_key(tenant_id, job_id, before))}
            if before is not None
            else {}
        )
        with translated():
            answer = self._client.query(
                TableName=self._jobs,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": {"S": pk}, ":prefix": {"S": prefix}},
                ScanIndexForward=False,
                ConsistentRead=True,
                Limit=limit,
                **start,
            )
        return [parse_extra_sk(item[Attr.SK]["S"]) for item in answer["Items"]]

    def past_chains(
        self, tenant_id: str, job_id: str, *, limit: int, before: int | None = None
    ) -> list[Chain]:
        if before == 0:
            return []
        pk, low = past_chain_prefix(tenant_id, job_id)
        _, high = past_chain_key(tenant_id, job_id, LAST_REVISION if before is None else before - 1)
        with translated():
            answer = self._client.query(
                TableName=self._jobs,
                KeyConditionExpression="pk = :pk AND sk BETWEEN :low AND :high",
                ExpressionAttributeValues={":pk": {"S": pk}, ":low": {"S": low}, ":high": {"S": high}},
                ScanIndexForward=False,
                ConsistentRead=True,
                Limit=limit,
            )
        return [read_past_chain(item) for item in answer["Items"]]

    def _compare_and_put(self, before: Job, item: Item) -> dict[str, Any]:
        return {
            "TableName": self._jobs,
            "Item": item,
            "ConditionExpression": "v <= :version AND s = :state AND rv = :revision AND cf = :chain_from",
            "ExpressionAttributeValues": {
                ":version": encode(VERSION),
                ":state": encode(before.state.value),
                ":revision": encode(before.revision),
                ":chain_from": encode(before.chain_from),
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
