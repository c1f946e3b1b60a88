"""The tenant's own queue, to which jobs with a target send: each message that arrived is one call."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.deployment import Deployment
from tests.crashes.orders import Order


class TargetQueue:
    """The queue of one stage."""

    def __init__(self, deployment: Deployment) -> None:
        self._sqs = deployment.engines.others.client("sqs")
        self._queue = deployment.target

    @property
    def arn(self) -> str:
        """What a target names."""
        return self._queue.arn

    def arrivals(self, orders: Sequence[Order]) -> list[Arrival]:
        """What has arrived since this was last asked, at the paths of the orders."""
        paths = {str(order.job_id): order.path for order in orders if order.has_target}
        found = [_arrival(message, paths) for message in self._take()]
        return sorted(found, key=lambda arrival: (arrival.began_at, arrival.attempt))

    def _take(self) -> Iterator[dict[str, Any]]:
        asked = {
            "MaxNumberOfMessages": 10,
            "MessageAttributeNames": ["All"],
            "AttributeNames": ["SentTimestamp"],
        }
        while messages := self._sqs.receive_message(QueueUrl=self._queue.url, **asked).get("Messages"):
            for message in messages:
                self._sqs.delete_message(QueueUrl=self._queue.url, ReceiptHandle=message["ReceiptHandle"])
                yield message


def _arrival(message: dict[str, Any], paths: dict[str, str]) -> Arrival:
    said = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
    job_id = said["Punctual-Job"]
    return Arrival(
        path=paths.get(job_id, f"/of no order/{job_id}"),
        job_id=job_id,
        execution_id=said["Punctual-Execution"],
        attempt=int(said["Punctual-Attempt"]),
        scheduled_at=instant_ms(said["Punctual-Scheduled-At"]),
        began_at=int(message["Attributes"]["SentTimestamp"]),
        status=200,
        genuine=True,
        payload=json.loads(message["Body"]),
    )
