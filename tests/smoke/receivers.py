"""The calls that reached a receiver of the smoke suite: behind a Function URL on AWS, on the loopback address here."""

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from tests.smoke.probe.receiver import reply_of


class Calls(Protocol):
    @property
    def url(self) -> str:
        """The root of the receiver, without a slash at its end."""
        ...

    def calls(self, path: str) -> list[Call]:
        """The calls of a path and of those below it, in order of arrival."""
        ...


@dataclass(frozen=True, slots=True)
class TableCalls:
    """Calls that the function of the probe stored."""

    dynamodb: Any
    table: str
    url: str

    def calls(self, path: str) -> list[Call]:
        pages = self.dynamodb.get_paginator("scan").paginate(
            TableName=self.table,
            ConsistentRead=True,
            FilterExpression="begins_with(#path, :prefix)",
            ExpressionAttributeNames={"#path": "path"},
            ExpressionAttributeValues={":prefix": {"S": path}},
        )
        found = below(path, (as_call(item) for page in pages for item in page["Items"]))
        return sorted(found, key=lambda call: call.arrived_at)


def below(path: str, calls: Iterable[Call]) -> list[Call]:
    """`/a/deleted` is not below `/a/delete`."""
    return [call for call in calls if f"{call.path}/".startswith(f"{path}/")]


def as_call(item: dict[str, Any]) -> Call:
    """The call of a stored item."""
    body = item["body"]["S"]
    return Call(
        method="POST",
        path=item["path"]["S"],
        headers=json.loads(item["headers"]["S"]),
        body=base64.b64decode(body) if item["encoded"]["BOOL"] else body.encode(),
        arrived_at=datetime.fromtimestamp(int(item["at"]["N"]) / 1000, UTC),
        genuine=None,
    )


class LoopbackCalls:
    """The same answers by a receiver in this process."""

    def __init__(self) -> None:
        self.receiver = Receiver(respond=self._respond)

    @property
    def url(self) -> str:
        return self.receiver.url.rstrip("/")

    def calls(self, path: str) -> list[Call]:
        return below(path, self.receiver.calls())

    @staticmethod
    def _respond(call: Call) -> Reply:
        status, seconds = reply_of(call.path, call.attempt or 1)
        return Reply(status=status, after_seconds=seconds)
