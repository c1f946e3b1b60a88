"""Idempotency records in the jobs table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import decode_all, encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import VERSION
from shared.adapters.dynamodb.codec.keys import idempotency_key, item_key
from shared.domain.errors import UnavailableError
from shared.names import Attr
from shared.ports.jobs import AssignedId, Choice, IdempotencyRecord, OverQuota

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoIdempotencyStore:
    """The first writer chooses; everybody after it reads what was chosen."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def find(self, tenant_id: str, key: str, now_ms: int) -> IdempotencyRecord | None:
        """See the port."""
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=item_key(*idempotency_key(tenant_id, key)),
                ConsistentRead=True,
            )
        record = _read(answer["Item"]) if "Item" in answer else None
        return record if record is not None and record.expires_at > now_ms else None

    def claim(self, tenant_id: str, key: str, record: IdempotencyRecord, now_ms: int) -> IdempotencyRecord:
        """See the port."""
        item = {
            **item_key(*idempotency_key(tenant_id, key)),
            **encode_all(
                {
                    "v": VERSION,
                    "fp": record.fingerprint,
                    "j": record.job_id,
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


def _read(item: Any) -> IdempotencyRecord:
    row: dict[str, Any] = dict(decode_all(item))
    return IdempotencyRecord(
        fingerprint=row["fp"],
        job_id=row["j"],
        created_at=row["c"],
        due_at=row["du"],
        expires_at=row["ex"],
        batch=tuple(_read_choice(text) for text in row.get("bt", ())),
    )


def _encode_choice(choice: Choice) -> str:
    if isinstance(choice, AssignedId):
        return f"{choice.job_id}@{choice.due_at}"
    return f"!{choice.quota}" if choice is not None else ""


def _read_choice(text: str) -> Choice:
    if text.startswith("!"):
        return OverQuota(text[1:])
    job_id, _, due_at = text.partition("@")
    return AssignedId(job_id=job_id, due_at=int(due_at)) if text else None
