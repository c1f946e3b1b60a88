"""Budgets in the leases table: one item for each tenant, name and window, one counter for each of its slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.adapters.dynamodb.codec.attributes import decode, encode
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import budget_key, item_key
from shared.domain.errors import UnavailableError
from shared.domain.tenancy.budget import BudgetKey, TokenLease
from shared.names import Attr

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_PREFIX = "u"


class DynamoBudgetStore:
    """One conditional update takes portions of any number of slots: it costs one write unit."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def take(
        self, key: BudgetKey, portions: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """See the port. A counter that is absent holds nothing yet."""
        if any(portion.tokens > portion.ceiling for portion in portions):
            return self.taken(key)
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*budget_key(key)),
                    UpdateExpression="SET #ttl = :ttl ADD " + ", ".join(map(_add, portions)),
                    ConditionExpression=" AND ".join(map(_fits, portions)),
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues=_values(portions) | {":ttl": encode(expires_at_s)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("the budget vanished between two looks") from refused
            return _read(refused.items[0])
        return None

    def taken(self, key: BudgetKey) -> Mapping[int, int]:
        """See the port."""
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(*budget_key(key)), ConsistentRead=True
            )
        return _read(answer.get("Item", {}))


def _add(portion: TokenLease) -> str:
    return f"{_PREFIX}{portion.slot} :t{portion.slot}"


def _fits(portion: TokenLease) -> str:
    name = f"{_PREFIX}{portion.slot}"
    return f"(attribute_not_exists({name}) OR {name} <= :r{portion.slot})"


def _values(portions: Sequence[TokenLease]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for portion in portions:
        values[f":t{portion.slot}"] = encode(portion.tokens)
        values[f":r{portion.slot}"] = encode(portion.ceiling - portion.tokens)
    return values


def _read(item: Mapping[str, Any]) -> dict[int, int]:
    counters = {name.removeprefix(_PREFIX): value for name, value in item.items() if name[:1] == _PREFIX}
    return {int(slot): int(str(decode(value))) for slot, value in counters.items()}
