"""The audit log, in a table of its own; the functions may only append to it."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError
from shared.adapters.dynamodb.codec.attributes import decode_all, encode, encode_all
from shared.adapters.dynamodb.codec.errors import translated
from shared.adapters.dynamodb.codec.keys import audit_from, audit_key, item_key
from shared.adapters.dynamodb.codec.statements import ITEM_EXISTS, insert_statement
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.tenancy.audit import Actor, AuditPage, AuditRecord
from shared.names import Attr

MAX_EXAMINED = 500


class DynamoAuditLog:
    """Records by tenant and instant.

    The functions' role allows INSERT and Query. No PutItem: without its condition it overwrites a record.
    """

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def append(self, record: AuditRecord, expires_at_s: int) -> None:
        """A key that is taken is success: ids are random, so the existing item is the same record."""
        with translated():
            try:
                self._client.execute_statement(
                    **insert_statement(self._table, audit_item(record, expires_at_s))
                )
            except AwsError as error:
                if error.code not in ITEM_EXISTS:
                    raise

    def page(
        self,
        tenant_id: str,
        *,
        from_at: int,
        until_at: int,
        target: str | None = None,
        limit: int,
        after: str | None = None,
    ) -> AuditPage:
        options: dict[str, Any] = {}
        values = {":pk": tenant_id, ":from": audit_from(from_at), ":until": audit_from(until_at)}
        if target is not None:
            options["FilterExpression"] = "tg = :target"
            values[":target"] = target
        if after is not None:
            options["ExclusiveStartKey"] = item_key(tenant_id, after)
        with translated():
            answer = self._client.query(
                TableName=self._table,
                # BETWEEN is inclusive, but keys end in an id, so none equals the upper bound.
                KeyConditionExpression="pk = :pk AND sk BETWEEN :from AND :until",
                ExpressionAttributeValues={name: encode(value) for name, value in values.items()},
                ScanIndexForward=False,
                ConsistentRead=True,
                Limit=limit if target is None else MAX_EXAMINED,
                **options,
            )
        records = [_read(item) for item in answer["Items"]]
        last = answer.get("LastEvaluatedKey")
        if len(records) > limit:
            records = records[:limit]
            return AuditPage(records=tuple(records), next_after=_position(records[-1]))
        return AuditPage(records=tuple(records), next_after=str(last[Attr.SK]["S"]) if last else None)


def _position(record: AuditRecord) -> str:
    return audit_key(record.tenant_id, record.at, record.id)[1]


def audit_item(record: AuditRecord, expires_at_s: int) -> Any:
    pk, sk = audit_key(record.tenant_id, record.at, record.id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": VERSION,
            "id": record.id,
            "at": record.at,
            "by": record.actor.tenant_id,
            "k": record.actor.key_id,
            "op": record.operation,
            "tg": record.target,
            "b": record.before,
            "a": record.after,
            "rq": record.request_id,
            Attr.TTL: expires_at_s,
        }
    )


def _read(item: Any) -> AuditRecord:
    row: dict[str, Any] = dict(decode_all(item))
    return AuditRecord(
        id=row["id"],
        tenant_id=row[Attr.PK],
        at=row["at"],
        actor=Actor(tenant_id=row["by"], key_id=row.get("k")),
        operation=row["op"],
        target=row["tg"],
        before=row.get("b"),
        after=row.get("a"),
        request_id=row["rq"],
    )
