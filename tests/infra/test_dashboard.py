"""The dashboard: metrics that exist, limit lines from the alarms, and CloudWatch's own limits."""

import ast
import json
import re

import pytest

from infra.components.runbooks import runbook_of
from infra.sizing.figures import IN_FLIGHT, INSIGHT_RULES
from infra.sizing.idle import idle_usage
from infra.sizing.prices import DEFAULT_REGION, PRICES
from infra.stages import PRESETS
from shared.names import (
    ACCEPTED_BATCH_LOG_LINE,
    ACCEPTED_LOG_LINE,
    METRICS_NAMESPACE,
    WHOLE_STAGE,
    Lane,
    Metric,
)
from tests.infra.conftest import Synthesised, alarms_of
from tests.infra.known_metrics import EMITTERS, EXECUTORS, is_known
from tests.support.cloudwatch import calculate, metrics_of
from tests.support.dashboard import Line, Widget, body_of, widgets_of
from tests.support.sources import ROOT

MOST_WIDGETS, MOST_METRICS, MOST_IN_WIDGET, MOST_EXPRESSION = 500, 2_500, 500, 1_024
"""The quotas of CloudWatch; metrics that only expressions read count, too. Translations of the page have older ones.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
"""
MOST_ALARMS = 100
QUESTIONS = (
    "Are calls in time?",
    "Is anything lost?",
    "Who is hurt?",
    "What is hot?",
    "What does it cost?",
)


def texts(stacks: Synthesised) -> list[str]:
    return [widget.properties["markdown"] for widget in widgets_of(stacks.service) if widget.kind == "text"]


def named(stacks: Synthesised, title: str) -> Widget:
    (widget,) = (each for each in widgets_of(stacks.service) if each.title.startswith(title))
    return widget


def test_dashboard_is_left_out_and_not_billed_where_the_stage_wants_none(
    cloud: Synthesised, local: Synthesised
) -> None:
    for stacks, count in ((cloud, 1), (local, 0)):
        kinds = [made["Type"] for made in stacks.service.body["Resources"].values()]
        assert kinds.count("AWS::CloudWatch::Dashboard") == count
        assert idle_usage(stacks.stage).dashboards == count


def test_dashboard_has_a_section_for_each_question_with_what_good_looks_like(cloud: Synthesised) -> None:
    assert [text.splitlines()[0] for text in texts(cloud)] == [
        f"## {number}. {question}" for number, question in enumerate(QUESTIONS, 1)
    ]
    assert all("**Good:** " in text for text in texts(cloud))


def test_alarms_are_each_in_one_section_beside_its_runbook(cloud: Synthesised) -> None:
    lines = [line for text in texts(cloud) for line in text.splitlines() if line.startswith("- ")]
    pages = [re.fullmatch(r"- (.+): `(\S+)`", line) for line in lines]
    shown = [(name, page[2]) for page in pages if page for name in page[1].split(", ")]
    assert sorted(shown) == sorted((name, runbook_of(name)) for name in alarms_of(cloud))


def test_limit_line_of_an_alarm_is_its_threshold(cloud: Synthesised, large: Synthesised) -> None:
    for stacks in (cloud, large):
        alarms, seen = alarms_of(stacks), set()
        for widget in widgets_of(stacks.service):
            for limit in widget.limits:
                name = limit["label"].partition(":")[0]
                if name in alarms:
                    seen.add(name)
                    assert limit["value"] == alarms[name]["Threshold"], name
                    read = {metric["MetricName"] for metric in metrics_of(alarms[name])}
                    assert read <= {line.key[1] for line in widget.metrics if line.key}, name
        assert {"StartBurnFast", "ApiBurnSlow", "OldestUnclaimedDue", "GatewayRate", "TableThrottles"} <= seen


def test_graph_of_an_alarms_metric_has_its_period_and_statistic(cloud: Synthesised) -> None:
    """Another period would compare sums of several minutes with the threshold of one."""
    assert json.loads(body_of(cloud.service))["periodOverride"] == "inherit"
    alarms = alarms_of(cloud)
    for widget in widgets_of(cloud.service):
        for line in widget.metrics:
            alarm = alarms.get(line.label)
            if alarm is not None:
                statistic = alarm.get("Statistic") or alarm["ExtendedStatistic"]
                assert (line.statistic, line.period) == (statistic, alarm["Period"]), line.label


def test_limit_lines_of_capacity_are_those_of_the_stage_and_of_aws(large: Synthesised) -> None:
    stage = large.stage
    for title, value in (
        ("Messages in flight", IN_FLIGHT.value),
        ("Claimed concurrency", stage.concurrency_quota),
        ("Requests to the API", 60 * stage.api_rate_limit),
        ("Write units", 60 * 72_000),
        ("Start lag", 5_000),
    ):
        assert value in [limit["value"] for limit in named(large, title).limits], title


def test_dashboard_shows_only_metrics_that_exist(cloud: Synthesised, large: Synthesised) -> None:
    for stacks in (cloud, large):
        for line in _metrics(stacks):
            namespace, name, dimensions = line.key or ("", "", ())
            assert is_known(namespace, name, dict(dimensions), stacks), line


def test_own_metrics_of_the_dashboard_are_reported_by_the_functions_it_names(
    cloud: Synthesised,
) -> None:
    for namespace, name, dimensions in {line.key for line in _metrics(cloud) if line.key}:
        if namespace == METRICS_NAMESPACE and name not in WHOLE_STAGE:
            service = dict(dimensions)["service"]
            package = "executor" if service in EXECUTORS else service.replace("-", "_")
            assert package in {where for where, emitted in EMITTERS if emitted == name}, (service, name)


def test_dashboard_stays_within_the_limits_of_cloudwatch(cloud: Synthesised, large: Synthesised) -> None:
    for stacks in (cloud, large):
        widgets = widgets_of(stacks.service)
        assert len(widgets) <= MOST_WIDGETS
        assert len(_metrics(stacks)) <= MOST_METRICS
        assert max(len(widget.metrics) for widget in widgets) <= MOST_IN_WIDGET
        assert max(len(line.expression) for each in widgets for line in each.lines) <= MOST_EXPRESSION
        assert len(widgets[0].properties["alarms"]) == len(alarms_of(stacks)) <= MOST_ALARMS
        for widget in widgets:
            column, _, width, _ = widget.box
            assert column + width <= 24, widget.title


def test_cost_page_states_the_metrics_of_the_dashboard(cloud: Synthesised) -> None:
    page = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
    assert f"This dashboard has {len({line.key for line in _metrics(cloud)})}, so" in page.replace(
        "\n  ", " "
    )


def test_expressions_read_metrics_of_their_widget_and_period(large: Synthesised) -> None:
    count = 0
    for widget in widgets_of(large.service):
        by_id = {line.id: line for line in widget.metrics if line.id}
        for line in widget.lines:
            if line.expression:
                count += 1
                names = {
                    each.id for each in ast.walk(ast.parse(line.expression)) if isinstance(each, ast.Name)
                }
                read = names - {"SUM", "FILL", "IF"}
                assert read and {by_id[name].period for name in read} == {line.period}, line
                assert not any(by_id[name].is_visible for name in read), line
                assert calculate(line.expression, dict.fromkeys(read, 1.0)) is not None
    assert count > 20


def test_cost_is_the_quantities_of_each_service_at_list_prices(cloud: Synthesised) -> None:
    prices, widget = PRICES[DEFAULT_REGION], named(cloud, "Dollars of the day so far")
    quantities = {"ConsumedWriteCapacityUnits": 1e6, "ConsumedReadCapacityUnits": 2e6}
    assert _total(widget, "DynamoDB", quantities) == pytest.approx(
        9 * (1e6 * prices.write_units.each + 2e6 * prices.read_units.each)
    )
    gb = sum(function["MemorySize"] for function in cloud.service.functions().values()) / 1_024
    used = {"Invocations": 1e6, "Duration": 5e7}
    functions = len(cloud.service.functions())
    expected = functions * 1e6 * prices.lambda_requests.each + gb * 5e4 * prices.gb_seconds.each
    assert _total(widget, "Lambda", used) == pytest.approx(expected)
    assert _total(widget, "API", {"Count": 3e6}) == pytest.approx(3e6 * prices.api_requests.each)
    # With the access log.
    assert _total(widget, "Logs", {"IncomingBytes": 1e9}) == pytest.approx(
        (functions + 1) * prices.log_gb.each
    )
    sent = {"NumberOfMessagesSent": 1e6, "NumberOfEmptyReceives": 2e6}
    fair = prices.sqs_requests.each + prices.fair_requests.each
    assert _total(widget, "SQS", sent) == pytest.approx(6 * 1e6 * fair + 12 * 2e6 * prices.sqs_requests.each)


def test_rate_of_an_hour_is_twelve_times_that_of_five_minutes(cloud: Synthesised) -> None:
    quantities = {"Count": 1_000.0}
    hourly, today = (named(cloud, title) for title in ("Dollars an hour", "Dollars of the day so far"))
    assert {line.period for line in hourly.lines} == {300}
    assert {line.period for line in today.lines} == {86_400}
    assert _total(hourly, "API", quantities) == pytest.approx(12 * _total(today, "API", quantities))


def _total(widget: Widget, service: str, quantities: dict[str, float]) -> float:
    """Dollars of a service, where each of its metrics has one of these quantities, or none."""
    (line,) = (each for each in widget.lines if each.label == service and each.expression)
    values = {each.id: quantities.get(each.key[1]) for each in widget.metrics if each.key}
    found = calculate(line.expression, values)
    assert found is not None
    return found


def test_throttled_work_is_on_the_dashboard_and_fires_no_alarm(cloud: Synthesised) -> None:
    waits = {Metric.OLDEST_WAITING_DUE_SECONDS, Metric.WAITED_LAG_MS}
    assert waits <= {line.key[1] for line in _metrics(cloud) if line.key}
    watched = {metric["MetricName"] for alarm in alarms_of(cloud).values() for metric in metrics_of(alarm)}
    assert not waits & watched


def test_contributors_are_ranked_only_where_the_stage_asks_and_pays_for_it(
    cloud: Synthesised, local: Synthesised
) -> None:
    kinds = [made["Type"] for made in local.service.body["Resources"].values()]
    assert "AWS::CloudWatch::InsightRule" not in kinds
    assert "ContributorInsightsSpecification" not in json.dumps(local.data.body)
    assert (idle_usage(local.stage).insight_rules, local.stage.contributor_insights) == (0, False)
    rules = list(cloud.service.properties("AWS::CloudWatch::InsightRule"))
    keys = json.dumps(cloud.data.body).count('"ContributorInsightsSpecification"')
    assert len(rules) + 2 * keys == INSIGHT_RULES.value == idle_usage(cloud.stage).insight_rules
    assert keys == json.dumps(cloud.data.body).count('{"Enabled": true, "Mode": "THROTTLED_KEYS"}') == 4


def test_small_stage_ranks_no_contributors_unless_it_asks() -> None:
    assert [name for name, stage in PRESETS.items() if stage.contributor_insights] == ["medium", "large"]


def test_ranked_tenants_are_those_of_the_lines_that_name_a_tenant(cloud: Synthesised) -> None:
    ranked = {}
    for rule in cloud.service.properties("AWS::CloudWatch::InsightRule"):
        parts = rule["RuleBody"]["Fn::Join"][1]
        groups = sorted(part["Ref"] for part in parts if isinstance(part, dict))
        body = json.loads("".join(part if isinstance(part, str) else "group" for part in parts))
        assert body["Contribution"]["Keys"] == ["$.tenant"]
        ranked[rule["RuleName"]] = (groups, body["Contribution"]["Filters"])
    creators, failures = (ranked[f"punctual-test-{name}"] for name in ("creators", "failures"))
    assert creators[1] == [{"Match": "$.message", "In": [ACCEPTED_LOG_LINE, ACCEPTED_BATCH_LOG_LINE]}]
    assert [name[:15] for name in creators[0]] == ["FunctionsApiLog"]
    assert failures[1] == [{"Match": "$.tenant", "IsPresent": True}]
    assert len(failures[0]) == 2 * len(Lane) and all("Executor" in name for name in failures[0])


def test_ranking_of_each_rule_is_on_the_dashboard(cloud: Synthesised) -> None:
    shown = {
        widget.properties["insightRule"]["ruleName"]
        for widget in widgets_of(cloud.service)
        if "insightRule" in widget.properties
    }
    assert shown == {made["RuleName"] for made in cloud.service.properties("AWS::CloudWatch::InsightRule")}


def _metrics(stacks: Synthesised) -> list[Line]:
    """All of the dashboard; one that several widgets show appears as often."""
    return [line for widget in widgets_of(stacks.service) for line in widget.metrics]
