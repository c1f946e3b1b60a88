"""What one scenario cost, counted as units and requests."""

from dataclasses import dataclass

from shared.domain.delivery.request import Request
from tests.bench.world import World

SQS = ("SendMessageBatch", "ReceiveMessage", "DeleteMessageBatch")
REQUEST = Request(
    method="POST",
    url="https://hooks.example.com/v1/reports/nightly?team=billing",
    headers=(("Content-Type", "application/json"), ("X-Team", "billing")),
    body=b'{"kind": "nightly", "account": "1234567890", "parts": ["a", "b", "c"]}',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Counted for one scenario, per job or occurrence."""

    name: str
    write_units: float
    refused: float
    requests: float
    sqs: float
    limit: float


def marks_of(made: World) -> tuple[float, int, int, int]:
    """Write units, refused writes, requests, and those of SQS, counted so far."""
    meter = made.meter
    return (
        sum(meter.write_units.values()),
        meter.refused_writes,
        sum(meter.requests.values()),
        sum(meter.requests[name] for name in SQS),
    )


def cost_of(made: World, name: str, marks: tuple[float, int, int, int], count: int, limit: float) -> Cost:
    """What was counted since, for each of so many."""
    now = marks_of(made)
    units, refused, requests, sqs = (
        (after - before) / count for after, before in zip(now, marks, strict=True)
    )
    return Cost(name=name, write_units=units, refused=refused, requests=requests, sqs=sqs, limit=limit)
