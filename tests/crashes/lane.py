"""The standard lane, its dead letters and the other queues: messages are delivered, copied, lost, received in vain."""

import json
from typing import Any

from shared.domain.ids import one_off_execution
from shared.names import QueueName
from tests.crashes.deployment import Deployment
from tests.crashes.event_source import Ask, deliver
from tests.crashes.orders import Order

COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesDelayed",
    "ApproximateNumberOfMessagesNotVisible",
)


class LaneQueues:
    """What a scenario does with messages."""

    def __init__(self, deployment: Deployment) -> None:
        self._sqs = deployment.engines.others.client("sqs")
        self._clock = deployment.engines.clock
        self._queues = deployment.lanes
        self._lane, self._dead = deployment.lanes[QueueName.STANDARD], deployment.dead[QueueName.STANDARD]

    def deliver(self, ask: Ask, queue: QueueName) -> bool:
        """Hand over one batch of a queue; False where there was none."""
        return deliver(self._sqs, self._queues[queue], ask)

    def deliver_dead(self, ask: Ask) -> bool:
        """Hand over one batch of dead letters."""
        return deliver(self._sqs, self._dead, ask)

    def send(self, body: str, *, dead: bool = False) -> None:
        """Put a message into the lane, or among the dead letters."""
        self._sqs.send_message(QueueUrl=(self._dead if dead else self._lane).url, MessageBody=body)

    def bury(self, order: Order) -> None:
        """A copy of the message of a one-off job is among the dead letters."""
        execution_id = one_off_execution(str(order.job_id))
        self.send(self.wakeup({"id": str(execution_id)}), dead=True)

    def receive_in_vain(self) -> None:
        """Somebody took the lane's message and gave it back at once."""
        (message,) = self._sqs.receive_message(QueueUrl=self._lane.url)["Messages"]
        self._sqs.change_message_visibility(
            QueueUrl=self._lane.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
        )

    def messages(self) -> int:
        """How many there are in all lanes: visible, delayed or under way."""
        found = 0
        for queue in self._queues.values():
            asked = self._sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=list(COUNTS))
            found += sum(int(asked["Attributes"][name]) for name in COUNTS)
        return found

    def lose(self) -> None:
        """The messages of all lanes are gone."""
        for queue in self._queues.values():
            self._sqs.purge_queue(QueueUrl=queue.url)

    def lose_dead(self) -> None:
        """The dead letters are gone."""
        self._sqs.purge_queue(QueueUrl=self._dead.url)

    def wakeup(self, record: dict[str, Any], *, not_before: int | None = None) -> str:
        """The message that wakes an execution, once more."""
        body = {
            "v": 1,
            "lane": "standard",
            "tenant": "acme",
            "keys": [record["id"]],
            "not_before": not_before or self._clock.now_ms(),
        }
        return json.dumps(body)
