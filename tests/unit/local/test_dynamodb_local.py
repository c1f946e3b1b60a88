"""DynamoDB Local: on loopback alone, and durable when it is told to be."""

from pathlib import Path

import pytest

from infra.local.clients import Clients
from infra.local.dynamodb_local import DynamoDbLocal
from infra.local.processes import in_group
from infra.local.state_dir import LocalStackError
from tests.support.listening import LOOPBACK, listening_addresses

pytestmark = pytest.mark.engines


def tables(server: DynamoDbLocal) -> list[str]:
    names: list[str] = Clients(server.endpoint).client("dynamodb").list_tables()["TableNames"]
    return names


def test_dynamodb_local_listens_on_loopback_alone_and_keeps_its_data(tmp_path: Path) -> None:
    with DynamoDbLocal(data=tmp_path / "data") as first:
        if Path("/proc/net/tcp").exists():
            addresses = listening_addresses([first.pid])
            assert addresses
            assert addresses <= LOOPBACK
        Clients(first.endpoint).client("dynamodb").create_table(
            TableName="kept",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        pid = first.pid
    assert in_group(pid) == []
    with DynamoDbLocal(data=tmp_path / "data") as second:
        assert tables(second) == ["kept"]


def test_start_without_the_package_names_the_make_target(tmp_path: Path) -> None:
    with pytest.raises(LocalStackError, match="make tools"):
        DynamoDbLocal(package=tmp_path).start()
