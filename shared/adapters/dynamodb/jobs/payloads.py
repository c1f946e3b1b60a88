"""Requests that are too large for an item, in the jobs table."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Value, decode_all, encode
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.job_items import payload_item
from shared.adapters.dynamodb.codec.keys import item_key, payload_key
from shared.domain.errors import UnreadableItemError
from shared.names import Attr
from shared.ports.jobs import Payload


class DynamoPayloads:
    """The part of the job store for large requests."""

    def __init__(self, client: AwsClient, jobs_table: str) -> None:
        self._client = client
        self._jobs = jobs_table

    def put_payload(self, payload: Payload) -> None:
        with suppress(ConditionRefused), translated():
            self._client.put_item(
                TableName=self._jobs, Item=payload_item(payload), ConditionExpression=ABSENT
            )

    def get_payload(self, tenant_id: str, payload_id: str) -> bytes:
        item = self._get(payload_key(tenant_id, payload_id))
        sealed = plain_item(item).get("rq") if item else None
        if not isinstance(sealed, bytes):
            raise UnreadableItemError(f"the request {payload_id} is missing")
        return sealed

    def expire_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> None:
        self._expire(tenant_id, payload_id, expires_at_s, "(attribute_not_exists(#ttl) OR #ttl < :ttl)")

    def keep_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> bool:
        # A refused write costs as much as the request is large; a read costs a fraction of that.
        item = self._get(payload_key(tenant_id, payload_id), Attr.TTL)
        if item is None:
            return False
        kept_until_s: Any = decode_all(item).get(Attr.TTL)
        if kept_until_s is None or kept_until_s >= expires_at_s:
            return True
        return self._expire(tenant_id, payload_id, expires_at_s, "#ttl < :ttl")

    def _expire(self, tenant_id: str, payload_id: str, expires_at_s: int, condition: str) -> bool:
        """Set the expiry under a condition; returns whether the payload exists, changed or not."""
        try:
            with translated():
                self._client.update_item(
                    TableName=self._jobs,
                    Key=item_key(*payload_key(tenant_id, payload_id)),
                    UpdateExpression="SET #ttl = :ttl REMOVE lp",
                    ConditionExpression=f"attribute_exists(pk) AND {condition}",
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues={":ttl": encode(expires_at_s)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            return bool(refused.items[0])
        return True

    def _get(self, key: tuple[str, str], *attributes: str) -> Mapping[str, Value] | None:
        """The item, or these attributes and the key of it."""
        options: dict[str, Any] = {}
        if attributes:
            names = {f"#{name}": name for name in (Attr.PK, *attributes)}
            options = {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}
        with translated():
            answer = self._client.get_item(
                TableName=self._jobs, Key=item_key(*key), ConsistentRead=True, **options
            )
        return answer.get("Item")
