"""A recording has what the functions report, under the names that the dashboard reads."""

import pytest

from shared.names import METRICS_NAMESPACE, Metric
from tests.dashboards.cell import Cell
from tests.dashboards.hours import run_hour
from tests.support.cloudwatch import Key

MINUTES = 2


@pytest.fixture(scope="module")
def cell() -> Cell:
    return run_hour(is_bad=False, rate=2, minutes=MINUTES)


def own(name: str, **dimensions: str) -> Key:
    return METRICS_NAMESPACE, name, tuple(sorted({"stage": "test", **dimensions}.items()))


def _sum(cell: Cell, key: Key) -> float:
    """Of the recorded minutes."""
    return sum(sum(cell.recorder.values[key].get(minute, ())) for minute in range(MINUTES))


def test_ticks_are_those_of_the_handlers(cell: Cell) -> None:
    for service, name in (("watcher", Metric.WATCHER_TICK), ("sweeper", Metric.SWEEPER_TICK)):
        assert _sum(cell, own(name, service=service)) == 2 * MINUTES


def test_calls_of_the_receivers_are_those_that_executors_report(cell: Cell) -> None:
    lanes = [f"executor-{lane}" for lane in ("critical", "standard", "bulk")]
    claimed = sum(_sum(cell, own(Metric.CLAIMED, service=lane)) for lane in lanes)
    lags = sum(
        len(values)
        for lane in lanes
        for values in cell.recorder.values[own(Metric.START_LAG_MS, service=lane)].values()
    )
    first = sum(len(lags) for lags in cell.receivers.lags.values())
    assert claimed > 100
    assert lags >= first >= 0.95 * lags, "retries have a lag, too"
    assert own(Metric.LATE_STARTS) in cell.recorder.values


def test_units_and_messages_are_recorded_under_the_names_of_the_stacks(cell: Cell) -> None:
    for namespace, name, dimensions in (
        ("AWS/DynamoDB", "ConsumedWriteCapacityUnits", {"TableName": "Executions"}),
        ("AWS/SQS", "NumberOfMessagesReceived", {"QueueName": "Standard"}),
        ("AWS/Lambda", "Invocations", {"FunctionName": "ExecutorStandard"}),
        ("AWS/ApiGateway", "Count", {"ApiId": "Api"}),
        ("AWS/Logs", "IncomingBytes", {"LogGroupName": "ExecutorStandard"}),
    ):
        assert _sum(cell, (namespace, name, tuple(dimensions.items()))) > 0, name
