"""Token buckets in the leases table: one item for each tenant, name and window, one counter for each slot."""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import decode, encode
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.keys import budget_key, item_key
from shared.domain.errors import UnavailableError
from shared.domain.tenancy.budget import BudgetKey, TokenLease
from shared.names import Attr

_PREFIX = "u"


class DynamoBudgetStore:
    """One conditional update leases tokens of any number of slots, for one write unit."""

    def __init__(self, client: AwsClient, table: str) -> None:
        self._client = client
        self._table = table

    def take(
        self, key: BudgetKey, leases: Sequence[TokenLease], expires_at_s: int
    ) -> Mapping[int, int] | None:
        """An absent counter is 0."""
        if any(lease.tokens > lease.ceiling for lease in leases):
            return self.usage(key)
        try:
            with translated():
                self._client.update_item(
                    TableName=self._table,
                    Key=item_key(*budget_key(key)),
                    UpdateExpression="SET #ttl = :ttl ADD " + ", ".join(map(_add, leases)),
                    ConditionExpression=" AND ".join(map(_fits, leases)),
                    ExpressionAttributeNames={"#ttl": Attr.TTL},
                    ExpressionAttributeValues=_values(leases) | {":ttl": encode(expires_at_s)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("the budget expired between two requests") from refused
            return _read(refused.items[0])
        return None

    def usage(self, key: BudgetKey) -> Mapping[int, int]:
        with translated():
            answer = self._client.get_item(
                TableName=self._table, Key=item_key(*budget_key(key)), ConsistentRead=True
            )
        return _read(answer.get("Item", {}))


def _add(lease: TokenLease) -> str:
    return f"{_PREFIX}{lease.slot} :t{lease.slot}"


def _fits(lease: TokenLease) -> str:
    name = f"{_PREFIX}{lease.slot}"
    return f"(attribute_not_exists({name}) OR {name} <= :r{lease.slot})"


def _values(leases: Sequence[TokenLease]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for lease in leases:
        values[f":t{lease.slot}"] = encode(lease.tokens)
        values[f":r{lease.slot}"] = encode(lease.ceiling - lease.tokens)
    return values


def _read(item: Mapping[str, Any]) -> dict[int, int]:
    counters = {name.removeprefix(_PREFIX): value for name, value in item.items() if name[:1] == _PREFIX}
    return {int(slot): int(str(decode(value))) for slot, value in counters.items()}
