"""Windows of alerts in the jobs table: the admitted alerts in one item, and an item for each suppressed alert."""

from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item, decode_all, encode, encode_all
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.items import MALFORMED, plain_item
from shared.adapters.dynamodb.codec.keys import (
    SUPPRESSED_PARTITIONS,
    alert_window_key,
    item_key,
    suppressed_key,
)
from shared.adapters.dynamodb.codec.notification_fields import encode_events, read_events
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.delivery.alerts import AlertWindow
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.alert_window import SuppressedAlert
from shared.domain.ids import ExecutionId, parse_execution_id
from shared.names import Attr


class DynamoAlertWindows:
    """A window that is full is never written again: callers remember it."""

    def __init__(self, client: AwsClient, jobs_table: str) -> None:
        self._client = client
        self._jobs = jobs_table

    def admit(
        self, tenant_id: str, window: AlertWindow, alert_id: ExecutionId, *, at_most: int, expires_at_s: int
    ) -> bool:
        values = {
            ":id": str(alert_id),
            ":ids": [str(alert_id)],
            ":none": [],
            ":most": at_most,
            ":ttl": expires_at_s,
            ":v": VERSION,
        }
        try:
            with translated():
                self._client.update_item(
                    TableName=self._jobs,
                    Key=item_key(*alert_window_key(tenant_id, window)),
                    UpdateExpression="SET al = list_append(if_not_exists(al, :none), :ids), #ttl = :ttl, v = :v",
                    ConditionExpression=(
                        "attribute_not_exists(al) OR (size(al) < :most AND NOT contains(al, :id))"
                    ),
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues={name: encode(value) for name, value in values.items()},  # type: ignore[arg-type]
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            existing: Any = decode_all(refused.items[0]) if refused.items[0] else {}
            return str(alert_id) in existing.get("al", [])
        return True

    def record(
        self, tenant_id: str, window: AlertWindow, suppressed: SuppressedAlert, expires_at_s: int
    ) -> None:
        item: dict[str, Any] = {
            Attr.TTL: expires_at_s,
            "v": VERSION,
            "j": suppressed.job_id,
            "e": encode_events(suppressed.events),
        }
        key = item_key(*suppressed_key(tenant_id, window, suppressed.alert_id))
        with translated():
            self._client.put_item(TableName=self._jobs, Item={**key, **encode_all(item)})

    def suppressed(self, tenant_id: str, window: AlertWindow, *, at_most: int) -> list[SuppressedAlert]:
        found: list[SuppressedAlert] = []
        for part in range(SUPPRESSED_PARTITIONS):
            found += self._part(tenant_id, window, part, at_most - len(found))
        return found

    def _part(self, tenant_id: str, window: AlertWindow, part: int, at_most: int) -> list[SuppressedAlert]:
        found: list[SuppressedAlert] = []
        start: Any = {}
        pk, _ = alert_window_key(tenant_id, window, part)
        while len(found) < at_most:
            with translated():
                answer = self._client.query(
                    TableName=self._jobs,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                    ExpressionAttributeValues={":pk": encode(pk), ":prefix": encode("exe_")},
                    ConsistentRead=True,
                    Limit=min(1_000, at_most - len(found)),
                    **start,
                )
            found += [_read(item) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        return found


def _read(item: Item) -> SuppressedAlert:
    plain = plain_item(item)
    try:
        return SuppressedAlert(
            alert_id=parse_execution_id(plain[Attr.SK]),
            job_id=plain["j"],
            events=read_events(plain["e"]),
        )
    except MALFORMED as error:
        raise UnreadableItemError("a suppressed alert is broken") from error
