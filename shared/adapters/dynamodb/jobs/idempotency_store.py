"""Idempotency records in the jobs table."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import decode_all, encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import idempotency_key, item_key
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.archive.search_task import is_search_task_id
from shared.domain.bulk.job_task import is_job_task_id
from shared.domain.dead_letters.redrive_task import is_redrive_task_id
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.ids import ExecutionId, JobId, job_id_text, one_off_job_id, parse_job_id
from shared.domain.workflows.identities import is_workflow_id
from shared.names import Attr
from shared.ports.jobs import AssignedId, Choice, IdempotencyRecord, OverQuota


class DynamoIdempotencyStore:
    """The first writer assigns the ids; later writers read the assigned ids."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord[Any] | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*idempotency_key(tenant_id, key)),
                ConsistentRead=True,
            )
        record = _read(answer["Item"]) if "Item" in answer else None
        return record if record is not None and record.expires_at > now_ms else None

    def claim(
        self, tenant_id: str, key: str, record: IdempotencyRecord[Any], now_ms: int
    ) -> IdempotencyRecord[Any]:
        item = {
            **item_key(*idempotency_key(tenant_id, key)),
            **encode_all(
                {
                    "v": VERSION,
                    "fp": record.fingerprint,
                    "j": _encode_id(record.id),
                    "c": record.created_at,
                    "du": record.due_at,
                    "ex": record.expires_at,
                    "bt": [_encode_choice(choice) for choice in record.batch] or None,
                    Attr.TTL: record.expires_at // 1000 + 1,
                }
            ),
        }
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression="attribute_not_exists(pk) OR ex <= :now",
                    ExpressionAttributeValues={":now": encode(now_ms)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("the idempotency record vanished between two writes") from refused
            return _read(refused.items[0])
        return record


def _read(item: Any) -> IdempotencyRecord[Any]:
    row: dict[str, Any] = dict(decode_all(item))
    return IdempotencyRecord(
        fingerprint=row["fp"],
        id=_read_id(row["j"]),
        created_at=row["c"],
        due_at=row["du"],
        expires_at=row["ex"],
        batch=tuple(_read_choice(text) for text in row.get("bt", ())),
    )


def _encode_id(chosen: JobId | str | None) -> str:
    return one_off_job_id(chosen) if isinstance(chosen, ExecutionId) else chosen or ""


def _read_id(text: str) -> JobId | str | None:
    if not text:
        return None
    is_task = is_redrive_task_id(text) or is_job_task_id(text) or is_search_task_id(text)
    return text if is_task or is_workflow_id(text) else _read_job_id(text)


def _read_job_id(text: str) -> JobId:
    job_id = parse_job_id(text)
    if job_id is None:
        raise UnreadableItemError("an idempotency record names no job")
    return job_id


def _encode_choice(choice: Choice) -> str:
    if isinstance(choice, AssignedId):
        return f"{job_id_text(choice.id)}@{choice.due_at}"
    return f"!{choice.quota}" if choice is not None else ""


def _read_choice(text: str) -> Choice:
    if text.startswith("!"):
        return OverQuota(text[1:])
    job_id, _, due_at = text.partition("@")
    return AssignedId(id=_read_job_id(job_id), due_at=int(due_at)) if text else None
