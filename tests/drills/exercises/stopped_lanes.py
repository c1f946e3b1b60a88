"""Calls are stopped, and start again: the event sources of all lanes."""

from shared.names import METRICS_NAMESPACE, Metric, QueueName
from tests.crashes.orders import Wanted
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop
from tests.drills.watch import graph

CALLS = graph(
    (METRICS_NAMESPACE, Metric.CLAIMED, (("service", "executor-standard"), ("stage", "local"))), "Sum"
)
START_AGAIN = Steps(page="drain-after-outage", numbers=(1, 3, 4))


def create_wrong_jobs(laptop: Laptop) -> None:
    laptop.load()
    laptop.repeat(lambda: laptop.clients.create(Wanted(schedule={"delay_seconds": 1})), 2.0)


def stop_lanes(laptop: Laptop) -> None:
    laptop.load()
    lambdas = laptop.stack.client("lambda")
    for queue in QueueName:
        name = laptop.stack.functions[f"executor-{queue}"]
        for source in lambdas.list_event_source_mappings(FunctionName=f"{name}:live")["EventSourceMappings"]:
            lambdas.update_event_source_mapping(UUID=source["UUID"], Enabled=False)


STOP = Drill(
    name="stop-sending",
    summary="a wrong mass job calls a receiver: stop all calls at once, without losing one",
    minutes=7,
    break_stack=create_wrong_jobs,
    signals=(CALLS["AlarmName"],),
    graphs=(CALLS,),
    act=(
        Steps(page="stop-sending", section="Confirm", numbers=(1,)),
        Steps(page="stop-sending", numbers=(1, 2)),
    ),
    leaves_jobs_overdue=True,
    afterwards=(START_AGAIN,),
)
DRAIN = Drill(
    name="drain-after-outage",
    summary="no executor has read its queue for minutes: start the lanes again, one after the other",
    minutes=9,
    break_stack=stop_lanes,
    signals=("OldestUnclaimedDue",),
    act=(Steps(page="drain-after-outage", section="Confirm", numbers=(1,)), START_AGAIN),
)
