"""Another program has sent a message that no function can read."""

from shared.names import METRICS_NAMESPACE, Metric
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop
from tests.drills.watch import graph

PARKED_WAITING = graph(
    (METRICS_NAMESPACE, Metric.PARKED_WAITING, (("service", "redriver"), ("stage", "local"))), "Maximum"
)


def send_foreign_message(laptop: Laptop) -> None:
    laptop.load()
    queue = laptop.stack.outputs["StandardDeadLetterQueueUrl"]
    laptop.stack.client("sqs").send_message(
        QueueUrl=queue, MessageBody='{"order": 4711, "sent": "by mistake"}'
    )


DRILL = Drill(
    name="dead-messages",
    summary="a foreign message is in the dead-letter queue of the standard lane; it cannot be read and is parked",
    minutes=7,
    break_stack=send_foreign_message,
    signals=("DeadMessages", "Parked", PARKED_WAITING["AlarmName"]),
    graphs=(PARKED_WAITING,),
    variables=lambda laptop: {"MESSAGE": laptop.stack.admin("list-parked")["messages"][0]["id"]},
    act=(
        Steps(page="dead-messages", section="Confirm", numbers=(1, 2)),
        Steps(page="dead-messages", numbers=(3, 4)),
    ),
)
