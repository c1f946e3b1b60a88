"""Alarms that can fire: each looks at a metric that somebody emits, under the dimensions that they use."""

import json
import re
from typing import Any

import pytest

from infra.sizing import figures
from infra.sizing.idle import idle_usage
from shared.names import METRICS_NAMESPACE, WHOLE_STAGE, Lane, Metric, QueueName
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


def _dimensions(metric: Resource) -> dict[str, Any]:
    return {made["Name"]: made["Value"] for made in metric.get("Dimensions", [])}


def _known(namespace: str, name: str, dimensions: dict[str, Any], stacks: Synthesised) -> bool:
    if namespace != METRICS_NAMESPACE:
        return (namespace, name) in AWS_METRICS
    if name in WHOLE_STAGE:
        return dimensions == {"stage": stacks.stage.name}
    services = [{"stage": stacks.stage.name, "service": service} for service in stacks.service.functions()]
    return name in OWN_METRICS and dimensions in services


def test_every_alarm_looks_at_a_metric_that_exists(cloud: Synthesised) -> None:
    for name, alarm in _alarms(cloud).items():
        for metric in _metrics(alarm):
            assert _known(metric["Namespace"], metric["MetricName"], _dimensions(metric), cloud), name


def test_alarms_of_two_stages_of_an_account_share_no_metric_of_their_functions(
    cloud: Synthesised, local: Synthesised
) -> None:
    """Ticks of one stage would hide that another stage has none."""
    first, second = (
        [
            (metric["MetricName"], _dimensions(metric))
            for alarm in _alarms(stacks).values()
            for metric in _metrics(alarm)
            if metric["Namespace"] == METRICS_NAMESPACE
        ]
        for stacks in (cloud, local)
    )
    assert len(first) == len(second) == 20
    assert not [metric for metric in first if metric in second]


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
    shown = set()
    for widget in json.loads(resolve(dashboard["DashboardBody"]))["widgets"]:
        for metric in widget["properties"].get("metrics", []):
            namespace, name, *rest = (part for part in metric if isinstance(part, str))
            assert _known(namespace, name, dict(zip(rest[::2], rest[1::2], strict=True)), cloud), metric
            shown.add((namespace, name, *rest))
    page = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
    assert f"This dashboard has {len(shown)}, so it is charged" in page.replace("\n  ", " ")


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
    assert len(breached) == figures.IDLE_METRICS.value, "these alone are reported by an idle stage"
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
        assert _dimensions(lag) == {"stage": "test", "service": f"executor-{lane}"}


def test_alarms_are_these(cloud: Synthesised) -> None:
    """Each alarm costs money in each month, and each one that is missing may hide a fault: see the runbook."""
    assert _alarms(cloud).keys() == {
        *("WatcherHeartbeat", "SweeperHeartbeat", "RedriverHeartbeat"),
        *("ReconcilerCoverage", "ReconcilerCheckedThrough"),
        *("MissingExecutions", "DoubleCompleted", "ChainsRepaired"),
        *(f"StartLag{lane.capitalize()}" for lane in Lane),
        *("OldestUnclaimedDue", "Quarantined", "DeadMessages", "Parked"),
        *("AuditFailed", "AttemptsRefunded", "ClockSkew", "LimitStoreErrors", "QuotaStoreErrors"),
        *("Api5xx", "ClaimedConcurrency"),
        *("TicksDroppedWatcher", "TicksDroppedSweeper", "TicksDroppedRedriver"),
        *("ErrorsExecutorCritical", "ErrorsExecutorStandard", "ErrorsExecutorBulk"),
        *("ErrorsExecutorSlowCritical", "ErrorsExecutorSlow", "ErrorsExecutorSlowBulk"),
        "ErrorsDeadLetter",
        *("TableThrottlesExecutions", "TableThrottlesJobs", "TableThrottlesLeases"),
    }


def _rule(alarm: Resource) -> tuple[str, str, str, float, int, int]:
    statistic = alarm.get("Statistic") or alarm["ExtendedStatistic"]
    minutes, of_minutes = alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]
    comparison = alarm["ComparisonOperator"]
    return alarm["MetricName"], statistic, comparison, alarm["Threshold"], minutes, of_minutes


@pytest.mark.parametrize(
    ("name", "dimensions", "statistic", "threshold", "minutes", "of_minutes"),
    [
        ("OldestUnclaimedDue", {"service": "sweeper"}, "Maximum", 120, 1, 1),
        ("Quarantined", {"service": "sweeper"}, "Sum", 0, 1, 1),
        ("DeadMessages", {"service": "dead-letter"}, "Sum", 0, 1, 1),
        ("MissingExecutions", {"service": "reconciler"}, "Sum", 0, 1, 1),
        ("DoubleCompleted", {"service": "reconciler"}, "Sum", 0, 1, 1),
        ("ChainsRepaired", {"service": "reconciler"}, "Sum", 0, 1, 1),
        ("AuditFailed", {"service": "api"}, "Sum", 0, 1, 1),
        ("AttemptsRefunded", {}, "Sum", 0, 3, 5),
        ("LimitStoreErrors", {}, "Sum", 0, 3, 5),
        ("QuotaStoreErrors", {"service": "api"}, "Sum", 0, 3, 5),
    ],
)
def test_alarm_on_a_count_or_an_age_reads_what_its_name_says(
    cloud: Synthesised,
    name: str,
    dimensions: dict[str, str],
    statistic: str,
    threshold: float,
    minutes: int,
    of_minutes: int,
) -> None:
    alarm = _alarms(cloud)[name]
    metric = f"{name}Seconds" if name == "OldestUnclaimedDue" else name
    assert _rule(alarm) == (metric, statistic, "GreaterThanThreshold", threshold, minutes, of_minutes)
    assert _dimensions(alarm) == {"stage": "test", **dimensions}
    assert alarm["TreatMissingData"] == "notBreaching", "a count of zero is not reported"


def test_clock_skew_of_any_executor_is_one_alarm(cloud: Synthesised) -> None:
    alarm = _alarms(cloud)["ClockSkew"]
    assert _rule(alarm) == ("ClockSkewMs", "Maximum", "GreaterThanThreshold", 0, 3, 5)
    assert _dimensions(alarm) == {"stage": "test"}


def test_errors_of_each_consumer_of_messages_have_an_alarm(cloud: Synthesised) -> None:
    """An executor that crashes at once shows nowhere else for minutes."""
    alarms = _alarms(cloud)
    for queue in QueueName:
        alarm = alarms["Errors" + "".join(part.capitalize() for part in f"executor-{queue}".split("-"))]
        assert _rule(alarm) == ("Errors", "Sum", "GreaterThanThreshold", 0, 3, 5)
        function = cloud.service.referred(_dimensions(alarm)["FunctionName"])
        assert function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == f"executor-{queue}"
    alarm = alarms["ErrorsDeadLetter"]
    assert _rule(alarm) == ("Errors", "Sum", "GreaterThanThreshold", 0, 1, 1)


def test_dropped_ticks_are_counted_by_lambda_itself(cloud: Synthesised) -> None:
    """The function's own errors and throttles end there, because a tick is not retried."""
    for name in ("Watcher", "Sweeper", "Redriver"):
        alarm = _alarms(cloud)[f"TicksDropped{name}"]
        assert _rule(alarm) == ("AsyncEventsDropped", "Sum", "GreaterThanThreshold", 0, 2, 5)


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


def test_every_alarm_says_what_it_means_names_the_runbook_and_notifies_the_topic(cloud: Synthesised) -> None:
    runbook = " Runbook: docs/operations/alarms.md"
    assert (ROOT / runbook.rpartition(" ")[2]).is_file()
    for name, alarm in _alarms(cloud).items():
        text = alarm["AlarmDescription"]
        assert text.endswith(runbook) and len(text.removesuffix(runbook)) > 25, name
        assert len(alarm["AlarmActions"]) == 1, name


def test_dashboard_is_left_out_and_not_billed_where_the_stage_wants_none(
    cloud: Synthesised, local: Synthesised
) -> None:
    for stacks, count in ((cloud, 1), (local, 0)):
        kinds = [made["Type"] for made in stacks.service.body["Resources"].values()]
        assert kinds.count("AWS::CloudWatch::Dashboard") == count
        assert idle_usage(stacks.stage).dashboards == count


def test_the_emulator_gets_the_same_alarms_but_for_expressions(
    cloud: Synthesised, local: Synthesised
) -> None:
    emulated = _alarms(local)
    assert not any("Metrics" in alarm for alarm in emulated.values())
    missing = _alarms(cloud).keys() - emulated.keys()
    assert missing == {name for name in _alarms(cloud) if name.startswith("TableThrottles")}
