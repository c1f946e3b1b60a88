"""Alarms that can fire: each looks at a metric that somebody emits, under the dimensions that they use."""

import re
from typing import Any

import pytest

from infra.components.runbooks import runbook_of
from infra.sizing import figures
from infra.sizing.bill import total
from infra.sizing.idle import idle_usage
from infra.sizing.prices import DEFAULT_REGION, PRICES
from infra.stages import PRESETS
from shared.names import METRICS_NAMESPACE, QueueName
from tests.infra.conftest import TOPIC, Synthesised, alarms_of
from tests.infra.known_metrics import is_known
from tests.support.cloudwatch import metrics_of, passes
from tests.support.documents.runbooks import section
from tests.support.sources import ROOT
from tests.support.template import Resource


def _dimensions(metric: Resource) -> dict[str, Any]:
    return {made["Name"]: made["Value"] for made in metric.get("Dimensions", [])}


def test_every_alarm_looks_at_a_metric_that_exists(cloud: Synthesised) -> None:
    for name, alarm in alarms_of(cloud).items():
        for metric in metrics_of(alarm):
            assert is_known(metric["Namespace"], metric["MetricName"], _dimensions(metric), cloud), name


def test_alarms_of_two_stages_of_an_account_share_no_metric_of_their_functions(
    cloud: Synthesised, local: Synthesised
) -> None:
    """Ticks of one stage would hide that another stage has none."""
    first, second = (
        [
            (metric["MetricName"], _dimensions(metric))
            for alarm in alarms_of(stacks).values()
            for metric in metrics_of(alarm)
            if metric["Namespace"] == METRICS_NAMESPACE
        ]
        for stacks in (cloud, local)
    )
    assert len(first) == len(second) + 7 == 30, "the emulator has no burn rates and no canary"
    assert not [metric for metric in first if metric in second]


def test_alarms_have_as_many_metrics_as_the_sizing_bills(cloud: Synthesised, large: Synthesised) -> None:
    for stacks in (cloud, large):
        read = sum(len(metrics_of(alarm)) for alarm in alarms_of(stacks).values())
        assert read == idle_usage(stacks.stage).alarm_metrics


def test_every_alarm_has_a_row_with_its_page_and_every_row_an_alarm(cloud: Synthesised) -> None:
    page = (ROOT / "docs" / "operations" / "alarms.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    shown = [name for cell in cells for name in re.findall(r"`(\w+(?:<\w+>)?)`", cell)]
    patterns = [re.compile(re.sub(r"<\w+>", r"\\w+", name)) for name in shown]
    names = alarms_of(cloud).keys()
    assert [name for name in names if not any(pattern.fullmatch(name) for pattern in patterns)] == []
    assert [one.pattern for one in patterns if not any(one.fullmatch(name) for name in names)] == []


def test_a_heartbeat_that_falls_silent_is_an_alarm(cloud: Synthesised) -> None:
    for name, beats, minutes in (
        ("WatcherHeartbeat", cloud.stage.watchers, 3),
        ("SweeperHeartbeat", cloud.stage.sweepers, 3),
        ("RedriverHeartbeat", 1, 5),
    ):
        alarm = alarms_of(cloud)[name]
        assert alarm["TreatMissingData"] == "breaching"
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", beats)
        assert (alarm["Statistic"], alarm["Period"]) == ("Sum", 60)
        assert (alarm["EvaluationPeriods"], alarm["DatapointsToAlarm"]) == (minutes, minutes)


def test_missing_data_breaches_heartbeats_and_reports_of_coverage_alone(cloud: Synthesised) -> None:
    breached = {name for name, alarm in alarms_of(cloud).items() if alarm["TreatMissingData"] == "breaching"}
    breached.remove("CanaryMissing")
    assert len(breached) == figures.IDLE_METRICS.value + 2, "these alone are reported by an idle stage"
    assert breached == {
        "WatcherHeartbeat",
        "SweeperHeartbeat",
        "RedriverHeartbeat",
        "ReconcilerCoverage",
        "ReconcilerCheckedThrough",
        "ArchiveUnsealed",
        "AuditTrailBehind",
    }


def test_starts_of_all_lanes_and_answers_of_the_gateway_are_held_to_their_objectives(
    cloud: Synthesised,
) -> None:
    """A budget of 30 days: 2 % of it in an hour is 14.4 times its even use, and 5 % in six hours is six times."""
    alarms = alarms_of(cloud)
    for name, hours, percent in (
        ("StartBurnFast", 1, 0.1 * 14.4),
        ("StartBurnSlow", 6, 0.1 * 6),
        ("ApiBurnFast", 1, 0.05 * 14.4),
        ("ApiBurnSlow", 6, 0.05 * 6),
    ):
        alarm = alarms[name]
        stats = [part["MetricStat"] for part in alarm["Metrics"] if "MetricStat" in part]
        assert {stat["Period"] for stat in stats} == {hours * 3_600}, "one period, or CloudWatch refuses it"
        assert alarm["Threshold"] == pytest.approx(percent)
        assert (alarm["EvaluationPeriods"], alarm["ComparisonOperator"]) == (1, "GreaterThanThreshold")
    read = {
        (name[:3], part["MetricStat"]["Metric"]["MetricName"], part["MetricStat"]["Stat"])
        for name in alarms
        if "Burn" in name
        for part in alarms[name]["Metrics"]
        if "MetricStat" in part
    }
    assert read == {
        ("Sta", "LateStarts", "Sum"),
        ("Sta", "LateStarts", "SampleCount"),
        ("Api", "5xx", "Sum"),
        ("Api", "Count", "Sum"),
    }


def test_alarms_are_these(cloud: Synthesised) -> None:
    """Each alarm costs money in each month, and each one that is missing may hide a fault: see the runbook."""
    assert alarms_of(cloud).keys() == {
        *("WatcherHeartbeat", "SweeperHeartbeat", "RedriverHeartbeat"),
        *("ReconcilerCoverage", "ReconcilerCheckedThrough"),
        *("MissingExecutions", "DoubleCompleted", "ChainsRepaired"),
        *("StartBurnFast", "StartBurnSlow", "ApiBurnFast", "ApiBurnSlow"),
        "RolloutErrors",
        *("OldestUnclaimedDue", "Quarantined", "DeadMessages", "DeadMessagesLeft", "Parked"),
        *("AuditFailed", "AttemptsRefunded", "ClockSkew", "LimitStoreErrors", "QuotaStoreErrors"),
        *("GatewayRate", "ClaimedConcurrency", "TableThrottles"),
        *("TicksDroppedWatcher", "TicksDroppedSweeper", "TicksDroppedRedriver"),
        "TicksUndelivered",
        *("ErrorsExecutorCritical", "ErrorsExecutorStandard", "ErrorsExecutorBulk"),
        *("ErrorsExecutorSlowCritical", "ErrorsExecutorSlow", "ErrorsExecutorSlowBulk"),
        "ErrorsDeadLetter",
        *("QueueAgeSlowCritical", "QueueAgeSlow", "QueueAgeSlowBulk"),
        *("DeadEvents", "EventsInFlight", "EventsFailing", "ErrorsEventReceiver"),
        *("CanaryMissing", "CanaryLate", "CanaryRefused"),
        *("ArchiveUnsealed", "ArchiveMismatch"),
        *("AuditTrailBehind", "AuditTrailMismatch"),
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
        ("Quarantined", {}, "Sum", 0, 1, 1),
        ("DeadMessages", {"service": "dead-letter"}, "Sum", 0, 1, 1),
        ("MissingExecutions", {"service": "reconciler"}, "Sum", 0, 1, 1),
        ("DoubleCompleted", {"service": "reconciler"}, "Sum", 0, 1, 1),
        ("ChainsRepaired", {"service": "reconciler"}, "Sum", 0, 1, 1),
        ("ArchiveMismatch", {"service": "archiver"}, "Sum", 0, 1, 1),
        ("AuditFailed", {"service": "api"}, "Sum", 0, 1, 1),
        ("AuditTrailMismatch", {"service": "auditor"}, "Sum", 0, 1, 1),
        ("AttemptsRefunded", {}, "Sum", 0, 3, 5),
        ("LimitStoreErrors", {}, "Sum", 0, 3, 5),
        ("ThrottledRequests", {}, "Sum", 0, 3, 5),
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
    alarm = alarms_of(cloud)["TableThrottles" if name == "ThrottledRequests" else name]
    metric = f"{name}Seconds" if name == "OldestUnclaimedDue" else name
    assert _rule(alarm) == (metric, statistic, "GreaterThanThreshold", threshold, minutes, of_minutes)
    assert _dimensions(alarm) == {"stage": "test", **dimensions}
    assert alarm["TreatMissingData"] == "notBreaching", "a count of zero is not reported"


def test_clock_skew_of_any_executor_is_one_alarm(cloud: Synthesised) -> None:
    alarm = alarms_of(cloud)["ClockSkew"]
    assert _rule(alarm) == ("ClockSkewMs", "Maximum", "GreaterThanThreshold", 0, 3, 5)
    assert _dimensions(alarm) == {"stage": "test"}


def test_errors_of_each_consumer_of_messages_have_an_alarm(cloud: Synthesised) -> None:
    """An executor that crashes at once shows nowhere else for minutes."""
    alarms = alarms_of(cloud)
    for queue in QueueName:
        alarm = alarms["Errors" + "".join(part.capitalize() for part in f"executor-{queue}".split("-"))]
        assert _rule(alarm) == ("Errors", "Sum", "GreaterThanThreshold", 0, 3, 5)
        function = cloud.service.referred(_dimensions(alarm)["FunctionName"])
        assert function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == f"executor-{queue}"
    alarm = alarms["ErrorsDeadLetter"]
    assert _rule(alarm) == ("Errors", "Sum", "GreaterThanThreshold", 0, 1, 1)


def test_messages_that_no_executor_receives_on_a_slow_path_are_an_alarm_of_each(cloud: Synthesised) -> None:
    """Such executions may count as throttled, as long as the rest of their lane is working."""
    slow = [queue for queue in QueueName if queue.is_slow]
    assert len(slow) == 3
    for queue in slow:
        name = "".join(part.capitalize() for part in queue.split("-"))
        alarm = alarms_of(cloud)[f"QueueAge{name}"]
        assert _rule(alarm) == (
            *("ApproximateAgeOfOldestMessage", "Maximum", "GreaterThanThreshold"),
            *(1_200, 1, 1),
        )
        (logical_id,) = _dimensions(alarm)["QueueName"]["Fn::GetAtt"][:1]
        assert logical_id.startswith(f"Lanes{name}") and "Dead" not in logical_id


def test_dropped_ticks_are_counted_by_lambda_itself(cloud: Synthesised) -> None:
    """The function's own errors and throttles end there, because a tick is not retried."""
    for name in ("Watcher", "Sweeper", "Redriver"):
        alarm = alarms_of(cloud)[f"TicksDropped{name}"]
        assert _rule(alarm) == ("AsyncEventsDropped", "Sum", "GreaterThanThreshold", 0, 2, 5)


def test_ticks_of_every_rule_that_are_not_delivered_are_an_alarm(
    cloud: Synthesised, large: Synthesised
) -> None:
    """An alarm on an expression reads ten metrics at most."""
    for stacks, count in ((cloud, 1), (large, 5)):
        alarms = {
            name: alarm for name, alarm in alarms_of(stacks).items() if name.startswith("TicksUndelivered")
        }
        assert sorted(alarms) == ["TicksUndelivered", *(f"TicksUndelivered{n}" for n in range(2, count + 1))]
        read = [_dimensions(metric) for alarm in alarms.values() for metric in metrics_of(alarm)]
        made = stacks.service.of_type("AWS::Events::Rule")
        rules = [name for name, rule in made.items() if "ScheduleExpression" in rule["Properties"]]
        assert sorted(each["RuleName"]["Ref"] for each in read) == sorted(rules)
        assert max(len(metrics_of(alarm)) for alarm in alarms.values()) <= 10


def test_messages_that_stay_in_any_dead_letter_queue_are_an_alarm(cloud: Synthesised) -> None:
    alarm = alarms_of(cloud)["DeadMessagesLeft"]
    queues = {_dimensions(metric)["QueueName"]["Fn::GetAtt"][0] for metric in metrics_of(alarm)}
    assert len(queues) == len(QueueName) and all("Dead" in queue for queue in queues)
    assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"], alarm["Threshold"]) == (15, 15, 0)


def test_alarm_on_the_concurrency_of_the_account_leaves_time_before_ticks_are_throttled(
    cloud: Synthesised,
) -> None:
    alarm = alarms_of(cloud)["ClaimedConcurrency"]
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "ClaimedAccountConcurrency")
    assert alarm["Threshold"] == 0.7 * cloud.stage.account_concurrency
    assert "Dimensions" not in alarm


def test_alarm_on_the_concurrency_of_an_account_that_is_shared_is_on_the_quota_of_all(
    large: Synthesised,
) -> None:
    """The metric counts the executions of other programs, too."""
    assert large.stage.account_concurrency == 5_000
    assert alarms_of(large)["ClaimedConcurrency"]["Threshold"] == 0.7 * 8_000


def test_alarm_on_the_rate_of_the_gateway_comes_before_its_refusals(cloud: Synthesised) -> None:
    """The gateway counts requests of all tenants, and its 429 looks like that of a tenant's own limit."""
    alarm = alarms_of(cloud)["GatewayRate"]
    assert _rule(alarm) == ("Count", "Sum", "GreaterThanThreshold", 0.7 * 1_000 * 60, 3, 5)
    assert alarm["Namespace"] == "AWS/ApiGateway"


def test_no_alarm_reads_a_metric_of_dynamodb(cloud: Synthesised) -> None:
    """Alarms on these always keep their state while data is missing, and throttles have data only at throttles.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    """
    namespaces = {metric["Namespace"] for alarm in alarms_of(cloud).values() for metric in metrics_of(alarm)}
    assert namespaces == {METRICS_NAMESPACE, "AWS/Lambda", "AWS/ApiGateway", "AWS/SQS", "AWS/Events"}


def test_description_is_one_sentence_with_the_runbook_of_the_alarm(cloud: Synthesised) -> None:
    for name, alarm in alarms_of(cloud).items():
        sentence, _, link = alarm["AlarmDescription"].partition(" Runbook: ")
        assert sentence.endswith(".") and len(sentence) > 25, name
        assert sentence.count(". ") == 0, name
        assert link == runbook_of(name), name
        symptom = section(ROOT / link, "Symptom")
        assert f"`{name}`" in symptom, name


def test_name_of_an_alarm_changes_with_its_logical_id(cloud: Synthesised) -> None:
    """CloudFormation refuses a new resource with the name of one that it has not deleted yet."""
    for logical_id, made in cloud.service.of_type("AWS::CloudWatch::Alarm").items():
        name = made["Properties"]["AlarmName"].removeprefix("punctual-test-")
        assert logical_id.removeprefix("Alarms")[:-8] == name


def test_alarms_and_their_ends_go_to_the_topic_of_the_stage(cloud: Synthesised) -> None:
    (topic,) = cloud.service.of_type("AWS::SNS::Topic")
    alarms = alarms_of(cloud)
    silent = alarms.pop("RolloutErrors")
    assert not silent.keys() & {"AlarmActions", "OKActions"}, "it ends a rollout, and nothing else"
    for name, alarm in alarms.items():
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}], name


def test_alarms_and_their_ends_go_to_the_topic_that_exists_alone(large: Synthesised) -> None:
    assert not any(made["Type"].startswith("AWS::SNS::") for made in large.service.body["Resources"].values())
    for name, alarm in alarms_of(large).items():
        told = [] if name == "RolloutErrors" else [TOPIC]
        assert alarm.get("AlarmActions", []) == alarm.get("OKActions", []) == told, name


def test_policy_of_the_topic_lets_alarms_of_the_account_publish_and_demands_tls(cloud: Synthesised) -> None:
    """A policy replaces the default one, which would have let them."""
    (policy,) = cloud.service.properties("AWS::SNS::TopicPolicy")
    (topic,) = cloud.service.of_type("AWS::SNS::Topic")
    statements = {made["Effect"]: made for made in policy["PolicyDocument"]["Statement"]}
    allowed = statements["Allow"]
    assert (allowed["Principal"], allowed["Action"]) == (
        {"Service": "cloudwatch.amazonaws.com"},
        "sns:Publish",
    )
    assert allowed["Resource"] == {"Ref": topic}
    assert allowed["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "111111111111"},
        "ArnLike": {
            "aws:SourceArn": {
                "Fn::Join": [
                    "",
                    [
                        "arn:",
                        {"Ref": "AWS::Partition"},
                        ":cloudwatch:eu-west-1:111111111111:alarm:*",
                    ],
                ]
            }
        },
    }
    assert statements["Deny"]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_topic_has_no_key_that_cloudwatch_could_not_use(cloud: Synthesised) -> None:
    (topic,) = cloud.service.properties("AWS::SNS::Topic")
    assert "KmsMasterKeyId" not in topic


def test_addresses_and_endpoints_are_subscribed_to_alarms_and_their_ends(cloud: Synthesised) -> None:
    subscribed = list(cloud.service.properties("AWS::SNS::Subscription"))
    assert {(made["Protocol"], made["Endpoint"]) for made in subscribed} == {
        ("email", "ops@example.com"),
        ("email", "night@example.com"),
        ("https", "https://alerts.example.com/punctual/s3cr3t"),
    }
    changes = {("OK", "ALARM"), ("ALARM", "OK"), ("INSUFFICIENT_DATA", "ALARM"), ("INSUFFICIENT_DATA", "OK")}
    for made in subscribed:
        assert made["FilterPolicyScope"] == "MessageBody"
        told = {
            (old, new)
            for old, new in changes
            if passes(made["FilterPolicy"], {"OldStateValue": old, "NewStateValue": new})
        }
        assert told == changes - {("INSUFFICIENT_DATA", "OK")}, "a first deployment tells nothing"


def test_alarms_on_missing_data_wait_for_the_first_ticks(cloud: Synthesised) -> None:
    for name, alarm in alarms_of(cloud).items():
        warm_up = alarm.get("WarmUpConfiguration")
        assert (warm_up == {"WarmUpPeriodDurationInMinutes": 30}) is (
            alarm["TreatMissingData"] == "breaching"
        ), name


def test_small_stage_costs_less_than_18_dollars_a_month_without_jobs() -> None:
    assert total(idle_usage(PRESETS["small"]), PRICES[DEFAULT_REGION]) < 18


def test_the_emulator_gets_the_same_alarms_but_for_expressions(
    cloud: Synthesised, local: Synthesised
) -> None:
    emulated = alarms_of(local)
    assert not any("Metrics" in alarm for alarm in emulated.values())
    missing = alarms_of(cloud).keys() - emulated.keys()
    of_expressions = {name for name, alarm in alarms_of(cloud).items() if "Metrics" in alarm}
    assert {"RolloutErrors", "TicksUndelivered", "DeadMessagesLeft"} < of_expressions
    assert missing == of_expressions | {name for name in alarms_of(cloud) if "Canary" in name}
