"""Every store of seen calls, on an engine in this process."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import boto3
import fakeredis
from moto import mock_aws

from client.tests.support import django_project
from punctual.receivers.seen.django import DjangoSeen
from punctual.receivers.seen.dynamodb import DynamoSeen
from punctual.receivers.seen.memory import MemorySeen
from punctual.receivers.seen.redis import RedisSeen
from punctual.receivers.seen.sqlite import SqliteSeen
from punctual.receivers.seen.store import Seen

TABLE = "seen"


@contextmanager
def memory(_: Path) -> Iterator[Seen]:
    yield MemorySeen()


@contextmanager
def sqlite(folder: Path) -> Iterator[Seen]:
    yield SqliteSeen(folder / "seen.db")


@contextmanager
def redis(_: Path) -> Iterator[Seen]:
    yield RedisSeen(fakeredis.FakeRedis())


@contextmanager
def redis_with_text(_: Path) -> Iterator[Seen]:
    yield RedisSeen(fakeredis.FakeRedis(decode_responses=True))


@contextmanager
def dynamodb(_: Path) -> Iterator[Seen]:
    with mock_aws():
        client = boto3.client(
            "dynamodb", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b"
        )
        client.create_table(
            TableName=TABLE,
            KeySchema=[{"AttributeName": "call_id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "call_id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield DynamoSeen(client, TABLE)


@contextmanager
def django(_: Path) -> Iterator[Seen]:
    django_project.migrate()
    yield DjangoSeen()
    django_project.close()


Opened: TypeAlias = Callable[[Path], AbstractContextManager[Seen]]
STORES: dict[str, Opened] = {
    "memory": memory,
    "sqlite": sqlite,
    "redis": redis,
    "redis with text": redis_with_text,
    "dynamodb": dynamodb,
    "django": django,
}

LATER = int(time.time()) + 3_600
"""An hour from now, so that no engine forgets an entry meanwhile."""


class Clock:
    """Seconds since 1970, moved by hand."""

    def __init__(self) -> None:
        self.now = float(LATER)

    def __call__(self) -> float:
        return self.now
