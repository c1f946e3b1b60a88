"""A proxy answers 502 for its receiver, until the circuit breaker opens."""

from datetime import UTC, datetime, timedelta

from shared.names import METRICS_NAMESPACE, Metric
from tests.crashes.orders import Wanted
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop
from tests.drills.watch import graph

OPEN_BREAKERS = graph(
    (METRICS_NAMESPACE, Metric.OPEN_BREAKERS, (("service", "sweeper"), ("stage", "local"))), "Maximum"
)


def break_receiver(laptop: Laptop) -> None:
    """The jobs have few attempts, so that some of them fail before the breaker opens."""
    laptop.log.in_trouble = True
    job = Wanted(
        schedule={"delay_seconds": 1},
        behaviour="down",
        destination=laptop.log.destination(),
        max_attempts=2,
    )
    laptop.load()
    laptop.repeat(lambda: laptop.clients.create(job), 3.0)


def _an_hour_ago() -> str:
    return f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"


DRILL = Drill(
    name="destination-down",
    summary="a proxy answers 502 for its receiver; the circuit breaker opens, and some executions fail for good",
    minutes=8,
    break_stack=break_receiver,
    signals=(OPEN_BREAKERS["AlarmName"],),
    graphs=(OPEN_BREAKERS,),
    variables=lambda laptop: {"TENANT": laptop.tenant.name, "FAILED_SINCE": _an_hour_ago()},
    before_act=lambda laptop: laptop.log.heal(),
    act=(
        Steps(page="destination-down", section="Confirm", numbers=(1, 2)),
        Steps(page="destination-down", numbers=(2, 3)),
    ),
)
