"""The six tables for the suites."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any
from uuid import uuid4

from shared.names import PROJECTED, Attr, Index

INDEXES = {
    "executions": {
        Index.BY_TENANT: (Attr.TENANT_PK, Attr.TENANT_SK),
        Index.FAILED: (Attr.FAILED_PK, Attr.FAILED_SK),
    },
    "jobs": {Index.LIVE: (Attr.LIVE_PK, Attr.SK)},
}
MAX_DELETES = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class TableNames:
    """Unique names, even if several modules and workers share an engine."""

    executions: str
    jobs: str
    tenants: str
    leases: str
    audit: str
    history: str

    def __iter__(self) -> Iterator[str]:
        return iter(astuple(self))


def create_tables(client: Any, *, prefix: str = "", **more: Any) -> TableNames:
    """Ask for six tables, with more parameters of CreateTable. Engines make them at once, AWS in some seconds."""
    suffix = uuid4().hex[:12]
    names = {each.name: f"{prefix}{each.name}-{suffix}" for each in fields(TableNames)}
    for kind, name in names.items():
        _create(client, name, INDEXES.get(kind, {}), more)
    return TableNames(**names)


def empty_tables(client: Any, names: Iterable[str]) -> None:
    """Delete every item, which is quicker than new tables."""
    for name in names:
        items = read_all(client, name)
        for start in range(0, len(items), MAX_DELETES):
            deletes = [
                {"DeleteRequest": {"Key": {Attr.PK: item[Attr.PK], Attr.SK: item[Attr.SK]}}}
                for item in items[start : start + MAX_DELETES]
            ]
            left: dict[str, Any] = {name: deletes}
            while left:
                left = client.batch_write_item(RequestItems=left).get("UnprocessedItems", {})


def delete_tables(client: Any, names: TableNames) -> None:
    for name in names:
        client.delete_table(TableName=name)


def read_all(client: Any, name: str) -> list[dict[str, Any]]:
    """Every item of a table, in order of its key."""
    items: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        page = client.scan(TableName=name, ConsistentRead=True, **start)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return sorted(items, key=lambda item: (item[Attr.PK]["S"], item[Attr.SK]["S"]))


def _create(client: Any, name: str, indexes: dict[str, tuple[str, str]], more: Mapping[str, Any]) -> None:
    attributes = {Attr.PK, Attr.SK, *(part for key in indexes.values() for part in key)}
    secondary = [
        {
            "IndexName": index,
            "KeySchema": _schema(*key),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(PROJECTED[index])}
            if PROJECTED[index]
            else {"ProjectionType": "KEYS_ONLY"},
        }
        for index, key in indexes.items()
    ]
    client.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in attributes],
        KeySchema=_schema(Attr.PK, Attr.SK),
        BillingMode="PAY_PER_REQUEST",
        **({"GlobalSecondaryIndexes": secondary} if secondary else {}),
        **more,
    )


def _schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]
