"""Definitions of recurring jobs in DynamoDB, with the transactions that tie them to executions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from shared.adapters.dynamodb.attributes import Item, Value, encode, encode_all
from shared.adapters.dynamodb.conditions import ABSENT
from shared.adapters.dynamodb.errors import ConditionRefused, translated
from shared.adapters.dynamodb.items import VERSION, encode_counts, execution_item, plain_item, read_counts
from shared.adapters.dynamodb.keys import item_key, job_key, payload_key
from shared.domain.errors import UnreadableItemError
from shared.domain.execution import Execution
from shared.domain.job import Job, JobState
from shared.domain.retry import RetryPolicy
from shared.domain.schedule import Cron, Rate, decode_schedule, encode_schedule
from shared.names import Attr, Lane

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoJobStore:
    """Transactions only where a definition and an execution must change as one."""

    def __init__(self, client: DynamoDBClient, jobs_table: str, executions_table: str, region: str) -> None:
        self._client = client
        self._jobs = jobs_table
        self._executions = executions_table
        self._region = region

    def create(self, job: Job, first: Execution) -> Job | None:
        """See the port."""
        puts = [
            {"Put": self._new(self._jobs, _job_item(job))},
            {"Put": self._new(self._executions, execution_item(first, self._region))},
        ]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=puts)  # type: ignore[arg-type]
        except ConditionRefused as refused:
            return _read_job(refused.items[0]) if refused.items[0] else self._require(job)
        return None

    def _require(self, job: Job) -> Job:
        standing = self.get(job.tenant_id, job.id)
        if standing is None:
            raise UnreadableItemError(f"an execution of {job.id} stands without its definition")
        return standing

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        """See the port."""
        item = self._get(job_key(tenant_id, job_id))
        return _read_job(item) if item else None

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        """See the port."""
        update = {
            "TableName": self._jobs,
            "Key": item_key(*job_key(target.tenant_id, target.job_id)),
            "UpdateExpression": "SET cf = :target",
            "ConditionExpression": "v = :version AND s = :active AND rv = :revision AND cf < :target",
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
                self._client.transact_write_items(TransactItems=items)  # type: ignore[arg-type]
        except ConditionRefused:
            return False
        return True

    def active(self, *, after: str | None, limit: int) -> tuple[list[Job], str | None]:
        """See the port. A scan: definitions are few against executions, and this is asked four times an hour."""
        start: Any = {"ExclusiveStartKey": item_key(*after.split("|", 1))} if after is not None else {}
        with translated():
            answer = self._client.scan(
                TableName=self._jobs,
                FilterExpression="begins_with(sk, :job) AND s = :active",
                ExpressionAttributeValues={":job": {"S": "job#"}, ":active": {"S": JobState.ACTIVE.value}},
                ConsistentRead=True,
                Limit=limit,
                **start,
            )
        jobs = []
        for item in answer["Items"]:
            with suppress(UnreadableItemError):
                jobs.append(_read_job(item))
        last = answer.get("LastEvaluatedKey")
        return jobs, f"{last[Attr.PK]['S']}|{last[Attr.SK]['S']}" if last else None

    def file_if_active(self, execution: Execution) -> bool:
        """See the port."""
        check = {
            "TableName": self._jobs,
            "Key": item_key(*job_key(execution.tenant_id, execution.job_id)),
            "ConditionExpression": "v = :version AND s = :active AND rv = :revision",
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

    def begin_delete(self, tenant_id: str, job_id: str) -> Job | None:
        """See the port."""
        try:
            with translated():
                answer = self._client.update_item(
                    TableName=self._jobs,
                    Key=item_key(*job_key(tenant_id, job_id)),
                    UpdateExpression="SET s = :deleting",
                    ConditionExpression="v = :version AND s = :active",
                    ExpressionAttributeValues={
                        ":version": encode(VERSION),
                        ":active": {"S": JobState.ACTIVE.value},
                        ":deleting": {"S": JobState.DELETING.value},
                    },
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            return _read_job(refused.items[0]) if refused.items[0] else None
        return _read_job(answer["Attributes"])

    def end_delete(self, job: Job, expires_at_s: int) -> None:
        """See the port. The definition goes once the records of its executions have gone.

        The payload first: a deletion that crashes in between is finished by whoever meets the definition.
        """
        if job.payload_apart:
            self.expire_payload(job.tenant_id, job.id, expires_at_s)
        self._expire(
            job_key(job.tenant_id, job.id),
            expires_at_s,
            also=", s = :deleted",
            condition="v = :version AND s = :deleting",
            values={
                ":deleted": encode(JobState.DELETED.value),
                ":deleting": encode(JobState.DELETING.value),
                ":version": encode(VERSION),
            },
        )

    def put_payload(self, tenant_id: str, job_id: str, sealed: bytes) -> None:
        """See the port."""
        key = item_key(*payload_key(tenant_id, job_id))
        with translated():
            self._client.put_item(
                TableName=self._jobs,
                Item={**key, **encode_all({"v": VERSION, "rq": sealed})},
            )

    def get_payload(self, tenant_id: str, job_id: str) -> bytes:
        """See the port."""
        item = self._get(payload_key(tenant_id, job_id))
        sealed = plain_item(item).get("rq") if item else None
        if not isinstance(sealed, bytes):
            raise UnreadableItemError(f"the request of {job_id} is missing")
        return sealed

    def expire_payload(self, tenant_id: str, job_id: str, expires_at_s: int) -> None:
        """See the port."""
        self._expire(
            payload_key(tenant_id, job_id), expires_at_s, condition="attribute_exists(pk)", values={}
        )

    def _expire(
        self,
        key: tuple[str, str],
        expires_at_s: int,
        *,
        also: str = "",
        condition: str,
        values: Mapping[str, Any],
    ) -> None:
        """Start a retention where the condition holds."""
        try:
            with translated():
                self._client.update_item(
                    TableName=self._jobs,
                    Key=item_key(*key),
                    UpdateExpression=f"SET #ttl = :ttl{also}",
                    ConditionExpression=condition,
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues={":ttl": encode(expires_at_s), **values},
                )
        except ConditionRefused:
            return

    def _get(self, key: tuple[str, str]) -> Mapping[str, Value] | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._jobs,
                Key=item_key(*key),
                ConsistentRead=True,
            )
        return answer.get("Item")

    def _new(self, table: str, item: Item) -> dict[str, Any]:
        return {
            "TableName": table,
            "Item": item,
            "ConditionExpression": ABSENT,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }


def _job_item(job: Job) -> Item:
    pk, sk = job_key(job.tenant_id, job.id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": VERSION,
            "s": job.state.value,
            "id": job.id,
            "t": job.tenant_id,
            "rv": job.revision,
            "sc": cast("dict[str, Any]", encode_schedule(job.schedule)),
            "sn": encode_counts(job.counts),
            "ln": job.lane.value,
            "rq": job.request or None,
            "pa": job.payload_apart or None,
            "fp": job.fingerprint,
            "mx": job.retry.max_attempts,
            "rt": [job.retry.base_seconds, job.retry.factor, job.retry.cap_seconds],
            "tm": job.timeout_ms,
            "c": job.created_at,
            "cf": job.chain_from,
            "ix": job.index_shard,
            "n": job.name,
        }
    )


def _read_job(item: Mapping[str, Value]) -> Job:
    plain = plain_item(item)
    try:
        schedule = decode_schedule(plain["sc"])
        if not isinstance(schedule, Rate | Cron):
            raise ValueError("not the schedule of a recurring job")
        base, factor, cap = plain["rt"]
        return Job(
            id=plain["id"],
            tenant_id=plain["t"],
            revision=plain["rv"],
            state=JobState(plain["s"]),
            schedule=schedule,
            counts=read_counts(plain["sn"]),
            lane=Lane(plain["ln"]),
            request=plain.get("rq", b""),
            fingerprint=plain["fp"],
            retry=RetryPolicy(max_attempts=plain["mx"], base_seconds=base, factor=factor, cap_seconds=cap),
            timeout_ms=plain["tm"],
            created_at=plain["c"],
            chain_from=plain["cf"],
            index_shard=plain["ix"],
            name=plain.get("n"),
            payload_apart=plain.get("pa", False),
        )
    except (KeyError, ValueError, TypeError) as fault:
        raise UnreadableItemError(f"job {plain.get('id')} is broken") from fault
