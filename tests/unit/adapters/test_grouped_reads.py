"""An executor's reads of large requests as one BatchGetItem, and what each single read learns."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError
from shared.adapters.dynamodb.jobs.grouped_reads import GroupedReads
from shared.adapters.dynamodb.jobs.job_store import DynamoJobStore
from shared.adapters.greenlets import in_greenlet, run
from shared.domain.errors import PunctualError, UnreadableItemError

TABLE = "jobs"


class Table:
    """Holds requests by the number in their keys; a group does not see those that are `late`."""

    def __init__(self, *numbers: int, late: tuple[int, ...] = (), fails: bool = False) -> None:
        self._items = {f"payload#{number}": f"sealed {number}".encode() for number in numbers}
        self._late = {f"payload#{number}" for number in late}
        self._fails = fails
        self.calls: list[tuple[str, list[str]]] = []
        """The operations, and the keys that they ask for."""

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "GetItem":
            assert params["ConsistentRead"]
            sk = params["Key"]["sk"]["S"]
            self.calls.append((operation, [sk]))
            return {"Item": self._item(sk)} if sk in self._items else {}
        assert operation == "BatchGetItem"
        criteria = params["RequestItems"][TABLE]
        assert list(criteria) == ["Keys"], "a read without consistency, of whole items"
        keys = [key["sk"]["S"] for key in criteria["Keys"]]
        self.calls.append((operation, keys))
        if self._fails:
            raise AwsError(operation, {"Error": {"Code": "ThrottlingException", "Message": "injected"}})
        found = [self._item(sk) for sk in reversed(keys) if sk in self._items and sk not in self._late]
        return {"Responses": {TABLE: found}}

    def _item(self, sk: str) -> dict[str, Any]:
        return {"pk": {"S": f"acme#{sk}"}, "sk": {"S": sk}, "v": {"N": "1"}, "rq": {"B": self._items[sk]}}


def read(table: Table, *numbers: int) -> list[bytes | str]:
    """What the job store reads at the same time."""
    client = AwsClient(GroupedReads(table, table, TABLE, lambda fault: None))
    store = DynamoJobStore(client, TABLE, "executions", "us-east-1")

    def one(number: int) -> bytes | str:
        try:
            return store.get_payload("acme", str(number))
        except PunctualError as error:
            return type(error).__name__

    async def side_by_side() -> list[bytes | str]:
        return list(await asyncio.gather(*(in_greenlet(one, number) for number in numbers)))

    return run(side_by_side())


def keys(*numbers: int) -> list[str]:
    return [f"payload#{number}" for number in numbers]


def test_requests_of_a_batch_are_read_in_one_request() -> None:
    table = Table(1, 2, 3)
    assert read(table, 1, 2, 3) == [b"sealed 1", b"sealed 2", b"sealed 3"]
    assert table.calls == [("BatchGetItem", keys(1, 2, 3))]


def test_runs_that_share_a_stored_request_read_it_once() -> None:
    table = Table(1, 2)
    assert read(table, 1, 1, 2, 1) == [b"sealed 1", b"sealed 1", b"sealed 2", b"sealed 1"]
    assert table.calls == [("BatchGetItem", keys(1, 2))]
    table = Table(1)
    assert read(table, 1, 1) == [b"sealed 1"] * 2
    assert table.calls == [("BatchGetItem", keys(1))]


def test_single_request_is_read_alone() -> None:
    table = Table(1)
    assert read(table, 1) == [b"sealed 1"]
    assert table.calls == [("GetItem", keys(1))]


@pytest.mark.parametrize("number", [2, 3])
def test_request_that_a_group_does_not_find_is_read_strongly_before_it_counts_as_gone(number: int) -> None:
    table = Table(1, 2, late=(2,))
    expected = b"sealed 2" if number == 2 else UnreadableItemError.__name__
    assert read(table, 1, number) == [b"sealed 1", expected]
    assert table.calls == [("BatchGetItem", keys(1, number)), ("GetItem", keys(number))]


def test_after_a_failed_group_each_request_is_read_alone() -> None:
    table = Table(1, 2, fails=True)
    assert read(table, 1, 2) == [b"sealed 1", b"sealed 2"]
    assert table.calls[1:] == [("GetItem", keys(1)), ("GetItem", keys(2))]


def test_definitions_are_read_alone_and_strongly() -> None:
    table = Table()
    client = AwsClient(GroupedReads(table, table, TABLE, lambda fault: None))
    store = DynamoJobStore(client, TABLE, "executions", "us-east-1")

    async def side_by_side() -> None:
        await asyncio.gather(*(in_greenlet(store.get, "acme", name) for name in ("a", "b")))

    run(side_by_side())
    assert table.calls == [("GetItem", ["job#a"]), ("GetItem", ["job#b"])]
