"""The rules by which `make bench` counts statements of PartiQL count other writes as DynamoDB Local does."""

from typing import Any

import pytest

from shared.names import PROJECTED, Attr, Index
from tests.bench.units import IndexShape, item_bytes, place_of, units_of, write_units
from tests.support.conformance.clients import Clients
from tests.support.conformance.tables import INDEXES, TableNames

SHAPES = [IndexShape(key, PROJECTED[name]) for name, key in INDEXES["executions"].items()]
KEY = {"pk": {"S": "p"}, "sk": {"S": "s"}}
PLAIN = {**KEY, "s": {"N": "-1200"}, "b": {"B": b"x" * 300}, "l": {"L": [{"S": "é"}, {"BOOL": True}]}}
LISTED = {**PLAIN, Attr.TENANT_PK: {"S": "acme#1"}, Attr.TENANT_SK: {"S": "1"}, Attr.NAME: {"S": "nightly"}}
FAILED = {**LISTED, Attr.FAILED_PK: {"S": "acme#0"}, Attr.FAILED_SK: {"S": "1"}}
LARGE = {**LISTED, "b": {"B": b"x" * 3_000}}


def test_every_index_of_executions_has_a_shape() -> None:
    assert set(INDEXES["executions"]) == {Index.BY_TENANT, Index.FAILED}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, PLAIN),
        (None, FAILED),
        (None, LARGE),
        (PLAIN, {**PLAIN, "s": {"N": "5"}}),
        (PLAIN, LISTED),
        (LISTED, PLAIN),
        (LISTED, {**LISTED, "s": {"N": "5"}}),
        (LISTED, {**LISTED, Attr.NAME: {"S": "daily"}}),
        (LISTED, {**LISTED, Attr.TENANT_SK: {"S": "2"}}),
        (LISTED, FAILED),
        (FAILED, LISTED),
        (LISTED, LARGE),
        (LARGE, LISTED),
        (LARGE, {**LARGE, "s": {"N": "5"}}),
    ],
)
def test_units_of_a_write_are_those_of_the_engine(
    before: dict[str, Any] | None,
    after: dict[str, Any],
    clients: Clients,
    dynamodb_local: str,
    dynamodb_local_tables: TableNames,
) -> None:
    client, table = clients("dynamodb", dynamodb_local), dynamodb_local_tables.executions
    client.delete_item(TableName=table, Key=KEY)
    if before is not None:
        client.put_item(TableName=table, Item=before)
    answer = client.put_item(TableName=table, Item=after, ReturnConsumedCapacity="TOTAL")
    assert write_units(before, after, SHAPES) == answer["ConsumedCapacity"]["CapacityUnits"]


@pytest.mark.parametrize("size", [1_024, 1_025])
def test_a_unit_is_a_kilobyte_of_names_and_values(size: int) -> None:
    padding = size - item_bytes({**KEY, "b": {"S": ""}})
    assert units_of({**KEY, "b": {"S": "x" * padding}}) == (1 if size == 1_024 else 2)


def test_statements_name_the_item_that_they_write() -> None:
    update = {
        "Statement": 'UPDATE "t" SET a=? REMOVE b WHERE pk=? AND sk=? AND s IN [?, ?]',
        "Parameters": [{"S": "a"}, *KEY.values(), {"N": "1"}, {"N": "2"}],
    }
    insert = {
        "Statement": "INSERT INTO \"t\" VALUE {'pk': ?, 'sk': ?, 'a': ?}",
        "Parameters": [*KEY.values(), {"S": "a"}],
    }
    assert place_of(update) == place_of(insert) == ("t", KEY)
