"""Alarms that can fire: each looks at a metric that somebody emits, under the dimensions that they use."""

import json
import re
from typing import Any

from infra.components.construct_ids import construct_id
from infra.sizing import figures
from shared.names import METRICS_NAMESPACE, Lane, Metric, QueueName
from tests.infra.conftest import Synthesised
from tests.support.sources import ROOT
from tests.support.template import Resource, resolve

OWN_METRICS = {value for name, value in vars(Metric).items() if name.isupper()}
AWS_METRICS = {
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
    ("AWS/Lambda", "Errors"),
    ("AWS/Lambda", "Throttles"),
    ("AWS/Lambda", "AsyncEventsDropped"),
    ("AWS/Lambda", "ClaimedAccountConcurrency"),
    ("AWS/Lambda", "RecursiveInvocationsDropped"),
    ("AWS/ApiGateway", "Count"),
    ("AWS/ApiGateway", "4xx"),
    ("AWS/ApiGateway", "5xx"),
    ("AWS/DynamoDB", "ReadThrottleEvents"),
    ("AWS/DynamoDB", "WriteThrottleEvents"),
}


def _alarms(stacks: Synthesised) -> dict[str, Resource]:
    """Properties by the name in the table of alarms: logical ids are that plus a prefix and a hash."""
    found = stacks.service.of_type("AWS::CloudWatch::Alarm")
    return {name.removeprefix("Alarms")[:-8]: made["Properties"] for name, made in found.items()}


def _metrics(alarm: Resource) -> list[Resource]:
    if "Metrics" not in alarm:
        return [alarm]
    return [part["MetricStat"]["Metric"] for part in alarm["Metrics"] if "MetricStat" in part]


def _known(namespace: str, name: str, dimensions: dict[str, Any], services: set[str]) -> bool:
    if namespace == METRICS_NAMESPACE:
        return name in OWN_METRICS and dimensions.keys() == {"service"} and dimensions["service"] in services
    return (namespace, name) in AWS_METRICS


def test_every_alarm_looks_at_a_metric_that_exists(cloud: Synthesised) -> None:
    services = set(cloud.service.functions())
    for name, alarm in _alarms(cloud).items():
        for metric in _metrics(alarm):
            dimensions = {made["Name"]: made["Value"] for made in metric.get("Dimensions", [])}
            assert _known(metric["Namespace"], metric["MetricName"], dimensions, services), name


def test_alarms_have_as_many_metrics_as_the_sizing_bills(cloud: Synthesised, large: Synthesised) -> None:
    for stacks in (cloud, large):
        assert sum(len(_metrics(alarm)) for alarm in _alarms(stacks).values()) == figures.ALARM_METRICS.value


def test_every_alarm_has_a_row_in_the_runbook_and_every_row_an_alarm(cloud: Synthesised) -> None:
    page = (ROOT / "docs" / "operations" / "alarms.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    shown = [name for cell in cells for name in re.findall(r"`(\w+(?:<\w+>)?)`", cell)]
    patterns = [re.compile(re.sub(r"<\w+>", r"\\w+", name)) for name in shown]
    names = _alarms(cloud).keys()
    assert [name for name in names if not any(pattern.fullmatch(name) for pattern in patterns)] == []
    assert [one.pattern for one in patterns if not any(one.fullmatch(name) for name in names)] == []


def test_the_dashboard_shows_only_metrics_that_exist(cloud: Synthesised) -> None:
    (dashboard,) = cloud.service.properties("AWS::CloudWatch::Dashboard")
    services = set(cloud.service.functions())
    shown = 0
    for widget in json.loads(resolve(dashboard["DashboardBody"]))["widgets"]:
        for metric in widget["properties"].get("metrics", []):
            namespace, name, *rest = (part for part in metric if isinstance(part, str))
            assert _known(namespace, name, dict(zip(rest[::2], rest[1::2], strict=True)), services), metric
            shown += 1
    assert shown > 20


def test_throttled_work_is_on_the_dashboard_and_fires_no_alarm(cloud: Synthesised) -> None:
    waits = {Metric.OLDEST_WAITING_DUE_SECONDS, Metric.WAITED_LAG_MS}
    (dashboard,) = cloud.service.properties("AWS::CloudWatch::Dashboard")
    shown = resolve(dashboard["DashboardBody"])
    assert all(name in shown for name in waits)
    watched = {metric["MetricName"] for alarm in _alarms(cloud).values() for metric in _metrics(alarm)}
    assert not waits & watched


def test_a_heartbeat_that_falls_silent_is_an_alarm(cloud: Synthesised) -> None:
    for name, beats, minutes in (
        ("WatcherHeartbeat", cloud.stage.watchers, 3),
        ("SweeperHeartbeat", cloud.stage.sweepers, 3),
        ("RedriverHeartbeat", 1, 5),
    ):
        alarm = _alarms(cloud)[name]
        assert alarm["TreatMissingData"] == "breaching"
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", beats)
        assert (alarm["Statistic"], alarm["Period"]) == ("Sum", 60)
        assert (alarm["EvaluationPeriods"], alarm["DatapointsToAlarm"]) == (minutes, minutes)


def test_missing_data_breaches_heartbeats_and_reports_of_coverage_alone(cloud: Synthesised) -> None:
    breached = {name for name, alarm in _alarms(cloud).items() if alarm["TreatMissingData"] == "breaching"}
    assert breached == {
        "WatcherHeartbeat",
        "SweeperHeartbeat",
        "RedriverHeartbeat",
        "ReconcilerCoverage",
        "ReconcilerCheckedThrough",
    }


def test_every_lane_is_watched_for_lag(cloud: Synthesised) -> None:
    alarms = _alarms(cloud)
    for lane in Lane:
        name = lane.capitalize()
        assert f"StartLag{name}" in alarms
        lag = alarms[f"StartLag{name}"]
        assert (lag["ExtendedStatistic"], lag["Threshold"]) == ("p99", 1000)
        assert lag["Dimensions"] == [{"Name": "service", "Value": f"executor-{lane}"}]


def test_every_queue_is_watched_for_age_dead_letters_failures_and_limits(cloud: Synthesised) -> None:
    alarms = _alarms(cloud)
    for queue in QueueName:
        name = construct_id(queue)
        assert {f"QueueAge{name}", f"Failed{name}", f"LimitStoreErrors{name}"} <= alarms.keys()
        assert alarms[f"DeadLetters{name}"]["Threshold"] == 0
    queues = {json.dumps(alarms[f"DeadLetters{construct_id(queue)}"]["Dimensions"]) for queue in QueueName}
    assert len(queues) == len(QueueName)


def test_every_function_and_table_is_watched(cloud: Synthesised) -> None:
    count = len(cloud.service.functions())
    names = list(_alarms(cloud))
    assert sum(name.startswith("Errors") for name in names) == count
    assert sum(name.startswith("Throttles") for name in names) == count
    scheduled = ("Watcher", "Sweeper", "Redriver", "Reconciler")
    assert {f"TicksDropped{name}" for name in scheduled} == {name for name in names if "TicksDropped" in name}
    assert len(names) <= 100, "as many as an alarm widget of the dashboard shows"
    assert sum(name.startswith("TableThrottles") for name in names) == 5
    loops = sum(function.get("RecursiveLoop") == "Allow" for function in cloud.service.functions().values())
    assert sum(name.startswith("RecursionDropped") for name in names) == loops
    assert {"Api5xx", "OldestUnclaimedDue", "Parked", "AuditFailed", "QuotaStoreErrors"} <= set(names)


def test_alarm_on_the_concurrency_of_the_account_leaves_time_before_ticks_are_throttled(
    cloud: Synthesised,
) -> None:
    alarm = _alarms(cloud)["ClaimedConcurrency"]
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "ClaimedAccountConcurrency")
    assert alarm["Threshold"] == 0.7 * cloud.stage.account_concurrency
    assert "Dimensions" not in alarm


def test_throttling_of_an_index_counts_for_its_table(cloud: Synthesised) -> None:
    indexes = {
        dimension["Value"]
        for metric in _metrics(_alarms(cloud)["TableThrottlesExecutions"])
        for dimension in metric["Dimensions"]
        if dimension["Name"] == "GlobalSecondaryIndexName"
    }
    assert indexes == {"by_tenant", "failed"}


def test_every_alarm_says_what_it_means_and_pages_unless_it_only_informs(cloud: Synthesised) -> None:
    for name, alarm in _alarms(cloud).items():
        assert len(alarm["AlarmDescription"]) > 25, name
        assert bool(alarm.get("AlarmActions")) != name.startswith(
            ("Failed", "ParkedWaiting", "OpenBreakers")
        ), name


def test_the_emulator_gets_the_same_alarms_but_for_expressions(
    cloud: Synthesised, local: Synthesised
) -> None:
    emulated = _alarms(local)
    assert not any("Metrics" in alarm for alarm in emulated.values())
    missing = _alarms(cloud).keys() - emulated.keys()
    assert missing == {name for name in _alarms(cloud) if name.startswith("TableThrottles")}
